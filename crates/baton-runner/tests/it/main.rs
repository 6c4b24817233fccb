//! Tests of the runner room through its public door.
#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test stops at the first surprise"
)]

mod agent;
mod audit;
#[cfg(unix)]
mod git;
#[cfg(unix)]
mod workspace;
