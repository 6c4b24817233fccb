//! `baton mcp`: agents take turns through their own client, over a pipe and over HTTP, in both worlds of the protocol.

mod beside;
mod door;
mod hostile;
mod http;
mod people;
mod stateless;
pub(crate) mod talk;
mod tools;
mod turns;
