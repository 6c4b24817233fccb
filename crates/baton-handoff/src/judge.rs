//! Holds a document against the rules.

use crate::diagnostic::Diagnostic;
use crate::document::Document;
use crate::field::Field;
use crate::handoff::Handoff;
use crate::key::{Form, Key, key_of};
use crate::project::Project;
use crate::record::{Record, Text, Value};
use crate::report::Report;
use crate::rule::{self, Check, Scalar, Subject, bt001_not_a_handoff};
use crate::span::Span;

/// What is wrong with a document, in the order of the places.
pub fn judge(document: &mut Document<'_>, project: &Project) -> Vec<Diagnostic> {
    let mut report = std::mem::take(&mut document.report);
    for handoff in &document.handoffs {
        let subject = Subject { handoff, source: document.source, project };
        judge_handoff(&subject, &mut report);
    }
    for rule in rule::ALL {
        if let Check::Document(check) = rule.check {
            check(&document.handoffs, &mut report);
        }
    }
    if let Some(refusal) = &document.refusal {
        let already_said =
            report.diagnostics.iter().any(|known| known.severity == crate::diagnostic::Severity::Error);
        if !already_said {
            report.push(bt001_not_a_handoff::diagnostic(refusal));
        }
    }
    report.finish(&project.weights)
}

fn judge_handoff(subject: &Subject<'_, '_>, report: &mut Report) {
    let record = &subject.handoff.record;
    visit_record(subject, record, subject.handoff.variant.keys, report);
    for rule in rule::ALL {
        if let Check::Handoff(check) = rule.check {
            check(subject, report);
        }
    }
}

fn visit_record(subject: &Subject<'_, '_>, record: &Record<'_>, keys: &'static [Key], report: &mut Report) {
    for rule in rule::ALL {
        if let Check::Record(check) = rule.check {
            check(subject, record, keys, report);
        }
    }
    for entry in &record.entries {
        let Some(key) = key_of(keys, entry.field) else { continue };
        match (&entry.value, key.form) {
            (Value::Text(text), form) => visit_scalar(subject, key, form, text, report),
            (Value::Texts(texts), Form::Each(form)) => {
                texts.iter().for_each(|text| visit_scalar(subject, key, *form, text, report));
            }
            (Value::Records(records), Form::Items(inner)) => {
                records.iter().for_each(|record| visit_record(subject, record, inner, report));
            }
            (Value::Record(record), Form::Map(inner)) => visit_record(subject, record, inner, report),
            (Value::Texts(_) | Value::Records(_) | Value::Record(_) | Value::Tree(_), _) => {}
        }
    }
}

fn visit_scalar(
    subject: &Subject<'_, '_>,
    key: &'static Key,
    form: Form,
    text: &Text<'_>,
    report: &mut Report,
) {
    let scalar = Scalar { subject: *subject, key, form, text };
    for rule in rule::ALL {
        if let Check::Scalar(check) = rule.check {
            check(&scalar, report);
        }
    }
}

/// Calls `take` with every text of a handoff that is not its body.
pub(crate) fn each_text<'a, 's>(handoff: &'a Handoff<'s>, take: &mut dyn FnMut(Field, &'a Text<'s>)) {
    each_text_of(&handoff.record, take);
}

fn each_text_of<'a, 's>(record: &'a Record<'s>, take: &mut dyn FnMut(Field, &'a Text<'s>)) {
    for entry in record.entries.iter().filter(|entry| entry.field != Field::Body) {
        match &entry.value {
            Value::Text(text) => take(entry.field, text),
            Value::Texts(texts) => texts.iter().for_each(|text| take(entry.field, text)),
            Value::Records(records) => records.iter().for_each(|record| each_text_of(record, take)),
            Value::Record(record) => each_text_of(record, take),
            Value::Tree(_) => {}
        }
    }
}

/// Returns the place to point at when a handoff as a whole is meant: its first line.
pub(crate) fn first_line(subject: &Subject<'_, '_>) -> Span {
    let record = subject.handoff.record.span;
    let len = record.text(subject.source).find('\n').unwrap_or((record.end - record.start) as usize);
    Span::new(record.start as usize, record.start as usize + len)
}
