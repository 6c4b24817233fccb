//! Files that people read and commit, written from the log: how everything stands, and every handoff as it was written.
//! They can be thrown away: `rebuild` writes them again.
//!
//! A mark beside the log says up to which event they are written, so that each command writes only what it changed, and
//! one that ended too early is made up for by the next. A run writes them once a second at most.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use crate::secret::mask;
use baton_engine::envelope::PROJECT_STREAM;
use baton_engine::word::BlobId;
use baton_store::durable_file;
use baton_store::log::Log;
use baton_store::view::handoffs::{self, Handed};
use baton_store::view::tasks::Line;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Desk, DeskError, tell};
use crate::config::Files;
use crate::file::read_plain;
use crate::file_lock;

/// Handoffs that the file of the state names; the archive has them all.
const HANDOFFS_MAX: usize = 500;
/// More events than this since the mark are not read one by one: all files are written anew.
const EVENTS_MAX: usize = 10_000;
/// Where the mark lies, in the folder of the log.
const MARK: &str = "files.json";
const MARK_BYTES_MAX: u64 = 1024 * 1024;
/// Held by whoever writes the files.
const LOCK: &str = "files.lock";

/// Up to which event the files are written, and where they lie.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Mark {
    sequence: u64,
    hash: String,
    state: Option<PathBuf>,
    archive: Option<PathBuf>,
}

/// Which tasks have changed since the mark.
enum Changed {
    Nothing,
    Tasks(BTreeSet<String>),
    Everything,
}

impl Desk {
    /// Writes all files anew, and the views that they come from; returns how many tasks are in the archive.
    pub fn rebuild(&mut self) -> Result<usize, DeskError> {
        self.log.rebuild()?;
        let _alone = self.alone()?;
        let board = self.board()?;
        self.write_all(&board, &Changed::Everything)?;
        Ok(board.len())
    }

    /// Where the files lie that people read.
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// Lets the files wait until [`Self::bring_files`]: a run acts many times in a moment, and nobody reads that fast.
    pub(crate) fn let_files_wait(&mut self) {
        self.files_wait = true;
    }

    /// Brings the files up to date with an act.
    pub(super) fn write_files(&self) -> Result<(), DeskError> {
        if self.files_wait { Ok(()) } else { self.bring_files() }
    }

    /// Brings the files up to date. The record stands whether they can be written or not.
    pub(crate) fn bring_files(&self) -> Result<(), DeskError> {
        let write = || {
            let _alone = self.alone()?;
            match self.changed()? {
                Changed::Nothing => Ok(()),
                changed => self.write_all(&self.board()?, &changed),
            }
        };
        write().map_err(|error: DeskError| DeskError::Recorded(error.to_string()))
    }

    /// Waits until nobody else writes the files; two at once could leave the older state behind.
    fn alone(&self) -> Result<File, DeskError> {
        let path = self.folder.join(LOCK);
        let failed = |error| DeskError::Io(path.clone(), error);
        let file = File::options().create(true).append(true).open(&path).map_err(failed)?;
        file_lock::wait(&file).map_err(failed)?;
        Ok(file)
    }

    fn write_all(&self, board: &[Line], changed: &Changed) -> Result<(), DeskError> {
        let mark = self.mark_now()?;
        let is_changed = |line: &&Line| match changed {
            Changed::Nothing => false,
            Changed::Tasks(tasks) => tasks.contains(&line.task),
            Changed::Everything => true,
        };
        for line in board.iter().filter(is_changed) {
            self.archive(line)?;
        }
        self.write_state(board)?;
        let path = self.folder.join(MARK);
        let bytes = serde_json::to_vec(&mark).map_err(|error| DeskError::Io(path.clone(), error.into()))?;
        Ok(durable_file::replace(&path, &bytes)?)
    }

    fn mark_now(&self) -> Result<Mark, DeskError> {
        let head = self.log.head()?;
        let Files { state, archive } = self.files.clone();
        Ok(Mark { sequence: head.sequence, hash: digits(&head.hash), state, archive })
    }

    fn changed(&self) -> Result<Changed, DeskError> {
        let now = self.mark_now()?;
        let known = read_plain(&self.folder.join(MARK), MARK_BYTES_MAX).ok();
        let Some(known) = known.and_then(|bytes| serde_json::from_slice::<Mark>(&bytes).ok()) else {
            return Ok(Changed::Everything);
        };
        let is_missing = |path: &PathBuf| !self.workspace.root.join(path).exists();
        if (&known.state, &known.archive) != (&now.state, &now.archive)
            || now.state.as_ref().is_some_and(is_missing)
            || !self.is_of_this_log(&known)?
        {
            return Ok(Changed::Everything);
        }
        if known == now {
            return Ok(Changed::Nothing);
        }
        let events = self.log.read_all(known.sequence, EVENTS_MAX)?;
        Ok(match events.len() < EVENTS_MAX {
            true => Changed::Tasks(events.into_iter().map(|event| event.stream).collect()),
            false => Changed::Everything,
        })
    }

