//! Work that is called complete beside a checkpoint that did not pass.

use super::show::shown;
use super::standing;
use super::{Check, Code, Level, Rule, Subject};
use crate::diagnostic::{Diagnostic, Severity};
use crate::dialect::Dialect;
use crate::field::Field;
use crate::outcome::{self, Outcome};
use crate::record::Confidence;
use crate::report::Report;

pub(crate) const CODE: Code = Code(706);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "complete-with-failed-checkpoint",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT706.md"),
    check: Check::Handoff(check),
};

fn check(subject: &Subject<'_, '_>, report: &mut Report) {
    let record = &subject.handoff.record;
    let is_strict = subject.handoff.dialect.is_strict();
    // Stage documents say in `handoff_ready` whether all checkpoints pass, and are held to that.
    if subject.handoff.dialect == Dialect::Frontmatter && record.has(Field::Ready) {
        return;
    }
    let checkpoints = record.records(Field::Checkpoints).iter();
    let mut failed = checkpoints.filter_map(|checkpoint| {
        let status = checkpoint.text(Field::Status).filter(|text| text.confidence == Confidence::Stated)?;
        let skipped = is_strict && status.as_str() == "skip";
        let failed = skipped
            || status.as_str() != "pass" && outcome::from_verdict(status.as_str()) == Some(Outcome::Failed);
        failed.then_some((checkpoint, status))
    });
    let Some((checkpoint, judged)) = failed.next() else { return };
    let Some(status) = standing::claims_completion(record) else { return };
    let name = checkpoint.str(Field::Name).unwrap_or("a checkpoint");
    let message =
        format!("the work is {}, and {} is {}", shown(status.as_str()), shown(name), shown(judged.as_str()));
    let diagnostic = Diagnostic::new(CODE, status.span, message)
        .label("claims completion")
        .other(judged.span, "did not pass")
        .help("make the checkpoint pass, or say that the work is not complete");
    report.push(if is_strict { diagnostic } else { diagnostic.as_warning() });
}
