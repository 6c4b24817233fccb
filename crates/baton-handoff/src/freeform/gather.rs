//! From sections to facts.

use crate::field::{Field, Shape};
use crate::outcome::{self, Outcome};
use crate::record::Confidence;
use crate::span::Span;

use super::entry;
use super::facts::Facts;
use super::file::lists_files;
use super::item::{self, Item};
use super::lexicon::Meaning;
use super::outline::{Outline, Section, Unit, UnitKind};

/// Most units of a status section that are read as one statement.
const STATUS_UNITS_MAX: usize = 12;

pub(super) fn gather<'s>(source: &'s str, outline: &Outline) -> Facts<'s> {
    let mut gatherer = Gatherer { source, facts: Facts::new(source) };
    gatherer.title(outline);
    for section in &outline.sections {
        if gatherer.facts.is_full() {
            break;
        }
        if section.meaning != Some(Meaning::Aside) {
            gatherer.keys(section);
            gatherer.section(section);
        }
    }
    for section in outline.sections.iter().filter(|section| !lists_files(section.meaning)) {
        gatherer.mentions(section);
    }
    gatherer.facts
}

pub(super) struct Gatherer<'s> {
    pub(super) source: &'s str,
    pub(super) facts: Facts<'s>,
}

impl<'s> Gatherer<'s> {
    fn title(&mut self, outline: &Outline) {
        let Some(title) = outline.title else { return };
        self.facts.add(Field::Title, title, title, Confidence::Likely);
        let text: &'s str = title.text(self.source);
        let Some((before, after)) = ["→", "->", "➜", "⇒"].iter().find_map(|arrow| text.split_once(arrow))
        else {
            return;
        };
        if !super::standing::speaks_of_handoff(text) {
            return;
        }
        let from = before.rsplit([':', '—', '–', '：']).next().unwrap_or(before).trim();
        let to = after.split(['(', '—', '–', ':']).next().unwrap_or(after).trim();
        for (field, name) in [(Field::From, from), (Field::To, to)] {
            if (1..=5).contains(&name.split_whitespace().count()) {
                self.facts.add(field, title, super::label::place(self.source, name), Confidence::Likely);
            }
        }
    }

    fn keys(&mut self, section: &Section) {
        for unit in &section.units {
            if let UnitKind::Key { meaning, name } = unit.kind {
                self.key(section, meaning, name, unit.text);
            }
        }
    }

    fn key(&mut self, section: &Section, meaning: Meaning, name: Span, value: Span) {
        let text = value.text(self.source);
        let stated = Confidence::Stated;
        let in_next_steps = section.meaning == Some(Meaning::Facts(Field::NextSteps));
        match meaning {
            Meaning::Facts(Field::NextSteps | Field::Task) if in_next_steps => {
                self.facts.add(Field::NextSteps, name, value, stated);
            }
            Meaning::Facts(Field::Done) if starts_with_date(text) => {
                self.facts.add(Field::CompletedAt, name, value, stated);
            }
            Meaning::Facts(Field::Stage) if section.about_document => {
                if text.split_whitespace().count() <= 2 && outcome::from_words(text).is_some() {
                    self.facts.add(Field::Status, name, value, stated);
                }
                self.facts.add(Field::Stage, name, value, stated);
            }
            Meaning::Facts(field @ (Field::Branch | Field::Commit | Field::At)) => {
                self.facts.add(field, name, value, stated);
            }
            Meaning::Facts(field @ (Field::StartedAt | Field::CompletedAt)) if starts_with_date(text) => {
                self.facts.add(field, name, value, stated);
            }
            Meaning::Facts(field) if field.shape() == Shape::Text => {
                if section.about_document || (in_next_steps && field == Field::To) {
                    self.facts.add(field, name, value, stated);
                }
            }
            Meaning::Facts(
                Field::FilesCreated | Field::FilesDeleted | Field::FilesMentioned | Field::FilesToRead,
            )
            | Meaning::ChangedFiles => {
                self.file(meaning, name, &Item { text: value, checked: None, cells: Vec::new() });
            }
            // "Tasks completed: 3" inside a part of the report is a figure, not what was done.
            Meaning::Facts(field) => {
                if text.contains(char::is_alphabetic) && section.meaning != Some(Meaning::Detail) {
                    self.facts.add(field, name, value, stated);
                }
            }
            Meaning::Unfinished => self.unfinished(name, value),
            Meaning::Agent if in_next_steps => {
                self.facts.add(Field::To, name, value, stated);
            }
            Meaning::Agent if section.about_document => {
                self.facts.add(Field::From, name, value, stated);
            }
            Meaning::Decision => {
                let field = if section.about_document && outcome::from_verdict(text).is_some() {
                    Field::Verdict
                } else {
                    Field::Decisions
                };
                self.facts.add(field, name, value, stated);
            }
            Meaning::Agent | Meaning::Progress | Meaning::Header | Meaning::Aside | Meaning::Detail => {}
        }
    }

