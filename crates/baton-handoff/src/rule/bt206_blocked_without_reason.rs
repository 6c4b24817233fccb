//! A blocked stage does not say what blocks it.

use super::show::one_of;
use super::stage_document::StageDocument;
use super::{Check, Code, Level, Rule, Subject};
use crate::diagnostic::{Diagnostic, Severity};
use crate::field::Field;
use crate::report::Report;

pub(crate) const CODE: Code = Code(206);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "blocked-without-reason",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT206.md"),
    check: Check::Handoff(check),
};

fn check(subject: &Subject<'_, '_>, report: &mut Report) {
    let Some(document) = StageDocument::of(subject) else { return };
    if document.status != Some("blocked") {
        return;
    }
    let missing: &[&str] = match (document.said(Field::BlockReason), document.said(Field::BlockDetails)) {
        (Some(_), Some(_)) => return,
        (None, Some(_)) => &["block_reason"],
        (Some(_), None) => &["block_details"],
        (None, None) => &["block_reason", "block_details"],
    };
    report.push(
        Diagnostic::new(
            CODE,
            document.record.place(Field::Status),
            format!("the stage is blocked, but has no {}", one_of(missing)),
        )
        .help("whoever unblocks it must know why it stopped, and what exactly is needed"),
    );
}
