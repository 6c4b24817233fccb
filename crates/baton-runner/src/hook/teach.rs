//! The words by which agents learn how to hand over. The same stand in the feedback and in what `baton init` writes.

/// How a handoff is written: the form that prompts ask for where no task says otherwise.
pub use crate::drive::TASK_FILE as FORM;
