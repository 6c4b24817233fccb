//! The rows of Markdown tables, each with the headings of its columns.

use baton_handoff::span::Span;

use super::Source;
use crate::finding::Place;

/// Most rows that are read of a document.
const ROWS_MAX: usize = 2_000;

/// A row below the head of its table.
#[derive(Debug)]
pub(super) struct Row<'t> {
    /// The headings in lower case, as `exit_code`.
    pub(super) heads: Vec<String>,
    pub(super) cells: Vec<&'t str>,
    pub(super) place: Place,
}

impl<'t> Row<'t> {
    /// Yields the cells with their headings.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (&str, &'t str)> {
        self.heads.iter().map(String::as_str).zip(self.cells.iter().copied())
    }
}

pub(super) fn rows<'t>(source: &Source<'t>) -> Vec<Row<'t>> {
    let (mut rows, mut heads, mut start) = (Vec::new(), None::<Vec<String>>, 0);
    for line in source.text.split_inclusive('\n') {
        let span = Span::new(start, start + line.trim_end().len());
        start += line.len();
        let Some(row) = line.trim().strip_prefix('|').filter(|_| rows.len() < ROWS_MAX) else {
            heads = None;
            continue;
        };
        let cells =
            row.trim_end_matches('|').split('|').map(|cell| cell.trim().trim_matches(['*', '`', '_']));
        let cells: Vec<&str> = cells.collect();
        match &heads {
            None => heads = Some(cells.iter().map(|cell| super::beyond::plain(cell)).collect()),
            Some(_) if cells.iter().all(|cell| cell.bytes().all(|mark| matches!(mark, b'-' | b':'))) => {}
            Some(heads) => rows.push(Row { heads: heads.clone(), cells, place: source.place(span) }),
        }
    }
    rows
}
