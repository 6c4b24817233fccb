//! What a document shows for and against its being a handoff.

use std::collections::BTreeSet;

use crate::field::Field;
use crate::markdown::{LineKind, Markdown};
use crate::outcome::{self, Outcome};

use super::entry;
use super::facts::Facts;
use super::lexicon::{Meaning, fold};
use super::outline::{Outline, UnitKind};
use super::placeholder::{has_placeholder, is_placeholder};
use super::wording;

/// The fields that trigger words can fill.
const HINTED: [Field; 4] = [Field::Gotchas, Field::Patterns, Field::Questions, Field::NextSteps];
/// A file that answers nothing and is longer than this tells something without labels.
const UNITS_OF_AN_IDLE_FILE_MAX: usize = 10;
/// How much of a line is searched for telling phrases, in bytes.
const BODY_LINE_BYTES_MAX: usize = 1_000;
/// Longest first line that can be a title, in bytes.
const TITLE_BYTES_MAX: usize = 120;

/// What a document shows, counted once.
#[derive(Debug, Default)]
pub(super) struct Evidence {
    pub title_names_handoff: bool,
    pub title_names_session: bool,
    pub title_names_report: bool,
    pub title_names_other: bool,
    /// Whether the title closes a phase, as "TESTING COMPLETE" does.
    pub title_completes: bool,
    /// Whether the title numbers a piece of work: "Phase 3", "Story 01.2".
    pub title_numbers_work: bool,
    pub heading_names_handoff: bool,
    pub addresses_successor: bool,
    pub dated: bool,
    pub placed: bool,
    pub kinds: BTreeSet<Field>,
    pub manual_headings: usize,
    pub instruction_marks: usize,
    pub design_headings: usize,
    pub other_senses: usize,
    pub units: usize,
    pub placeholders: usize,
    pub empty_labels: usize,
    pub labels: usize,
    pub tracker: bool,
    /// Whether it names files, a branch or a commit.
    pub technical: bool,
    /// Whether it has no title and every heading is the label of a part of a handoff.
    pub only_labels: bool,
    /// Kinds of facts that words in running text point to.
    pub hints: usize,
    /// Whether all it answers is "none" and "idle".
    pub says_nothing: bool,
    /// Whether a review gives its verdict.
    pub judged: bool,
    /// How many `Key: value` lines name the piece of work: its task, phase, session or receiver.
    pub work_keys: i64,
    /// Whether it orders work: what to do, in which files, and what will show that it is done.
    pub orders_work: bool,
}

impl Evidence {
    /// Says whether this is a note in plain sentences, without any label, that calls itself a handoff.
    pub(super) fn is_plain_note(&self) -> bool {
        let hinted = self.hints > 1 || (self.hints == 1 && self.addresses_successor);
        let clean =
            self.instruction_marks + self.manual_headings + self.design_headings + self.other_senses == 0;
        self.title_names_handoff && hinted && clean
    }

    pub(super) fn score(&self) -> i64 {
        let looks_back = [
            Field::Done,
            Field::FilesCreated,
            Field::FilesModified,
            Field::FilesDeleted,
            Field::Verdict,
            Field::Verification,
        ];
        let looks_back = looks_back.iter().filter(|field| self.kinds.contains(field)).count();
        let retrospective = looks_back > 0;
        let weight = |said: bool, weight: i64| if said { weight } else { 0 };
        let kinds = i64::try_from(self.kinds.len()).unwrap_or(i64::MAX);
        let against = i64::try_from(self.manual_headings + self.design_headings).unwrap_or(i64::MAX);
        kinds.min(6)
            + weight(self.title_names_handoff, 3)
            + weight(self.title_names_session, 2)
            + weight(self.title_names_report, 1)
            + weight(self.heading_names_handoff, 2)
            + weight(self.addresses_successor, 1)
            + weight(self.dated, 1)
            + weight(self.placed, 1)
            + weight(self.judged, 1)
            + weight(looks_back > 1, 1)
            + weight(self.title_numbers_work, 1)
            - weight(self.title_names_other, 3)
            + self.work_keys.min(2)
            + weight(self.only_labels, 2)
            - weight(
                !retrospective && !self.title_names_handoff && !self.only_labels && !self.orders_work,
                if self.kinds.contains(&Field::Status) { 1 } else { 2 },
            )
            - against
    }
}

/// Returns the title, or the first line of a note that has no headings.
pub(super) fn title<'s>(source: &'s str, outline: &Outline) -> &'s str {
    let first_line = || {
        let units = outline.sections.first().map_or(&[][..], |section| &section.units);
        let first = units.first().filter(|unit| matches!(unit.kind, UnitKind::Paragraph { .. }))?;
        first.text.text(source).lines().next().filter(|line| line.len() <= TITLE_BYTES_MAX)
    };
    outline.title.map(|title| title.text(source)).or_else(first_line).unwrap_or_default()
}

