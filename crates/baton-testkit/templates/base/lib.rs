//! The core of Harbour.

pub mod clock;
pub mod config;
pub mod money;
