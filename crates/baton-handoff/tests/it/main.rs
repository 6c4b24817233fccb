//! Tests of the handoff room through its public door.
#![expect(clippy::disallowed_methods, reason = "tests read their own files")]
#![expect(clippy::expect_used, reason = "a test stops at the first surprise")]

mod fixes;
mod hostile;
mod outcomes;
mod pages;
mod round_trip;
mod specs;
mod support;
