//! Holds a document against the rules.

use std::sync::LazyLock;

use crate::diagnostic::Diagnostic;
use crate::document::Document;
use crate::handoff::Handoff;
use crate::key::{Form, Key, key_of};
use crate::project::Project;
use crate::record::{Record, Text, Value};
use crate::report::Report;
use crate::rule::{
    self, Check, CheckDocument, CheckHandoff, CheckRecord, CheckScalar, CheckSource, Scalar, Subject,
    bt001_not_a_handoff, bt006_yaml_syntax,
};

/// The functions of all rules, sorted by what they look at: a scalar meets only the rules for scalars.
#[derive(Default)]
struct Checks {
    scalars: Vec<CheckScalar>,
    records: Vec<CheckRecord>,
    handoffs: Vec<CheckHandoff>,
    documents: Vec<CheckDocument>,
    sources: Vec<CheckSource>,
}

static CHECKS: LazyLock<Checks> = LazyLock::new(|| {
    let mut checks = Checks::default();
    for rule in rule::ALL {
        match rule.check {
            Check::Reading | Check::Audit => {}
            Check::Scalar(check) => checks.scalars.push(check),
            Check::Record(check) => checks.records.push(check),
            Check::Handoff(check) => checks.handoffs.push(check),
            Check::Document(check) => checks.documents.push(check),
            Check::Source(check) => checks.sources.push(check),
        }
    }
    checks
});

/// What is wrong with a document, in the order of the places.
pub fn judge(document: &mut Document<'_>, project: &Project) -> Vec<Diagnostic> {
    let mut report = std::mem::take(&mut document.report);
    for handoff in &document.handoffs {
        if is_cut(handoff, &report) {
            continue;
        }
        let subject = Subject { handoff, source: document.source, project };
        judge_handoff(&subject, &mut report);
    }
    CHECKS.documents.iter().for_each(|check| check(&document.handoffs, &mut report));
    CHECKS.sources.iter().for_each(|check| check(document, &mut report));
    if let Some(refusal) = &document.refusal {
        let already_said =
            report.diagnostics.iter().any(|known| known.severity == crate::diagnostic::Severity::Error);
        if !already_said {
            report.push(bt001_not_a_handoff::diagnostic(refusal));
        }
    }
    report.finish(&project.weights)
}

/// Says whether only the part above a syntax error could be read: what seems to be missing may stand below it.
fn is_cut(handoff: &Handoff<'_>, report: &Report) -> bool {
    report.diagnostics.iter().any(|found| {
        let at = found.primary.span.start;
        found.code == bt006_yaml_syntax::CODE && handoff.span.start <= at && at <= handoff.span.end
    })
}

fn judge_handoff(subject: &Subject<'_, '_>, report: &mut Report) {
    let record = &subject.handoff.record;
    visit_record(subject, record, subject.handoff.variant.keys, report);
    CHECKS.handoffs.iter().for_each(|check| check(subject, report));
}

fn visit_record(subject: &Subject<'_, '_>, record: &Record<'_>, keys: &'static [Key], report: &mut Report) {
    CHECKS.records.iter().for_each(|check| check(subject, record, keys, report));
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
    CHECKS.scalars.iter().for_each(|check| check(&scalar, report));
}
