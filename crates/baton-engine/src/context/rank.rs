//! What matters most to this turn. Whole numbers only, so that the order is the same everywhere.
//!
//! ```text
//! score = relevance (0 to 60) + weight (-70 to 210) + recency (0 to 60) + support (0 to 45) - 20 if the work was sent back
//! ```
//!
//! The numbers are such that one reason is enough to reach the floor: a word or a file in common with the task, the last
//! handoff, or that it holds until somebody takes it back. What has no reason at all is left out even where there is room.

use std::collections::{BTreeMap, BTreeSet};

use super::fragment::Kind;
use super::gather::Candidate;
use super::order::{Order, Scope};
use super::term::{Beginning, beginning, terms, terms_beginning};
use crate::knowledge::{Finding, ItemKind, LessonStanding, Severity, Source};

/// What scores less has nothing to do with the turn.
pub const FLOOR: i32 = 40;
const RELEVANCE_MAX: i32 = 60;
const SAME_FILE: i32 = 30;
const SAME_FOLDER: i32 = 15;
/// The first word in common with the task says that it is about the same; further ones say how much.
const FIRST_WORD: i32 = 30;
const FURTHER_WORD: i32 = 5;
const FURTHER_WORDS_MAX: usize = 3;
/// For a word of the stage, or of the steps and files that the last handoff names for the next. Too little to be a reason.
const HANDED_WORD: i32 = 2;
const HANDED_WORDS_MAX: usize = 3;
/// Nothing else can reach so much: what blocks comes first.
const BLOCKS: i32 = 200;
/// The latest stage gets all of it, the one before a half, the one before that a third.
const RECENCY_MAX: i32 = 60;
const FURTHER_SOURCE: i32 = 5;
const FURTHER_SOURCES_MAX: usize = 3;
const SENT_BACK: i32 = -20;
/// Of older decisions only what was decided is told, and not why.
const RATIONALE_AGE_MAX: i32 = 2;

/// What a fragment scores, part by part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// How much it has to do with the words and files of this turn.
    pub relevance: i32,
    /// How bad or urgent it is, whether it holds for good, and how plainly it was said.
    pub weight: i32,
    /// How many stages ago it was said last.
    pub recency: i32,
    /// Who else says so, and how far a lesson is to be believed.
    pub support: i32,
    /// Less for what was said in work that was sent back.
    pub returned: i32,
}

impl Score {
    pub fn total(self) -> i32 {
        self.relevance + self.weight + self.recency + self.support + self.returned
    }
}

