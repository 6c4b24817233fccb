//! Runs the command of a check in its box: it may write its folder, temporary files of its own, and caches.

use std::path::{Path, PathBuf};

use crate::config::Check;
use crate::sandbox::{Confinement, Demand, cache};
use crate::scratch::Scratch;
use crate::supervise::{self, Ended, NotStarted, Order, Reason, Stopper};
use crate::workspace::{Furniture, Room, WorkspaceError};

/// Where checks are run.
#[derive(Clone, Debug)]
pub(crate) struct CheckRoom {
    pub(crate) folder: PathBuf,
    /// What they must not write in it.
    pub(crate) protected: Vec<PathBuf>,
    pub(crate) demand: Demand,
    /// Where it is brought in order before every check.
    room: Option<Room>,
}

impl CheckRoom {
    /// A folder that was made for this, with nothing in it to protect.
    pub(crate) fn of_copy(folder: &Path, demand: Demand) -> Self {
        Self { folder: folder.to_owned(), protected: Vec::new(), demand, room: None }
    }

    /// The room of a task.
    pub(crate) fn of_task(room: Room, demand: Demand) -> Self {
        let copy = Self::of_copy(room.root(), demand);
        Self { room: Some(room), ..copy }
    }

    /// The checkout of a person: its repository is theirs.
    pub(crate) fn of_checkout(folder: &Path, demand: Demand) -> Self {
        let repository = folder.join(".git");
        let protected = if repository.is_dir() { vec![repository] } else { Vec::new() };
        Self { folder: folder.to_owned(), protected, demand, room: None }
    }

    /// Sees to it that the files of the work are there, and nothing else that is not wanted.
    pub(crate) fn prepare(&self) -> Result<(), WorkspaceError> {
        self.room.as_ref().map_or(Ok(()), Room::bring)
    }

    /// Returns the files of the work that a check has changed, where that does not show in the work itself.
    pub(crate) fn changed(&self) -> Result<Vec<String>, WorkspaceError> {
        self.room.as_ref().map_or(Ok(Vec::new()), Room::changed)
    }

    /// Says what checks find beside the files of the work.
    pub(crate) fn furniture(&self) -> Furniture {
        self.room.as_ref().map(|room| room.furniture().clone()).unwrap_or_default()
    }
}

/// Runs a check to its end or its deadline, and tells what stops it.
pub(crate) fn run(check: &Check, room: &CheckRoom, started: &dyn Fn(Stopper)) -> Ended {
    let scratch = match Scratch::new() {
        Ok(scratch) => scratch,
        Err(error) => {
            let why = format!("there is no place for temporary files: {error}");
            // That says nothing about the work.
            return Ended::not_started(NotStarted::new(Reason::Keeper, why));
        }
    };
    if room.demand == Demand::Enforced && !check.is_confined {
        let why = "confinement is demanded, and `confined = false` stands at this check";
        return Ended::not_started(NotStarted::new(Reason::Confinement, why));
    }
    let within = |order: &mut Order| {
        order.environment.insert("TMPDIR".into(), scratch.path().into());
        order.demand = room.demand;
        order.confinement = match check.is_confined {
            true => boxed(check, room, scratch.path()),
            false => Confinement::None,
        };
    };
    supervise::run_stoppable((&check.run, &room.folder, check.timeout), within, started)
}

fn boxed(check: &Check, room: &CheckRoom, scratch: &Path) -> Confinement {
    let mut writable = cache::caches();
    writable.push(scratch.to_owned());
    writable.extend(check.writable.iter().map(|path| cache::named(path)).filter(|path| path.exists()));
    let (root, protected) = (room.folder.clone(), room.protected.clone());
    Confinement::Workspace { root, writable, temporary: None, protected }
}
