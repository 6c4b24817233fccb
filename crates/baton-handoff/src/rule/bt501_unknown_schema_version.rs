//! An artifact in a version of its schema that this build does not know.

use super::show::shown;
use super::{Check, Code, Level, Rule, Subject};
use crate::diagnostic::{Diagnostic, Severity};
use crate::dialect;
use crate::dialect::Dialect;
use crate::field::Field;
use crate::report::Report;

pub(crate) const CODE: Code = Code(501);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "unknown-schema-version",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT501.md"),
    check: Check::Handoff(check),
};

fn check(subject: &Subject<'_, '_>, report: &mut Report) {
    if subject.handoff.dialect != Dialect::Artifact {
        return;
    }
    let Some(version) = subject.handoff.record.text(Field::SchemaVersion).filter(|text| !text.is_blank())
    else {
        return;
    };
    let known = dialect::artifact::SCHEMA_VERSIONS;
    if known.contains(&version.as_str().trim()) {
        return;
    }
    report.push(
        Diagnostic::new(
            CODE,
            version.span,
            format!("schema version {} is not one that this build reads", shown(version.as_str())),
        )
        .label("unknown version")
        .help(format!(
            "supported: {}; the document is kept verbatim, and nothing is concluded from it",
            known.join(", ")
        )),
    );
}
