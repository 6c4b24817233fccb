//! Cutting a document into sections by their labels, and each section into items, rows and paragraphs.

use crate::field::Field;
use crate::markdown::{LineKind, Markdown};
use crate::span::Span;

use super::entry::Entries;
use super::label::{self, Bullet, Label, Tag};
use super::lexicon::{Lexicon, Meaning};
use super::outline::{Outline, Section, Unit, UnitKind};
use super::text;

/// Most lines of one item or paragraph; what follows starts a new one.
const UNIT_LINES_MAX: usize = 60;

/// Where the path keeps the section of an open tag, behind the six levels of headings.
const TAG_SLOT: usize = 7;

pub(super) fn outline(source: &str, markdown: &Markdown, lexicon: &Lexicon) -> Outline {
    let entries = Entries::find(source, markdown);
    let lone_heading =
        !markdown.lines.iter().any(|line| matches!(line.kind, LineKind::Heading { level: 2.., .. }));
    let mut builder = Builder {
        source,
        lexicon,
        outline: Outline::default(),
        path: [None; 8],
        current: 0,
        run: None,
        detail: false,
        lone_heading,
        keyed_table: false,
    };
    builder.outline.has_older_entries = entries.has_older();
    builder.open(None, Span::default(), true);
    builder.path[0] = Some(0);
    for (index, line) in markdown.lines.iter().enumerate() {
        if entries.is_older(index) {
            builder.run = None;
            continue;
        }
        match line.kind {
            LineKind::Blank => builder.blank(),
            LineKind::Heading { level, text } => builder.heading(level, text, entries.is_heading(index)),
            LineKind::Fence(_) => builder.code(line.span),
            LineKind::Frontmatter | LineKind::Comment => builder.run = None,
            LineKind::Text => {
                let next = markdown.lines.get(index + 1).map_or("", |next| next.span.text(source));
                builder.text(line.span, next, entries.is_heading(index));
            }
        }
    }
    builder.outline
}

/// The unit that following lines may continue.
#[derive(Clone, Copy)]
struct Run {
    section: usize,
    unit: usize,
    lines: usize,
    after_blank: bool,
}

struct Builder<'a> {
    source: &'a str,
    lexicon: &'a Lexicon,
    outline: Outline,
    /// The section of each open heading level; slot 0 is the document, the last one an open tag.
    path: [Option<usize>; 8],
    current: usize,
    run: Option<Run>,
    /// Whether what comes explains a heading that is itself the item.
    detail: bool,
    lone_heading: bool,
    /// Whether the rows of the table at hand may be keys of the document.
    keyed_table: bool,
}

