//! `kinds`: how many events there are of each kind.

use baton_engine::envelope::Recorded;

use super::{Rows, View};
use crate::error::StoreError;

pub const NAME: &str = "kinds";

#[derive(Debug)]
pub(crate) struct Kinds;

impl View for Kinds {
    fn name(&self) -> &'static str {
        NAME
    }

    fn version(&self) -> u32 {
        1
    }

    fn apply(&self, event: &Recorded, rows: &mut dyn Rows) -> Result<(), StoreError> {
        let count = match rows.get(&event.kind)? {
            Some(value) => read(&event.kind, &value)?,
            None => 0,
        };
        rows.put(&event.kind, (count + 1).to_string().into_bytes());
        Ok(())
    }
}

/// Reads the value of a row of this view.
pub fn read(kind: &str, value: &[u8]) -> Result<u64, StoreError> {
    let count = std::str::from_utf8(value).ok().and_then(|text| text.parse().ok());
    count.ok_or_else(|| {
        StoreError::corrupt(format!("read the view `{NAME}` of `{kind}`"), "its row is damaged")
    })
}
