//! The pieces that a packet is made of. Each has a kind, and the kinds have one order.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::fact::closed;
use crate::knowledge::{LessonStanding, Source};
use crate::word::{LessonId, TaskId};
use crate::workflow::Role;

use super::order::Order;
use super::rank::Score;

closed! {
    /// What a fragment is. A packet holds the kinds in this order.
    Kind {
        Guidance "guidance",
        Criterion "criteria",
        Title "title",
        Drift "drift",
        Attempt "attempt",
        Answer "answers",
        Clarification "clarifications",
        Check "checks",
        Change "changes",
        Finding "findings",
        Blocker "blockers",
        Question "questions",
        File "files",
        Pattern "patterns",
        Warning "warnings",
        Decision "decisions",
        NextStep "next-steps",
        Reference "references",
    }
}

impl Kind {
    /// Says whether a fragment of this kind is in every packet, whatever the budget.
    pub fn is_reserved(self) -> bool {
        match self {
            Self::Guidance
            | Self::Criterion
            | Self::Title
            | Self::Drift
            | Self::Attempt
            | Self::Answer
            | Self::Clarification
            | Self::Check
            | Self::Change
            | Self::Finding
            | Self::Reference => true,
            Self::File
            | Self::Question
            | Self::Blocker
            | Self::Pattern
            | Self::Warning
            | Self::Decision
            | Self::NextStep => false,
        }
    }

    /// Returns how many of this kind a packet has room for.
    pub fn count_max(self) -> usize {
        match self {
            Self::File | Self::Warning | Self::Decision => 12,
            Self::Pattern => 8,
            Self::Question | Self::Blocker | Self::NextStep => 5,
            Self::Guidance
            | Self::Criterion
            | Self::Title
            | Self::Drift
            | Self::Attempt
            | Self::Answer
            | Self::Clarification
            | Self::Check
            | Self::Change
            | Self::Finding
            | Self::Reference => usize::MAX,
        }
    }

    /// Returns the line above the fragments of this kind.
    pub fn label(self) -> &'static str {
        match self {
            Self::Guidance => "guidance",
            Self::Criterion => "criteria",
            Self::Title => "task",
            Self::Drift => "drift",
            Self::Attempt => "last attempt",
            Self::Answer => "answers by a person",
            Self::Clarification => "open questions of this task",
            Self::Check => "checks that Baton ran",
            Self::Change => "files under review",
            Self::Finding => "findings about the handoff",
            Self::File => "files",
            Self::Question => "questions",
            Self::Blocker => "blockers",
            Self::Pattern => "patterns",
            Self::Warning => "warnings",
            Self::Decision => "decisions",
            Self::NextStep => "next steps",
            Self::Reference => "references",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }
}

/// One line of a packet, or what would have been one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fragment {
    pub kind: Kind,
    /// One line, without anything that could be taken for structure.
    pub text: String,
    /// Where it applies, if that is not in the text.
    pub place: Option<String>,
    /// Who said it, the newest first. Nobody for what Baton itself says.
    pub sources: Vec<Source>,
    /// The id that all have which mean the same.
    pub id: Option<LessonId>,
    /// How far it is to be believed, where it is a lesson of the project.
    pub standing: Option<LessonStanding>,
    pub score: Score,
    /// Of its line in the packet.
    pub tokens: usize,
    pub fate: Fate,
    /// Characters that were taken out of it.
    pub stripped: usize,
    /// It stands in one line with others of its kind of which little is said.
    pub brief: bool,
}

/// What became of a fragment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It must be there.
    Reserved,
    Kept,
    /// Its score is below the floor.
    Weak,
    /// Its kind is full.
    Crowded,
    /// The budget is used up.
    Unaffordable,
    /// Its path leads out of the project.
    Outside,
}

impl Fate {
    pub fn name(self) -> &'static str {
        match self {
            Self::Reserved => "reserved",
            Self::Kept => "kept",
            Self::Weak => "weak",
            Self::Crowded => "crowded",
            Self::Unaffordable => "unaffordable",
            Self::Outside => "outside",
        }
    }

    pub fn is_kept(self) -> bool {
        matches!(self, Self::Reserved | Self::Kept)
    }
}

/// How sources are named: what the last handoff said carries no tag, and tasks that are numbered alike only their number.
#[derive(Clone, Debug)]
pub(super) struct Byline<'o> {
    task: &'o TaskId,
    last: Option<&'o str>,
    /// Some tag is but a number.
    has_numbers: bool,
}

