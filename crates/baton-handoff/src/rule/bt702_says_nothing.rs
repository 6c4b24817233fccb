//! A description that would fit any work.

use super::show::shown;
use super::wording;
use super::{Check, Code, Level, Rule, Scalar};
use crate::diagnostic::{Diagnostic, Severity};
use crate::dialect::Dialect;
use crate::field::Field;
use crate::report::Report;

pub(crate) const CODE: Code = Code(702);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "says-nothing",
    severity: Severity::Warning,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT702.md"),
    check: Check::Scalar(check),
};

fn check(scalar: &Scalar<'_, '_>, report: &mut Report) {
    let handoff = scalar.subject.handoff;
    let describes = match scalar.key.field {
        // The summary of a package has a rule of its own.
        Field::Summary => handoff.dialect != Dialect::Package,
        Field::Description | Field::Purpose | Field::DiffSummary => true,
        _ => false,
    };
    let text = scalar.text;
    if !describes
        || !handoff.dialect.is_strict()
        || text.is_blank()
        || wording::tells(text.as_str(), 1)
    {
        return;
    }
    let message = format!("{} would fit any work", shown(text.as_str()));
    report.push(
        Diagnostic::new(CODE, text.span, message)
            .label("says nothing")
            .help("say what is different now, and why"),
    );
}
