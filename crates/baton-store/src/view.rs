//! Views: rows folded from events, written in the same transaction as the events, and rebuildable from them.
//!
//! A view says only which rows an event changes. Stores decide how rows are kept, so a view works on all of them. A view
//! with a new version is folded anew at the next start.

pub mod handoffs;
pub mod metrics;
pub mod owed;
pub(crate) mod states;
pub mod tasks;

use std::fmt;
use std::sync::Arc;

use baton_engine::envelope::Recorded;
use baton_engine::state::State;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::StoreError;

/// Folds events into rows.
pub trait View: Send + Sync {
    /// Name of its rows; never used again for something else.
    fn name(&self) -> &'static str;

    /// To be raised whenever the same events would give other rows.
    fn version(&self) -> u32;

    /// Applies one event. It sees every event once, in the order of the log, and nothing but events and its own rows.
    fn apply(&self, event: &Recorded, rows: &mut dyn Rows) -> Result<(), StoreError>;
}

/// The rows of one view while an event is applied.
pub trait Rows {
    fn get(&mut self, key: &str) -> Result<Option<Vec<u8>>, StoreError>;
    fn put(&mut self, key: &str, value: Vec<u8>);
    fn remove(&mut self, key: &str);

    /// Returns the state of the event's stream after the event that is applied.
    fn state_after(&mut self, event: &Recorded) -> Result<&State, StoreError>;
}

/// Reads a row that is JSON.
fn row<T: DeserializeOwned>(rows: &mut dyn Rows, key: &str) -> Result<Option<T>, StoreError> {
    rows.get(key)?.map(|bytes| decode(key, &bytes)).transpose()
}

/// Writes a row as JSON.
fn put_row(rows: &mut dyn Rows, key: &str, value: &impl Serialize) -> Result<(), StoreError> {
    let wrong = |error: serde_json::Error| StoreError::corrupt(format!("write `{key}`"), error.to_string());
    rows.put(key, serde_json::to_vec(value).map_err(wrong)?);
    Ok(())
}

fn decode<T: DeserializeOwned>(key: &str, bytes: &[u8]) -> Result<T, StoreError> {
    let wrong = |error: serde_json::Error| StoreError::corrupt(format!("read `{key}`"), error.to_string());
    serde_json::from_slice(bytes).map_err(wrong)
}

/// The views that the owner of a store wants to have.
#[derive(Clone)]
pub struct Views(Arc<[Arc<dyn View>]>);

impl Views {
    pub fn with(views: impl IntoIterator<Item = Arc<dyn View>>) -> Self {
        Views(views.into_iter().collect())
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &dyn View> {
        self.0.iter().map(AsRef::as_ref)
    }
}

impl Default for Views {
    fn default() -> Self {
        Views::with([])
    }
}

impl fmt::Debug for Views {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_list().entries(self.iter().map(View::name)).finish()
    }
}
