//! The frontmatter is never closed.

use super::{Check, Code, Level, Rule};
use crate::diagnostic::{Diagnostic, Edit, Severity};
use crate::span::Span;

pub(crate) const CODE: Code = Code(14);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "unclosed-frontmatter",
    severity: Severity::Warning,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT014.md"),
    check: Check::Reading,
};

pub(crate) fn diagnostic(frontmatter: Span) -> Diagnostic {
    let end = Span { start: frontmatter.end, end: frontmatter.end };
    Diagnostic::new(
        CODE,
        Span { start: frontmatter.start, end: frontmatter.start + 3 },
        "this frontmatter is never closed",
    )
    .help("it is read to the first heading")
    .fix("close the frontmatter", vec![Edit { span: end, replacement: "---\n".to_owned() }])
}
