//! A key that the dialect demands is not there, or holds nothing.

use super::expected::expected;
use super::place::first_line;
use super::{Check, Code, Level, Rule, Subject};
use crate::diagnostic::{Diagnostic, Severity};
use crate::key::{Form, Key, Need, normalise};
use crate::record::{Entry, Record, Value};
use crate::report::Report;

pub(crate) const CODE: Code = Code(101);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "missing-field",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT101.md"),
    check: Check::Record(check),
};

fn check(subject: &Subject<'_, '_>, record: &Record<'_>, keys: &'static [Key], report: &mut Report) {
    if !subject.handoff.dialect.is_strict() {
        return;
    }
    for key in keys.iter().filter(|key| key.need == Need::Required) {
        match key.form {
            Form::Group(inner) if inner.iter().any(|key| record.has(key.field)) => {
                for part in inner.iter().filter(|part| part.need == Need::Required) {
                    demand(subject, record, part, Some(key), report);
                }
            }
            Form::Group(_) => report.push(absent(subject, record, key, key.name)),
            _ => demand(subject, record, key, None, report),
        }
    }
}

fn demand(
    subject: &Subject<'_, '_>,
    record: &Record<'_>,
    key: &Key,
    group: Option<&Key>,
    report: &mut Report,
) {
    let path = || group.map_or_else(|| key.name.to_owned(), |group| format!("{}.{}", group.name, key.name));
    match record.entry(key.field) {
        Some(entry) if is_nothing(entry, key, subject.source) => {
            let message = format!("`{}` has no value", path());
            report.push(
                Diagnostic::new(CODE, entry.key_span, message)
                    .label("nothing stands here")
                    .help(format!("write {}", expected(key.form, subject.project))),
            );
        }
        Some(_) => {}
        // A value of the wrong type was kept as it is, and reported when it was read.
        None if is_kept(record, key) => {}
        None => report.push(absent(subject, record, key, &path())),
    }
}

fn absent(subject: &Subject<'_, '_>, record: &Record<'_>, key: &Key, path: &str) -> Diagnostic {
    Diagnostic::new(CODE, first_line(record.span, subject.source), format!("`{path}` is missing"))
        .label(format!("no `{path}` here"))
        .help(format!("add `{}`, {}: {}", key.name, expected(key.form, subject.project), key.about))
}

fn is_nothing(entry: &Entry<'_>, key: &Key, source: &str) -> bool {
    match &entry.value {
        Value::Text(text) => text.is_null() && !matches!(key.form, Form::AgentOrNone),
        Value::Tree(node) => node.is_null(),
        Value::Texts(texts) => texts.is_empty() && !is_empty_list(entry, source),
        Value::Records(records) => records.is_empty() && !is_empty_list(entry, source),
        Value::Record(_) => false,
    }
}

/// Says whether `[]` is written: an empty list is an answer, nothing is none.
fn is_empty_list(entry: &Entry<'_>, source: &str) -> bool {
    let after = source.get(entry.key_span.end as usize..).unwrap_or_default();
    after.trim_start_matches(['"', '\'', ':', ' ', '\t', '\r', '\n']).starts_with('[')
}

fn is_kept(record: &Record<'_>, key: &Key) -> bool {
    record
        .extensions
        .iter()
        .any(|extension| !extension.value.is_null() && normalise(&extension.key) == key.name)
}
