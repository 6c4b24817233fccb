//! Lays out everything that could be in a packet, and puts together what says the same.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::fragment::Kind;
use super::order::{Order, REFERENCES_MAX};
use super::rank::Score;
use crate::knowledge::{Fate, FileChange, Finding, Item, ItemKind, Lesson, LessonStanding, Severity, Source};
use crate::word::LessonId;
use crate::workflow::Role;

/// Most drifted files of each sort that a packet names; all are counted.
const DRIFT_MAX: usize = 16;

/// Most other words for one file that are matched.
const ALSO_MAX: usize = 16;

/// Something that could be in a packet, as it was written.
#[derive(Clone, Debug)]
pub(super) struct Candidate<'o> {
    pub(super) kind: Kind,
    pub(super) text: Cow<'o, str>,
    pub(super) detail: Option<&'o str>,
    pub(super) path: Option<&'o str>,
    pub(super) lines: Option<&'o str>,
    /// Other words for it, which are matched and not shown.
    also: Vec<Cow<'o, str>>,
    pub(super) tags: BTreeSet<&'o str>,
    pub(super) severity: Option<Severity>,
    pub(super) blocking: bool,
    /// Written as data; otherwise guessed from prose.
    pub(super) stated: bool,
    /// A file that the next one is told to read, not merely one that was changed.
    pub(super) recommended: bool,
    /// Older than the last handoff, and little is said of it: what only holds still, and a file without a reason to read it.
    pub(super) brief: bool,
    pub(super) standing: Option<LessonStanding>,
    pub(super) sources: Vec<&'o Source>,
    pub(super) lesson: Option<&'o LessonId>,
    pub(super) score: Score,
}

impl<'o> Candidate<'o> {
    fn plain(kind: Kind, text: impl Into<Cow<'o, str>>) -> Self {
        Self {
            kind,
            text: text.into(),
            detail: None,
            path: None,
            lines: None,
            also: Vec::new(),
            tags: BTreeSet::new(),
            severity: None,
            blocking: false,
            stated: true,
            recommended: false,
            brief: false,
            standing: None,
            sources: Vec::new(),
            lesson: None,
            score: Score::default(),
        }
    }

    fn found(kind: Kind, finding: &'o Finding) -> Self {
        let Item { text, detail, path, lines, change, tags, severity, blocking, stated, .. } = &finding.item;
        // All lines of a new file are new.
        let lines = lines.as_deref().filter(|_| *change != Some(FileChange::Created));
        Self {
            detail: detail.as_deref(),
            path: path.as_deref().map(tidy),
            lines,
            tags: tags.iter().map(String::as_str).collect(),
            severity: *severity,
            blocking: *blocking,
            stated: *stated,
            recommended: finding.item.kind == ItemKind::FileToRead,
            sources: vec![&*finding.source],
            ..Self::plain(kind, text.as_str())
        }
    }

    fn learned(kind: Kind, lesson: &'o Lesson) -> Self {
        Self {
            detail: lesson.detail.as_deref(),
            path: lesson.paths.first().map(|path| tidy(path)),
            tags: lesson.tags.iter().map(String::as_str).collect(),
            severity: lesson.severity,
            standing: Some(lesson.standing),
            sources: lesson.sources.iter().collect(),
            lesson: Some(&lesson.id),
            ..Self::plain(kind, lesson.text.as_str())
        }
    }

    /// Takes in what says the same. Of two words on a file the later count, and those of whoever recommends it.
    fn merge(&mut self, other: Self) {
        if self.kind == Kind::File {
            let is_better = other.recommended >= self.recommended && !other.text.is_empty();
            let unsaid = match is_better {
                true => {
                    self.lines = other.lines;
                    std::mem::replace(&mut self.text, other.text)
                }
                false => other.text,
            };
            self.also.extend((self.also.len() < ALSO_MAX).then_some(unsaid));
        }
        self.recommended |= other.recommended;
        self.detail = self.detail.or(other.detail);
        self.path = self.path.or(other.path);
        self.tags.extend(other.tags);
        self.severity = match (self.severity, other.severity) {
            (Some(one), Some(two)) => Some(one.min(two)),
            (one, two) => one.or(two),
        };
        self.blocking |= other.blocking;
        self.stated |= other.stated;
        self.standing = self.standing.max(other.standing);
        self.lesson = self.lesson.or(other.lesson);
        for source in other.sources {
            if !self.sources.iter().any(|known| known.sequence == source.sequence) {
                self.sources.push(source);
            }
        }
    }

