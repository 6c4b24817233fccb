//! What evidence shows: the claims of a handoff, the facts about the work, and the one judgement of both.
//!
//! Nothing here reads a file, a clock or a process. A caller gathers [`facts::Facts`] and hands them over with the
//! [`claims::Claims`] of a handoff; [`judge::judge`] returns a [`finding::Finding`] for every claim. The same claims with
//! the same facts give the same findings, whoever asks.
//!
//! Reading order: [`finding`], [`moment`], [`claims`], [`path`], [`facts`], [`mod@judge`], [`chain`], [`tool_output`].

pub mod chain;
pub mod claims;
pub mod facts;
pub mod finding;
pub mod judge;
pub mod moment;
pub mod path;
pub mod record;
pub mod tool_output;
