//! A file that the summary says was made, and that the artifacts do not list.

use super::show::shown;
use super::wording;
use super::{Check, Code, Level, Rule, Subject};
use crate::diagnostic::{Diagnostic, Severity};
use crate::dialect::Dialect;
use crate::field::Field;
use crate::record::{Record, Text};
use crate::report::Report;
use crate::span::Span;

pub(crate) const CODE: Code = Code(602);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "unlisted-artifact",
    severity: Severity::Warning,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT602.md"),
    check: Check::Handoff(check),
};

/// Words that say that a file is new.
const MADE: &[&str] = &[
    "add",
    "added",
    "created",
    "drafted",
    "generated",
    "introduced",
    "new",
    "produced",
    "saved",
    "wrote",
    "written",
];
/// Words after which a path is no longer what was made.
const TURNS: &[&str] = &[
    "against",
    "based",
    "because",
    "by",
    "described",
    "fixed",
    "following",
    "for",
    "from",
    "in",
    "of",
    "per",
    "read",
    "removed",
    "see",
    "under",
    "using",
    "with",
];

fn check(subject: &Subject<'_, '_>, report: &mut Report) {
    if subject.handoff.dialect != Dialect::Package {
        return;
    }
    let record = &subject.handoff.record;
    let Some(summary) = record.text(Field::Summary) else { return };
    let mut made = false;
    for raw in summary.as_str().split_whitespace() {
        let word = raw.trim_matches(|mark: char| !mark.is_alphanumeric() && !matches!(mark, '.' | '/' | '_'));
        let word = word.trim_end_matches('.');
        let is_file = || wording::is_path(word) && (word.contains('/') || raw.contains('`'));
        if made && is_file() && !is_listed(record, word) {
            report.push(diagnostic(subject.source, summary, word));
        }
        made = !raw.ends_with(['.', ';'])
            && (made || wording::is_one_of(word, MADE))
            && !wording::is_one_of(word, TURNS);
    }
}

/// Says whether an artifact is this file, or the folder that holds it.
fn is_listed(record: &Record<'_>, path: &str) -> bool {
    let path = path.trim_start_matches("./");
    record.records(Field::Artifacts).iter().filter_map(|artifact| artifact.str(Field::Path)).any(|listed| {
        let listed = listed.trim_start_matches("./");
        let holds = path.strip_prefix(listed.trim_end_matches('/')).is_some_and(|rest| rest.starts_with('/'));
        let ends = listed.strip_suffix(path).is_some_and(|rest| rest.ends_with('/'));
        listed == path || holds || ends
    })
}

fn diagnostic(source: &str, summary: &Text<'_>, path: &str) -> Diagnostic {
    let start = summary.span.start as usize;
    let at = summary.span.text(source).find(path);
    let span = at.map_or(summary.span, |at| Span::new(start + at, start + at + path.len()));
    Diagnostic::new(CODE, span, format!("{} is said to be made, and is not among the artifacts", shown(path)))
        .label("made here")
        .help("list every file that was made under `artifacts`, with its path")
}
