//! The documents of the get-shit-done family: session state, pause notes, plan summaries, verification reports.

pub(crate) mod continue_here;
pub(crate) mod handoff;
pub(crate) mod summary;
pub(crate) mod verification;
