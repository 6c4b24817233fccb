//! What makes it happen: finds and reads files, judges them, writes them, behind the one service that all surfaces call.
//!
//! Reading order: [`service`], [`config`], [`walk`], [`check`], [`mod@file`].

pub mod agent;
pub mod agent_settings;
pub mod audit;
pub mod cheat;
pub mod check;
mod check_run;
pub mod config;
pub mod desk;
pub mod doctor;
pub mod drive;
pub mod ecosystem;
mod evaluator;
pub mod file;
mod file_lock;
pub mod git;
pub mod hook;
mod ignore_rules;
pub mod init;
pub mod sandbox;
mod scratch;
mod search_path;
mod secret;
pub mod service;
pub mod settled;
mod state_home;
pub mod supervise;
mod test_command;
mod tool;
pub mod trust;
pub mod walk;
pub mod workspace;

pub use service::Service;
