//! An artifact of a type that does not exist.

use super::nearest::nearest;
use super::show::shown;
use super::{Check, Code, Level, Rule, Subject};
use crate::diagnostic::{Diagnostic, Severity};
use crate::dialect;
use crate::dialect::Dialect;
use crate::field::Field;
use crate::key;
use crate::report::Report;

pub(crate) const CODE: Code = Code(502);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "unknown-artifact-type",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT502.md"),
    check: Check::Handoff(check),
};

fn check(subject: &Subject<'_, '_>, report: &mut Report) {
    if subject.handoff.dialect != Dialect::Artifact {
        return;
    }
    let Some(sort) = subject.handoff.record.text(Field::Sort).filter(|text| !text.is_blank()) else { return };
    let written = key::normalise(sort.as_str());
    let variants = dialect::artifact::DEFINITION.variants;
    if variants.iter().any(|variant| key::normalise(variant.name) == written) {
        return;
    }
    let diagnostic = Diagnostic::new(
        CODE,
        sort.span,
        format!("there is no artifact of the type {}", shown(sort.as_str())),
    )
    .label("unknown type");
    let names = || variants.iter().map(|variant| variant.name);
    report.push(match nearest(&written.replace('_', "-"), names()).filter(|near| near.is_typo()) {
        Some(near) => diagnostic.help(format!("`{}` was probably meant", near.word)),
        None => diagnostic.help(format!("the types are {}", names().collect::<Vec<_>>().join(", "))),
    });
}