/// Scores all candidates and puts them in order: by kind where nothing can be left out, else the best first.
pub(super) fn rank(candidates: &mut [Candidate<'_>], order: &Order) {
    let ages = Ages::of(order);
    let focus = Focus::of(order, &ages);
    for candidate in candidates.iter_mut().filter(|candidate| !candidate.kind.is_reserved()) {
        let age = candidate.sources.iter().filter_map(|source| ages.age(source)).min();
        candidate.score = Score {
            relevance: focus.relevance(candidate),
            weight: weight(candidate, age),
            recency: age.map_or(0, |age| RECENCY_MAX / age),
            support: support(candidate),
            returned: if candidate.is_returned() { SENT_BACK } else { 0 },
        };
        if age != Some(1) && order.scope == Scope::Turn {
            focus.shorten(candidate, age);
            candidate.brief = match candidate.kind {
                Kind::File => candidate.text.is_empty(),
                _ => holds(candidate) && candidate.score.relevance < FIRST_WORD,
            };
        }
    }
    // Sorting is stable: what is reserved keeps the order in which it was given.
    candidates.sort_by(|one, other| {
        let reserved = other.kind.is_reserved().cmp(&one.kind.is_reserved());
        reserved.then_with(|| match one.kind.is_reserved() {
            true => one.kind.cmp(&other.kind),
            false => by_score(one, other),
        })
    });
}

fn by_score(one: &Candidate<'_>, other: &Candidate<'_>) -> std::cmp::Ordering {
    let score = other.score.total().cmp(&one.score.total());
    score
        .then_with(|| one.kind.cmp(&other.kind))
        .then_with(|| other.sequence().cmp(&one.sequence()))
        .then_with(|| one.text.cmp(&other.text))
}

/// How many stages ago each stage handed over: 1 for the latest. Attempts of one stage have one age.
struct Ages<'o>(BTreeMap<(&'o str, &'o str), i32>);

impl<'o> Ages<'o> {
    fn of(order: &'o Order) -> Self {
        let journal = &order.journal;
        let all = journal.findings.iter().chain(&journal.open_questions).chain(&journal.active_blockers);
        let mut latest: BTreeMap<(&str, &str), u64> = BTreeMap::new();
        for Finding { source, .. } in all {
            let known = latest.entry(stage_of(source)).or_default();
            *known = source.sequence.max(*known);
        }
        // What this stage itself tried before is news, and makes nothing else older.
        let own = (order.task.as_str(), order.stage.as_str());
        let tried = latest.remove(&own).map(|_| (own, 1));
        let mut stages: Vec<_> = latest.into_iter().map(|(stage, sequence)| (sequence, stage)).collect();
        stages.sort_unstable_by(|one, other| other.cmp(one));
        Self(stages.into_iter().map(|(_, stage)| stage).zip(1..).chain(tried).collect())
    }

    fn age(&self, source: &Source) -> Option<i32> {
        self.0.get(&stage_of(source)).copied()
    }
}

fn stage_of(source: &Source) -> (&str, &str) {
    (source.task.as_str(), source.stage.as_str())
}

/// Says whether this holds until somebody takes it back, however old it is.
fn holds(candidate: &Candidate<'_>) -> bool {
    candidate.kind == Kind::Decision
        || candidate.kind == Kind::Warning && candidate.severity == Some(Severity::High)
}

fn weight(candidate: &Candidate<'_>, age: Option<i32>) -> i32 {
    let stated = if candidate.stated { 10 } else { 0 };
    let is_last = age == Some(1);
    let own = match (candidate.kind, candidate.severity) {
        (_, _) if holds(candidate) => 30,
        (Kind::Warning, Some(Severity::Low)) => -80,
        // Whoever came in between has probably taken the steps of those before.
        (Kind::NextStep, _) if !is_last => -60,
        (Kind::NextStep, Some(Severity::High)) => 10,
        (Kind::NextStep, Some(Severity::Medium) | None) => 0,
        (Kind::NextStep, Some(Severity::Low)) => -30,
        (Kind::Question, _) if !candidate.blocking => -10,
        (Kind::Question | Kind::Blocker, _) => BLOCKS,
        (Kind::File, _) if !candidate.recommended => -5,
        (_, _) => 0,
    };
    stated + own
}

fn support(candidate: &Candidate<'_>) -> i32 {
    // Attempts of one stage are one source.
    let others = match candidate.sources.as_slice() {
        [] | [_] => 0,
        sources => {
            let stages: BTreeSet<_> = sources.iter().map(|source| stage_of(source)).collect();
            (stages.len() - 1).min(FURTHER_SOURCES_MAX)
        }
    };
    let standing = match candidate.standing {
        // That a person stands for it is a reason.
        Some(LessonStanding::Approved) => 30,
        Some(LessonStanding::Backed) => 15,
        Some(LessonStanding::Corroborated) => 10,
        Some(LessonStanding::Inert | LessonStanding::Stale | LessonStanding::Retired) | None => 0,
    };
    FURTHER_SOURCE * points(others) + standing
}

/// What this turn is about: its words, and the files that the last handoff says to read or that have changed since.
struct Focus<'o> {
    /// Of the title, the criteria, and what the last attempt failed at.
    words: BTreeSet<String>,
    /// Of the stage, and of the steps and files that the last handoff names for the next.
    handed: BTreeSet<String>,
    /// How all these words begin.
    beginnings: BTreeSet<Beginning>,
    files: BTreeSet<&'o str>,
    folders: BTreeSet<&'o str>,
}