impl Builder<'_> {
    fn open(&mut self, meaning: Option<Meaning>, label: Span, about_document: bool) {
        self.current = self.outline.sections.len();
        self.outline.sections.push(Section { meaning, label, about_document, units: Vec::new() });
        self.run = None;
        self.detail = false;
    }

    fn section(&mut self) -> &mut Section {
        &mut self.outline.sections[self.current]
    }

    fn push(&mut self, kind: UnitKind, text: Span) {
        let section = self.current;
        let detail = self.detail;
        let units = &mut self.outline.sections[section].units;
        units.push(Unit { kind, text, detail });
        self.run = Some(Run { section, unit: units.len() - 1, lines: 1, after_blank: false });
    }

    fn blank(&mut self) {
        if let Some(run) = &mut self.run {
            run.after_blank = true;
        }
    }

    fn heading(&mut self, level: u8, text: Span, is_entry: bool) {
        let level = usize::from(level.clamp(1, 6));
        let words = text.text(self.source);
        if self.outline.headings.len() < crate::limit::FACTS_MAX {
            self.outline.headings.push(text);
        }
        self.path[level..].fill(None);
        let is_title = self.outline.title.is_none() && self.outline.headings.len() == 1;
        if is_title {
            self.outline.title = Some(text);
        }
        if is_title && level == 1 {
            let meaning = if self.lone_heading { self.lexicon.key(words) } else { None };
            self.open(meaning, text, true);
            self.outline.has_title = true;
        } else if is_entry {
            self.open(None, text, true);
        } else {
            self.part(level, text);
        }
        if self.path[level].is_none() {
            self.path[level] = Some(self.current);
        }
    }

    /// Opens the section of a heading below the title.
    fn part(&mut self, level: usize, text: Span) {
        let words = text.text(self.source);
        let keyed = label::key_value(words.trim_start_matches(|char: char| !char.is_alphanumeric()))
            .and_then(|(name, value)| Some((self.lexicon.meaning(name)?, name, value)))
            .filter(|(_, _, value)| !value.is_empty());
        if let Some((meaning, name, value)) = keyed {
            let (name, value) = (label::place(self.source, name), label::place(self.source, value));
            let about_document =
                matches!(meaning, Meaning::Facts(Field::Status | Field::Verdict) | Meaning::Decision);
            self.open(Some(meaning), text, about_document);
            self.push(UnitKind::Key { meaning, name }, value);
            self.run = None;
            self.detail = true;
            return;
        }
        if let Some(meaning) = self.lexicon.meaning(words) {
            let about_document = matches!(
                meaning,
                Meaning::Header | Meaning::Facts(Field::Status | Field::Summary | Field::Verdict)
            );
            self.open(Some(meaning), text, about_document);
            return;
        }
        self.outline.unknown_headings += 1;
        let parent = self.path[1..level].iter().rev().flatten().next().copied();
        let inherited = parent
            .and_then(|parent| self.outline.sections[parent].meaning)
            .filter(|meaning| passes_on(*meaning));
        match (parent, inherited) {
            (Some(parent), Some(_)) => {
                self.current = parent;
                self.detail = false;
                self.push(UnitKind::Heading, text);
                self.detail = true;
                self.run = None;
                self.path[level] = Some(parent);
            }
            _ => self.open(None, text, false),
        }
    }

    fn code(&mut self, line: Span) {
        let keep = matches!(
            self.section().meaning,
            Some(
                Meaning::ChangedFiles
                    | Meaning::Facts(Field::FilesCreated | Field::FilesDeleted | Field::FilesMentioned)
            )
        );
        if keep && !line.text(self.source).trim_start().starts_with(['`', '~']) {
            self.push(UnitKind::Code, line);
        }
        // A fence inside an item does not end it.
        if line.text(self.source).starts_with([' ', '\t']) {
            return self.blank();
        }
        self.run = None;
    }

    fn text(&mut self, line: Span, next: &str, is_entry: bool) {
        let (text, indent) = label::unquote(self.source, line);
        let words = text.text(self.source);
        if words.is_empty() {
            return self.blank();
        }
        if label::is_rule(words) {
            self.run = None;
            return;
        }
        if is_entry {
            self.open(None, text, true);
            self.path[1..].fill(None);
        } else if next.len() >= 3 && next.bytes().all(|byte| byte == b'=') && indent == 0 {
            return self.heading(2, text, false);
        }
        if let Some(found) = label::tag(self.source, text) {
            return self.tag(found);
        }
        if words.starts_with('|') {
            return self.row(text);
        }
        if let Some(bullet) = label::bullet(self.source, text, indent) {
            return self.item(bullet);
        }
        if indent <= 1
            && let Some(label) = label::label(self.source, text)
            && self.label(label)
        {
            return;
        }
        if self.continues(indent) {
            return self.extend(text);
        }
        self.push(UnitKind::Paragraph { indent }, text);
    }

    fn tag(&mut self, tag: Tag) {
        match tag {
            Tag::Open(name) => {
                if let Some(meaning) = self.lexicon.meaning(name.text(self.source)) {
                    self.open(Some(meaning), name, false);
                    self.path[TAG_SLOT] = Some(self.current);
                    self.outline.tags += 1;
                }
            }
            Tag::Close => {
                self.path[TAG_SLOT] = None;
                self.leave_label();
            }
        }
        self.run = None;
    }

    /// Goes back to the section of the innermost heading.
    fn leave_label(&mut self) {
        self.current = self.path.iter().rev().flatten().next().copied().unwrap_or(0);
    }

    fn row(&mut self, text: Span) {
        if text::is_separator(text.text(self.source)) {
            return;
        }
        let above = self.run.filter(|run| !run.after_blank).and_then(|run| self.unit_kind(run));
        if above.is_some_and(|kind| is_table(kind) || matches!(kind, UnitKind::Key { .. })) {
            let key = if self.keyed_table { self.key_of_row(text) } else { None };
            let (kind, text) = key.unwrap_or((UnitKind::Row, text));
            return self.push(kind, text);
        }
        self.keyed_table = self.is_keyed_table(text);
        self.push(UnitKind::Head, text);
    }

    /// Says whether a table may tell of the document: at its head, in two columns, the second not called "Status".
    fn is_keyed_table(&self, head: Span) -> bool {
        let section = &self.outline.sections[self.current];
        let about_document =
            section.about_document && matches!(section.meaning, None | Some(Meaning::Header));
        let column = match text::cells(self.source, head)[..] {
            [_, column] if about_document => column,
            _ => return false,
        };
        !matches!(self.lexicon.key(column.text(self.source)), Some(Meaning::Facts(_)))
    }

    fn key_of_row(&self, row: Span) -> Option<(UnitKind, Span)> {
        let [name, value] = text::cells(self.source, row)[..] else { return None };
        let meaning = self.lexicon.key(name.text(self.source)).filter(|meaning| is_key_of_table(*meaning))?;
        (!value.is_empty()).then_some((UnitKind::Key { meaning, name }, value))
    }

    fn unit_kind(&self, run: Run) -> Option<UnitKind> {
        Some(self.outline.sections.get(run.section)?.units.get(run.unit)?.kind)
    }

    fn item(&mut self, bullet: Bullet) {
        if let Some(label) = label::label(self.source, bullet.text) {
            let meaning = self.lexicon.key(label.name.text(self.source));
            if let Some(meaning) =
                meaning.filter(|meaning| takes_key(self.outline.sections[self.current].meaning, *meaning))
            {
                if !label.value.is_empty() {
                    return self.push(UnitKind::Key { meaning, name: label.name }, label.value);
                }
                let about_document = self.section().about_document;
                self.leave_label();
                return self.open(Some(meaning), label.name, about_document && meaning == Meaning::Header);
            }
        }
        self.push(UnitKind::Item { checked: bullet.checked, indent: bullet.indent }, bullet.text);
    }

    fn continues(&self, indent: usize) -> bool {
        let Some(run) = self.run else { return false };
        if run.section != self.current || run.lines >= UNIT_LINES_MAX {
            return false;
        }
        match self.unit_kind(run) {
            Some(UnitKind::Item { indent: base, .. }) => indent > base || (!run.after_blank && indent > 0),
            Some(UnitKind::Key { .. }) => !run.after_blank && indent > 0,
            Some(UnitKind::Paragraph { .. }) => !run.after_blank,
            Some(UnitKind::Head | UnitKind::Row | UnitKind::Heading | UnitKind::Code) | None => false,
        }
    }

    fn extend(&mut self, text: Span) {
        if let Some(run) = &mut self.run {
            run.lines += 1;
            // A paragraph below an item's own explains it and is no part of the statement.
            if run.after_blank {
                return;
            }
            self.outline.sections[run.section].units[run.unit].text.end = text.end;
        }
    }

    /// Takes a `Key: value` or `Key:` line, and says whether it was one.
    fn label(&mut self, label: Label) -> bool {
        let name = label.name.text(self.source);
        let meaning = if label.marked { self.lexicon.meaning(name) } else { self.lexicon.key(name) };
        let Some(meaning) = meaning else {
            if label.value.is_empty() && self.path.iter().flatten().all(|&section| section != self.current) {
                self.leave_label();
            }
            return false;
        };
        if label.value.is_empty() {
            let about_document = self.section().about_document;
            if self.path.iter().flatten().all(|&section| section != self.current) {
                self.leave_label();
            }
            let own = self.outline.sections[self.current].meaning;
            if own == Some(Meaning::Aside) {
                return false;
            }
            self.open(Some(meaning), label.name, about_document);
            return true;
        }
        if matches!(self.section().meaning, Some(Meaning::Aside)) {
            return false;
        }
        self.push(UnitKind::Key { meaning, name: label.name }, label.value);
        true
    }
}

