//! The fence around a child: what it may write, by what that is enforced, and what is not.
//!
//! A ladder is tried from the top: bubblewrap, Landlock, nothing. The [`Label`] of a run says on which rung it stood. It
//! never claims more than the kernel enforced; `docs/concepts/confinement.md` says the same to people.

mod bubblewrap;
pub(crate) mod cache;
#[cfg(target_os = "linux")]
mod landlock;

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use baton_engine::fact::ConfinedBy;
use serde::{Deserialize, Serialize};

use crate::supervise::{NotStarted, Order, Reason};

/// How long a fence may take to show that it can be put up.
pub(crate) const PROBE_MAX: Duration = Duration::from_secs(60);
/// What an agent must not write in its own workspace: what git, Baton or another agent would later run or obey.
const PROTECTED: &[&str] = &[".git", ".baton", ".claude", ".codex", ".husky", ".githooks"];

/// What a child may write.
#[derive(Clone, Debug)]
pub enum Confinement {
    /// Whatever its user may.
    None,
    /// Nothing but these: a scratch folder, the home of an agent.
    ReadOnly { writable: Vec<PathBuf> },
    /// The workspace and these, without what is protected.
    Workspace {
        root: PathBuf,
        writable: Vec<PathBuf>,
        /// Where everybody has temporary files. Left out where something protected lies in it and cannot be excepted.
        temporary: Option<PathBuf>,
        protected: Vec<PathBuf>,
    },
}

/// Returns what is to be protected in a workspace.
pub fn protected_paths(root: &Path) -> Vec<PathBuf> {
    PROTECTED.iter().map(|name| root.join(name)).collect()
}

/// What is done where confinement cannot be enforced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Demand {
    /// It is run all the same, and the label says so.
    WhereAvailable,
    /// It is not run.
    Enforced,
}

/// By what a run was confined, for the record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Label {
    pub rung: Rung,
    /// What was to be protected, and is not.
    pub open: Vec<PathBuf>,
    /// The child is root, for whom much of the rest is no obstacle.
    pub is_root: bool,
}

/// A rung of the ladder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rung {
    /// Nothing was asked for.
    Unconfined,
    Bubblewrap,
    Landlock,
    /// Something was asked for, and nothing could be had, for this reason.
    Unenforced(String),
}

impl Label {
    pub(crate) fn unconfined() -> Self {
        Self { rung: Rung::Unconfined, open: Vec::new(), is_root: is_root() }
    }

    /// Returns the word for a receipt.
    pub fn word(&self) -> &'static str {
        self.confined_by().name()
    }

    /// The same for the log.
    pub fn confined_by(&self) -> ConfinedBy {
        match self.rung {
            Rung::Unconfined => ConfinedBy::Unconfined,
            Rung::Bubblewrap => ConfinedBy::Bubblewrap,
            Rung::Landlock => ConfinedBy::Landlock,
            Rung::Unenforced(_) => ConfinedBy::Unenforced,
        }
    }

    /// Returns what the child could still do, one sentence each.
    pub fn gaps(&self) -> Vec<String> {
        let mut gaps: Vec<String> = match &self.rung {
            Rung::Unconfined => vec!["It could write whatever its user may write.".to_owned()],
            Rung::Unenforced(why) => {
                vec![format!("It could write whatever its user may write: {why}.")]
            }
            Rung::Bubblewrap => bubblewrap::GAPS.iter().map(|gap| (*gap).to_owned()).collect(),
            #[cfg(target_os = "linux")]
            Rung::Landlock => landlock::GAPS.iter().map(|gap| (*gap).to_owned()).collect(),
            #[cfg(not(target_os = "linux"))]
            Rung::Landlock => Vec::new(),
        };
        gaps.extend(self.open.iter().map(|path| format!("It could write {}.", path.display())));
        if self.is_root {
            gaps.push("It was run as root.".to_owned());
        }
        gaps
    }
}

/// Which rungs may be used, and, once that was tried, which can.
#[derive(Clone, Debug)]
pub struct Ladder {
    allowed: Vec<Means>,
    found: Arc<OnceLock<Found>>,
}

/// Something that can enforce confinement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Means {
    Bubblewrap,
    Landlock,
}

#[derive(Debug)]
struct Found {
    bubblewrap: Result<PathBuf, String>,
    landlock: Result<(), String>,
}

impl Default for Ladder {
    fn default() -> Self {
        Self::of(&[Means::Bubblewrap, Means::Landlock])
    }
}

