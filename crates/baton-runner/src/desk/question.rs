//! What waits for a person's word at a gate, as a form shows it, and the word that comes back for exactly that.

use baton_engine::command::{Act, ActKind};
use baton_engine::fact::{GateChoice, Shown};
use baton_engine::rejection::{Refusal, Rejection};
use baton_engine::word::{GateName, TaskId};
use baton_engine::workflow::GateWeight;

use super::{As, Desk, DeskError};

/// A gate that waits for a person, with the version that it shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateQuestion {
    pub task: TaskId,
    pub gate: GateName,
    pub items: Vec<String>,
    shown: Shown,
}

impl GateQuestion {
    /// Names what is shown: the files and the handoff.
    pub fn version(&self) -> String {
        format!("{}.{}", self.shown.tree, self.shown.handoff)
    }
}

impl Desk {
    /// Returns the gate of a task that waits for a person, if one does.
    pub fn gate_question(&self, id: &TaskId) -> Result<Option<GateQuestion>, DeskError> {
        let task = self.task(id)?;
        Ok(task.open_gate().map(|(name, gate)| GateQuestion {
            task: id.clone(),
            gate: name.clone(),
            items: gate.items.clone(),
            shown: gate.shown.clone(),
        }))
    }

    /// Answers a gate, as a person, for exactly what it shows.
    pub fn answer_gate(
        &mut self,
        id: &TaskId,
        gate: &str,
        choice: GateChoice,
        words: &str,
    ) -> Result<(), DeskError> {
        self.only_for_people(id.as_str(), ActKind::AnswerGate)?;
        let name = GateName::new(gate)?;
        let task = self.task(id)?;
        // Another stage may have had a gate of this name, so the one at hand counts first.
        let asked = match task.gates.get(&name) {
            Some(asked) if asked.weight != GateWeight::Informing => asked,
            Some(_) | None if self.informing_gates(id)?.contains_key(&name) => {
                return Err(DeskError::Document {
                    what: format!("the gate {name} of {id} informs, and needs no answer"),
                    next: format!("`baton why {id}` shows what it informs of"),
                });
            }
            Some(_) | None => return Err(Rejection::new(Refusal::UnknownGate, gate).into()),
        };
        let (items, shown) = (asked.items.clone(), asked.shown.clone());
        self.answer_gate_question(&GateQuestion { task: id.clone(), gate: name, items, shown }, choice, words)
    }

    /// Answers what a person was shown. An answer to another version is refused.
    pub fn answer_gate_question(
        &mut self,
        question: &GateQuestion,
        choice: GateChoice,
        words: &str,
    ) -> Result<(), DeskError> {
        let (id, shown) = (&question.task, question.shown.clone());
        self.look_again(id, None)?;
        let act = Act::AnswerGate { gate: question.gate.clone(), choice, shown, words: words.to_owned() };
        self.act(id.as_str(), &self.actor(As::Visitor), &act, &[])?;
        self.settle(id)
    }
}
