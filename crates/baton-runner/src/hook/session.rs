//! What is remembered of a session between two calls: what the files looked like when its turn began, which of its work is not
//! accepted yet, and which task of the log is its own. The log alone counts attempts and knows how a task stands.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use baton_engine::word::{AgentName, SessionId, TaskId, TreeHash};
use baton_store::durable_file;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::Place;
use super::call::{Call, Moment, Trouble};
use super::manifest::Manifest;
use crate::config::Files;
use crate::desk::failure::Changes;
use crate::desk::guest::Guest;
use crate::desk::snapshot::{changes_beside, keep_beside, keep_head_beside};
use crate::file::read_plain;
use crate::workspace::{Rule, Workspace};

/// Digits of the hash that stands for a session in names.
const KEY_DIGITS: usize = 10;
/// Largest record of a session that is read back.
const RECORD_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// Records of sessions that nobody has heard of for so long are removed.
const FORGOTTEN_AFTER: Duration = Duration::from_secs(30 * 24 * 3600);
/// Most tasks that one session can have had.
pub(super) const TASKS_MAX: u32 = 10_000;
/// Longest title that is taken from a prompt, in characters.
const TITLE_CHARS_MAX: usize = 80;
/// Longest name of an agent that works for an agent, in characters.
const SORT_CHARS_MAX: usize = 24;
/// Stands for files that nobody saved: what is said of them cannot be checked.
const NOT_SEEN: &str = "nobody saw the files before this session";
/// Where agents may leave a handoff instead of saying it. Nothing in that folder counts as work.
pub(super) const HANDOFF_FILE: &str = ".baton/handoff.md";

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Record {
    /// When its turn began.
    pub(super) before: Option<Manifest>,
    /// The files before all work that was not accepted yet.
    pub(super) base: Option<String>,
    /// There is such work, though nothing may be owed for it: it lies with a person, or was handed over as unfinished.
    pub(super) is_open: bool,
    /// What the agent has not heard yet of why its work could not be judged.
    pub(super) untold: String,
    /// Work was sent back, and nothing better has come yet.
    pub(super) owes: bool,
    /// The number of its last task.
    pub(super) serial: u32,
    pub(super) title: String,
    /// Bytes of what the agent had said at its last stop, and their hash.
    pub(super) heard: Option<(usize, String)>,
    /// The hash of the handoff file, as it was last seen.
    pub(super) left: Option<String>,
}

/// A session of one agent, or of one that works for it.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) record: Record,
    path: PathBuf,
    key: String,
    agent: AgentName,
    id: SessionId,
    workspace: Workspace,
    /// The folder with the log.
    state: PathBuf,
    /// What is on the disk.
    stored: Option<Record>,
}

impl Session {
    pub(super) fn open(place: &Place<'_>, call: &Call) -> Result<Self, Trouble> {
        let name = place.dialect.name;
        let inner = call.subagent.as_ref().map_or("", |(id, _)| id.as_str());
        let id = session_id(name, &call.session, inner);
        let agent = match &call.subagent {
            None => name.to_owned(),
            Some((_, sort)) => format!("{name}.{}", plain(sort)),
        };
        let folder = place.folder()?.join("sessions");
        let path = folder.join(format!("{id}.json"));
        let (stored, is_unreadable) = read(&path);
        let left_out = left_out(place);
        let word = |error: baton_engine::word::BadWord| Trouble::new(error.to_string());
        if call.moment == Moment::Start {
            forget(&folder);
        }
        let mut record = stored.clone().unwrap_or_default();
        // What it owed is not known any more, and is not taken for nothing.
        record.owes |= is_unreadable;
        record.is_open |= is_unreadable;
        if call.subagent.is_some() && record.base.is_none() {
            let caller = folder.join(format!("{}.json", session_id(name, &call.session, "")));
            record.base = read(&caller).0.and_then(|caller| caller.base);
        }
        Ok(Self {
            record,
            path,
            state: place.folder()?,
            agent: AgentName::new(agent).map_err(word)?,
            id: SessionId::new(id.as_str()).map_err(word)?,
            key: id,
            workspace: Workspace::new(place.root.clone(), left_out, Rule::Checkout),
            stored,
        })
    }

