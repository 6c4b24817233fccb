//! What people should know of a task though nobody asks them anything: gates that inform, and turns that people have taken.

use std::collections::BTreeMap;

use baton_engine::event::Event;
use baton_engine::fact::Performer;
use baton_engine::state::Task;
use baton_engine::word::{GateName, TaskId};
use baton_engine::workflow::GateWeight;

use super::{Desk, DeskError, tell};

impl Desk {
    /// Returns what the gates of a task informed of, a line each; of one that was asked twice, the last.
    pub fn informed(&self, task: &Task) -> Result<Vec<String>, DeskError> {
        let rules = task.workflow.stages.iter().flat_map(|stage| &stage.gates).map(|rule| rule.weight);
        let mut weights = rules.chain(task.gates.values().map(|gate| gate.weight));
        // Most workflows have no such gate, and then nothing is read.
        if !weights.any(|weight| weight == GateWeight::Informing) {
            return Ok(Vec::new());
        }
        let gates = self.informing_gates(&task.id)?;
        Ok(gates.iter().map(|(gate, items)| tell::informs(gate, items)).collect())
    }

    pub(super) fn informing_gates(&self, id: &TaskId) -> Result<BTreeMap<GateName, Vec<String>>, DeskError> {
        let asked = self.entries(Some(id))?.into_iter().filter_map(|(_, entry)| match entry.event {
            Event::GateAsked { gate, weight: GateWeight::Informing, items, .. } => Some((gate, items)),
            _ => None,
        });
        Ok(asked.collect())
    }

    /// Returns what people should know of a task that goes on: what gates informed of, and who has taken its turn by hand.
    pub fn to_know(&self, task: &Task) -> Result<Vec<String>, DeskError> {
        let mut lines = self.informed(task)?;
        let turn = task.turn.as_ref().filter(|turn| turn.performer == Performer::Person);
        // Where somebody is asked, the turn rests.
        if let Some(turn) = turn.filter(|_| !task.status().waits_for_person()) {
            lines.push(tell::holder(turn));
            lines.extend(self.next(&task.id)?);
        }
        Ok(lines)
    }
}
