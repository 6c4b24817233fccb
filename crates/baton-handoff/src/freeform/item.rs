//! Which units of a section are its items.

use crate::span::Span;

use super::lexicon::fold;
use super::outline::{Section, Unit, UnitKind};
use super::text;

/// Something a section lists.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub text: Span,
    pub checked: Option<bool>,
    /// The cells of a table row, with the names of their columns.
    pub cells: Vec<(String, Span)>,
}

impl Item {
    fn plain(text: Span, checked: Option<bool>) -> Self {
        Self { text, checked, cells: Vec::new() }
    }

    /// Returns the cell under the first of these column names.
    pub(super) fn cell(&self, names: &[&str]) -> Option<Span> {
        names
            .iter()
            .find_map(|name| self.cells.iter().find(|(column, _)| column == name))
            .map(|(_, cell)| *cell)
    }
}

/// Returns the items of a section: list items, table rows, headings that stand for themselves, or else its paragraphs.
pub(super) fn items(source: &str, section: &Section) -> Vec<Item> {
    let mut items = Vec::new();
    let mut paragraphs = Vec::new();
    let mut columns: Vec<String> = Vec::new();
    let mut list = List::default();
    let mut skip_detail = false;
    for (index, unit) in section.units.iter().enumerate() {
        let shown = !(unit.detail && skip_detail);
        if !list.goes_on(unit.kind) {
            list.close(&mut items);
        }
        match unit.kind {
            UnitKind::Heading => {
                skip_detail = !is_group(source, section, index);
                if skip_detail {
                    items.push(Item::plain(unit.text, None));
                }
            }
            UnitKind::Item { checked, indent } if shown || checked.is_some() => {
                list.take(source, unit, indent, checked, &mut items);
            }
            UnitKind::Head => {
                columns = text::cells(source, unit.text).iter().map(|cell| fold(cell.text(source))).collect()
            }
            UnitKind::Row if shown => items.push(row(source, unit.text, &columns)),
            UnitKind::Code if shown => items.push(Item::plain(unit.text, None)),
            UnitKind::Paragraph { indent: 0..=1 } if shown => paragraphs.push(Item::plain(unit.text, None)),
            UnitKind::Item { .. }
            | UnitKind::Row
            | UnitKind::Code
            | UnitKind::Paragraph { .. }
            | UnitKind::Key { .. } => {}
        }
    }
    list.close(&mut items);
    if items.is_empty() {
        paragraphs.retain(|item| !ends_with_colon(item.text.text(source)));
        return paragraphs;
    }
    items
}

/// The list being read: where it is indented, and the item that may turn out to be a lead-in to the items below it.
#[derive(Default)]
struct List {
    base: Option<usize>,
    lead_in: Option<Item>,
}

impl List {
    /// Says whether a unit stands inside the list: an item, or a paragraph indented below one.
    fn goes_on(&self, kind: UnitKind) -> bool {
        match kind {
            UnitKind::Item { .. } => true,
            UnitKind::Paragraph { indent } => self.base.is_some_and(|base| indent > base),
            UnitKind::Head | UnitKind::Row | UnitKind::Heading | UnitKind::Code | UnitKind::Key { .. } => {
                false
            }
        }
    }

    fn take(
        &mut self,
        source: &str,
        unit: &Unit,
        indent: usize,
        checked: Option<bool>,
        items: &mut Vec<Item>,
    ) {
        let nested = self.base.is_some_and(|base| indent > base + 1);
        if nested && checked.is_none() {
            if self.lead_in.take().is_some() {
                self.base = Some(indent);
                items.push(Item::plain(unit.text, checked));
            }
            return;
        }
        self.flush(items);
        self.base = Some(indent);
        let item = Item::plain(unit.text, checked);
        if ends_with_colon(unit.text.text(source)) && checked.is_none() {
            self.lead_in = Some(item);
        } else {
            items.push(item);
        }
    }

    /// A lead-in with nothing below it was an item after all.
    fn flush(&mut self, items: &mut Vec<Item>) {
        items.extend(self.lead_in.take());
    }

    fn close(&mut self, items: &mut Vec<Item>) {
        self.flush(items);
        self.base = None;
    }
}

fn ends_with_colon(text: &str) -> bool {
    text.lines().next().unwrap_or_default().trim_end_matches(['*', '_', ' ']).ends_with([':', '：'])
}

/// Says whether a heading only groups the list right below it.
fn is_group(source: &str, section: &Section, heading: usize) -> bool {
    match section.units.get(heading + 1).map(|unit| (unit.kind, unit.text)) {
        Some((UnitKind::Item { .. } | UnitKind::Head | UnitKind::Code, _)) => true,
        Some((UnitKind::Paragraph { .. }, text)) => {
            let list =
                section.units.get(heading + 2).is_some_and(|unit| matches!(unit.kind, UnitKind::Item { .. }));
            list && ends_with_colon(text.text(source)) && !text.text(source).starts_with("**")
        }
        Some((UnitKind::Row | UnitKind::Heading | UnitKind::Key { .. }, _)) | None => false,
    }
}

fn row(source: &str, row: Span, columns: &[String]) -> Item {
    let cells = text::cells(source, row);
    let named = cells
        .iter()
        .enumerate()
        .map(|(at, cell)| (columns.get(at).cloned().unwrap_or_default(), *cell))
        .collect();
    let telling = |cell: &&Span| cell.text(source).chars().filter(|char| char.is_alphabetic()).count() > 2;
    let text = cells.iter().find(telling).or(cells.first()).copied().unwrap_or(row);
    Item { text, checked: None, cells: named }
}