    pub(super) fn id(&self) -> &SessionId {
        &self.id
    }

    pub(super) fn guest(&self) -> Guest {
        let title = match self.record.title.as_str() {
            "" => format!("Session of @{}", self.agent),
            title => title.to_owned(),
        };
        Guest { agent: self.agent.clone(), session: self.id.clone(), title }
    }

    /// Returns the name of the nth task of this session.
    pub(super) fn task(&self, serial: u32) -> Result<TaskId, Trouble> {
        TaskId::new(format!("{}-{serial}", self.key)).map_err(|error| Trouble::new(error.to_string()))
    }

    pub(super) fn look(&self) -> Result<Manifest, Trouble> {
        Manifest::take(&self.workspace)
    }

    /// A turn begins: what is there is nobody's fault. Work that was sent back is still of the turn before, and work that was
    /// not accepted is still held against the files before it.
    pub(super) fn begin_turn(&mut self) -> Result<(), Trouble> {
        if !self.record.owes {
            let now = self.look()?;
            let is_same = self.record.base.is_some() && self.record.before.as_ref() == Some(&now);
            if !self.record.is_open && !is_same {
                // Where they cannot be saved, that is said when something is to be judged.
                let base = keep_beside(&self.state, &self.workspace).ok();
                self.record.base = base.map(|tree| tree.to_string()).or(self.record.base.take());
            }
            self.record.before = Some(now);
            self.see_file();
        }
        self.keep()
    }

    /// Returns the files before the work of this session that is not accepted yet. Where nobody saw it begin, those of the
    /// last commit.
    pub(super) fn base(&mut self) -> Result<TreeHash, Trouble> {
        if self.record.base.is_none() {
            let head = keep_head_beside(&self.state, &self.workspace).ok().flatten();
            self.record.base = head.map(|tree| tree.to_string());
        }
        let base = self.record.base.clone().unwrap_or_else(|| hash(NOT_SEEN.as_bytes()));
        TreeHash::new(base).map_err(|error| Trouble::new(error.to_string()))
    }

    /// The work so far is accepted, with these files: what comes now is other work.
    pub(super) fn accepted(&mut self, tree: &TreeHash, now: Manifest) -> Result<(), Trouble> {
        self.record.base = Some(tree.to_string());
        self.record.is_open = false;
        self.end_turn(now)
    }

    /// The turn is over, and its work is not accepted. It stays a part of what is judged next.
    pub(super) fn left_open(&mut self, now: Manifest) -> Result<(), Trouble> {
        self.record.is_open = true;
        self.end_turn(now)
    }

    fn end_turn(&mut self, now: Manifest) -> Result<(), Trouble> {
        self.record.owes = false;
        self.record.before = Some(now);
        self.keep()
    }

    /// Returns what changed since the turn began. Where nobody saw it begin, since the last commit; nothing where there is none.
    pub(super) fn changes(&mut self, now: &Manifest) -> Result<Changes, Trouble> {
        if let Some(before) = &self.record.before {
            return Ok(before.until(now));
        }
        let base = self.base()?;
        match self.record.base.is_some() {
            true => Ok(changes_beside(&self.state, &self.workspace, &base)?),
            false => Ok(Changes::default()),
        }
    }

    /// Says whether the files are others than those of a snapshot.
    pub(super) fn differs_from(&self, tree: &TreeHash) -> Result<bool, Trouble> {
        Ok(!changes_beside(&self.state, &self.workspace, tree)?.is_empty())
    }

    pub(super) fn name(&mut self, prompt: &str) {
        let masked = crate::secret::mask(prompt);
        let line = masked.split_whitespace().collect::<Vec<_>>().join(" ");
        let line = line.rsplit("</hook_context>").next().unwrap_or_default().trim();
        self.record.title = line.chars().filter(|one| !one.is_control()).take(TITLE_CHARS_MAX).collect();
    }