    /// A log that was restored or put elsewhere has other events under the same numbers.
    fn is_of_this_log(&self, mark: &Mark) -> Result<bool, DeskError> {
        let Some(before) = mark.sequence.checked_sub(1) else { return Ok(true) };
        let found = self.log.read_all(before, 1)?;
        Ok(found.first().is_some_and(|event| digits(&event.hash) == mark.hash))
    }

    /// Writes how the tasks stand that have not ended, and the last handoffs.
    fn write_state(&self, board: &[Line]) -> Result<(), DeskError> {
        let Some(file) = &self.files.state else { return Ok(()) };
        let handoffs = handoffs::latest(&self.log, HANDOFFS_MAX)?;
        let named: BTreeSet<&str> = handoffs.iter().map(|handed| handed.task.as_str()).collect();
        let tasks: Vec<Value> = board
            .iter()
            .filter(|line| !line.has_ended || named.contains(line.task.as_str()))
            .map(standing)
            .collect();
        let handoffs: Vec<Value> = handoffs.iter().map(told).collect();
        self.write(file, &json!({ "version": 1, "tasks": tasks, "handoffs": handoffs }))
    }

    /// Writes the handoffs of a task as they were written but for their secrets, and what became of each.
    fn archive(&self, line: &Line) -> Result<(), DeskError> {
        let Some(folder) = &self.files.archive else { return Ok(()) };
        if line.task == PROJECT_STREAM {
            return Ok(());
        }
        let folder = folder.join(&line.task);
        let handoffs = handoffs::of_task(&self.log, &line.task)?;
        for handed in &handoffs {
            if let Some(bytes) = self.document(&BlobId::new(handed.blob.as_str())?)? {
                self.write_bytes(&folder.join(&handed.id), &without_secrets(bytes))?;
            }
        }
        let mut index = standing(line);
        index["handoffs"] = handoffs.iter().map(told).collect();
        self.write(&folder.join("task.json"), &index)
    }

    fn write(&self, relative: &Path, value: &Value) -> Result<(), DeskError> {
        self.write_bytes(relative, format!("{value:#}\n").as_bytes())
    }

    /// Replaces a file of the project so that readers see the old or the new, never half. A link on the way is not followed.
    fn write_bytes(&self, relative: &Path, bytes: &[u8]) -> Result<(), DeskError> {
        let mut folder = self.workspace.root.clone();
        for part in relative.parent().into_iter().flat_map(Path::iter) {
            folder.push(part);
            let made = match fs::symlink_metadata(&folder) {
                Ok(found) if found.is_dir() => Ok(()),
                Ok(_) => return Err(leads_out(&folder)),
                Err(_) => fs::create_dir(&folder),
            };
            made.map_err(|error| DeskError::Io(folder.clone(), error))?;
        }
        let path = self.workspace.root.join(relative);
        match fs::symlink_metadata(&path) {
            Ok(found) if !found.is_file() => return Err(leads_out(&path)),
            Ok(_) if read_plain(&path, bytes.len() as u64).is_ok_and(|known| known == bytes) => return Ok(()),
            Ok(_) | Err(_) => {}
        }
        Ok(durable_file::replace(&path, bytes)?)
    }
}

/// People commit these files: a key in a handoff that was refused for it must not go on from here. The record has every byte.
fn without_secrets(bytes: Vec<u8>) -> Vec<u8> {
    match std::str::from_utf8(&bytes) {
        Ok(text) => mask(text).into_owned().into_bytes(),
        Err(_) => bytes,
    }
}

fn leads_out(path: &Path) -> DeskError {
    DeskError::Document {
        what: format!("`{}` is a link or no folder, so nothing is written there", path.display()),
        next: "name another place under `[files]` in `baton.toml`, or remove the link".to_owned(),
    }
}

fn standing(line: &Line) -> Value {
    json!({ "task": line.task, "title": line.title, "status": line.status, "stage": line.stage })
}

fn told(handed: &Handed) -> Value {
    json!({
        "id": handed.id,
        "task": handed.task,
        "timestamp": tell::time(handed.at),
        "from": handed.from,
        "to": handed.to,
        "status": handed.status,
    })
}

fn digits(hash: &[u8]) -> String {
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}
