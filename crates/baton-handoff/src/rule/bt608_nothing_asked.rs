//! A package to a person who is not asked anything.

use super::receiver;
use super::standing;
use super::wording;
use super::{Check, Code, Level, Rule, Subject};
use crate::diagnostic::{Diagnostic, Severity};
use crate::field::Field;
use crate::record::Record;
use crate::report::Report;

pub(crate) const CODE: Code = Code(608);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "nothing-asked",
    severity: Severity::Warning,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT608.md"),
    check: Check::Handoff(check),
};

fn check(subject: &Subject<'_, '_>, report: &mut Report) {
    let Some(receiver) = receiver::of_package(subject) else { return };
    let record = &subject.handoff.record;
    let asks = record.has(Field::Gate)
        || record.has(Field::ValidationRequest)
        || standing::has_items(record, Field::Questions)
        || standing::has_text(record, Field::Deliverable)
        || record.records(Field::Decisions).iter().any(is_pending);
    if asks || !receiver::is_human(receiver) {
        return;
    }
    report.push(
        Diagnostic::new(CODE, receiver.span, "this goes to a person, and asks nothing")
            .label("what should they do?")
            .help("add a `gate`, an open question, or the decision that waits for them"),
    );
}

/// Says whether a decision is still to be made.
fn is_pending(decision: &Record<'_>) -> bool {
    let open = ["pending", "open", "undecided", "choice", "choose", "decide"];
    let says_so =
        |text: &str| text.contains('?') || wording::words(text).any(|word| wording::is_one_of(word, &open));
    [Field::Id, Field::Decision].into_iter().filter_map(|field| decision.str(field)).any(says_so)
}
