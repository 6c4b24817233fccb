//! What has been: the append-only log and its views.
//!
//! In reading order: [`log`] is the contract, [`memory`] and [`sqlite`] keep it. [`blob`] holds documents. [`chain`] finds
//! what was tampered with, [`anchor`] keeps the head outside the store. [`view`] folds events into rows, [`upcast`] lifts
//! old events, [`backup`] and [`export`] carry the log elsewhere. [`limit`] names every bound.

pub mod anchor;
pub mod backup;
pub mod blob;
pub mod chain;
pub mod durable_file;
pub mod error;
pub mod export;
mod hex;
pub mod knowledge;
pub mod limit;
pub mod log;
pub mod memory;
mod record;
pub mod sqlite;
pub mod upcast;
pub mod view;

pub use blob::BlobId;
pub use error::{Reason, StoreError};
pub use log::{Append, AppendError, Blobs, Head, Log, Row, Snapshot, Snapshots, StreamHead};
