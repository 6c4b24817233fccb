//! Runs the command of a check in its box: it may write its folder, temporary files of its own, and caches.

use std::path::{Path, PathBuf};

use baton_engine::verdict::Verdict;

use crate::cheat;
use crate::config::Check;
use crate::sandbox::{Confinement, Demand, cache};
use crate::scratch::Scratch;
use crate::search_path;
use crate::state_home::state_home;
use crate::supervise::environment::Ground;
use crate::supervise::{self, Ended, NotStarted, Order, Reason, Stopper, memory};
use crate::workspace::{Furniture, Room, Stamps, WorkspaceError};

/// Where checks are run.
#[derive(Clone, Debug)]
pub(crate) struct CheckRoom {
    pub(crate) folder: PathBuf,
    pub(crate) demand: Demand,
    /// What one check may take, with all that it starts.
    memory_bytes_max: Option<u64>,
    /// The folders of the project, from which no program is taken by its name.
    untrusted: Vec<PathBuf>,
    /// Where it is brought in order before every check.
    room: Option<Room>,
    /// What a check writes here is told however it ends, and not only where it passes.
    tells_habits: bool,
}

impl CheckRoom {
    /// A folder that was made for this.
    pub(crate) fn of_copy(folder: &Path, project: &Path, demand: Demand) -> Self {
        Self {
            folder: folder.to_owned(),
            demand,
            memory_bytes_max: memory::share(1),
            untrusted: search_path::folders_of(project),
            room: None,
            tells_habits: false,
        }
    }

    /// The room of a task, or of a checkout.
    pub(crate) fn of_room(room: Room, demand: Demand) -> Self {
        let copy = Self::of_copy(room.root(), room.checkout(), demand);
        Self { room: Some(room), ..copy }
    }

    /// With this much memory for a check, where something is said of it.
    pub(crate) fn with_memory(self, memory_bytes_max: Option<u64>) -> Self {
        Self { memory_bytes_max: memory_bytes_max.or(self.memory_bytes_max), ..self }
    }

    /// The same, to learn what checks do by habit.
    pub(crate) fn with_habits(self) -> Self {
        Self { tells_habits: true, ..self }
    }

    pub(crate) fn ground(&self) -> Ground<'_> {
        Ground { folder: &self.folder, untrusted: &self.untrusted }
    }

    /// Sees to it that the files of the work are there, and nothing else that is not wanted.
    pub(crate) fn prepare(&self) -> Result<(), WorkspaceError> {
        self.room.as_ref().map_or(Ok(()), Room::bring)
    }

    /// Returns the files of the work that a check has changed, where that does not show in the work itself.
    pub(crate) fn changed(&self) -> Result<Vec<String>, WorkspaceError> {
        self.room.as_ref().map_or(Ok(Vec::new()), Room::changed)
    }

    /// Brings the files of the work, but for these; says no where they count for more than what checks leave behind.
    pub(crate) fn prepare_without(&self, paths: &[String]) -> Result<bool, WorkspaceError> {
        let Some(room) = self.room.as_ref().filter(|room| room.may_be_left_over(paths)) else {
            return Ok(false);
        };
        room.bring()?;
        room.take_out(paths)?;
        Ok(true)
    }

    /// Names the files of the work in words of a check as those of the checkout: who reads them is to change them there.
    pub(crate) fn named_in_checkout(&self, words: &str) -> String {
        match &self.room {
            Some(room) if room.is_of_checkout() => {
                words.replace(&*room.root().to_string_lossy(), &room.checkout().to_string_lossy())
            }
            Some(_) | None => words.to_owned(),
        }
    }

    /// Says whether there is a file at this path.
    pub(crate) fn has_file(&self, path: &str) -> bool {
        std::fs::symlink_metadata(self.folder.join(path)).is_ok_and(|found| found.is_file())
    }

    /// Returns the folder in which a path is really found.
    pub(crate) fn folder_of(&self, path: &Path) -> &Path {
        self.room.as_ref().map_or(&self.folder, |room| room.folder_of(path))
    }

    /// Returns the command of a check as it is run here. A program that lies in a folder which is here by a link is named where it
    /// really lies: no program is taken through a link.
    pub(crate) fn command(&self, check: &Check) -> Vec<String> {
        let mut command = check.run.clone();
        if let (Some(room), Some(program)) = (&self.room, command.first_mut())
            && program.contains('/')
            && !Path::new(program.as_str()).is_absolute()
        {
            let inside = Path::new(program.strip_prefix("./").unwrap_or(program)).to_owned();
            let folder = room.folder_of(&inside);
            if folder != room.root() {
                *program = folder.join(inside).to_string_lossy().into_owned();
            }
        }
        command
    }

    /// Says whether it matters what a check that ended so has written. A failure stands whatever it was, and to look costs as
    /// much as the rest of a turn.
    pub(crate) fn is_looked_at_after(&self, verdict: Verdict) -> bool {
        verdict == Verdict::Pass || self.tells_habits
    }

    /// Returns what the file system says of the files of the work, as they were looked at last.
    pub(crate) fn stamps(&self) -> Stamps {
        self.room.as_ref().map(Room::stamps).unwrap_or_default()
    }

    /// Says what checks find beside the files of the work.
    pub(crate) fn furniture(&self) -> Furniture {
        self.room.as_ref().map(|room| room.furniture().clone()).unwrap_or_default()
    }
}

/// Says whether a file of the work is one by which it is judged: a test, a script, or what the check itself names.
pub(crate) fn is_judge(check: &Check, path: &str) -> bool {
    cheat::is_judge(path) || check.run.iter().any(|word| word.strip_prefix("./").unwrap_or(word) == path)
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
    make_place_of_junit(check, room);
    let within = |order: &mut Order| {
        order.environment.insert("TMPDIR".into(), scratch.path().into());
        order.untrusted.clone_from(&room.untrusted);
        order.demand = room.demand;
        order.bounds.memory_bytes_max = room.memory_bytes_max;
        order.confinement = match check.is_confined {
            true => boxed(check, room, scratch.path()),
            false => Confinement::None,
        };
    };
    supervise::run_stoppable((&room.command(check), &room.folder, check.timeout), within, started)
}

/// Makes the folder in which the JUnit file shall lie, for tools that do not. Only one directly in the folder of the check: on
/// a longer way, a link of the work could lead elsewhere. Where it cannot be made, the check says what it misses.
fn make_place_of_junit(check: &Check, room: &CheckRoom) {
    let parent = check.junit.as_deref().and_then(Path::parent);
    if let Some(parent) = parent.filter(|parent| parent.components().count() == 1) {
        let _ = std::fs::create_dir(room.folder_of(parent).join(parent));
    }
}

fn boxed(check: &Check, room: &CheckRoom, scratch: &Path) -> Confinement {
    let checkout = room.room.as_ref().map(|room| room.checkout().to_owned());
    let foreign: Vec<PathBuf> = checkout.into_iter().chain(state_home()).collect();
    let mut writable = cache::caches(&foreign);
    writable.push(scratch.to_owned());
    writable.extend(room.room.iter().flat_map(Room::lent));
    writable.extend(check.writable.iter().map(|path| cache::named(path)).filter(|path| path.exists()));
    Confinement::Workspace { root: room.folder.clone(), writable, temporary: None, protected: Vec::new() }
}
