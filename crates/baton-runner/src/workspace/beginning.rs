//! What the next workspace begins with, and what of the checkout it does not have.

use std::sync::PoisonError;

use baton_engine::word::TreeHash;

use super::{WorkspaceError, Workspaces, is_not_work};
use crate::git::{ObjectId, Repository};

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
        let repository = self.reopened()?;
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

    /// Says whether work that begins now begins with exactly the files of a snapshot. `has_them` compares them with that commit,
    /// once: a run asks at every look.
    pub(crate) fn begins_with<E: From<WorkspaceError>>(
        &self,
        tree: &TreeHash,
        has_them: impl FnOnce(&Repository, ObjectId) -> Result<bool, E>,
    ) -> Result<bool, E> {
        let repository = self.reopened()?;
        let asked = (self.newest(&repository)?, tree.clone());
        let known = self.beginnings.lock().unwrap_or_else(PoisonError::into_inner).get(&asked).copied();
        if let Some(known) = known {
            return Ok(known);
        }
        let seen = has_them(&repository, asked.0)?;
        self.beginnings.lock().unwrap_or_else(PoisonError::into_inner).insert(asked, seen);
        Ok(seen)
    }
}
