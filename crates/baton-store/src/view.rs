//! Views: rows folded from events, written in the same transaction as the events, and rebuildable from them.
//!
//! A view says only which rows an event changes. Stores decide how rows are kept, so a view works on all of them. A view
//! with a new version is folded anew at the next start.

pub mod kinds;
pub mod streams;
pub mod tasks;

use std::fmt;
use std::sync::Arc;

use baton_engine::envelope::Recorded;

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
}

/// The views of a store: its own, then those of its owner.
#[derive(Clone)]
pub struct Views(Arc<[Arc<dyn View>]>);

impl Views {
    pub fn with(more: impl IntoIterator<Item = Arc<dyn View>>) -> Self {
        let own: [Arc<dyn View>; 2] = [Arc::new(streams::Streams), Arc::new(kinds::Kinds)];
        Views(own.into_iter().chain(more).collect())
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
