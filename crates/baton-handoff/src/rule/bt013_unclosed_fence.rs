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

pub(crate) fn diagnostic(source: &str, fence: Span) -> Diagnostic {
    let text = fence.text(source);
    let head = text.lines().next().unwrap_or_default();
    let marks = head.trim_start_matches(|mark| !matches!(mark, '`' | '~'));
    let marks = &marks[..marks.len() - marks.trim_start_matches(['`', '~']).len()];
    let gap = if text.ends_with('\n') { "" } else { "\n" };
    let found = Diagnostic::new(CODE, Span { start: fence.start, end: fence.start }, "this fence is never closed")
        .help("the block is read to the end of the document");
    // Inside a quote or a list the closing line needs the same beginning: that is for a person to write.
    if head.starts_with(['`', '~']) {
        let edit = Edit { span: Span { start: fence.end, end: fence.end }, replacement: format!("{gap}{marks}\n") };
        return found.fix("close the fence", vec![edit]);
    }
    found
}