impl<'o> Byline<'o> {
    pub(super) fn of(order: &'o Order) -> Self {
        let task = &order.task;
        let newest = match order.role {
            // Nobody who judges is led to the story of whoever built.
            Role::Verifier => None,
            Role::Builder | Role::Repair | Role::Specialist => {
                order.journal.findings.iter().max_by_key(|finding| finding.source.sequence)
            }
        };
        let last = newest.map(|finding| origin(&finding.source, task));
        let own = series(task.as_str()).map(|(own, _)| own);
        let is_numbered = |source: &Source| {
            let name = origin(source, task);
            Some(name) != last && own.is_some() && series(name).map(|(series, _)| series) == own
        };
        let found = order.journal.findings.iter().map(|finding| &*finding.source);
        let learned = order.journal.lessons.iter().flat_map(|lesson| &lesson.sources);
        Self { task, last, has_numbers: found.chain(learned).any(is_numbered) }
    }

    /// Says how to read the tags.
    pub(super) fn key(&self) -> String {
        let series = series(self.task.as_str()).filter(|_| self.has_numbers);
        match (self.last, series) {
            (None, _) => String::new(),
            (Some(last), None) => format!(" A line without a tag is from {last}."),
            (Some(last), Some((series, _))) => {
                format!(" [n] is {series}n; a line without a tag is from {last}.")
            }
        }
    }

    /// Names the newest source, and counts the others: ` [07+2]`.
    fn tag(&self, sources: &[Source]) -> String {
        let Some(newest) = sources.first().map(|source| origin(source, self.task)) else {
            return String::new();
        };
        let all: BTreeSet<&str> = sources.iter().map(|source| origin(source, self.task)).collect();
        let name = match (series(newest), series(self.task.as_str())) {
            _ if self.last == Some(newest) => "",
            (Some((theirs, number)), Some((own, _))) if theirs == own => number,
            (_, _) => newest,
        };
        match (name, all.len() - 1) {
            ("", 0) => String::new(),
            (name, 0) => format!(" [{name}]"),
            (name, more) => format!(" [{name}+{more}]"),
        }
    }
}

/// Where something was said: the turn of the task itself, or another task as a whole.
fn origin<'o>(source: &'o Source, task: &TaskId) -> &'o str {
    if source.task == *task { source.turn.as_str() } else { source.task.as_str() }
}

/// Splits the id of a numbered task: `WL-07` into `WL-` and `07`.
fn series(id: &str) -> Option<(&str, &str)> {
    let digits = id.len() - id.trim_end_matches(|character: char| character.is_ascii_digit()).len();
    let (series, number) = id.split_at(id.len() - digits);
    (!number.is_empty() && !series.is_empty()).then_some((series, number))
}

impl Fragment {
    /// Writes the line as it stands in a packet.
    pub(super) fn line(&self, byline: &Byline<'_>) -> String {
        format!("- {}{}\n", self.words(), byline.tag(&self.sources))
    }

    fn words(&self) -> String {
        let place = self.place.as_ref().map_or(String::new(), |place| format!(" ({place})"));
        format!("{}{place}", self.text)
    }
}

/// What is told in brief stands in one line, from this many on; fewer are shorter as lines of their own.
const BRIEF_TOGETHER_MIN: usize = 3;

/// Writes the lines of fragments of one kind.
pub(super) fn lines(fragments: &[&Fragment], byline: &Byline<'_>) -> String {
    let (brief, told): (Vec<&Fragment>, Vec<&Fragment>) = fragments.iter().partition(|one| one.brief);
    let apart = if brief.len() < BRIEF_TOGETHER_MIN { fragments } else { &told };
    let mut text: String = apart.iter().map(|fragment| fragment.line(byline)).collect();
    if brief.len() >= BRIEF_TOGETHER_MIN {
        let bare = |words: String| words.strip_prefix(HIGH).map_or_else(|| words.clone(), str::to_owned);
        let words: Vec<String> = brief.iter().map(|fragment| bare(fragment.words())).collect();
        let high = if brief.iter().any(|fragment| fragment.text.starts_with(HIGH)) { HIGH } else { "" };
        let mut sources: Vec<Source> = brief.iter().flat_map(|fragment| fragment.sources.clone()).collect();
        sources.sort_by_key(|source| std::cmp::Reverse(source.sequence));
        text.push_str(&format!("- {high}{}{}\n", words.join("; "), byline.tag(&sources)));
    }
    text
}

/// Stands before a high warning.
pub(super) const HIGH: &str = "HIGH: ";