    /// Returns everything by which it can be held against a task.
    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        let own = [Some(self.text.as_ref()), self.detail, self.path].into_iter().flatten();
        own.chain(self.also.iter().map(Cow::as_ref)).chain(self.tags.iter().copied())
    }

    /// Returns the place of the newest source in the log.
    pub(super) fn sequence(&self) -> u64 {
        self.sources.iter().map(|source| source.sequence).max().unwrap_or(0)
    }

    /// Says whether all work in which this was said was sent back.
    pub(super) fn is_returned(&self) -> bool {
        !self.sources.is_empty() && self.sources.iter().all(|source| source.fate == Fate::Returned)
    }

    /// What two candidates share that say the same. Cheap, because there can be ten thousand; those that are kept are held
    /// against each other once more, by their meaning.
    fn key(&self) -> (Kind, Cow<'o, str>) {
        match (self.kind, self.path) {
            (Kind::File, Some(path)) => (self.kind, path.into()),
            _ => (self.kind, low(&self.text).into()),
        }
    }
}

/// Returns a path without what says nothing.
fn tidy(path: &str) -> &str {
    path.trim().trim_start_matches("./")
}

/// Returns the words of a text in small letters, with one blank between them.
fn low(text: &str) -> String {
    let mut words = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !words.is_empty() {
            words.push(' ');
        }
        words.push_str(word);
    }
    if words.is_ascii() {
        words.make_ascii_lowercase();
        return words;
    }
    words.to_lowercase()
}

pub(super) fn candidates(order: &Order) -> Vec<Candidate<'_>> {
    let mut all = reserved(order);
    match order.role {
        // Whoever judges gets what the host saw, and no story.
        Role::Verifier => {}
        Role::Builder | Role::Repair | Role::Specialist => all.extend(merged(known(order))),
    }
    all
}

fn reserved(order: &Order) -> Vec<Candidate<'_>> {
    let mut all: Vec<Candidate<'_>> =
        order.guidance.iter().map(|line| Candidate::plain(Kind::Guidance, line.as_str())).collect();
    all.extend(
        order.criteria.iter().map(|criterion| Candidate::plain(Kind::Criterion, criterion.to_string())),
    );
    all.push(Candidate::plain(Kind::Title, order.title.as_str()));
    let drift = &order.drift;
    let named = |word: &str, path: &String| Candidate::plain(Kind::Drift, format!("{word} {path}"));
    all.extend(drift.gone.iter().take(DRIFT_MAX).map(|path| named("gone", path)));
    all.extend(drift.changed.iter().take(DRIFT_MAX).map(|path| named("changed", path)));
    for clarified in &order.clarifications {
        let (id, question) = (&clarified.id, &clarified.question);
        all.extend(match &clarified.answer {
            Some(_) if order.is_told_beside => None,
            Some(answer) => Some(Candidate::plain(Kind::Answer, format!("{id}: {question} → {answer}"))),
            None => Some(Candidate::plain(Kind::Clarification, format!("{id}: {question}"))),
        });
    }
    if !order.is_told_beside {
        all.extend(order.said.iter().map(|said| Candidate::plain(Kind::Answer, said.as_str())));
    }
    match order.role {
        Role::Verifier => all.extend(observed(order)),
        Role::Builder | Role::Repair | Role::Specialist if order.is_told_beside => {}
        Role::Builder | Role::Repair | Role::Specialist => all.extend(attempt(order)),
    }
    let skipped = order.references.len().saturating_sub(REFERENCES_MAX);
    all.extend(order.references.iter().skip(skipped).map(|reference| {
        Candidate::plain(Kind::Reference, format!("{} {}", reference.task, reference.document))
    }));
    all
}