pub(super) fn weigh(source: &str, markdown: &Markdown, outline: &Outline, facts: &Facts<'_>) -> Evidence {
    let title = title(source, outline).to_lowercase();
    let mut evidence = Evidence {
        title_names_handoff: wording::names_handoff(&title),
        title_names_session: wording::names_session(&title),
        title_names_report: wording::names_report(&title),
        title_names_other: wording::names_other_document(&title),
        title_completes: outline
            .title
            .iter()
            .chain(outline.headings.first())
            .any(|title| wording::completes_phase(title.text(source))),
        title_numbers_work: wording::numbers_work(&title),
        placeholders: facts.placeholders,
        placed: facts.labelled.contains(&Field::Branch) || facts.labelled.contains(&Field::Commit),
        only_labels: outline.unknown_headings == 0
            && (outline.tags > 1 || (!outline.has_title && !outline.headings.is_empty())),
        hints: HINTED.iter().filter(|&&field| facts.has(field) && !facts.labelled.contains(&field)).count(),
        technical: [
            Field::Branch,
            Field::Commit,
            Field::FilesCreated,
            Field::FilesModified,
            Field::FilesMentioned,
            Field::FilesToRead,
        ]
        .iter()
        .any(|&field| facts.has(field)),
        judged: facts.labelled.contains(&Field::Verdict),
        work_keys: [Field::Task, Field::Stage, Field::Session, Field::To]
            .iter()
            .map(|field| i64::from(facts.labelled.contains(field)))
            .sum(),
        orders_work: [Field::NextSteps, Field::FileTargets, Field::SuccessCriteria]
            .iter()
            .all(|field| facts.labelled.contains(field)),
        dated: facts.labelled.contains(&Field::At) || entry::has_date(&title) || outline.has_older_entries,
        ..Evidence::default()
    };
    for heading in outline.headings.iter().skip(1) {
        let lower = heading.text(source).to_lowercase();
        let folded = fold(&lower);
        evidence.heading_names_handoff |= wording::names_handoff(&lower) && lower.len() < 60;
        evidence.manual_headings += usize::from(wording::is_manual_heading(&folded));
        evidence.design_headings += usize::from(wording::is_design_heading(&folded));
        evidence.instruction_marks += usize::from(wording::is_instruction_heading(&folded));
        evidence.dated |= entry::has_date(&lower);
    }
    evidence.read_sections(source, outline);
    let answered = !evidence.kinds.is_empty() && facts.placeholders == 0;
    let told = facts
        .labelled
        .iter()
        .any(|&field| field != Field::Status && (is_telling(field) || field == Field::Summary));
    let standing =
        facts.str(Field::Status).and_then(outcome::from_words).filter(|outcome| *outcome != Outcome::Unknown);
    evidence.says_nothing =
        answered && !told && standing.is_none() && evidence.units <= UNITS_OF_AN_IDLE_FILE_MAX;
    evidence.kinds.extend(facts.labelled.iter().copied().filter(|field| is_telling(*field)));
    evidence.read_body(source, markdown);
    evidence
}

impl Evidence {
    fn read_sections(&mut self, source: &str, outline: &Outline) {
        for section in &outline.sections {
            let aside = section.meaning == Some(Meaning::Aside);
            if section.units.is_empty() && section.meaning.is_some() && !aside {
                self.empty_labels += 1;
            }
            self.labels += usize::from(section.meaning.is_some());
            if let Some(Meaning::Facts(field)) = section.meaning
                && is_telling(field)
                && !section.units.is_empty()
            {
                self.kinds.insert(field);
            }
            for unit in section.units.iter().filter(|_| !aside) {
                self.units += 1;
                let text = unit.text.text(source);
                let inside =
                    !matches!(unit.kind, UnitKind::Code) && has_placeholder(text) && !is_placeholder(text);
                self.placeholders += usize::from(inside);
            }
        }
    }

    fn read_body(&mut self, source: &str, markdown: &Markdown) {
        // All lines are searched as one text: a hundred phrases in each of many short lines cost far more.
        let mut body = String::new();
        for line in &markdown.lines {
            let text = line.span.text(source);
            match line.kind {
                LineKind::Frontmatter => self.tracker |= wording::is_tracker_key(text),
                LineKind::Text | LineKind::Heading { .. } => {
                    body.push_str(&text[..text.floor_char_boundary(BODY_LINE_BYTES_MAX)]);
                    body.push('\n');
                }
                LineKind::Blank | LineKind::Fence(_) | LineKind::Comment => {}
            }
        }
        let lower = body.to_lowercase();
        self.addresses_successor |= wording::addresses_successor(&lower);
        self.instruction_marks += wording::instruction_marks(&lower);
        self.other_senses = wording::other_senses(&lower);
    }
}

/// Says whether a field is something that handoffs tell and other documents rarely do.
fn is_telling(field: Field) -> bool {
    matches!(
        field,
        Field::Done
            | Field::NextSteps
            | Field::Blockers
            | Field::Gotchas
            | Field::Decisions
            | Field::Questions
            | Field::Status
            | Field::Verdict
            | Field::Verification
            | Field::FilesCreated
            | Field::FilesModified
            | Field::FilesDeleted
            | Field::FilesToRead
            | Field::FilesMentioned
            | Field::FileTargets
            | Field::From
            | Field::To
            | Field::Patterns
    )
}
