//! A stage does not show all of its checkpoints.

use super::nearest::is_drift;
use super::show::all_of;
use super::stage_document::{StageDocument, name_of};
use super::{Check, Code, Level, Rule, Subject};
use crate::diagnostic::{Diagnostic, Severity};
use crate::field::Field;
use crate::report::Report;

pub(crate) const CODE: Code = Code(201);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "checkpoint-missing",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT201.md"),
    check: Check::Handoff(check),
};

fn check(subject: &Subject<'_, '_>, report: &mut Report) {
    let Some(document) = StageDocument::of(subject) else { return };
    // Without any list the field itself is missing, which is said elsewhere.
    let Some(entry) = document.record.entry(Field::Checkpoints) else { return };
    let Some(first) = document.missing().next() else { return };
    let missing: Vec<_> = document.missing().collect();
    let message = match missing.as_slice() {
        [_] => format!("the checkpoint `{first}` is missing"),
        several => format!("{} checkpoints are missing: {}", several.len(), all_of(several)),
    };
    let stage = document.record.str(Field::Stage).unwrap_or_default();
    let mut diagnostic = Diagnostic::new(CODE, entry.key_span, message)
        .label(format!("the stage `{stage}` must show all of its checkpoints"))
        .help("add each with its `status`, `pass` only when it was really checked");
    for checkpoint in document.checkpoints() {
        let Some(name) = name_of(checkpoint) else { continue };
        let is_known = document.required.unwrap_or_default().iter().any(|known| known == name);
        if let Some(wanted) = missing.iter().find(|wanted| !is_known && is_drift(name, wanted)) {
            diagnostic = diagnostic.other(checkpoint.place(Field::Name), format!("is this `{wanted}`?"));
        }
    }
    report.push(diagnostic);
}