fn attempt(order: &Order) -> impl Iterator<Item = Candidate<'_>> {
    let items = order.feedback.iter().flat_map(|feedback| &feedback.items).take(crate::feedback::ITEMS_MAX);
    let failed = items.map(|item| {
        let text = match item.is_persons {
            true => format!("{}, your reviewer says: {}", item.subject, item.details),
            false => format!("{} {}: {}", item.subject, item.verdict.name(), item.details),
        };
        Candidate::plain(Kind::Attempt, text)
    });
    let note = order.feedback.iter().filter_map(|feedback| feedback.context.as_deref());
    failed.chain(note.map(|note| Candidate::plain(Kind::Attempt, format!("note: {note}"))))
}

fn observed(order: &Order) -> impl Iterator<Item = Candidate<'_>> {
    let checks = order.observed.checks.iter().map(|check| {
        let text =
            format!("{} {}: {} ({})", check.checkpoint, check.verdict.name(), check.detail, check.receipt);
        Candidate::plain(Kind::Check, text)
    });
    let files = order.observed.files.iter();
    let base = order.observed.base.iter().map(|base| Candidate::plain(Kind::Change, format!("base: {base}")));
    let files = files.map(|file| Candidate::plain(Kind::Change, format!("{}: {}", file.path, file.seen)));
    let findings = order.observed.findings.iter();
    let findings = findings.map(|finding| Candidate::plain(Kind::Finding, finding.as_str()));
    checks.chain(base).chain(files).chain(findings)
}

/// Everything that predecessors handed over and the project has learned.
fn known(order: &Order) -> Vec<Candidate<'_>> {
    let journal = &order.journal;
    let found = journal.findings.iter().filter_map(|finding| {
        let kind = match finding.item.kind {
            ItemKind::File | ItemKind::FileToRead => Kind::File,
            ItemKind::Pattern => Kind::Pattern,
            ItemKind::Gotcha => Kind::Warning,
            ItemKind::Decision => Kind::Decision,
            ItemKind::NextStep => Kind::NextStep,
            // Only those that are still open count; they have lists of their own.
            ItemKind::Question | ItemKind::Blocker => return None,
        };
        Some(Candidate::found(kind, finding))
    });
    let questions = journal.open_questions.iter().map(|finding| Candidate::found(Kind::Question, finding));
    let blockers = journal.active_blockers.iter().map(|finding| Candidate::found(Kind::Blocker, finding));
    let learned =
        journal.lessons.iter().filter(|lesson| lesson.standing.reaches_prompts()).filter_map(|lesson| {
            let kind = match lesson.kind {
                ItemKind::Pattern => Kind::Pattern,
                ItemKind::Gotcha => Kind::Warning,
                ItemKind::Decision => Kind::Decision,
                ItemKind::File
                | ItemKind::FileToRead
                | ItemKind::Question
                | ItemKind::Blocker
                | ItemKind::NextStep => return None,
            };
            Some(Candidate::learned(kind, lesson))
        });
    found.chain(questions).chain(blockers).chain(learned).collect()
}

fn merged(all: Vec<Candidate<'_>>) -> Vec<Candidate<'_>> {
    let mut places: BTreeMap<(Kind, Cow<'_, str>), usize> = BTreeMap::new();
    let mut out: Vec<Candidate<'_>> = Vec::with_capacity(all.len());
    for candidate in
        all.into_iter().filter(|candidate| !candidate.text.is_empty() || candidate.path.is_some())
    {
        match places.entry(candidate.key()) {
            std::collections::btree_map::Entry::Occupied(known) => out[*known.get()].merge(candidate),
            std::collections::btree_map::Entry::Vacant(free) => {
                free.insert(out.len());
                out.push(candidate);
            }
        }
    }
    out
}
