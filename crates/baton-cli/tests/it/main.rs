//! Tests of the `baton` binary, as a person or a script runs it.
#![expect(clippy::expect_used, clippy::panic, reason = "tests stop at the first surprise")]

mod check;
mod config;
mod escapes;
mod fix;
mod formats;
mod help;
mod hostile;
mod pipe;
mod secrets;
mod support;
mod walk;
mod write;
