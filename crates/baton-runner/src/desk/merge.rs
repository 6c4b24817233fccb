//! Accepted work is merged by whoever owns the checkout. The desk looks whether it is, and records what it saw.

use std::collections::{BTreeMap, BTreeSet};

use baton_engine::command::{Act, ActKind};
use baton_engine::rejection::{Refusal, Rejection};
use baton_engine::state::Merge;
use baton_engine::word::{TaskId, TreeHash};

use super::receipt::{Ran, Seen};
use super::{As, Desk, DeskError};
use crate::git::{FileKind, ObjectId, Repository, TreeFile};
use crate::workspace::{keeping, native};

/// How many commits before the one that is checked out are looked at.
const COMMITS_MAX: usize = 64;

/// Stands in the record where the work was accepted and is no other than what there was.
pub(crate) const NOTHING_CHANGED: &str = "nothing was changed, so there is nothing to merge";

/// What checks showed of accepted files together with those of others.
#[derive(Debug)]
pub(crate) struct Together {
    /// What all of them look like.
    pub(crate) tree: TreeHash,
    pub(crate) ran: Vec<Ran>,
}

/// What was seen of a merge.
#[derive(Clone, Debug)]
pub enum Merged {
    /// It is recorded; where the accepted files are.
    Recorded(String),
    /// No commit has the accepted files; how the one that is checked out differs.
    Differs { commit: Option<String>, files: Vec<String> },
}

impl Desk {
    /// Looks whether the accepted files are in the history of the project, and records it if they are.
    pub fn merge(&mut self, id: &TaskId) -> Result<Merged, DeskError> {
        self.only_for_people(id.as_str(), ActKind::RecordMerge)?;
        let tree = self.owed_merge(id)?;
        let seen = match Repository::open(&self.workspace.root)? {
            Some(repository) => self.in_history(&repository, &tree)?,
            None if self.workspace.measure()? == tree => {
                Merged::Recorded("there is no repository; the accepted files lie in the project".to_owned())
            }
            None => {
                let files = vec!["the files of the project are not those that were accepted".to_owned()];
                Merged::Differs { commit: None, files }
            }
        };
        if let Merged::Recorded(details) = &seen {
            self.record_merge(id, tree, (true, details), None)?;
        }
        Ok(seen)
    }

    /// Records that the accepted work could not be merged; it is worked on again.
    pub fn merge_failed(&mut self, id: &TaskId, why: &str) -> Result<(), DeskError> {
        self.only_for_people(id.as_str(), ActKind::RecordMerge)?;
        let tree = self.owed_merge(id)?;
        if why.trim().is_empty() {
            return Err(Refusal::ReasonMissing.into());
        }
        self.record_merge(id, tree, (false, why), None)
    }

    pub(crate) fn record_merge(
        &mut self,
        id: &TaskId,
        tree: TreeHash,
        (merged, details): (bool, &str),
        together: Option<Together>,
    ) -> Result<(), DeskError> {
        let (mut receipt, mut papers) = (None, Vec::new());
        if let Some(Together { tree, ran }) = together.filter(|together| !together.ran.is_empty()) {
            let task = self.task(id)?;
            let trees = (tree.clone(), tree);
            let (written, bytes) = self.receipt(&task, ran, trees, Seen::default(), None)?;
            (receipt, papers) = (Some(written), bytes);
        }
        let act = Act::RecordMerge { tree, merged, details: details.to_owned(), receipt };
        let papers: Vec<&[u8]> = papers.iter().map(Vec::as_slice).collect();
        self.act(id.as_str(), &self.actor(As::Host), &act, &papers)?;
        self.settle(id)
    }

    fn owed_merge(&self, id: &TaskId) -> Result<TreeHash, DeskError> {
        match self.task(id)?.merge {
            Merge::Owed(tree, _) => Ok(tree),
            Merge::None => Err(Rejection::new(Refusal::NotNow, "no merge is owed").into()),
        }
    }

    /// Says whether work of agents that begins now begins with exactly the files of a snapshot.
    pub(crate) fn begins_with(&self, tree: &TreeHash) -> Result<bool, DeskError> {
        self.workspaces()?.begins_with(tree, |repository, newest| {
            Ok(self.differences(repository, newest, &self.accepted(tree)?)?.is_empty())
        })
    }

    fn accepted(&self, tree: &TreeHash) -> Result<Files, DeskError> {
        Ok(listed(keeping::kept(&self.snapshots()?, tree)?))
    }

    fn in_history(&self, repository: &Repository, tree: &TreeHash) -> Result<Merged, DeskError> {
        let accepted = self.accepted(tree)?;
        let Some(head) = repository.head() else {
            let files = vec!["there is no commit yet".to_owned()];
            return Ok(Merged::Differs { commit: None, files });
        };
        let mut differences = None;
        for commit in repository.commits_before(head, COMMITS_MAX)? {
            let found = self.differences(repository, commit, &accepted)?;
            if found.is_empty() {
                let details = format!("commit {} has the accepted files", commit.short());
                return Ok(Merged::Recorded(details));
            }
            differences.get_or_insert(found);
        }
        Ok(Merged::Differs { commit: Some(head.short()), files: differences.unwrap_or_default() })
    }

    /// Returns how the files of a commit differ from the accepted ones, in words.
    fn differences(
        &self,
        repository: &Repository,
        commit: ObjectId,
        accepted: &Files,
    ) -> Result<Vec<String>, DeskError> {
        let below = repository.relative(&self.workspace.root).unwrap_or_default();
        let below = if below.is_empty() { below } else { [below.as_slice(), b"/"].concat() };
        let inside = |file: TreeFile| {
            let path = file.path.strip_prefix(below.as_slice())?.to_vec();
            Some(TreeFile { path, ..file })
        };
        let committed = listed(repository.files(commit)?.into_iter().filter_map(inside).collect());
        let paths: BTreeSet<&Vec<u8>> = accepted.keys().chain(committed.keys()).collect();
        let mut found = Vec::new();
        for path in paths {
            let name = String::from_utf8_lossy(path);
            match (accepted.get(path), committed.get(path)) {
                (Some(_), None) => found.push(format!("not committed: {name}")),
                (Some(wanted), Some(there)) if wanted != there => found.push(format!("differs: {name}")),
                (None, Some((kind, _)))
                    if *kind != FileKind::Submodule && !self.workspace.leaves_out(&native(path)) =>
                {
                    found.push(format!("committed, but not accepted: {name}"));
                }
                (Some(_) | None, Some(_)) | (None, None) => {}
            }
        }
        Ok(found)
    }
}

/// Files by their paths, with what they are and hold.
type Files = BTreeMap<Vec<u8>, (FileKind, ObjectId)>;

fn listed(files: Vec<TreeFile>) -> Files {
    files.into_iter().map(|file| (file.path, (file.kind, file.id))).collect()
}
