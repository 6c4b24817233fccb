//! Tests of the handoff room through its public door.
#![expect(clippy::disallowed_methods, reason = "tests read their own files")]

mod pages;
mod specs;
mod support;
