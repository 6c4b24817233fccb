//! A stage says that it is ready, and its checkpoints do not show it.

use super::show::shown;
use super::stage_document::{StageDocument, name_of};
use super::{Check, Code, Level, Rule, Subject};
use crate::diagnostic::{Diagnostic, Severity};
use crate::field::Field;
use crate::report::Report;

pub(crate) const CODE: Code = Code(202);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "ready-without-proof",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT202.md"),
    check: Check::Handoff(check),
};

fn check(subject: &Subject<'_, '_>, report: &mut Report) {
    let Some(document) = StageDocument::of(subject) else { return };
    if document.ready != Some(true) {
        return;
    }
    let ready = document.record.place(Field::Ready);
    let new = |why: String| {
        Diagnostic::new(CODE, ready, format!("`handoff_ready` is true, but {why}"))
            .label("true exactly when all checkpoints pass")
            .help("make the checkpoint pass, or write `false` and say what is open")
    };
    if let Some(checkpoint) = document.not_passed().next() {
        let name = shown(name_of(checkpoint).unwrap_or("a checkpoint"));
        let others = document.not_passed().count() - 1;
        let more = if others > 0 { format!(" and {others} more") } else { String::new() };
        let why = format!("the checkpoint {name}{more} did not pass");
        report.push(new(why).other(checkpoint.place(Field::Status), "this did not pass"));
    } else if let Some(name) = document.missing().next() {
        report.push(new(format!("the checkpoint `{name}` is missing")));
    } else if document.checkpoints().is_empty() {
        report.push(new("no checkpoint is listed".to_owned()));
    }
}
