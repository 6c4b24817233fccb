//! A value that stands in for something nobody filled in.

use super::show::shown;
use super::{Check, Code, Level, Rule, Scalar};
use crate::diagnostic::{Diagnostic, Severity};
use crate::field::Field;
use crate::key::Form;
use crate::placeholder::is_placeholder;
use crate::record::Confidence;
use crate::report::Report;

pub(crate) const CODE: Code = Code(701);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "placeholder",
    severity: Severity::Warning,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT701.md"),
    check: Check::Scalar(check),
};

fn check(scalar: &Scalar<'_, '_>, report: &mut Report) {
    let text = scalar.text;
    match scalar.form {
        Form::Text | Form::Id | Form::Agent | Form::AgentOrNone | Form::Path | Form::Tag | Form::Lines => {}
        // Words of a list, numbers and times have rules of their own, and `todo` is a status.
        Form::Choice(_) | Form::Word(_) | Form::Flag | Form::Time | Form::Count { .. } | Form::Integer => {
            return;
        }
        Form::Each(_) | Form::Items(_) | Form::Map(_) | Form::Group(_) | Form::Tree => return,
    }
    let is_standing = matches!(scalar.key.field, Field::Status | Field::Outcome | Field::Verdict);
    if is_standing || text.confidence != Confidence::Stated || !is_placeholder(text.as_str()) {
        return;
    }
    let message = format!("{} is a placeholder in `{}`", shown(text.as_str()), scalar.key.name);
    report.push(
        Diagnostic::new(CODE, text.span, message)
            .label("nobody filled this in")
            .help("write the value, or remove the key where there is none"),
    );
}
