//! The command by which a person lets pass what does not.

use baton_runner::Service;
use baton_runner::audit::finding::Said;
use baton_runner::audit::moment::{Moment, Precision};
use baton_runner::desk::{CheckpointName, CriterionId, Id, Waivable, tell};

use super::{Who, failure, task_id, told_with_next};
use crate::command::Done;
use crate::failure::Failure;
use crate::output::printable;

command! {
    /// Let something pass that does not, as a person
    ///
    /// A waiver has a reason and an end, and work that leaned on one is never called verified.
    Waive {
        /// `checkpoint:NAME`, `criterion:ID`, `dependency:TASK`, or `violations`: all that was seen in the files as they are now
        what: String,
        reason: String,
        /// Until when, as `2026-12-31`: to the end of that day in UTC, as all times here are; leave for violations ends with
        /// any change of the files, and needs no date
        #[arg(long)]
        until: Option<String>,
    } |desk, args, _service| {
        let until = args.until.as_deref().map(end_of_waiver).transpose()?;
        if args.what == VIOLATIONS {
            desk.let_pass(&args.id, &args.reason, until).map_err(failure)?;
            return told_with_next(desk, &args.id, "let pass");
        }
        let what = waivable(&args.what)?;
        let until = until.ok_or_else(|| Failure::usage("a waiver has an end", "say `--until 2026-12-31`"))?;
        desk.waive(&args.id, what, &args.reason, until).map_err(failure)?;
        told_with_next(desk, &args.id, &format!("waived until {}", tell::time(until)))
    }
}

/// The word for everything that the host saw and nobody may do.
const VIOLATIONS: &str = "violations";

fn end_of_waiver(text: &str) -> Result<i64, Failure> {
    let text = text.trim();
    let read = |text: &str| Moment::read(Said::new(text, Default::default()));
    let moment = read(text).and_then(|moment| match moment.precision {
        Precision::Exact => Some(moment),
        Precision::WithoutZone => read(&format!("{text}Z")),
        Precision::DateOnly => read(&format!("{text}T23:59:59Z")),
    });
    let bad = || Failure::usage(&format!("`{}` is not a date", printable(text)), "write `2026-12-31`");
    moment.map(|moment| moment.latest.saturating_mul(1000)).ok_or_else(bad)
}

fn waivable(text: &str) -> Result<Waivable, Failure> {
    let bad = |why: &str| {
        Failure::usage(
            why,
            "write `checkpoint:tests_passing`, `criterion:AC-1`, `dependency:F001` or `violations`",
        )
    };
    let Some((kind, name)) = text.split_once(':') else {
        return Err(bad("it does not say what sort of thing to waive"));
    };
    let named = match kind {
        "checkpoint" => CheckpointName::new(name).map(Waivable::Checkpoint),
        "criterion" => CriterionId::new(name).map(Waivable::Criterion),
        "dependency" => Id::new(name).map(Waivable::Dependency),
        _ => return Err(bad("only checkpoints, criteria, dependencies and violations can be waived")),
    };
    named.map_err(|error| bad(&error.to_string()))
}
