//! Listed files: whether they are there, and whether what is said to have happened to them did.

use baton_handoff::rule::audit;

use super::{Case, Rows};
use crate::audit::dossier::{Dossier, FileClaim, ListedFile};
use crate::audit::row::{Against, Provenance, Row};
use crate::audit::world::{CLOCK_SLACK, Whereabouts, Window};
use crate::git::{Change, ChangeKind, Commit};

/// A commit that is this close to the stated start may belong to the work.
const START_SLACK: i64 = 24 * 3600;

pub(super) fn inspect(case: &Case<'_>, rows: &mut Rows) {
    for (at, dossier) in case.members() {
        for file in &dossier.files {
            let row = match case.world.whereabouts(dossier, &file.path.text) {
                Whereabouts::Unknown(reason) => Row::not_checkable(file.claim.kind(), &file.path, reason),
                Whereabouts::Nowhere => {
                    let reason = "the file exists neither now nor in any commit of any branch";
                    Row::finding(&audit::FILE_MISSING, file.claim.kind(), &file.path, reason)
                }
                Whereabouts::Now { path, by_suffix } => {
                    Subject { case, at, file, path: &path, is_there: true, by_suffix }.row()
                }
                Whereabouts::Before { path, by_suffix, .. } => {
                    Subject { case, at, file, path: &path, is_there: false, by_suffix }.row()
                }
            };
            rows.push(at, row);
        }
    }
}

/// A listed file that was found.
struct Subject<'a, 'c> {
    case: &'a Case<'c>,
    at: usize,
    file: &'a ListedFile,
    path: &'a str,
    is_there: bool,
    by_suffix: bool,
}

impl Subject<'_, '_> {
    fn row(&self) -> Row {
        let mut row = match self.file.claim {
            FileClaim::Exists if self.is_there => self.holds("it is there").from(Provenance::Observed),
            FileClaim::Exists => self.holds("it was there, and was removed later"),
            FileClaim::Created => self.created(),
            FileClaim::Modified | FileClaim::Touched => self.modified(),
            FileClaim::Deleted => self.deleted(),
        };
        if self.by_suffix {
            row.reason.push_str("; matched by the end of its path");
        }
        row
    }

    fn holds(&self, reason: &str) -> Row {
        Row::holds(self.file.claim.kind(), &self.file.path, reason)
    }

    fn window(&self) -> &Window {
        self.case.world.window(self.at)
    }

    fn changes(&self) -> &[Change] {
        self.case.world.changes_of(self.path)
    }

    fn commit(&self, change: &Change) -> Option<&Commit> {
        Some(self.case.world.history()?.commit(change.commit))
    }

    fn covered(&self) -> impl Iterator<Item = (&Change, &Commit)> {
        self.changes().iter().filter_map(|change| {
            let commit = self.commit(change)?;
            self.window().covers(change.commit, commit).then_some((change, commit))
        })
    }

    /// Returns the latest moment at which a commit can have been made.
    fn time(&self, change: &Change) -> i64 {
        self.commit(change).map_or(i64::MAX, |commit| commit.author_time.max(commit.committer_time))
    }

    fn evidence(&self, commit: &Commit) -> Against {
        Against::commit(commit.id.short(), self.case.world.told(commit))
    }

    /// Returns another handoff of the chain that lists the same file as made or changed.
    fn inherited(&self) -> Option<&Dossier> {
        let lists = |dossier: &Dossier| {
            dossier.files.iter().any(|other| {
                other.claim != FileClaim::Deleted
                    && other.claim != FileClaim::Exists
                    && other.path.text.trim_start_matches("./")
                        == self.file.path.text.trim_start_matches("./")
            })
        };
        let mut others = self.case.members().filter(|(at, _)| *at != self.at);
        others.find(|(_, dossier)| lists(dossier)).map(|(_, dossier)| dossier)
    }

    fn reported_by(&self, other: &Dossier) -> Row {
        let against = Against::file(other.shown_path(), None, "lists the same file");
        self.holds("an earlier handoff of the task reports it").from(Provenance::Inherited).against(against)
    }

