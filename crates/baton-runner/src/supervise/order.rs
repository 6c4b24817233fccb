//! What is to be run, and within what bounds.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use baton_handoff::secret::Known;
use serde::{Deserialize, Serialize};

use super::environment::Ground;
use crate::sandbox::{Confinement, Demand};

/// From the polite signal to the one that cannot be refused. With what follows it stays below five seconds.
pub const GRACE: Duration = Duration::from_secs(4);
/// Most input that may wait to be taken by a child.
pub const INPUT_PENDING_BYTES_MAX: usize = 16 * 1024 * 1024;
/// No order may keep more output than this.
const KEPT_BYTES_CEILING: usize = 16 * 1024 * 1024;
/// No order may ask for longer lines than this.
const LINE_BYTES_CEILING: usize = 8 * 1024 * 1024;

/// A program to run to its end.
#[derive(Clone, Debug)]
pub struct Order {
    /// The program, by its absolute path, and its arguments.
    pub argv: Vec<OsString>,
    pub folder: PathBuf,
    /// Folders beside its own from which no program is taken by its name, and which its PATH does not have.
    pub untrusted: Vec<PathBuf>,
    /// What the child finds in its environment beside the few variables that every child gets.
    pub environment: BTreeMap<OsString, OsString>,
    pub stdin: Stdin,
    pub deadline: Duration,
    /// How long a child that is asked to end may take.
    pub grace: Duration,
    pub limits: OutputLimits,
    pub bounds: Bounds,
    pub lines: Lines,
    pub confinement: Confinement,
    pub demand: Demand,
    /// What is masked in all that the child prints.
    pub secrets: Known,
    /// Who the child is; as Baton where nothing is said. Only root can choose.
    pub identity: Option<Identity>,
}

impl Order {
    /// An order without input, confinement or relayed lines.
    pub fn new(argv: Vec<OsString>, folder: PathBuf, deadline: Duration) -> Self {
        Self {
            argv,
            folder,
            untrusted: Vec::new(),
            environment: BTreeMap::new(),
            stdin: Stdin::Whole(Vec::new()),
            deadline,
            grace: GRACE,
            limits: OutputLimits::default(),
            bounds: Bounds::default(),
            lines: Lines::Kept,
            confinement: Confinement::None,
            demand: Demand::WhereAvailable,
            secrets: crate::secret::known(&[]),
            identity: None,
        }
    }

    /// Where its program is looked for, and what it gets to know.
    pub(super) fn ground(&self) -> Ground<'_> {
        Ground { folder: &self.folder, untrusted: &self.untrusted }
    }
}

/// What the child reads.
#[derive(Clone, Debug)]
pub enum Stdin {
    /// This, and then the end.
    Whole(Vec<u8>),
    /// This first, and then whatever is written to the running child.
    Open(Vec<u8>),
}

/// Whether the lines of the child are told while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Lines {
    Relayed,
    /// Output is only kept, to be had at the end.
    Kept,
}

/// How much may be printed, and how much of it is kept.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct OutputLimits {
    /// Of more than this the middle is left out.
    pub kept_bytes_max: usize,
    /// A longer line is cut.
    pub line_bytes_max: usize,
    /// Who prints more than this on both streams together is ended. Nothing: as much as it likes.
    pub printed_bytes_max: Option<u64>,
}

impl Default for OutputLimits {
    fn default() -> Self {
        Self { kept_bytes_max: 1024 * 1024, line_bytes_max: 64 * 1024, printed_bytes_max: None }
    }
}

impl OutputLimits {
    pub(super) fn bounded(self) -> Self {
        Self {
            kept_bytes_max: self.kept_bytes_max.min(KEPT_BYTES_CEILING),
            line_bytes_max: self.line_bytes_max.clamp(1, LINE_BYTES_CEILING),
            printed_bytes_max: self.printed_bytes_max,
        }
    }
}

/// What a child and all that it starts may take of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bounds {
    pub file_bytes_max: u64,
    pub open_files_max: u64,
    /// Counted over the whole tree.
    pub processes_max: usize,
    /// Resident, summed over the whole tree, with what several share counted once. Nothing: as much as there is.
    pub memory_bytes_max: Option<u64>,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            file_bytes_max: 16 * 1024 * 1024 * 1024,
            open_files_max: 16 * 1024,
            processes_max: 1000,
            memory_bytes_max: None,
        }
    }
}

/// A user and a group, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    pub user: u32,
    pub group: u32,
}
