//! Where to point when a record as a whole is meant.

use crate::span::Span;

/// Returns the first line of a stretch of the source.
pub(super) fn first_line(span: Span, source: &str) -> Span {
    let len = span.text(source).lines().next().map_or(0, str::len);
    Span::new(span.start as usize, span.start as usize + len)
}
