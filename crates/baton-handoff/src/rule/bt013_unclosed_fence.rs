//! A fence is never closed.

use super::{Check, Code, Level, Rule};
use crate::diagnostic::{Diagnostic, Edit, Severity};
use crate::span::Span;

pub(crate) const CODE: Code = Code(13);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "unclosed-fence",
    severity: Severity::Warning,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT013.md"),
    check: Check::Reading,
};

pub(crate) fn diagnostic(fence: Span) -> Diagnostic {
    Diagnostic::new(CODE, Span { start: fence.start, end: fence.start }, "this fence is never closed")
        .help("the block is read to the end of the document")
        .fix(
            "close the fence",
            vec![Edit { span: Span { start: fence.end, end: fence.end }, replacement: "```\n".to_owned() }],
        )
}