    /// Returns what is new in a message that grows from stop to stop.
    pub(super) fn unheard(&mut self, message: &str) -> String {
        let heard = self.record.heard.take();
        self.record.heard = Some((message.len(), hash(message.as_bytes())));
        let old = heard.and_then(|(bytes, known)| {
            message.get(..bytes).filter(|old| hash(old.as_bytes()) == known).map(str::len)
        });
        super::read::last_bytes(&message[old.unwrap_or(0)..])
    }

    /// Returns the handoff file if it is there and is not the one that was seen before.
    pub(super) fn new_file(&mut self) -> Option<Vec<u8>> {
        let (bytes, seen) = self.handoff_file()?;
        match self.record.left.as_ref() == Some(&seen) {
            true => None,
            false => {
                self.record.left = Some(seen);
                Some(bytes)
            }
        }
    }

    /// Takes note of a handoff file that lies there already when a turn begins.
    pub(super) fn see_file(&mut self) {
        self.record.left = self.handoff_file().map(|(_, seen)| seen);
    }

    fn handoff_file(&self) -> Option<(Vec<u8>, String)> {
        let path = self.workspace.root.join(HANDOFF_FILE);
        // A link may lead anywhere, and is not followed.
        fs::symlink_metadata(path.parent()?).ok().filter(|folder| folder.is_dir())?;
        let bytes = read_plain(&path, baton_handoff::limit::DOCUMENT_BYTES_MAX as u64).ok()?;
        let seen = hash(&bytes);
        Some((bytes, seen))
    }

    /// Returns when the record was kept last, in milliseconds since 1970, to the second: that is when the turn began, or when the
    /// agent was last heard of.
    pub(super) fn since(&self) -> i64 {
        let kept = fs::symlink_metadata(&self.path).and_then(|found| found.modified()).ok();
        let since = kept.and_then(|kept| kept.duration_since(SystemTime::UNIX_EPOCH).ok());
        since
            .and_then(|since| i64::try_from(since.as_secs()).ok())
            .unwrap_or(i64::MAX / 1000)
            .saturating_mul(1000)
    }

    /// Keeps the record, where it is another one. A log that was never begun is not begun by a question.
    pub(super) fn keep(&self) -> Result<(), Trouble> {
        if self.stored.as_ref() == Some(&self.record) {
            return Ok(());
        }
        let bytes = serde_json::to_vec(&self.record).map_err(|error| Trouble::new(error.to_string()))?;
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let made = if self.stored.is_some() { Ok(()) } else { durable_file::make_folder(folder) };
        made.and_then(|()| durable_file::replace(&self.path, &bytes))
            .map_err(|error| Trouble::new(error.to_string()))
    }
}

/// Returns the record, and whether there is one that cannot be read.
fn read(path: &Path) -> (Option<Record>, bool) {
    match read_plain(path, RECORD_BYTES_MAX) {
        Ok(bytes) => {
            let record = serde_json::from_slice(&bytes).ok();
            (record.clone(), record.is_none())
        }
        Err(error) => (None, error.kind() != ErrorKind::NotFound),
    }
}

/// The files that Baton writes itself are no work. A configuration that cannot be read is told of where it is used.
fn left_out(place: &Place<'_>) -> Vec<PathBuf> {
    let files = place.service().map_or_else(|_| Files::default(), |service| service.files.clone());
    files.state.into_iter().chain(files.archive).collect()
}

/// Removes the records of sessions that ended long ago. What stands in the log stays.
fn forget(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let modified = entry.metadata().and_then(|found| found.modified());
        let age = modified.ok().and_then(|time| SystemTime::now().duration_since(time).ok());
        if age.is_some_and(|age| age > FORGOTTEN_AFTER) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn plain(sort: &str) -> String {
    let plain: String = sort
        .chars()
        .map(|one| if one.is_ascii_alphanumeric() || one == '-' || one == '_' { one } else { '-' })
        .take(SORT_CHARS_MAX)
        .collect();
    if plain.is_empty() { "helper".to_owned() } else { plain }
}

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the name by which the log knows a session of an agent, or of one that works for it, by whatever way it is heard.
pub fn session_id(agent: &str, session: &str, inner: &str) -> String {
    let mut long = hash([agent, session, inner].join("\0").as_bytes());
    long.truncate(KEY_DIGITS);
    format!("{agent}-{long}")
}