fn is_table(kind: UnitKind) -> bool {
    matches!(kind, UnitKind::Head | UnitKind::Row)
}

/// Says whether a table at the head of a document may tell this of it.
fn is_key_of_table(meaning: Meaning) -> bool {
    match meaning {
        Meaning::Agent => true,
        Meaning::Facts(field) => matches!(
            field,
            Field::Status
                | Field::Verdict
                | Field::Branch
                | Field::Commit
                | Field::At
                | Field::StartedAt
                | Field::CompletedAt
                | Field::From
                | Field::To
                | Field::Session
        ),
        _ => false,
    }
}

/// Says whether headings without a meaning of their own belong to a section of this meaning.
fn passes_on(meaning: Meaning) -> bool {
    match meaning {
        Meaning::Facts(field) => {
            !matches!(field, Field::Status | Field::Summary | Field::Title | Field::Task | Field::Stage)
        }
        Meaning::ChangedFiles
        | Meaning::Progress
        | Meaning::Unfinished
        | Meaning::Aside
        | Meaning::Detail
        | Meaning::Decision => true,
        Meaning::Header | Meaning::Agent => false,
    }
}

/// Says whether an item `Key: value` inside a section is a key of the document, not an item with a lead-in.
fn takes_key(section: Option<Meaning>, key: Meaning) -> bool {
    match section {
        None | Some(Meaning::Header | Meaning::Facts(Field::Summary | Field::Task)) => true,
        Some(Meaning::Detail) => matches!(
            key,
            Meaning::Facts(
                Field::StartedAt
                    | Field::CompletedAt
                    | Field::At
                    | Field::Branch
                    | Field::Commit
                    | Field::Done
            )
        ),
        Some(
            Meaning::Facts(Field::Status | Field::Gotchas | Field::NextSteps | Field::Dependencies)
            | Meaning::ChangedFiles,
        ) => {
            matches!(
                key,
                Meaning::Facts(Field::Blockers | Field::Gotchas | Field::NextSteps | Field::FilesCreated)
                    | Meaning::ChangedFiles
                    | Meaning::Detail
            )
        }
        Some(_) => false,
    }
}