    fn created(&self) -> Row {
        if let Some((_, commit)) = self.covered().find(|(change, _)| change.kind == ChangeKind::Added) {
            let reason = format!("a commit of this work added it, found {}", self.window().how());
            return self.holds(&reason).against(self.evidence(commit));
        }
        let Some(start) = self.window().start else {
            return self.holds("it is known; the handoff does not say when it began");
        };
        let before = self
            .changes()
            .iter()
            .rev()
            .filter(|change| self.time(change) < start - CLOCK_SLACK)
            .filter_map(|change| Some((change, self.commit(change).filter(|commit| commit.on_head)?)))
            .next();
        let Some((_, commit)) = before.filter(|(change, _)| change.kind != ChangeKind::Deleted) else {
            return self.holds("it was not there before");
        };
        if let Some(other) = self.inherited() {
            return self.reported_by(other);
        }
        let reason = "the file was there before the work began";
        Row::finding(&audit::NOT_CREATED, "file-created", &self.file.path, reason)
            .against(self.evidence(commit))
    }

    fn modified(&self) -> Row {
        let kind = self.file.claim.kind();
        if let Some((_, commit)) = self.covered().last() {
            let reason = format!("a commit of this work changes it, found {}", self.window().how());
            return self.holds(&reason).against(self.evidence(commit));
        }
        if self.is_there && self.case.world.is_dirty(self.path) {
            return self.holds("it is changed in the work tree").from(Provenance::Observed);
        }
        let Some(history) = self.case.world.history() else {
            return Row::not_checkable(
                kind,
                &self.file.path,
                "it is there; without git nobody can tell what changed it",
            );
        };
        let Some(start) = self.window().start else {
            return Row::not_checkable(kind, &self.file.path, "the handoff does not say when its work began");
        };
        if let Some(other) = self.inherited() {
            return self.reported_by(other);
        }
        let mut since = self.changes().iter().filter(|change| self.time(change) >= start - CLOCK_SLACK);
        if let Some(commit) =
            since.clone().find(|change| self.brings_others(change)).and_then(|change| self.commit(change))
        {
            let reason = "a later commit changes it together with other files of this handoff";
            return self.holds(reason).against(self.evidence(commit));
        }
        let later = since.next();
        let (reason, change, is_later) = match (later, self.changes().last()) {
            (Some(change), _) => {
                ("no commit of this time changes it; the next change came later", Some(change), true)
            }
            (None, last) => {
                ("no commit since the work began changes it, nor does the work tree", last, false)
            }
        };
        if !history.is_complete() {
            return Row::not_checkable(kind, &self.file.path, "the history is not complete");
        }
        let row = Row::finding(&audit::NOT_MODIFIED, kind, &self.file.path, reason);
        match change.and_then(|change| self.commit(change)) {
            Some(commit) if is_later => row.unsupported().against(self.evidence(commit)),
            Some(commit) => self.weighed(row, commit).against(self.evidence(commit)),
            None => row.unsupported(),
        }
    }

    /// Says whether a commit also changes another file that the handoff lists, as a squash merge does.
    fn brings_others(&self, change: &Change) -> bool {
        let dossier = self.case.world.dossier(self.at);
        let others = dossier.files.iter().filter(|other| other.path != self.file.path);
        let mut paths =
            others.filter_map(|other| match self.case.world.whereabouts(dossier, &other.path.text) {
                Whereabouts::Now { path, .. } | Whereabouts::Before { path, .. } => Some(path),
                Whereabouts::Nowhere | Whereabouts::Unknown(_) => None,
            });
        paths.any(|path| self.case.world.changes_of(&path).iter().any(|other| other.commit == change.commit))
    }

    /// A start that is only guessed, or that came shortly after the commit, cannot contradict: people write down late when
    /// they began.
    fn weighed(&self, row: Row, commit: &Commit) -> Row {
        let window = self.window();
        let made = commit.author_time.max(commit.committer_time);
        let is_close = window.start.is_some_and(|start| made > start - START_SLACK);
        if window.start_is_guessed || is_close { row.unsupported() } else { row }
    }

    fn deleted(&self) -> Row {
        let removal = self.changes().iter().rev().find(|change| change.kind == ChangeKind::Deleted);
        if !self.is_there || removal.is_some() {
            return self.holds("a commit removed it");
        }
        let complete = self.case.world.history().is_some_and(|history| history.is_complete());
        if !complete || self.by_suffix {
            return Row::not_checkable(
                "file-deleted",
                &self.file.path,
                "it is there; the history is not complete",
            );
        }
        let reason = "the file is still there, and no commit ever removed it";
        Row::finding(&audit::NOT_DELETED, "file-deleted", &self.file.path, reason)
            .from(Provenance::Observed)
            .against(Against::file(self.path, None, "is there"))
    }
}
