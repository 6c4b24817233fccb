//! A value that the dialect demands is there and says nothing.

use super::expected::expected;
use super::{Check, Code, Level, Rule, Subject};
use crate::diagnostic::{Diagnostic, Severity};
use crate::key::{Form, Key, Need, key_of};
use crate::record::{Entry, Record, Text, Value};
use crate::report::Report;
use crate::tree::Style;

pub(crate) const CODE: Code = Code(113);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "empty-value",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT113.md"),
    check: Check::Record(check),
};

fn check(subject: &Subject<'_, '_>, record: &Record<'_>, keys: &'static [Key], report: &mut Report) {
    if !subject.handoff.dialect.is_strict() {
        return;
    }
    // Nothing at all is a missing field.
    let is_empty = |text: &&Text<'_>| text.value.chars().all(char::is_whitespace) && !text.is_null();
    for entry in &record.entries {
        let found = match &entry.value {
            Value::Text(text) => Some(text).filter(is_empty),
            Value::Texts(texts) => texts.iter().find(is_empty),
            Value::Records(_) | Value::Record(_) | Value::Tree(_) => None,
        };
        if let Some(text) = found
            && let Some(key) = key_of(keys, entry.field)
        {
            report_empty(subject, (entry, text), key, report);
        }
    }
}

fn report_empty(
    subject: &Subject<'_, '_>,
    (entry, text): (&Entry<'_>, &Text<'_>),
    key: &Key,
    report: &mut Report,
) {
    let (message, form) = match key.form {
        _ if key.need != Need::Required => return,
        // Paths and tags have rules of their own.
        Form::Path | Form::Each(Form::Path | Form::Tag) => return,
        Form::Each(form) => (format!("an item of `{}` is empty", key.name), *form),
        form => (format!("`{}` is empty", key.name), form),
    };
    // An empty block has no place of its own.
    let place = if text.style == Style::Block { entry.key_span } else { text.span };
    let help = format!("write {}: {}", expected(form, subject.project), key.about);
    report.push(Diagnostic::new(CODE, place, message).help(help));
}
