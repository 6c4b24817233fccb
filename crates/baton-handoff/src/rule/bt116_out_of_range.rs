//! A number is smaller or larger than its key takes.

use super::expected::expected;
use super::show::shown;
use super::whole_number::{self, WholeNumber};
use super::{Check, Code, Level, Rule, Scalar};
use crate::diagnostic::{Diagnostic, Severity};
use crate::key::Form;
use crate::report::Report;

pub(crate) const CODE: Code = Code(116);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "out-of-range",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT116.md"),
    check: Check::Scalar(check),
};

fn check(scalar: &Scalar<'_, '_>, report: &mut Report) {
    let max = match scalar.form {
        Form::Count { max } => Some(max),
        Form::Integer => None,
        _ => return,
    };
    let text = scalar.text;
    let is_outside = match whole_number::written(text) {
        WholeNumber::Value(value) => max.is_some_and(|max| !(0..=max).contains(&value)),
        WholeNumber::Huge => true,
        WholeNumber::Other => false,
    };
    if is_outside {
        let message = format!("`{}` is {}, which is out of range", scalar.key.name, shown(text.as_str()));
        let help = format!("write {}", expected(scalar.form, scalar.subject.project));
        report.push(Diagnostic::new(CODE, text.span, message).help(help));
    }
}
