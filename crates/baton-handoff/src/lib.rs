//! What a handoff is: reads it in any form, judges it, writes it, converts it. Pure: bytes in, data out.
//!
//! Reading order: [`span`], [`tree`], [`field`], [`record`], [`key`], [`dialect`], [`document`], [`rule`], [`judge`],
//! [`mod@write`].

mod alias;
mod block;
pub mod convert;
pub mod diagnostic;
pub mod dialect;
pub mod document;
pub mod field;
pub mod fix;
pub mod freeform;
mod grow;
pub mod handoff;
mod json;
pub mod judge;
pub mod key;
mod letters;
pub mod limit;
pub mod markdown;
pub mod marker;
pub mod migrate;
pub mod outcome;
mod placeholder;
pub mod project;
mod read;
pub mod record;
mod repair;
pub mod report;
pub mod rule;
pub mod schema;
pub mod secret;
pub mod span;
pub mod stable_id;
pub mod template;
pub mod tree;
mod trouble;
pub mod visible;
pub mod write;
mod yaml;
