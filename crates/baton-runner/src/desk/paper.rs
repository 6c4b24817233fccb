//! The documents that the desk itself writes: guidance, requests, receipts, decisions. All are artifacts.

use baton_engine::fact::Document;
use baton_engine::state::{Task, Turn};
use baton_engine::word::{ArtifactId, BlobId, TaskId};
use baton_handoff::diagnostic::Diagnostic;
use serde_json::{Map, Value, json};

use super::DeskError;
use super::criteria::order_of;

/// The keys that every artifact has and that the host fills, whoever wrote the rest.
const FILLED_BY_HOST: &[&str] =
    &["schema_version", "artifact_id", "waypoint_id", "produced_by_role", "produced_at", "source_refs"];
/// The rule that a required key is there.
const KEY_MISSING: u16 = 101;

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

    /// Writes an artifact. Its sources are what it rests on: documents of the log by their names, files, trees.
    pub(super) fn artifact(
        kind: &str,
        id: &str,
        (task, role, at): (&TaskId, &str, i64),
        sources: &[String],
        own: Value,
    ) -> Result<Self, DeskError> {
        let produced_at = super::tell::time(at);
        let mut sources = sources.to_vec();
        let mut known = std::collections::BTreeSet::new();
        sources.retain(|source| known.insert(source.clone()));
        let mut fields = Map::new();
        for (key, value) in [
            ("schema_version", json!("1.0")),
            ("artifact_type", json!(kind)),
            ("artifact_id", json!(id)),
            ("waypoint_id", json!(task.as_str())),
            ("produced_by_role", json!(role)),
            ("produced_at", json!(produced_at)),
            ("source_refs", json!(sources)),
        ] {
            fields.insert(key.to_owned(), value);
        }
        if let Value::Object(own) = own {
            fields.extend(own);
        }
        Self::of(id, format!("{:#}\n", Value::Object(fields)).into_bytes())
    }
}

/// Returns what everything rests on that is written in a turn: the order of the task, the guidance of the turn, and what was
/// handed to it.
pub(super) fn sources_of_turn(task: &Task, turn: &Turn) -> Vec<String> {
    let handed = task.run.inbound.iter().map(|handoff| handoff.id.to_string());
    [order_of(&task.id), format!("guidance-{}", turn.epoch)].into_iter().chain(handed).collect()
}

/// Returns what a judgement of the work rests on: the handoff, the receipt on it, and the verifier's report.
pub(super) fn sources_of_work(task: &Task) -> Vec<String> {
    let run = &task.run;
    let work = run.submission.iter().map(|work| &work.document);
    let receipt = run.receipt.iter().map(|receipt| &receipt.document);
    let report = run.report.iter().map(|report| &report.document);
    let all = work.chain(receipt).chain(report).chain(&run.failure).map(|document| document.id.to_string());
    std::iter::once(order_of(&task.id)).chain(all).collect()
}

/// Says whether all that was found is that a key is missing which the host fills.
pub(super) fn is_filled_by_host(found: &Diagnostic) -> bool {
    let names = |key: &&str| found.message.starts_with(&format!("`{key}` is missing"));
    found.code.0 == KEY_MISSING && FILLED_BY_HOST.iter().any(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_artifact_names_each_of_its_sources_once() {
        let task = TaskId::new("T1").expect("a name");
        let sources = ["order-T1".to_owned(), "guidance-1".to_owned(), "order-T1".to_owned()];
        let paper = Paper::artifact("acknowledgment", "a-1", (&task, "host", 0), &sources, json!({}));
        let kept: Value = serde_json::from_slice(&paper.expect("an artifact").bytes).expect("JSON");
        assert_eq!(kept["source_refs"], json!(["order-T1", "guidance-1"]));
        assert_eq!((&kept["artifact_id"], &kept["waypoint_id"]), (&json!("a-1"), &json!("T1")));
    }
}
