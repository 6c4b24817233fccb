//! `streams`: the last event of each stream.

use baton_engine::envelope::Recorded;
use serde_json::{Value, json};

use super::{Rows, View};
use crate::error::StoreError;
use crate::log::{Row, StreamHead};

pub const NAME: &str = "streams";

#[derive(Debug)]
pub(crate) struct Streams;

impl View for Streams {
    fn name(&self) -> &'static str {
        NAME
    }

    fn version(&self) -> u32 {
        1
    }

    fn apply(&self, event: &Recorded, rows: &mut dyn Rows) -> Result<(), StoreError> {
        let value = json!({ "at": event.at, "kind": event.kind, "version": event.version });
        rows.put(&event.stream, value.to_string().into_bytes());
        Ok(())
    }
}

/// Reads a row of this view.
pub fn read(row: &Row) -> Result<StreamHead, StoreError> {
    let value: Option<Value> = serde_json::from_slice(&row.value).ok();
    let head = value.as_ref().and_then(|value| {
        Some(StreamHead {
            stream: row.key.clone(),
            version: value.get("version")?.as_u64()?,
            kind: value.get("kind")?.as_str()?.to_owned(),
            at: value.get("at")?.as_i64()?,
        })
    });
    head.ok_or_else(|| {
        StoreError::corrupt(format!("read the view `{NAME}` of `{}`", row.key), "its row is damaged")
    })
}
