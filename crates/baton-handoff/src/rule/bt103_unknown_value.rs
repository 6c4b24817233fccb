//! A value is none of the words that its key takes.

use super::nearest::nearest;
use super::rewrite::rewritten;
use super::show::{one_of, shown};
use super::{Check, Code, Level, Rule, Scalar, choice};
use crate::diagnostic::{Diagnostic, Severity};
use crate::report::Report;

pub(crate) const CODE: Code = Code(103);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "unknown-value",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT103.md"),
    check: Check::Scalar(check),
};

fn check(scalar: &Scalar<'_, '_>, report: &mut Report) {
    let Some(words) = choice::words_unless_known(scalar) else { return };
    let text = scalar.text;
    if choice::meant(text.as_str(), &words).is_some() {
        return;
    }
    // A question mark is no typing error.
    let is_plain = text.value.chars().all(|mark| mark.is_alphanumeric() || matches!(mark, ' ' | '_' | '-'));
    let near = nearest(text.as_str(), words.iter().copied()).filter(|near| is_plain && near.is_typo());
    let mut message = format!("{} is no value of `{}`", shown(text.as_str()), scalar.key.name);
    if let Some(near) = near {
        message.push_str(&format!(": did you mean `{}`?", near.word));
    }
    let mut diagnostic = Diagnostic::new(CODE, text.span, message).help(format!("write {}", one_of(&words)));
    let replacement =
        near.and_then(|near| Some((near.word, rewritten(scalar.subject.source, text, near.word)?)));
    if let Some((word, replacement)) = replacement {
        diagnostic = diagnostic.replace(format!("write `{word}`"), replacement);
    }
    report.push(diagnostic);
}
