//! What is really so in the simulated world. The engine never sees this; the oracle judges by nothing else.

use std::collections::{BTreeMap, BTreeSet};

use baton_engine::fact::Danger;
use baton_engine::word::{AgentName, ArtifactId, BlobId, SessionId, TaskId, TreeHash, TurnId};
use baton_engine::workflow::Role;

/// What a workspace really holds.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub(crate) passes: bool,
    pub(crate) danger: Option<Danger>,
    pub(crate) violation: bool,
    /// Which error its checks show.
    pub(crate) error: usize,
}

/// What was really launched.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    pub(crate) role: Role,
    pub(crate) agent: AgentName,
    pub(crate) session: SessionId,
    pub(crate) count: usize,
    pub(crate) spent: u64,
}

/// What a verifier really looked at, and whether it kept its hands off.
#[derive(Clone, Debug)]
pub(crate) struct Examination {
    pub(crate) tree: TreeHash,
    pub(crate) wrote: bool,
}

#[derive(Debug, Default)]
pub(crate) struct World {
    trees: Vec<Tree>,
    pub(crate) workspaces: BTreeMap<TaskId, TreeHash>,
    pub(crate) launches: BTreeMap<(TaskId, TurnId), Launch>,
    pub(crate) examinations: BTreeMap<(TaskId, TurnId), Examination>,
    /// Words that a person really said; each is said once.
    pub(crate) said: BTreeSet<String>,
    /// Approvals that a person really gave: task, gate, and what was shown.
    pub(crate) approvals: BTreeSet<(TaskId, String, TreeHash, BlobId)>,
    /// Handoffs that a receiver really acknowledged.
    pub(crate) acknowledgments: BTreeSet<String>,
    /// Which tree the host really had before it when it made a receipt.
    pub(crate) checked: BTreeMap<ArtifactId, TreeHash>,
    /// Trees that do not fit the branch they are for.
    pub(crate) conflicts: BTreeSet<TreeHash>,
    pub(crate) merges: BTreeMap<TaskId, Vec<TreeHash>>,
    pub(crate) covenant_place: String,
    next: u64,
}

impl World {
    pub(crate) fn new() -> Self {
        Self { covenant_place: "covenant, section 2".to_owned(), ..Self::default() }
    }

    pub(crate) fn tree(&mut self, tree: Tree) -> TreeHash {
        self.trees.push(tree);
        hash(self.trees.len() - 1)
    }

    pub(crate) fn truth(&self, tree: &TreeHash) -> Option<&Tree> {
        usize::from_str_radix(tree.as_str(), 16).ok().and_then(|index| self.trees.get(index))
    }

    /// Returns a number that was never used before.
    pub(crate) fn fresh(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// Returns what the processes of a task have really spent.
    pub(crate) fn spent(&self, task: &TaskId) -> u64 {
        self.launches.iter().filter(|((of, _), _)| of == task).map(|(_, launch)| launch.spent).sum()
    }
}

fn hash(index: usize) -> TreeHash {
    word(TreeHash::new(format!("{index:040x}")))
}

/// Names that the simulator makes are always good.
pub(crate) fn word<T, E: std::fmt::Display>(made: Result<T, E>) -> T {
    match made {
        Ok(word) => word,
        Err(bad) => unreachable!("{bad}"),
    }
}
