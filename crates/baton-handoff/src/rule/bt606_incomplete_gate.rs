//! A gate that does not say what the person is to decide, or between what.

use super::{Check, Code, Level, Rule, Subject};
use crate::diagnostic::{Diagnostic, Severity};
use crate::dialect::Dialect;
use crate::field::Field;
use crate::report::Report;
use crate::tree::{Kind, Node};

pub(crate) const CODE: Code = Code(606);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "incomplete-gate",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT606.md"),
    check: Check::Handoff(check),
};

const OPTIONS: &[&str] = &["approve", "reject", "question"];

fn check(subject: &Subject<'_, '_>, report: &mut Report) {
    let record = &subject.handoff.record;
    if subject.handoff.dialect != Dialect::Package || !record.has(Field::Gate) {
        return;
    }
    let place = record.entry(Field::Gate).map_or(record.span, |entry| entry.key_span);
    let Some(request) = record.record(Field::ValidationRequest) else {
        report.push(
            Diagnostic::new(CODE, place, "the gate does not say what to validate")
                .label("needs a `validation_request`")
                .help("add `validation_request` with `items` to look at and the `options` approve, reject and question"),
        );
        return;
    };
    if let Some(entry) = request.entry(Field::Items).filter(|entry| entry.value.is_blank()) {
        report.push(
            Diagnostic::new(CODE, entry.key_span, "the gate names nothing to validate")
                .help("list what the person is to look at, one point an item"),
        );
    }
    let Some(options) = request.tree(Field::GateOptions) else { return };
    let missing: Vec<&str> = OPTIONS.iter().copied().filter(|option| !offers(options, option)).collect();
    if !missing.is_empty() {
        let span = request.entry(Field::GateOptions).map_or(place, |entry| entry.key_span);
        report.push(
            Diagnostic::new(CODE, span, format!("the gate does not offer to {}", missing.join(" or ")))
                .help("offer approve, reject and question, each with what follows from it"),
        );
    }
}

fn offers(options: &Node<'_>, option: &str) -> bool {
    let named = |text: &str| text.trim().eq_ignore_ascii_case(option);
    match &options.kind {
        Kind::Map(pairs) => pairs.iter().any(|pair| named(&pair.key)),
        Kind::List(items) => items.iter().any(|item| offers(item, option)),
        Kind::Scalar { text, .. } => text.split(['|', ',', '/']).any(named),
    }
}
