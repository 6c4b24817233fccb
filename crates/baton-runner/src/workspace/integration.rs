//! Accepted work goes into the target branch: merged with what is there, in a commit, by compare-and-set. What the files would be
//! is known beforehand, so that they can be checked as they will be.

use std::sync::Arc;

use baton_engine::word::{TaskId, TreeHash};

use super::{WorkspaceError, Workspaces, keeping};
use crate::git::{Advanced, Joined, ObjectId, Offer, Repository};

/// What came of an integration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Integrated {
    /// The branch now ends with this commit.
    Merged { commit: ObjectId },
    /// The branch has all of it; this is its last commit.
    AlreadyThere { commit: ObjectId },
    /// The branch has changed the same files, and was left as it is.
    Conflict { files: Vec<String> },
    /// Somebody else moved the branch at the same moment; try again.
    Moved,
}

/// What the target branch would get.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prospect {
    /// The commit that the work is merged with.
    pub tip: ObjectId,
    /// What all files look like then, where that is not what was accepted; they are kept under it.
    pub tree: Option<TreeHash>,
}

impl Workspaces {
    /// Looks what would come of bringing the accepted files of a task into the target branch now.
    pub fn prospect(&self, id: &TaskId, tree: &TreeHash) -> Result<Prospect, WorkspaceError> {
        let (base, repository) = (self.base_of(id)?, self.reopened()?);
        let tip = self.tip(&repository, base)?;
        if tip == base {
            return Ok(Prospect { tip, tree: None });
        }
        let files = keeping::kept(self.snapshots(), tree)?;
        let offer = Offer { base, tip, files: &files, person: &self.person, message: "" };
        let Some(mixture) = repository.mix(self.snapshots(), &offer)? else {
            return Ok(Prospect { tip, tree: None });
        };
        let listing = match self.prepare(id)?.listing_of(tree) {
            Some(listing) => listing,
            None => Arc::new(keeping::listing(self.snapshots(), tree)?),
        };
        let kept = keeping::keep_mixture(self.snapshots(), (&listing, &files), &mixture, &repository)?;
        Ok(Prospect { tip, tree: Some(kept).filter(|kept| kept != tree) })
    }

    /// Brings the accepted files of a task into the target branch, merged with the commit that a [`Prospect`] names. The message
    /// gets a line that names the task.
    pub fn integrate(
        &self,
        id: &TaskId,
        tree: &TreeHash,
        (tip, message): (ObjectId, &str),
    ) -> Result<Integrated, WorkspaceError> {
        let base = self.base_of(id)?;
        let repository = self.reopened()?;
        let snapshots = self.snapshots();
        let files = keeping::kept(snapshots, tree)?;
        let expected = repository.branch(&self.target)?;
        if self.tip(&repository, base)? != tip {
            return Ok(Integrated::Moved);
        }
        let message = with_trailer(message, id);
        let offer = Offer { base, tip, files: &files, person: &self.person, message: &message };
        let (commit, pack) = match repository.join(snapshots, &offer)? {
            Joined::Commit(commit, pack) => (commit, pack),
            Joined::Nothing => return self.catch_up(&repository, expected, tip),
            Joined::Conflict(files) => {
                let names = files.iter().map(|path| String::from_utf8_lossy(path).into_owned());
                return Ok(Integrated::Conflict { files: names.collect() });
            }
        };
        // A pack that is not needed after all would lie about in the repository.
        if repository.branch(&self.target)? != expected {
            return Ok(Integrated::Moved);
        }
        repository.receive(&pack)?;
        let advanced = repository.advance(&self.target, expected, commit)?;
        if advanced == Advanced::Moved {
            return Ok(Integrated::Moved);
        }
        if !repository.has_received(&pack) {
            repository.receive(&pack)?;
        }
        Ok(Integrated::Merged { commit })
    }

    /// The commit that work which began with another one is merged with: the one that is checked out, where it has both that one
    /// and all accepted work; the one it began with, where nothing was accepted since; else where the target branch is.
    fn tip(&self, repository: &Repository, base: ObjectId) -> Result<ObjectId, WorkspaceError> {
        let accepted = repository.branch(&self.target)?;
        let has_all = |commit| accepted.map_or(Ok(true), |accepted| repository.leads_to(accepted, commit));
        if let Some(head) = repository.head()
            && has_all(head)?
            && repository.leads_to(base, head)?
        {
            return Ok(head);
        }
        Ok(if has_all(base)? { base } else { accepted.unwrap_or(base) })
    }

    /// What a person has taken over is on their own branch; the target branch follows.
    fn catch_up(
        &self,
        repository: &Repository,
        expected: Option<ObjectId>,
        tip: ObjectId,
    ) -> Result<Integrated, WorkspaceError> {
        let is_behind = expected.is_some_and(|expected| expected != tip);
        match is_behind && repository.advance(&self.target, expected, tip)? == Advanced::Moved {
            true => Ok(Integrated::Moved),
            false => Ok(Integrated::AlreadyThere { commit: tip }),
        }
    }

    /// Refuses while nothing can go to the target branch.
    pub(crate) fn may_integrate(&self) -> Result<(), WorkspaceError> {
        Ok(self.reopened()?.refuse_immovable(&self.target)?)
    }

    /// The commit that the work of a task began with.
    pub fn base_of(&self, id: &TaskId) -> Result<ObjectId, WorkspaceError> {
        let marker = self.marker(id)?;
        let base = marker.and_then(|marker| ObjectId::from_hex(marker.base.as_bytes()));
        base.ok_or_else(|| {
            let what = format!("{id} has no workspace, so it is not known which commit its work began with");
            WorkspaceError::refused(what, "prepare the workspace of the task, and hand over again")
        })
    }
}

/// Adds the line that names the task to the last paragraph, where git looks for such lines.
fn with_trailer(message: &str, id: &TaskId) -> String {
    let message = message.trim();
    let trailer = format!("Baton-Task: {id}");
    if message.lines().any(|line| line == trailer) {
        return format!("{message}\n");
    }
    let mut paragraphs = message.rsplit("\n\n");
    let last = paragraphs.next().unwrap_or_default();
    let is_trailer = |line: &str| line.starts_with("Baton-") && line.contains(": ");
    let gap = match paragraphs.next().is_some() && last.lines().all(is_trailer) {
        true => "\n",
        false => "\n\n",
    };
    let subject = if message.is_empty() { format!("Accept {id}") } else { message.to_owned() };
    format!("{subject}{gap}{trailer}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_task_stands_among_the_trailers() {
        let id = TaskId::new("F1").unwrap();
        assert_eq!(with_trailer("", &id), "Accept F1\n\nBaton-Task: F1\n");
        assert_eq!(with_trailer("Add x", &id), "Add x\n\nBaton-Task: F1\n");
        assert_eq!(
            with_trailer("Add x\n\nBaton-Handoff: h-1\n", &id),
            "Add x\n\nBaton-Handoff: h-1\nBaton-Task: F1\n"
        );
        assert_eq!(with_trailer("Add x\n\nBaton-Task: F1", &id), "Add x\n\nBaton-Task: F1\n");
    }
}