impl<'o> Focus<'o> {
    fn of(order: &'o Order, ages: &Ages<'_>) -> Self {
        let criteria = order.criteria.iter().filter_map(|criterion| criterion.text.as_deref());
        let failed = order.feedback.iter().flat_map(|feedback| &feedback.items);
        let failed = failed.flat_map(|item| [item.subject.as_str(), item.details.as_str()]);
        let texts = std::iter::once(order.title.as_str()).chain(criteria).chain(failed);
        let words: BTreeSet<String> = texts.flat_map(terms).collect();

        let findings = order.journal.findings.iter();
        let mut handed: BTreeSet<String> = terms(order.stage.as_str()).collect();
        let mut files = BTreeSet::new();
        let is_last = |finding: &&Finding| ages.age(&finding.source) == Some(1);
        let is_next = |kind: ItemKind| match kind {
            ItemKind::FileToRead | ItemKind::NextStep => true,
            ItemKind::File
            | ItemKind::Pattern
            | ItemKind::Gotcha
            | ItemKind::Decision
            | ItemKind::Question
            | ItemKind::Blocker => false,
        };
        for Finding { item, .. } in findings.filter(|finding| is_next(finding.item.kind)).filter(is_last) {
            files.extend(item.path.as_deref().filter(|_| item.kind == ItemKind::FileToRead));
            handed.extend(
                [Some(item.text.as_str()), item.path.as_deref()].into_iter().flatten().flat_map(terms),
            );
        }
        files.extend(order.drift.changed.iter().chain(&order.drift.gone).map(String::as_str));
        let folders = files.iter().filter_map(|path| folder(path)).collect();
        let beginnings = words.iter().chain(&handed).map(|word| beginning(word)).collect();
        Self { words, handed, beginnings, files, folders }
    }

    /// Takes from what is older than the last handoff what says nothing of this turn: why a decision was made that only holds
    /// or is older than two stages, and what a file is for when those words have nothing in common with the task.
    fn shorten(&self, candidate: &mut Candidate<'_>, age: Option<i32>) {
        let is_about = |text: &str| terms(text).any(|term| self.words.contains(&term));
        let is_recent = age.is_some_and(|age| age <= RATIONALE_AGE_MAX);
        match candidate.kind {
            Kind::Decision if !is_recent || !candidate.words().any(is_about) => candidate.detail = None,
            Kind::File if !is_about(&candidate.text) => candidate.text = "".into(),
            _ => {}
        }
    }

    fn relevance(&self, candidate: &Candidate<'_>) -> i32 {
        let path = match candidate.path {
            // Every file is relevant to itself: for files it is asked who recommends them.
            Some(_) | None if candidate.kind == Kind::File => 0,
            Some(path) if self.files.contains(path) => SAME_FILE,
            Some(path) if folder(path).is_some_and(|folder| self.folders.contains(folder)) => SAME_FOLDER,
            Some(_) | None => 0,
        };
        let said: BTreeSet<String> = candidate
            .words()
            .flat_map(|text| terms_beginning(text, &self.beginnings))
            .filter(|term| self.words.contains(term) || self.handed.contains(term))
            .collect();
        let words = match said.intersection(&self.words).take(1 + FURTHER_WORDS_MAX).count() {
            0 => 0,
            count => FIRST_WORD + FURTHER_WORD * points(count - 1),
        };
        let handed = said.intersection(&self.handed).take(HANDED_WORDS_MAX).count();
        (path + words + HANDED_WORD * points(handed)).min(RELEVANCE_MAX)
    }
}

fn points(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(0)
}

fn folder(path: &str) -> Option<&str> {
    path.rsplit_once('/').map(|(folder, _)| folder)
}
