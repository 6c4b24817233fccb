//! Completed work that names no file it made or changed.

use super::standing;
use super::{Check, Code, Level, Rule, Subject};
use crate::diagnostic::{Diagnostic, Severity};
use crate::field::Field;
use crate::outcome::Outcome;
use crate::report::Report;

pub(crate) const CODE: Code = Code(405);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "no-files",
    severity: Severity::Note,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT405.md"),
    check: Check::Handoff(check),
};

fn check(subject: &Subject<'_, '_>, report: &mut Report) {
    let Some((Outcome::Completed, text)) = standing::of_task_file(subject) else { return };
    let record = &subject.handoff.record;
    let names_files = [Field::FilesCreated, Field::FilesModified]
        .into_iter()
        .any(|field| standing::has_items(record, field));
    if !names_files {
        report.push(
            Diagnostic::new(
                CODE,
                text.span,
                "the work is completed, and no file is said to be new or changed",
            )
            .help("list them under `files_created` and `files_modified`; leave this if there really is none"),
        );
    }
}
