//! Gathers what the history of a repository shows about the claims of a handoff.

use std::collections::BTreeSet;

use baton_evidence::claims::FileClaim;
use baton_evidence::facts::{
    ChangedFile, Changes, CommitFact, Facts, FileFact, HistoryFile, Lines, StoredRecord,
};
use baton_evidence::finding::{Against, Said};

use super::chain::Chain;
use super::dossier::Dossier;
use super::evidence::{Evidence, record_at};
use super::world::{CLOCK_SLACK, Whereabouts, World};
use crate::ecosystem;
use crate::git::{Change, ChangeKind, Commit, CommitIndex, Found, Named};

/// A commit that is this close to the stated start may belong to the work.
const START_SLACK: i64 = 24 * 3600;
/// Most versions of a file whose lines are counted for one range.
const VERSIONS_MAX: usize = 20;
/// A commit with more changes than this is an import or a move, not one agent's turn.
const CHANGES_MAX: usize = 200;

/// One handoff of a chain, with everything that the repository shows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Subject<'a, 'w> {
    pub(super) dossiers: &'a [Dossier],
    pub(super) chain: &'a Chain,
    pub(super) world: &'a World<'w>,
    pub(super) at: usize,
}

impl<'a> Subject<'a, '_> {
    fn dossier(&self) -> &'a Dossier {
        &self.dossiers[self.at]
    }

    fn others(&self) -> impl Iterator<Item = &'a Dossier> {
        let (dossiers, at) = (self.dossiers, self.at);
        self.chain.members.iter().filter(move |member| **member != at).map(move |&member| &dossiers[member])
    }

    /// Returns everything that the repository shows about the claims of the handoff.
    pub(super) fn facts(&self) -> Facts {
        let (world, dossier) = (self.world, self.dossier());
        let mut facts = Facts { now: Some(world.now), ..Facts::default() };
        for file in &dossier.files {
            let text = file.path.text.trim();
            facts.files.insert(text.to_owned(), self.file(text, file.claim, file.lines.is_some()));
        }
        for said in dossier.references().filter(|said| looks_like_a_file(&said.text)) {
            let place = said.text.split('#').next().unwrap_or_default();
            let known = self.file(place, FileClaim::Exists, false);
            facts.files.entry(said.text.trim().to_owned()).or_insert(known);
        }
        facts.changes = self.changes();
        let commit = |said: &Said| Some((said.text.trim().to_owned(), self.commit_fact(said)?));
        facts.commits = dossier.commits.iter().filter_map(commit).collect();
        facts.records = self.records();
        facts.committed = world.brought(self.at).map(|commit| {
            let time = commit.author_time.max(commit.committer_time);
            (time, self.evidence(commit))
        });
        facts
    }

    fn file(&self, text: &str, claim: FileClaim, has_lines: bool) -> FileFact {
        let (path, is_there, is_by_suffix, commit) = match self.world.whereabouts(self.dossier(), text) {
            Whereabouts::Unknown(reason) => return FileFact::Unknown(reason),
            Whereabouts::Nowhere => return FileFact::History(Box::default()),
            Whereabouts::Now { path, by_suffix } => (path, true, by_suffix, None),
            Whereabouts::Before { path, by_suffix, commit } => (path, false, by_suffix, Some(commit)),
        };
        let window = self.world.window(self.at);
        let history = self.world.history();
        let mut fact = HistoryFile {
            is_there,
            is_known: true,
            is_by_suffix,
            has_history: history.is_some(),
            is_complete: history.is_some_and(crate::git::History::is_complete),
            has_start: window.start.is_some(),
            how: window.how(),
            last: commit.map(|commit| (Against::commit(commit, "last version"), false)),
            lines: if has_lines { self.lines(&path, is_there) } else { None },
            ..HistoryFile::default()
        };
        match claim {
            FileClaim::Exists => {}
            FileClaim::Created => self.see_creation(&mut fact, text, &path),
            FileClaim::Modified | FileClaim::Touched => self.see_changes(&mut fact, text, &path),
            FileClaim::Deleted => {
                let mut changes = self.world.changes_of(&path).iter();
                fact.was_removed = changes.any(|change| change.kind == ChangeKind::Deleted);
            }
        }
        fact.path = path;
        FileFact::History(Box::new(fact))
    }

    fn commit(&self, change: &Change) -> Option<&'a Commit> {
        Some(self.world.history()?.commit(change.commit))
    }

    fn covered(&self, path: &str) -> impl Iterator<Item = (&'a Change, &'a Commit)> {
        let subject = *self;
        self.world.changes_of(path).iter().filter_map(move |change| {
            let commit = subject.commit(change)?;
            subject.world.window(subject.at).covers(change.commit, commit).then_some((change, commit))
        })
    }

    /// Returns the latest moment at which a commit can have been made.
    fn time(&self, change: &Change) -> i64 {
        self.commit(change).map_or(i64::MAX, |commit| commit.author_time.max(commit.committer_time))
    }

    fn evidence(&self, commit: &Commit) -> Against {
        Against::commit(commit.id.short(), self.world.told(commit))
    }

    /// Returns another handoff of the chain that lists the same file as created or modified.
    fn reported_by(&self, text: &str) -> Option<Against> {
        let plain = |text: &str| text.trim().trim_start_matches("./").to_owned();
        let lists = |dossier: &&Dossier| {
            dossier.files.iter().any(|other| {
                !matches!(other.claim, FileClaim::Deleted | FileClaim::Exists)
                    && plain(&other.path.text) == plain(text)
            })
        };
        self.others().find(lists).map(|other| Against::file(other.shown_path(), None, "lists the same file"))
    }

    fn see_creation(&self, fact: &mut HistoryFile, text: &str, path: &str) {
        let added = self.covered(path).find(|(change, _)| change.kind == ChangeKind::Added);
        fact.added = added.map(|(_, commit)| self.evidence(commit));
        let Some(start) = self.world.window(self.at).start else { return };
        let before = self
            .world
            .changes_of(path)
            .iter()
            .rev()
            .filter(|change| self.time(change) < start - CLOCK_SLACK)
            .find_map(|change| Some((change, self.commit(change).filter(|commit| commit.on_head)?)));
        let before = before.filter(|(change, _)| change.kind != ChangeKind::Deleted);
        fact.existed = before.map(|(_, commit)| self.evidence(commit));
        fact.reported_by = self.reported_by(text);
    }

    fn see_changes(&self, fact: &mut HistoryFile, text: &str, path: &str) {
        fact.changed = self.covered(path).last().map(|(_, commit)| self.evidence(commit));
        if fact.changed.is_some() {
            return;
        }
        fact.is_dirty = fact.is_there && self.world.is_dirty(path);
        let Some(start) = self.world.window(self.at).start else { return };
        fact.reported_by = self.reported_by(text);
        let changes = self.world.changes_of(path);
        let mut since = changes.iter().filter(|change| self.time(change) >= start - CLOCK_SLACK);
        let with_others = since.clone().find(|change| self.brings_others(text, change));
        let shown = |change: &Change| self.commit(change).map(|commit| self.evidence(commit));
        fact.changed_with_others = with_others.and_then(shown);
        fact.changed_later = since.next().and_then(shown);
        let last = changes.last().and_then(|change| self.commit(change));
        fact.last = last.map(|commit| (self.evidence(commit), self.is_doubtful(commit)));
    }

    /// Says whether a commit also changes another file that the handoff lists, as a squash merge does.
    fn brings_others(&self, text: &str, change: &Change) -> bool {
        let dossier = self.dossier();
        let others = dossier.files.iter().filter(|other| other.path.text.trim() != text);
        let mut paths = others.filter_map(|other| match self.world.whereabouts(dossier, &other.path.text) {
            Whereabouts::Now { path, .. } | Whereabouts::Before { path, .. } => Some(path),
            Whereabouts::Nowhere | Whereabouts::Unknown(_) => None,
        });
        paths.any(|path| self.world.changes_of(&path).iter().any(|other| other.commit == change.commit))
    }

    /// A start that is only guessed, or that came shortly after the commit, can't contradict: people write down late when
    /// they began.
    fn is_doubtful(&self, commit: &Commit) -> bool {
        let window = self.world.window(self.at);
        let made = commit.author_time.max(commit.committer_time);
        window.start_is_guessed || window.start.is_some_and(|start| made > start - START_SLACK)
    }

    fn lines(&self, path: &str, is_there: bool) -> Option<Lines> {
        let (world, window) = (self.world, self.world.window(self.at));
        let changes = world.changes_of(path);
        let time = |change: &Change| {
            self.commit(change).map_or(0, |commit| commit.author_time.max(commit.committer_time))
        };
        let until = window.end.unwrap_or(world.now) + CLOCK_SLACK;
        let in_force = changes.iter().rev().find(|change| time(change) <= until);
        let covered = changes
            .iter()
            .rev()
            .filter(|change| self.commit(change).is_some_and(|commit| window.covers(change.commit, commit)));
        let mut versions: Vec<&Change> = covered.take(VERSIONS_MAX).collect();
        versions.extend(in_force);
        versions.retain(|change| change.kind != ChangeKind::Deleted);
        let has_newer = changes.iter().any(|change| time(change) > until);
        let now = (is_there && !has_newer).then(|| world.lines_now(path)).flatten();
        let most = versions.iter().filter_map(|change| world.lines_of(change)).chain(now).max()?;
        let ever = changes.iter().rev().filter(|change| change.kind != ChangeKind::Deleted);
        let ever = ever.take(VERSIONS_MAX).filter_map(|change| world.lines_of(change)).max().unwrap_or(0);
        // Where several handoffs came with one commit, a version between them may be lost.
        let shares = |&other: &usize| {
            other != self.at
                && world
                    .window(other)
                    .own
                    .iter()
                    .any(|commit| versions.iter().any(|change| change.commit == *commit))
        };
        let is_shared = self.chain.members.iter().any(shares);
        let is_complete = world.history().is_some_and(crate::git::History::is_complete);
        Some(Lines { most, ever, is_doubtful: is_shared || !is_complete, has_no_end: window.end.is_none() })
    }

    fn commit_fact(&self, said: &Said) -> Option<CommitFact> {
        let archive = self.world.archive.as_ref()?;
        let id = said.text.trim();
        match archive.history.find_commit(id) {
            Found::One(_) => return Some(CommitFact::OnBranch),
            Found::Several => return Some(CommitFact::Ambiguous),
            Found::None => {}
        }
        let is_complete = archive.history.is_complete();
        Some(match archive.objects.borrow_mut().commit_kind(id) {
            Ok(Named::Commit(_)) => CommitFact::OnNoBranch,
            Ok(Named::Other(_)) => CommitFact::NotACommit,
            Ok(Named::Ambiguous) => CommitFact::Ambiguous,
            Ok(Named::Nothing) => CommitFact::Unknown { is_complete, is_own: false },
            Err(_) => CommitFact::Unknown { is_complete: false, is_own: false },
        })
    }

    /// Returns what the handoff's own commit changed: the one that it names, or the one that brought it.
    fn changes(&self) -> Option<Changes> {
        let (world, window) = (self.world, self.world.window(self.at));
        // Where a history is cut off, its first commit seems to bring everything.
        let history = world.history().filter(|history| history.is_complete())?;
        let listed = self.listed(self.dossier());
        let own: Vec<CommitIndex> = match window.named.is_empty() {
            true => window.brought.into_iter().collect(),
            false => window.named.clone(),
        };
        own.into_iter().find_map(|index| {
            let commit = history.commit(index);
            let changed: Vec<_> = history.changes_in(index).take(CHANGES_MAX + 1).collect();
            let path_of = |path: &[u8]| String::from_utf8_lossy(path).into_owned();
            let is_own = changed.iter().any(|(path, _)| listed.contains(&path_of(path)));
            if commit.is_merge || changed.len() > CHANGES_MAX || !is_own {
                return None;
            }
            let file = |(path, change): &(&[u8], &Change)| {
                let path = path_of(path);
                ChangedFile {
                    is_added: change.kind == ChangeKind::Added,
                    is_removed: change.kind == ChangeKind::Deleted,
                    is_generated: world.is_paperwork(&path) || ecosystem::is_generated(&path),
                    path,
                }
            };
            let others = world.sharing(index).iter().filter(|other| **other != self.at);
            Some(Changes {
                files: changed.iter().map(file).collect(),
                source: Some(self.evidence(commit)),
                listed_by_others: others.flat_map(|&other| self.listed(world.dossier(other))).collect(),
            })
        })
    }

    fn listed(&self, dossier: &Dossier) -> BTreeSet<String> {
        let path = |text: &str| match self.world.whereabouts(dossier, text) {
            Whereabouts::Now { path, .. } | Whereabouts::Before { path, .. } => Some(path),
            Whereabouts::Nowhere | Whereabouts::Unknown(_) => None,
        };
        dossier.files.iter().filter_map(|file| path(&file.path.text)).collect()
    }

    fn records(&self) -> Vec<StoredRecord> {
        let dossier = self.dossier();
        let evidence = Evidence::beside(dossier, self.world);
        let mut records = evidence.into_stored();
        let cited = dossier.references().filter(|said| looks_like_a_file(&said.text));
        for said in cited {
            let place = said.text.split('#').next().unwrap_or_default();
            if let Whereabouts::Now { path, .. } = self.world.whereabouts(dossier, place)
                && let Some(record) = record_at(&self.world.work_tree, &path)
            {
                let cited_as = Some(said.text.clone());
                records.push(StoredRecord { record, about: Vec::new(), cited_as, is_beside: false });
            }
        }
        records
    }
}

/// Says whether a reference names a file.
pub(crate) fn looks_like_a_file(text: &str) -> bool {
    let text = text.split('#').next().unwrap_or_default();
    let name = text.rsplit_once('/').map_or(text, |(_, name)| name);
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    !text.contains([' ', ':', '*']) && (1..=5).contains(&ending.len()) && !name.starts_with('.')
}
