//! Helpers that look back and forth in a log.

use crate::event::{Entry, Event};
use crate::fact::Disposition;
use crate::word::{StageName, TreeHash};
use crate::workflow::{Stage, Workflow};

pub(super) fn workflow(log: &[Entry]) -> Option<&Workflow> {
    log.iter().find_map(|entry| match &entry.event {
        Event::TaskAdded { workflow, .. } => Some(workflow),
        _ => None,
    })
}

/// Returns the stage that was at hand after these events.
pub(super) fn stage(before: &[Entry]) -> Option<&Stage> {
    let workflow = workflow(before)?;
    let reached = before.iter().rev().find_map(|entry| match &entry.event {
        Event::StageAdvanced { to, .. } => Some(to),
        _ => None,
    });
    let named = |name: &StageName| workflow.stages.iter().find(|stage| stage.name == *name);
    reached.map_or(workflow.stages.first(), named)
}

/// Returns each acceptance with its place in the log.
pub(super) fn acceptances(log: &[Entry]) -> impl Iterator<Item = (usize, &Entry)> {
    log.iter().enumerate().filter(|(_, entry)| {
        matches!(&entry.event, Event::DecisionMade { disposition: Disposition::Accept, .. })
    })
}

/// Returns the tree of the workspace as last recorded.
pub(super) fn tree(before: &[Entry]) -> Option<&TreeHash> {
    before.iter().rev().find_map(|entry| match &entry.event {
        Event::TreeObserved { tree, .. } | Event::SnapshotTaken { tree, .. } => Some(tree),
        Event::HandoffReceived { submission, .. } => Some(&submission.tree),
        _ => None,
    })
}

/// Returns the place of the handoff that is being judged.
pub(super) fn handoff(before: &[Entry]) -> Option<usize> {
    before.iter().rposition(|entry| matches!(entry.event, Event::HandoffReceived { .. }))
}
