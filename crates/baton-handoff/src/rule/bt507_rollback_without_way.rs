//! A rollback that neither happened nor says how to do it.

use super::standing;
use super::{Check, Code, Level, Rule, Subject};
use crate::diagnostic::{Diagnostic, Severity};
use crate::dialect::Dialect;
use crate::field::Field;
use crate::report::Report;

pub(crate) const CODE: Code = Code(507);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "rollback-without-way",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT507.md"),
    check: Check::Handoff(check),
};

fn check(subject: &Subject<'_, '_>, report: &mut Report) {
    if subject.handoff.dialect != Dialect::Artifact || subject.handoff.variant.name != "orchestrator-decision"
    {
        return;
    }
    let record = &subject.handoff.record;
    let Some(disposition) =
        record.text(Field::Verdict).filter(|text| text.as_str().trim().eq_ignore_ascii_case("rollback"))
    else {
        return;
    };
    let was_done = record.tree(Field::StatusMutation).is_some_and(|tree| !tree.is_blank());
    let refers = record
        .extensions
        .iter()
        .any(|extension| extension.key.contains("rollback") && !extension.value.is_blank());
    if was_done || refers || standing::has_texts(record, Field::Remediation) {
        return;
    }
    report.push(
        Diagnostic::new(
            CODE,
            disposition.span,
            "the decision is `rollback`, and nothing says how to roll back",
        )
        .label("back to what, and how?")
        .help(
            "add `status_mutation` with what was rolled back, or `remediation` with what a person has to do",
        ),
    );
}