impl Ladder {
    /// A ladder with these rungs alone; with none, nothing is enforced.
    pub fn of(allowed: &[Means]) -> Self {
        Self { allowed: allowed.to_vec(), found: Arc::default() }
    }

    /// Finds out once what can be used here. `works` runs a program behind a fence.
    pub(crate) fn probed(&self, works: impl Fn(&Path, Fence) -> Result<(), String>) -> &Self {
        self.found.get_or_init(|| Found {
            bubblewrap: self.allows(Means::Bubblewrap).and_then(|()| bubblewrap::probe(works)),
            landlock: self.allows(Means::Landlock).and_then(|()| probe_landlock()),
        });
        self
    }

    fn allows(&self, means: Means) -> Result<(), String> {
        self.allowed.contains(&means).then_some(()).ok_or_else(|| "it is switched off".to_owned())
    }

    /// Returns the best that can be used.
    pub fn best(&self) -> Option<Means> {
        let found = self.found.get()?;
        match (&found.bubblewrap, &found.landlock) {
            (Ok(_), _) => Some(Means::Bubblewrap),
            (Err(_), Ok(())) => Some(Means::Landlock),
            (Err(_), Err(_)) => None,
        }
    }
}

#[cfg(target_os = "linux")]
fn probe_landlock() -> Result<(), String> {
    landlock::probe()
}

#[cfg(not(target_os = "linux"))]
fn probe_landlock() -> Result<(), String> {
    Err("it is there on Linux only".to_owned())
}

/// What a keeper puts around a child.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Fence {
    None,
    Bubblewrap {
        /// What stands before the command line of the child.
        argv: Vec<OsString>,
        /// Folders that have to be there to be covered, and were not.
        made: Vec<OsString>,
    },
    Landlock {
        writable: Vec<OsString>,
    },
}

impl Fence {
    /// Binds the thread that calls, and all it starts.
    pub(crate) fn enter(&self) -> Result<(), NotStarted> {
        match self {
            Self::None | Self::Bubblewrap { .. } => Ok(()),
            #[cfg(target_os = "linux")]
            Self::Landlock { writable } => landlock::enter(writable).map_err(unfenced),
            #[cfg(not(target_os = "linux"))]
            Self::Landlock { .. } => Err(unfenced("it is there on Linux only")),
        }
    }

    /// Takes away what was only there to be covered. What is not empty stays.
    pub(crate) fn tidy(&self) {
        if let Self::Bubblewrap { made, .. } = self {
            made.iter().for_each(|path| {
                let _ = fs::remove_dir(path);
            });
        }
    }
}

/// What a fence is put up from: every path is absolute and leads over no link.
struct Ground {
    folder: PathBuf,
    /// Where the child has its temporary files, if that is known.
    scratch: Option<PathBuf>,
    writable: Vec<PathBuf>,
    temporary: Option<PathBuf>,
    /// Only the last part of each may be a link, or missing.
    protected: Vec<PathBuf>,
}

impl Ground {
    /// Returns what may be written where a part of it can be excepted.
    fn all_writable(&self) -> impl Iterator<Item = &PathBuf> {
        self.writable.iter().chain(&self.temporary)
    }

    /// Says whether a place lies in another that may be written, with nothing protected on the way.
    fn is_open_already(&self, place: &Path) -> bool {
        let is_below = |folder: &PathBuf| place != folder && place.starts_with(folder);
        let is_protected = |folder: &PathBuf| {
            self.protected.iter().any(|path| path.starts_with(folder) && place.starts_with(path))
        };
        self.all_writable().any(|folder| is_below(folder) && !is_protected(folder))
    }

    /// Returns what may be written though it lies in something protected. The folder of the child and that of its temporary files
    /// were made for it, and may lie among what Baton keeps.
    fn let_in(&self) -> Vec<PathBuf> {
        let is_protected = |place: &&PathBuf| self.protected.iter().any(|path| place.starts_with(path));
        let is_its_own = |place: &PathBuf| *place == self.folder || Some(place) == self.scratch.as_ref();
        let all = self.all_writable().filter(|place| !is_its_own(place));
        all.filter(is_protected).cloned().collect()
    }

    /// Returns what may be written where nothing in it can be excepted, and what is then open that should not be.
    fn without_exceptions(self) -> (Vec<PathBuf>, Vec<PathBuf>) {
        let Self { mut writable, temporary, mut protected, .. } = self;
        let around = |folder: &PathBuf| protected.iter().any(|path| path.starts_with(folder));
        writable.extend(temporary.filter(|folder| !around(folder)));
        protected.retain(|path| writable.iter().any(|folder| path.starts_with(folder)));
        (writable, protected)
    }
}

