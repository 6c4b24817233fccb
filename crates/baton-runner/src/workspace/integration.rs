//! Accepted work goes into the target branch: merged with what is there, in a commit, by compare-and-set.

use baton_engine::word::{TaskId, TreeHash};

use super::task::repository;
use super::{WorkspaceError, Workspaces, keeping};
use crate::git::{Advanced, Joined, ObjectId, Offer};

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

impl Workspaces {
    /// Brings the accepted files of a task into the target branch. The message gets a line that names the task.
    pub fn integrate(
        &self,
        id: &TaskId,
        tree: &TreeHash,
        message: &str,
    ) -> Result<Integrated, WorkspaceError> {
        let base = self.base_of(id)?;
        let repository = repository(&self.project)?;
        let snapshots = self.snapshots();
        let files = keeping::kept(snapshots, tree)?;
        let expected = repository.branch(&self.target)?;
        let message = with_trailer(message, id);
        let offer = Offer {
            base,
            tip: expected.unwrap_or(base),
            files: &files,
            person: &self.person,
            message: &message,
        };
        let (commit, pack) = match repository.join(snapshots, &offer)? {
            Joined::Commit(commit, pack) => (commit, pack),
            Joined::Nothing => return Ok(Integrated::AlreadyThere { commit: offer.tip }),
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

    /// Refuses while nothing can go to the target branch.
    pub(crate) fn may_integrate(&self) -> Result<(), WorkspaceError> {
        Ok(repository(&self.project)?.refuse_immovable(&self.target)?)
    }

    /// The commit that the work of a task began with.
    pub(super) fn base_of(&self, id: &TaskId) -> Result<ObjectId, WorkspaceError> {
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
