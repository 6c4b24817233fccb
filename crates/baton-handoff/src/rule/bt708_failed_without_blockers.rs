//! Work that failed or is blocked, without a word on why.

use super::show::shown;
use super::standing;
use super::{Check, Code, Level, Rule, Subject};
use crate::diagnostic::{Diagnostic, Severity};
use crate::dialect::Dialect;
use crate::field::Field;
use crate::outcome::Outcome;
use crate::record::Record;
use crate::report::Report;

pub(crate) const CODE: Code = Code(708);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "failed-without-blockers",
    severity: Severity::Warning,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT708.md"),
    check: Check::Handoff(check),
};

fn check(subject: &Subject<'_, '_>, report: &mut Report) {
    let record = &subject.handoff.record;
    let Some((Outcome::Failed | Outcome::Blocked, status)) = standing::stated(record) else { return };
    // Task files and stage documents have rules of their own for this.
    let has_own_rules = matches!(subject.handoff.dialect, Dialect::Taskfile | Dialect::Frontmatter);
    if has_own_rules || is_explained(record) {
        return;
    }
    let message = format!("the work is {}, and nothing says why", shown(status.as_str()));
    report.push(
        Diagnostic::new(CODE, status.span, message)
            .label("why?")
            .help("name the blockers, the last failure, or the question that has to be answered first"),
    );
}

fn is_explained(record: &Record<'_>) -> bool {
    let texts = [
        Field::BlockReason,
        Field::BlockDetails,
        Field::LastFailure,
        Field::Summary,
        Field::ReasonCode,
        Field::Rationale,
        Field::Reason,
    ];
    let lists = [Field::Blockers, Field::Questions, Field::Gotchas];
    let failed = |checkpoint: &Record<'_>| standing::has_text(checkpoint, Field::Message);
    texts.into_iter().any(|field| standing::has_text(record, field))
        || lists.into_iter().any(|field| standing::has_items(record, field))
        || record.tree(Field::Context).is_some_and(|context| !context.is_blank())
        || record.record(Field::OnFailure).is_some_and(|plan| standing::has_text(plan, Field::FailureContext))
        || record.records(Field::Checkpoints).iter().any(failed)
}
