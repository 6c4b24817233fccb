//! What makes it happen: finds and reads files, judges them, writes them, behind the one service that all surfaces call.
//!
//! Reading order: [`service`], [`config`], [`walk`], [`check`], [`mod@file`].

pub mod audit;
pub mod check;
pub mod config;
pub mod desk;
pub mod file;
pub mod git;
pub mod service;
pub mod settled;
mod state_home;
pub mod supervise;
pub mod tool_output;
pub mod trust;
pub mod walk;

pub use service::Service;
