//! An open question that does not ask anything.

use super::show::shown;
use super::wording;
use super::{Check, Code, Level, Rule, Subject};
use crate::diagnostic::{Diagnostic, Severity};
use crate::dialect::Dialect;
use crate::field::Field;
use crate::report::Report;

pub(crate) const CODE: Code = Code(603);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "vague-question",
    severity: Severity::Warning,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT603.md"),
    check: Check::Handoff(check),
};

const QUESTION_WORDS: &[&str] = &[
    "are", "can", "could", "do", "does", "has", "how", "is", "may", "must", "shall", "should", "what",
    "when", "where", "whether", "which", "who", "whom", "whose", "why", "will", "would",
];
/// Fewest words of a question that is marked as one, and of one that is not.
const WORDS_MIN: usize = 3;
const UNMARKED_WORDS_MIN: usize = 5;

fn check(subject: &Subject<'_, '_>, report: &mut Report) {
    if subject.handoff.dialect != Dialect::Package {
        return;
    }
    for question in subject.handoff.record.records(Field::Questions) {
        let Some(text) =
            question.text(Field::Question).filter(|text| !text.is_blank() && !asks(text.as_str()))
        else {
            continue;
        };
        let message = format!("{} does not ask anything that could be answered", shown(text.as_str()));
        report.push(
            Diagnostic::new(CODE, text.span, message)
                .label("what exactly is asked?")
                .help("ask one whole question, with the alternatives where there are any"),
        );
    }
}

fn asks(text: &str) -> bool {
    if wording::is_foreign(text) {
        return true;
    }
    let count = wording::words(text).count();
    let is_marked =
        text.contains('?') || wording::words(text).any(|word| wording::is_one_of(word, QUESTION_WORDS));
    count >= if is_marked { WORDS_MIN } else { UNMARKED_WORDS_MIN }
}
