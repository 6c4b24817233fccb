//! Markdown in entries.

use baton_handoff::markdown::{LineKind, frontmatter, scan};
use baton_handoff::span::Span;

use super::super::topic::{Topic, topics};
use super::{Form, Item, item, plain};

/// What is being read.
#[derive(Default)]
struct Reader {
    /// The headings above, with their levels and what they are about.
    above: Vec<(u8, Vec<Topic>)>,
    /// The names of the columns, where a table is open.
    columns: Option<Vec<String>>,
    /// The entry or paragraph that further lines belong to.
    open: Option<Item>,
    /// How far the open entry is indented.
    indent: usize,
}

/// Reads everything but the blocks of data, which are read by their meaning.
pub(super) fn read(text: &str, blocks: &[Span], items: &mut Vec<Item>) {
    let scanned = scan(text, frontmatter(text).filter(|found| found.closed));
    let mut reader = Reader::default();
    for line in &scanned.lines {
        let own = line.span.text(text);
        match line.kind {
            LineKind::Frontmatter | LineKind::Comment => {}
            LineKind::Heading { level, text: heading } => reader.heading(level, heading.text(text), items),
            LineKind::Blank => reader.close(items),
            LineKind::Fence(index) => {
                let fence = &scanned.fences[index];
                let is_inside = fence.body.start <= line.span.start && line.span.end <= fence.body.end;
                let is_data =
                    blocks.iter().any(|block| fence.span.start <= block.start && block.end <= fence.span.end);
                if is_inside && !is_data {
                    reader.code(own, items);
                }
            }
            LineKind::Text => reader.line(own, items),
        }
    }
    reader.close(items);
}

impl Reader {
    /// Returns what is said here: the nearest heading that says anything decides. The title speaks only for what stands directly
    /// under it.
    fn topics(&self) -> Vec<Topic> {
        let nearest = self.above.len().saturating_sub(1);
        let mut above = self.above.iter().enumerate().rev();
        let found = above.find(|(at, (level, topics))| !topics.is_empty() && (*level > 1 || *at == nearest));
        found.map(|(_, (_, topics))| topics.clone()).unwrap_or_default()
    }

    fn close(&mut self, items: &mut Vec<Item>) {
        self.columns = None;
        items.extend(self.open.take());
    }

    fn heading(&mut self, level: u8, text: &str, items: &mut Vec<Item>) {
        self.close(items);
        self.above.retain(|(above, _)| *above < level);
        let under = self.topics();
        let own = topics(text);
        let heading = item(Form::Heading, text, if own.is_empty() { under } else { own.clone() });
        // `### AC-2: The list can be filtered` is an entry, whatever its words would say of a section.
        self.above.push((level, if heading.id.is_some() { Vec::new() } else { own }));
        items.push(heading);
    }

    fn code(&mut self, text: &str, items: &mut Vec<Item>) {
        match text.trim() {
            "" => self.close(items),
            text if text.starts_with("Scenario") => self.begin(text, 0, items),
            text => self.further(text),
        }
    }

    fn line(&mut self, line: &str, items: &mut Vec<Item>) {
        let text = line.trim_start_matches(['>', ' ', '\t']);
        let indent = line.len() - line.trim_start().len();
        if text.starts_with('|') {
            return self.row(text, items);
        }
        self.columns = None;
        match bullet(text) {
            Some(text) => {
                let is_part = indent > self.indent
                    && self
                        .open
                        .as_ref()
                        .is_some_and(|open| open.form == Form::Entry && !open.text.ends_with(':'))
                    && item(Form::Entry, unticked(text), Vec::new()).id.is_none();
                match is_part {
                    true => self.further(text),
                    false => self.begin(text, indent, items),
                }
            }
            None if text.starts_with("Scenario") || item(Form::Prose, text, Vec::new()).id.is_some() => {
                items.extend(self.open.take());
                self.open = Some(item(Form::Prose, text, self.topics()));
            }
            None => self.further(text),
        }
    }

    fn begin(&mut self, text: &str, indent: usize, items: &mut Vec<Item>) {
        items.extend(self.open.take());
        let mut own = item(Form::Entry, unticked(text), self.topics());
        own.is_ticked = text.starts_with("[x]") || text.starts_with("[X]") || text.contains("~~");
        (self.open, self.indent) = (Some(own), indent);
    }

    fn further(&mut self, text: &str) {
        match &mut self.open {
            Some(open) => {
                open.text.push('\n');
                open.text.push_str(&plain(text));
            }
            None => self.open = Some(item(Form::Prose, text, self.topics())),
        }
    }

    fn row(&mut self, text: &str, items: &mut Vec<Item>) {
        items.extend(self.open.take());
        let inner = text.trim().trim_start_matches('|').trim_end_matches('|');
        let cells: Vec<String> = inner.replace("\\|", "¦").split('|').map(plain).collect();
        let is_rule =
            |cell: &String| !cell.is_empty() && cell.bytes().all(|byte| matches!(byte, b'-' | b':'));
        let Some(columns) = &self.columns else {
            self.columns = Some(cells);
            return;
        };
        if cells.iter().all(is_rule) {
            return;
        }
        let mut own = item(Form::Entry, &cells.join(" | "), self.topics());
        for topic in columns.iter().flat_map(|column| topics(column)) {
            if topic != Topic::Aside && topic != Topic::Requirement && !own.topics.contains(&topic) {
                own.topics.push(topic);
            }
        }
        own.cells = columns.iter().cloned().zip(cells).collect();
        items.push(own);
    }
}

/// Returns the text of an item of a list.
fn bullet(text: &str) -> Option<&str> {
    if let Some(text) = ["- ", "* ", "+ ", "• "].iter().find_map(|mark| text.strip_prefix(mark)) {
        return Some(text.trim_start());
    }
    let digits = text.find(|letter: char| !letter.is_ascii_digit()).filter(|end| (1..=3).contains(end))?;
    text[digits..].strip_prefix(". ").or_else(|| text[digits..].strip_prefix(") ")).map(str::trim_start)
}

fn unticked(text: &str) -> &str {
    ["[ ] ", "[x] ", "[X] "].iter().find_map(|mark| text.strip_prefix(mark)).unwrap_or(text)
}
