//! One run of a check, and a second one where the first wrote files that may be left over from an earlier run.

use std::collections::BTreeSet;

use baton_engine::fact::{CheckResult, Hindrance};
use baton_engine::progress::normalise;
use baton_engine::verdict::Verdict;
use baton_engine::word::CheckpointName;
use baton_evidence::tool_output::junit::JunitCounts;

use super::junit_file::JunitFile;
use super::ran::{Failing, Lost, Ran, is_lost, ledger, result_of, settled, tail};
use crate::check_run::{self, CheckRoom};
use crate::config::Check;
use crate::supervise::{Ended, How, Stopper};
use crate::test_command;
use crate::workspace::Stamps;

/// Most files that a check changed which are named.
const CHANGED_NAMED_MAX: usize = 5;
/// How much of the end of an output two failures are compared by, in characters.
const COMPARED_CHARS_MAX: usize = 16 * 1024;

/// Runs a check that passes again without the files of the work that it wrote, where they may be what a check left there
/// earlier. Those that it writes again by itself are its own output, and what was in them settled nothing.
pub(super) fn without_left_overs(
    named: (&Check, &CheckpointName),
    first: &Once,
    room: &CheckRoom,
    started: &dyn Fn(Stopper),
) -> Option<Once> {
    if first.result.verdict != Verdict::Pass || first.changed.is_empty() {
        return None;
    }
    room.prepare_without(&first.changed).ok().filter(|done| *done)?;
    let again = Once::run(named, room, started);
    let is_own = again.result.verdict == Verdict::Pass
        && first.changed.iter().all(|path| room.has_file(path))
        && again.changed.iter().all(|path| first.changed.contains(path));
    is_own.then_some(again)
}

/// A check that was run once.
pub(super) struct Once {
    run: Ended,
    junit: Option<Result<JunitCounts, String>>,
    result: CheckResult,
    /// The files of the work that are others now.
    pub(super) changed: Vec<String>,
    put_back: BTreeSet<String>,
}

impl Once {
    pub(super) fn run(
        (check, checkpoint): (&Check, &CheckpointName),
        room: &CheckRoom,
        started: &dyn Fn(Stopper),
    ) -> Self {
        let stamps = room.stamps();
        let file = check.junit.as_deref().map(|path| (room.folder_of(path), path));
        let before = file.map(|(folder, path)| JunitFile::before(folder, path));
        let mut run = check_run::run(check, room, started);
        if is_lost(&run.how) {
            run = check_run::run(check, room, started);
        }
        let junit = before.zip(file).map(|(before, (folder, _))| before.read(folder));
        let result = settled((check, room), checkpoint, &run, junit.as_ref());
        let Written { changed, back: put_back } = match room.is_looked_at_after(result.verdict) {
            true => Written::since(&stamps, check, room),
            false => Written::default(),
        };
        Self { run, junit, result, changed, put_back }
    }

    /// Returns what it settles. These files it wrote by itself.
    pub(super) fn told(self, check: &Check, room: &CheckRoom, own: &[String]) -> Ran {
        let Self { run, junit, mut result, changed, put_back } = self;
        let command = check.run.join(" ");
        let named =
            |paths: &[String]| paths.iter().take(CHANGED_NAMED_MAX).cloned().collect::<Vec<_>>().join(", ");
        if result.verdict == Verdict::Pass && !own.is_empty() {
            result.detail = format!("{}; it writes {} by itself", result.detail, named(own));
        } else if result.verdict == Verdict::Pass && !changed.is_empty() {
            // Whether a pass holds for the work as it was handed over is not known when the work was another one at the end.
            let detail = format!(
                "`{command}` ended with 0, but changed the work that it looked at: {}. Run it, and hand over what it changes",
                named(&changed)
            );
            result = result_of(&result.checkpoint, Verdict::Inconclusive, detail);
        }
        result.hindrance = match &run.how {
            how if is_lost(how) => None,
            How::NotStarted(_) => Some(Hindrance::NotStarted),
            How::TimedOut => Some(Hindrance::TimedOut),
            How::Code(_) | How::Signal(_) | How::Stopped | How::OverBound(_) | How::KeeperLost => None,
        };
        let lost = is_lost(&run.how).then(|| Lost {
            what: format!("`{command}` {}, twice", run.how.told()),
            next: "find out what ends Baton's own processes".to_owned(),
        });
        let confined_by = match run.how {
            How::NotStarted(_) => None,
            _ => Some(run.confinement.confined_by()),
        };
        let failing = (result.verdict == Verdict::Fail).then(|| Failing {
            tests: junit.iter().flatten().flat_map(|counts| counts.failing.iter().cloned()).collect(),
            error: normalise(&tail(&String::from_utf8_lossy(&run.output.bytes), COMPARED_CHARS_MAX)),
        });
        let tests = match &junit {
            Some(counts) => counts.as_ref().ok().map(|counts| counts.tests.saturating_sub(counts.skipped)),
            None => test_command::tests_run(&run.output),
        };
        let ledger = Some(ledger(check, room, &run, junit.as_ref()));
        let was_stopped = run.how == How::Stopped;
        Ran { result, ledger, output: run.output, confined_by, lost, was_stopped, tests, put_back, failing }
    }
}

/// What a check wrote of the work.
#[derive(Default)]
struct Written {
    changed: Vec<String>,
    /// Files that judge the work, and that are as they were.
    back: BTreeSet<String>,
}

impl Written {
    fn since(before: &Stamps, check: &Check, room: &CheckRoom) -> Self {
        let changed = room.changed().unwrap_or_else(|error| vec![error.to_string()]);
        let (after, is_changed) = (room.stamps(), |path: &str| changed.iter().any(|changed| changed == path));
        let written = after.written_since(before);
        let back = written.filter(|path| check_run::is_judge(check, path) && !is_changed(path));
        Self { back: back.map(str::to_owned).collect(), changed }
    }
}