/// Says which fence an order gets, and what to call it.
pub(crate) fn fence(ladder: &Ladder, order: &Order) -> Result<(Fence, Label), NotStarted> {
    let is_root = is_root() && order.identity.is_none_or(|identity| identity.user == 0);
    let label = |rung, open| Label { rung, open, is_root };
    let Some(ground) = ground(order)? else {
        return Ok((Fence::None, label(Rung::Unconfined, Vec::new())));
    };
    let Some(found) = ladder.found.get() else { return Err(unfenced("nothing was tried yet")) };
    let let_in = ground.let_in();
    let (fence, mut label) = match (&found.bubblewrap, &found.landlock) {
        (Ok(program), _) => {
            let (fence, open) = bubblewrap::fence(program, &ground);
            (fence, label(Rung::Bubblewrap, open))
        }
        (Err(_), Ok(())) => {
            // A right to a folder is a right to all below it; Landlock knows no exception.
            let (writable, open) = ground.without_exceptions();
            let writable = writable.into_iter().map(OsString::from).collect();
            (Fence::Landlock { writable }, label(Rung::Landlock, open))
        }
        (Err(bubblewrap), Err(landlock)) => {
            let why = format!("bubblewrap: {bubblewrap}; Landlock: {landlock}");
            (Fence::None, label(Rung::Unenforced(why), ground.protected))
        }
    };
    label.open.extend(let_in);
    match (order.demand, &label.rung) {
        (Demand::Enforced, Rung::Unenforced(why)) => {
            Err(unfenced(format!("nothing here can enforce it: {why}")))
        }
        (Demand::Enforced, _) if !label.open.is_empty() => {
            Err(unfenced(format!("nothing here can protect {}", label.open[0].display())))
        }
        (Demand::Enforced | Demand::WhereAvailable, _) => Ok((fence, label)),
    }
}

fn ground(order: &Order) -> Result<Option<Ground>, NotStarted> {
    let lost = |error| NotStarted::new(Reason::Folder, format!("{}: {error}", order.folder.display()));
    let folder = || fs::canonicalize(&order.folder).map_err(lost);
    let all = |paths: &[PathBuf]| paths.iter().map(|path| real(path)).collect::<Result<Vec<_>, _>>();
    let scratch = order.environment.get(OsStr::new("TMPDIR")).and_then(|path| fs::canonicalize(path).ok());
    let ground = match &order.confinement {
        Confinement::None => return Ok(None),
        Confinement::ReadOnly { writable } => {
            let (folder, writable) = (folder()?, all(writable)?);
            if let Some(around) = writable.iter().find(|path| folder.starts_with(path)) {
                let (folder, around) = (folder.display(), around.display());
                return Err(unfenced(format!(
                    "{folder} is to be read-only, and lies in {around}, which is not"
                )));
            }
            Ground { folder, scratch, writable, temporary: None, protected: Vec::new() }
        }
        Confinement::Workspace { root, writable, temporary, protected } => {
            let mut writable = all(writable)?;
            writable.insert(0, real(root)?);
            let temporary = temporary.as_deref().map(real).transpose()?;
            let protected = protected.iter().map(|path| beside(path)).collect();
            Ground { folder: folder()?, scratch, writable, temporary, protected }
        }
    };
    let is_everything = ground.all_writable().any(|path| path.parent().is_none());
    match is_everything {
        true => Err(unfenced("the whole file system cannot be writable")),
        false => Ok(Some(ground)),
    }
}

fn real(path: &Path) -> Result<PathBuf, NotStarted> {
    fs::canonicalize(path).map_err(|error| unfenced(format!("{}: {error}", path.display())))
}

/// Returns a path that leads over no link but, perhaps, at its end.
fn beside(path: &Path) -> PathBuf {
    let folder = path.parent().and_then(|folder| fs::canonicalize(folder).ok());
    match (folder, path.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        (_, None) | (None, _) => path.to_owned(),
    }
}

fn unfenced(why: impl fmt::Display) -> NotStarted {
    NotStarted::new(Reason::Confinement, format!("the confinement cannot be had: {why}"))
}

#[cfg(unix)]
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[cfg(not(unix))]
fn is_root() -> bool {
    false
}
