//! The same file stands twice in the lists of files.

use super::show::shown;
use super::twice;
use super::{Check, Code, Level, Rule, Subject};
use crate::diagnostic::{Diagnostic, Severity};
use crate::dialect::Dialect;
use crate::field::Field;
use crate::record::Record;
use crate::report::Report;

pub(crate) const CODE: Code = Code(407);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "file-twice",
    severity: Severity::Warning,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT407.md"),
    check: Check::Handoff(check),
};

fn check(subject: &Subject<'_, '_>, report: &mut Report) {
    if subject.handoff.dialect != Dialect::Taskfile {
        return;
    }
    let record = &subject.handoff.record;
    let files = [Field::FilesCreated, Field::FilesModified].into_iter().flat_map(|list| {
        record.records(list).iter().filter_map(move |file| {
            let path = file.text(Field::Path).filter(|path| !path.is_blank())?;
            Some((path.as_str().trim_start_matches("./"), (list, file, path)))
        })
    });
    for ((first_list, first_file, first), (list, file, path)) in twice::repeats(files) {
        if first_list == list && are_parts(first_file, file) {
            continue;
        }
        let message = match first_list == list {
            true => format!("{} is listed twice", shown(path.as_str())),
            false => format!("{} is said to be both created and modified", shown(path.as_str())),
        };
        report.push(
            Diagnostic::new(CODE, path.span, message)
                .label("again here")
                .other(first.span, "first here")
                .help("list it once: a new file stands under `files_created`, whatever was done to it afterwards"),
        );
    }
}

/// Says whether two entries speak of different lines of one file.
fn are_parts(one: &Record<'_>, other: &Record<'_>) -> bool {
    match (one.str(Field::Lines), other.str(Field::Lines)) {
        (Some(one), Some(other)) => one != other && one != "all" && other != "all",
        _ => false,
    }
}
