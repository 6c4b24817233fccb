//! Refused acts: the first of a sort is an event at once, and repeats are counted until nobody has the turn.
//!
//! The count of each is the length of a file. The files are beside the log; where a sandbox keeps the caller from the log, they
//! are among the temporary files of its turn, and the run that started the turn takes them into the log.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use baton_engine::envelope::{Actor, PROJECT_STREAM};
use baton_engine::event::Event;
use baton_engine::rejection::{Refusal, Rejection};
use baton_engine::state::Turn;
use baton_engine::word::TaskId;
use baton_store::log::{AppendError, Log};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::tell::one_line;
use super::{Desk, DeskError, RACES_MAX};
use crate::file::read_plain;

/// The folder of the counts, in that of the log.
const FOLDER: &str = "refused";
/// Most sorts of refused acts that are taken from one turn.
const SORTS_MAX: usize = 64;
/// Most repeats that are counted, and the largest file of a count.
const REPEATS_MAX: u64 = 64 * 1024;
const COUNT_BYTES_MAX: u64 = 2 * REPEATS_MAX;
/// Longest name of a command, and most characters of details.
const COMMAND_CHARS_MAX: usize = 40;
const DETAILS_CHARS_MAX: usize = 300;
/// What each attempt adds to its file.
const ATTEMPT: u8 = b'.';

/// What was refused to whom.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Attempt {
    stream: String,
    actor: Actor,
    command: String,
    refusal: String,
    details: String,
}

/// What the run has taken from the temporary files of a turn so far.
#[derive(Debug, Default)]
pub(crate) struct Taken {
    /// Each file, with whether its first attempt became an event.
    files: Vec<(OsString, bool)>,
}

impl Attempt {
    /// Counts it, under a name that all of its sort have.
    fn count(&self, folder: &Path) -> io::Result<()> {
        fs::create_dir_all(folder)?;
        let key = serde_json::to_vec(&(&self.stream, &self.actor, &self.command, &self.refusal))?;
        let name: String = Sha256::digest(key).iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        let path = folder.join(name);
        let mut bytes = Vec::new();
        let mut file = match File::options().append(true).create_new(true).open(&path) {
            Ok(file) => {
                bytes.extend(serde_json::to_vec(self)?);
                bytes.push(b'\n');
                file
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                File::options().append(true).open(&path)?
            }
            Err(error) => return Err(error),
        };
        bytes.push(ATTEMPT);
        match file.metadata()?.len() < REPEATS_MAX {
            true => file.write_all(&bytes),
            false => Ok(()),
        }
    }

    /// Reads a count. Two callers at once may have written the first attempt in any order.
    fn read(path: &Path) -> Option<(Self, u64)> {
        let bytes = read_plain(path, COUNT_BYTES_MAX).ok()?;
        let start = bytes.iter().position(|byte| *byte == b'{')?;
        let end = start + bytes[start..].iter().position(|byte| *byte == b'\n')?;
        let attempt = serde_json::from_slice(&bytes[start..end]).ok()?;
        let dots = |part: &[u8]| part.iter().filter(|byte| **byte == ATTEMPT).count() as u64;
        Some((attempt, dots(&bytes[..start]) + dots(&bytes[end..])))
    }

    fn all(folder: &Path) -> Vec<(OsString, Self, u64)> {
        let mut found: Vec<_> = fs::read_dir(folder)
            .into_iter()
            .flatten()
            .flatten()
            .take(SORTS_MAX)
            .filter_map(|entry| {
                Self::read(&entry.path()).map(|(attempt, count)| (entry.file_name(), attempt, count))
            })
            .collect();
        found.sort_by(|one, other| one.0.cmp(&other.0));
        found
    }

    /// Returns what a program wrote about itself as what the log can take. It can accuse nobody but its own turn.
    fn by(self, turn: &Turn, owner: Actor, program: Actor) -> Option<Self> {
        let is_own = self.actor.turn.as_deref() == Some(turn.id.as_str());
        let is_plain = |mark: char| mark.is_ascii_lowercase() || matches!(mark, '_' | ' ' | '-');
        let fits = self.command.len() <= COMMAND_CHARS_MAX && self.command.chars().all(is_plain);
        let is_known = Refusal::ALL.iter().any(|known| known.name() == self.refusal);
        let details: String = one_line(&self.details).chars().take(DETAILS_CHARS_MAX).collect();
        (fits && is_known && !self.command.is_empty()).then(|| Self {
            actor: if is_own { owner } else { program },
            details: crate::secret::mask(&details).into_owned(),
            ..self
        })
    }
}

