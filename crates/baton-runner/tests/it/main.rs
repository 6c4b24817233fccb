//! Tests of the runner room through its public door.
#![expect(clippy::panic, clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod audit;
#[cfg(unix)]
mod git;
