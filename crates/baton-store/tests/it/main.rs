//! What the store promises, tried out.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test stops at the first surprise")]

mod backup;
mod contract;
mod damage;
mod delivery;
mod export;
mod fault;
mod golden;
mod kill;
mod knowledge;
mod race;
mod refusal;
mod support;
mod tamper;
mod view;