    fn section(&mut self, section: &Section) {
        let label = section.label;
        match section.meaning {
            Some(Meaning::Facts(Field::Status)) => self.status(section),
            Some(Meaning::Facts(field)) if field.shape() == Shape::Text => {
                let first = section.units.iter().find(|unit| is_prose(unit) && !unit.detail);
                if let Some(unit) = first {
                    self.facts.add(field, label, unit.text, Confidence::Likely);
                }
                if field == Field::Summary {
                    for item in item::items(self.source, section)
                        .iter()
                        .filter(|item| Some(item.text) != first.map(|unit| unit.text))
                    {
                        self.listed(Field::Done, label, item);
                    }
                }
            }
            Some(
                meaning @ (Meaning::ChangedFiles
                | Meaning::Facts(
                    Field::FilesCreated
                    | Field::FilesDeleted
                    | Field::FilesMentioned
                    | Field::FilesToRead
                    | Field::FileTargets,
                )),
            ) => {
                for item in item::items(self.source, section) {
                    self.file(meaning, label, &item);
                }
            }
            Some(Meaning::Facts(field)) => {
                for item in item::items(self.source, section) {
                    self.listed(field, label, &item);
                }
            }
            Some(Meaning::Decision) => {
                let items = item::items(self.source, section);
                let verdict = items
                    .first()
                    .is_some_and(|item| outcome::from_verdict(item.text.text(self.source)).is_some());
                for item in &items {
                    self.listed(if verdict { Field::Verdict } else { Field::Decisions }, label, item);
                }
            }
            Some(Meaning::Progress) => {
                for item in item::items(self.source, section) {
                    self.progress(label, &item);
                }
            }
            Some(Meaning::Unfinished) => {
                for item in item::items(self.source, section) {
                    self.unfinished(label, item.text);
                }
            }
            Some(Meaning::Agent) => {
                if let Some(unit) =
                    section.units.iter().find(|unit| is_prose(unit)).filter(|_| section.about_document)
                {
                    self.facts.add(Field::From, label, unit.text, Confidence::Likely);
                }
            }
            Some(Meaning::Header | Meaning::Detail) | None => self.boxes(section),
            Some(Meaning::Aside) => {}
        }
    }

    /// Takes a status section as one statement, so that what is said further down is not lost.
    fn status(&mut self, section: &Section) {
        let prose: Vec<&Unit> =
            section.units.iter().filter(|unit| is_prose(unit)).take(STATUS_UNITS_MAX).collect();
        if let (Some(first), Some(last)) = (prose.first(), prose.last()) {
            self.facts.add(Field::Status, section.label, first.text.cover(last.text), Confidence::Likely);
        }
        self.boxes(section);
    }

    /// Takes the boxes of a section that has no list of its own.
    fn boxes(&mut self, section: &Section) {
        for unit in &section.units {
            if let UnitKind::Item { checked: Some(checked), .. } = unit.kind {
                let field = if checked { Field::Done } else { Field::NextSteps };
                self.facts.add(field, section.label, unit.text, Confidence::Likely);
            }
        }
    }

    fn listed(&mut self, field: Field, label: Span, item: &Item) {
        let text = item.text.text(self.source);
        let settled = item.checked == Some(true) || text.starts_with("~~") || text.starts_with('✅');
        let field = match field {
            Field::NextSteps if settled => Field::Done,
            Field::Done if item.checked == Some(false) => Field::NextSteps,
            Field::Blockers | Field::Questions if settled => Field::Done,
            Field::Gotchas if is_setting(text) => return,
            Field::Gotchas if is_habit(text) => Field::Patterns,
            other => other,
        };
        let column = match field {
            Field::Gotchas => {
                item.cell(&["issue", "description", "risk", "problem", "gotcha", "stub", "caveat"])
            }
            Field::NextSteps => {
                item.cell(&["task", "step", "action", "item", "work", "description", "next step"])
            }
            Field::Blockers => item.cell(&["blocker", "issue", "description"]),
            Field::Decisions => item.cell(&["decision", "choice"]),
            Field::Patterns => item.cell(&["pattern", "description"]),
            Field::Questions => item.cell(&["question", "decision"]),
            _ => None,
        };
        self.facts.add(field, label, column.unwrap_or(item.text), Confidence::Likely);
    }

    /// Files one item by how far it says it is; one that says nothing is left out.
    fn progress(&mut self, label: Span, item: &Item) {
        let status = item.cell(&["status", "state", "progress", "result"]);
        let text = status.unwrap_or(item.text).text(self.source);
        let text = &text[..text.floor_char_boundary(200)];
        let field = match item.checked {
            Some(true) => Field::Done,
            Some(false) => Field::NextSteps,
            None => match outcome::from_words(text) {
                Some(Outcome::Blocked) => Field::Blockers,
                Some(Outcome::NotStarted | Outcome::InProgress | Outcome::Failed) => Field::NextSteps,
                Some(Outcome::Completed) => Field::Done,
                Some(Outcome::Partial | Outcome::Unknown) | None => return,
            },
        };
        self.facts.add(field, label, item.text, Confidence::Likely);
    }

    fn unfinished(&mut self, label: Span, text: Span) {
        let words = text.text(self.source);
        let head = &words[..words.floor_char_boundary(60)];
        let broken = matches!(outcome::from_words(head), Some(Outcome::Failed | Outcome::Blocked));
        let field = if broken { Field::Blockers } else { Field::NextSteps };
        self.facts.add(field, label, text, Confidence::Likely);
    }
}

pub(super) fn is_prose(unit: &Unit) -> bool {
    matches!(unit.kind, UnitKind::Paragraph { .. } | UnitKind::Item { .. } | UnitKind::Row)
}

fn starts_with_date(text: &str) -> bool {
    entry::date(text.trim_start_matches(|char: char| !char.is_ascii_alphanumeric())).is_some()
}

/// Says whether an item only names a value: "Config: `a.json`".
fn is_setting(text: &str) -> bool {
    let value = super::label::key_value(text.trim_start_matches('*'))
        .map(|(_, value)| value.trim_start_matches('*').trim());
    value
        .and_then(|value| value.strip_prefix('`')?.strip_suffix('`'))
        .is_some_and(|value| !value.contains('`'))
}

/// Says whether an item tells how things are always done.
fn is_habit(text: &str) -> bool {
    let start = text.trim_start_matches(|char: char| !char.is_alphanumeric());
    let start = start[..start.floor_char_boundary(12)].to_lowercase();
    start.starts_with("always use") || start.starts_with("never use")
}
