//! The documents that the desk itself writes: guidance, requests, receipts, decisions. All are artifacts.

use baton_engine::fact::Document;
use baton_engine::word::{ArtifactId, BlobId, TaskId};
use serde_json::{Map, Value, json};

use super::DeskError;

/// A document with its bytes.
#[derive(Clone, Debug)]
pub(super) struct Paper {
    pub(super) document: Document,
    pub(super) bytes: Vec<u8>,
}

impl Paper {
    /// Takes bytes that somebody else wrote. No document of the log holds a secret that is known.
    pub(super) fn of(id: &str, bytes: Vec<u8>) -> Result<Self, DeskError> {
        let bytes = crate::secret::mask_known(bytes);
        let blob = BlobId::new(baton_store::BlobId::of(&bytes).to_string())?;
        Ok(Self { document: Document { id: ArtifactId::new(id)?, blob }, bytes })
    }

    /// Writes an artifact.
    pub(super) fn artifact(
        kind: &str,
        id: &str,
        (task, role, at): (&TaskId, &str, i64),
        own: Value,
    ) -> Result<Self, DeskError> {
        let produced_at = super::tell::time(at);
        let mut fields = Map::new();
        for (key, value) in [
            ("schema_version", json!("1.0")),
            ("artifact_type", json!(kind)),
            ("artifact_id", json!(id)),
            ("waypoint_id", json!(task.as_str())),
            ("produced_by_role", json!(role)),
            ("produced_at", json!(produced_at)),
            ("source_refs", json!([])),
        ] {
            fields.insert(key.to_owned(), value);
        }
        if let Value::Object(own) = own {
            fields.extend(own);
        }
        Self::of(id, format!("{:#}\n", Value::Object(fields)).into_bytes())
    }
}
