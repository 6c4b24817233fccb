//! A checkpoint is listed twice.

use super::show::shown;
use super::stage_document::StageDocument;
use super::{Check, Code, Level, Rule, Subject, twice};
use crate::diagnostic::{Diagnostic, Severity};
use crate::field::Field;
use crate::report::Report;

pub(crate) const CODE: Code = Code(214);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "duplicate-checkpoint",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT214.md"),
    check: Check::Handoff(check),
};

fn check(subject: &Subject<'_, '_>, report: &mut Report) {
    let Some(document) = StageDocument::of(subject) else { return };
    let names = document.checkpoints().iter().filter_map(|checkpoint| checkpoint.text(Field::Name));
    for (first, again) in twice::repeats(names.map(|name| (name.value.trim(), name))) {
        report.push(
            Diagnostic::new(
                CODE,
                again.span,
                format!("the checkpoint {} is listed twice", shown(again.as_str())),
            )
            .label("again here")
            .other(first.span, "first here")
            .help("keep the one that says how it ended; earlier attempts belong into `last_failure`"),
        );
    }
}
