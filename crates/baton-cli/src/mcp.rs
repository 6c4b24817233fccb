//! The Model Context Protocol: agents that a person started take turns, hand over and ask, through their own client.
//!
//! Reading order: [`message`], [`revision`], [`caller`], [`server`], [`tool`], [`resource`], [`prompt`], [`form`], [`seal`],
//! [`stdio`], [`http`].

mod caller;
mod form;
pub(crate) mod http;
mod message;
mod prompt;
mod resource;
mod revision;
mod seal;
pub(crate) mod server;
pub(crate) mod stdio;
mod tool;

/// Longest message that is read, in bytes: a document of the largest size fits in, also where each character is escaped.
const MESSAGE_BYTES_MAX: usize = 4 * 1024 * 1024;
