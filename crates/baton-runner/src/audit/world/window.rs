//! The commits that a handoff is about.

use super::Archive;
use crate::audit::dossier::Dossier;
use crate::git::{Commit, CommitIndex, Found};

/// Clocks of two machines may differ by this much, and people commit a little later than they work.
pub const CLOCK_SLACK: i64 = 3600;

/// When a handoff's work was done, and which commits are known to be its own.
#[derive(Clone, Debug, Default)]
pub struct Window {
    /// The commits that touch the handoff's file.
    pub own: Vec<CommitIndex>,
    /// The commit that brought it as it is now.
    pub brought: Option<CommitIndex>,
    pub named: Vec<CommitIndex>,
    pub start: Option<i64>,
    /// Whether the start is only when the handoff before it ended, or the task became known.
    pub start_is_guessed: bool,
    pub end: Option<i64>,
}

/// How long before its first handoff a task may have begun.
const TASK_LEAD: i64 = 7 * 24 * 3600;

impl Window {
    pub(super) fn of(dossier: &Dossier, archive: Option<&Archive<'_>>) -> Self {
        let mut window = Self {
            start: dossier.started.as_ref().map(|moment| moment.earliest),
            end: dossier.ended().map(|moment| moment.latest),
            ..Self::default()
        };
        let Some(history) = archive.map(|archive| &archive.history) else { return window };
        if let Some(path) = &dossier.repository_path {
            let changes = history.changes_of(path.as_bytes());
            window.own = changes.iter().map(|change| change.commit).collect();
            let same = changes.iter().rev().find(|change| dossier.blob.matches(&change.blob));
            window.brought = same.map(|change| change.commit);
        }
        for said in &dossier.commits {
            if let Found::One(index) = history.find_commit(said.text.trim()) {
                window.named.push(index);
            }
        }
        window
    }

    /// Takes the start from the chain where the handoff does not say it: from the handoff before, or else from the first.
    pub(super) fn guess_start(&mut self, before: Option<&Dossier>, first: &Dossier) {
        if self.start.is_some() {
            return;
        }
        let known = |dossier: &Dossier| {
            let lead = if dossier.started.is_some() { 0 } else { TASK_LEAD };
            dossier.started.as_ref().or(dossier.ended()).map(|moment| moment.earliest - lead)
        };
        let before = before.and_then(|before| before.ended()).map(|moment| moment.earliest);
        self.start = before.or_else(|| known(first));
        self.start_is_guessed = self.start.is_some();
    }

    /// Says whether a commit belongs to the handoff's work.
    pub fn covers(&self, index: CommitIndex, commit: &Commit) -> bool {
        if self.own.contains(&index) || self.named.contains(&index) {
            return true;
        }
        let (Some(start), Some(end)) = (self.start, self.end) else { return false };
        [commit.author_time, commit.committer_time]
            .iter()
            .any(|time| (start - CLOCK_SLACK..=end + CLOCK_SLACK).contains(time))
    }

    /// Says in words how the commits were found.
    pub fn how(&self) -> &'static str {
        match (self.named.is_empty(), self.start.is_some() && self.end.is_some(), self.own.is_empty()) {
            (false, _, _) => "by the commits it names",
            (true, true, _) => "by its dates",
            (true, false, false) => "by the commit that added it",
            (true, false, true) => "not at all",
        }
    }
}
