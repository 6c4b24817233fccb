//! What happens next: the pure state machine of tasks, stages and decisions.
//!
//! Reading order: [`word`], [`envelope`], [`workflow`], [`command`], [`event`], [`state`], [`table`], [`mod@decide`],
//! [`policy`], [`mod@evolve`], [`mod@pending`], [`invariant`], [`knowledge`].

pub mod command;
pub mod context;
pub mod decide;
#[cfg(test)]
mod desk;
pub mod envelope;
pub mod event;
pub mod evolve;
pub mod fact;
pub mod feedback;
pub mod invariant;
pub mod knowledge;
pub mod pending;
pub mod policy;
pub mod progress;
pub mod rejection;
pub mod state;
pub mod table;
pub mod token;
pub mod verdict;
pub mod word;
pub mod workflow;

pub use command::{Act, ActKind, Command, Context, Standing};
pub use decide::decide;
pub use envelope::{Actor, ActorKind, Fresh, Recorded};
pub use event::{Entry, Event};
pub use evolve::{evolve, fold};
pub use pending::{Effect, pending};
pub use rejection::{Refusal, Rejection};
pub use state::{State, Task};