impl Desk {
    /// Remembers that somebody reached for what isn't theirs: at the task, or at the project where there is no task.
    pub(super) fn remember_refusal(
        &mut self,
        stream: &str,
        (actor, command): (&Actor, &str),
        rejection: &Rejection,
    ) -> Result<(), DeskError> {
        if !rejection.is_recorded(actor) {
            return Ok(());
        }
        let is_known = stream == PROJECT_STREAM || self.state(stream)?.task.is_some();
        let (stream, details) = match is_known {
            true => (stream, rejection.details.clone()),
            false => (PROJECT_STREAM, format!("{stream}: {}", rejection.details)),
        };
        let attempt = Attempt {
            stream: stream.to_owned(),
            actor: actor.clone(),
            command: command.to_owned(),
            refusal: rejection.refusal.name().to_owned(),
            details,
        };
        let failed = match self.record_first(&attempt) {
            Ok(true) => return Ok(()),
            Ok(false) => match attempt.count(&self.folder.join(FOLDER).join(stream)) {
                Ok(()) => return Ok(()),
                Err(error) => DeskError::Io(self.folder.join(FOLDER), error),
            },
            Err(error) => error,
        };
        // The run that started this turn takes it from there.
        match &self.refused_beside {
            Some(folder) if attempt.count(folder).is_ok() => Ok(()),
            Some(_) | None => Err(failed),
        }
    }

    /// Records a refusal that its stream doesn't have yet, and says whether it was one.
    fn record_first(&mut self, attempt: &Attempt) -> Result<bool, DeskError> {
        let Attempt { stream, actor, command, refusal, details } = attempt;
        for _ in 0..RACES_MAX {
            let state = self.state(stream)?;
            let Some(event) = state.refusal(actor, command, (refusal, details)) else { return Ok(false) };
            match self.log.append(stream, state.version, &[event.sealed(self.now, actor)]) {
                Ok(_) | Err(AppendError::Duplicate { .. }) => return Ok(true),
                Err(AppendError::Conflict { .. }) => {}
                Err(AppendError::Storage(error)) => return Err(error.into()),
            }
        }
        Err(DeskError::Busy)
    }

    fn record_repeats(&mut self, attempt: Attempt, repeats: u64) -> Result<(), DeskError> {
        let Attempt { stream, actor, command, refusal, details } = attempt;
        let event = Event::CommandRefused { command, refusal, details, repeats: Some(repeats) };
        self.remember(&stream, &[event.sealed(self.now, &actor)])
    }

    /// Records how often refused acts came again, for each stream whose turn nobody has.
    pub(super) fn count_refusals(&mut self) -> Result<(), DeskError> {
        let folders = match fs::read_dir(self.folder.join(FOLDER)) {
            Ok(folders) if !self.visitor.is_program() => folders,
            Ok(_) | Err(_) => return Ok(()),
        };
        for folder in folders.flatten() {
            let Ok(stream) = folder.file_name().into_string() else { continue };
            if self.state(&stream)?.task.as_ref().is_some_and(|task| task.turn.is_some()) {
                continue;
            }
            for (name, attempt, repeats) in Attempt::all(&folder.path()) {
                // Whoever takes the file away counts it.
                let is_ours = fs::remove_file(folder.path().join(name)).is_ok();
                if is_ours && attempt.stream == stream && !self.record_first(&attempt)? {
                    self.record_repeats(attempt, repeats)?;
                }
            }
            let _ = fs::remove_dir(folder.path());
        }
        Ok(())
    }

    /// Takes the refused acts that a turn left among its temporary files into the log; their repeats once it is over.
    pub(crate) fn take_refusals(
        &mut self,
        folder: &Path,
        (id, turn): (&TaskId, &Turn),
        (taken, is_over): (&mut Taken, bool),
    ) -> Result<(), DeskError> {
        for (name, attempt, count) in Attempt::all(folder) {
            let (owner, program) = (super::program::agent(turn), super::caller::Visitor::Program.actor());
            let Some(mut attempt) = attempt.by(turn, owner, program) else { continue };
            let is_known = attempt.stream == PROJECT_STREAM
                || TaskId::new(attempt.stream.as_str()).is_ok()
                    && self.state(&attempt.stream)?.task.is_some();
            if !is_known {
                attempt.stream = id.as_str().to_owned();
            }
            let known = taken.files.iter().find(|(known, _)| *known == name).map(|(_, was_first)| *was_first);
            let was_first = match known {
                Some(was_first) => was_first,
                None => {
                    let was_first = self.record_first(&attempt)?;
                    taken.files.push((name, was_first));
                    was_first
                }
            };
            let repeats = count.saturating_sub(u64::from(was_first));
            if is_over && repeats > 0 {
                self.record_repeats(attempt, repeats)?;
            }
        }
        Ok(())
    }
}

/// Returns the refused acts of a log, in its order, a line each with how often it came again.
pub(super) fn told(entries: &[baton_engine::event::Entry]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut lines = Vec::new();
    for entry in entries {
        let Event::CommandRefused { command, refusal, details, .. } = &entry.event else { continue };
        if !seen.insert((&entry.actor, command, refusal)) {
            continue;
        }
        let again: u64 = entries
            .iter()
            .filter(|other| other.actor == entry.actor)
            .filter_map(|other| match &other.event {
                Event::CommandRefused { command: own, refusal: code, repeats, .. }
                    if (own, code) == (command, refusal) =>
                {
                    *repeats
                }
                _ => None,
            })
            .sum();
        let who = format!("{} {}", entry.actor.kind.name(), entry.actor.name);
        let turn = entry.actor.turn.as_ref().map(|turn| format!(" in {turn}")).unwrap_or_default();
        let times = if again == 0 { String::new() } else { format!(", {} times", again + 1) };
        lines.push(format!("refused {command} to {who}{turn}: {refusal}{times}: {details}"));
    }
    lines
}
