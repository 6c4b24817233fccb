//! The host's own record of the work that was handed over: what it measured, beside what the handoff claims.

use std::collections::BTreeMap;

use baton_engine::state::{Task, Turn};
use baton_engine::word::TreeHash;
use baton_handoff::document;
use baton_handoff::field::Field;
use serde_json::{Map, Value, json};

use super::brought::Brought;
use super::claims::Span;
use super::paper::{Paper, sources_of_turn};
use super::{Desk, DeskError};

/// Most files of a turn that are listed. The summary counts all.
const FILES_LISTED_MAX: usize = 500;
/// Most criteria that are quoted from a handoff.
const CLAIMS_MAX: usize = 64;

impl Desk {
    /// Writes the build artifact of a handoff: touched files and a summary as they were measured, the commands that were heard,
    /// and what the agent claims, marked as claimed.
    pub(super) fn build_artifact(
        &self,
        (task, turn): (&Task, &Turn),
        brought: &Brought,
        after: &TreeHash,
    ) -> Result<Paper, DeskError> {
        let span = self.span(task, &turn.id, after)?;
        let touched = match &span {
            Some(span) => Some(self.touched(span, after)?),
            None => None,
        };
        let measured = self.measured((task, &brought.bytes), span.as_ref(), after)?;
        let summary = touched
            .as_ref()
            .map_or_else(|| "not measured: the files before the turn weren't saved".to_owned(), summary);
        let listed = touched.iter().flatten().take(FILES_LISTED_MAX);
        let listed: Vec<Value> =
            listed.map(|(path, change)| json!({ "path": path, "change_type": change })).collect();
        let mut sources = sources_of_turn(task, turn);
        sources.extend(task.run.plan.iter().map(|taken| taken.document.id.to_string()));
        sources.extend([format!("handoff-{}", turn.id), after.to_string()]);
        let mut own = Map::new();
        for (key, value) in [
            ("touched_files", json!(listed)),
            ("diff_summary", json!(summary)),
            // The commands whose end the host saw are in the receipts.
            ("command_ledger", json!([])),
            ("commands_heard", json!(brought.commands)),
            ("criterion_claims", json!(claimed(&brought.bytes))),
            (
                "completion_claim",
                json!({ "outcome": brought.said.outcome.name(), "claimed_by": turn.agent.as_str() }),
            ),
            ("tree_before", json!(span.as_ref().map(|span| span.turn.as_str()))),
            ("tree_after", json!(after.as_str())),
        ] {
            own.insert(key.to_owned(), value);
        }
        if let Value::Object(measured) = json!(measured) {
            own.extend(measured);
        }
        let place = (&task.id, "host", self.now);
        Paper::artifact("build-artifact", &format!("build-{}", turn.id), place, &sources, Value::Object(own))
    }

    /// Returns what happened to each file that differs from before the turn.
    fn touched(
        &self,
        span: &Span<'_>,
        after: &TreeHash,
    ) -> Result<BTreeMap<String, &'static str>, DeskError> {
        if span.turn == *after {
            return Ok(BTreeMap::new());
        }
        let differing = self.snapshots()?.differing(span.turn.as_str(), after.as_str())?;
        let one = |(before, after): (Option<_>, Option<_>)| match (before, after) {
            (None, Some(file)) => Some((file, "add")),
            (Some(_), Some(file)) => Some((file, "modify")),
            (Some(file), None) => Some((file, "delete")),
            (None, None) => None,
        };
        let all = differing.into_iter().filter_map(|difference| one((difference.before, difference.after)));
        Ok(all.map(|(file, change)| (String::from_utf8_lossy(&file.path).into_owned(), change)).collect())
    }
}

fn summary(touched: &BTreeMap<String, &'static str>) -> String {
    let count = |change| touched.values().filter(|own| **own == change).count();
    let files = if touched.len() == 1 { "file" } else { "files" };
    format!(
        "{} {files} changed: {} added, {} modified, {} deleted",
        touched.len(),
        count("add"),
        count("modify"),
        count("delete")
    )
}

/// Returns what a handoff says of criteria, in its own words.
fn claimed(bytes: &[u8]) -> Vec<Value> {
    let Ok(text) = document::decode(bytes) else { return Vec::new() };
    let read = document::read(text);
    let all = read.handoffs.iter().flat_map(|handoff| handoff.record.records(Field::Criteria));
    let one = |item: &baton_handoff::record::Record<'_>| {
        let criterion = item.str(Field::Id).or_else(|| item.str(Field::Criterion))?;
        let claim = item.str(Field::Status).or_else(|| item.str(Field::Verdict))?;
        Some(
            json!({ "criterion": crate::secret::mask(criterion.trim()), "claim": crate::secret::mask(claim.trim()) }),
        )
    };
    all.filter_map(one).take(CLAIMS_MAX).collect()
}
