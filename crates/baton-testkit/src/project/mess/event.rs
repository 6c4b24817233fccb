//! One commit, wherever it goes.

use crate::project::moment::Moment;

#[derive(Clone, Debug)]
pub(super) struct Event {
    /// When the work was done: the author's date.
    pub(super) at: Moment,
    /// When it came into the repository: the committer's date.
    pub(super) committed: Moment,
    pub(super) person: usize,
    pub(super) chain: usize,
    pub(super) place: Place,
    pub(super) message: String,
    pub(super) edits: Vec<Edit>,
    pub(super) tag: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Main,
    Branch(String),
    /// The merge of a branch into the main one.
    Merge(String),
    /// Nothing is committed.
    WorkTree,
}

/// What happens to one file.
#[derive(Clone, Debug)]
pub(super) enum Edit {
    /// In a handoff, `{{commit}}` stands for the last commit of the chain's code.
    Handoff {
        path: String,
        text: String,
    },
    Put {
        path: String,
        text: String,
    },
    Append {
        path: String,
        text: String,
    },
    Delete {
        path: String,
    },
    /// Writes a file that git does not look at.
    Ignored {
        path: String,
        text: String,
    },
    Move {
        from: String,
        to: String,
    },
}
