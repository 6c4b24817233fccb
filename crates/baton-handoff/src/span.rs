//! Byte ranges in the source, and the lines and columns people read.

use std::ops::Range;

/// A half-open range of bytes in the source document.
///
/// Documents are capped far below 4 GiB, so 32 bits are enough.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    pub start: u32,
    pub end: u32,
}

impl Span {
    /// Returns the span from `start` to `end`, saturating at the largest offset.
    pub fn new(start: usize, end: usize) -> Self {
        let clamp = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Self { start: clamp(start), end: clamp(end.max(start)) }
    }

    /// Returns the empty span at `offset`.
    pub fn at(offset: usize) -> Self {
        Self::new(offset, offset)
    }

    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Returns the smallest span that holds both.
    pub fn cover(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// Returns the text under the span, or nothing when the span does not fit `source`.
    pub fn text(self, source: &str) -> &str {
        source.get(self.range()).unwrap_or_default()
    }
}

/// A place as people and editors count it: both from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    pub line: usize,
    pub column: usize,
}

/// The line starts of a source, for turning offsets into positions.
#[derive(Clone, Debug)]
pub struct LineIndex {
    starts: Vec<u32>,
}

impl LineIndex {
    pub fn new(source: &str) -> Self {
        let mut starts = vec![0];
        starts.extend(memchr::memchr_iter(b'\n', source.as_bytes()).map(|at| Span::at(at + 1).start));
        Self { starts }
    }

    /// Returns the position of a byte offset in the `source` this index was made from.
    pub fn position(&self, source: &str, offset: u32) -> Position {
        let line = self.starts.partition_point(|&start| start <= offset).saturating_sub(1);
        let start = self.starts.get(line).copied().unwrap_or(0);
        let column = source.get(start as usize..offset as usize).map_or(0, |text| text.chars().count());
        Position { line: line + 1, column: column + 1 }
    }
}
