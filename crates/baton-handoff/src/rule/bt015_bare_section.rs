//! YAML stands under a heading without a fence, where formatters destroy it.

use super::{Check, Code, Level, Rule};
use crate::diagnostic::{Diagnostic, Edit, Severity};
use crate::span::Span;

pub(crate) const CODE: Code = Code(15);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "bare-section",
    severity: Severity::Warning,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT015.md"),
    check: Check::Reading,
};

pub(crate) fn diagnostic(section: Span) -> Diagnostic {
    let start = Span { start: section.start, end: section.start };
    let end = Span { start: section.end, end: section.end };
    Diagnostic::new(CODE, start, "this YAML has no fence around it: a Markdown formatter will destroy it")
        .fix(
            "put a fence around it",
            vec![
                Edit { span: start, replacement: "```yaml\n".to_owned() },
                Edit { span: end, replacement: "\n```".to_owned() },
            ],
        )
}
