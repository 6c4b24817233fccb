//! What the next workspace begins with, and what of the checkout it does not have.

use super::task::repository;
use super::{WorkspaceError, Workspaces, is_not_work};
use crate::git::ObjectId;

/// What new work begins with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beginning {
    pub commit: ObjectId,
    /// Where that is not the commit that is checked out: the branch that it is on.
    pub elsewhere: Option<Elsewhere>,
    /// Files of the checkout that are in no commit, from the root.
    pub uncommitted: Vec<String>,
}

/// A branch with accepted work that the checkout does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elsewhere {
    pub branch: String,
    /// Whether the checkout has commits, too, that the branch does not have.
    pub is_without_head: bool,
}

impl Workspaces {
    pub(crate) fn beginning(&self) -> Result<Beginning, WorkspaceError> {
        let repository = repository(&self.project)?;
        let commit = self.newest(&repository)?;
        let elsewhere = match repository.head().filter(|head| *head != commit) {
            None => None,
            Some(head) => Some(Elsewhere {
                branch: self.target.name().to_owned(),
                is_without_head: !repository.leads_to(head, commit)?,
            }),
        };
        let is_work = |path: &String| !path.split('/').any(|part| is_not_work(part.as_bytes()));
        // Where git cannot list it, the rest is worth telling all the same.
        let uncommitted = repository.uncommitted().unwrap_or_default().into_iter().filter(is_work).collect();
        Ok(Beginning { commit, elsewhere, uncommitted })
    }
}
