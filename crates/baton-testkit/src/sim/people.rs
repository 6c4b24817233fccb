//! People: they answer late, twice, on what they saw yesterday, and change their minds.

use baton_engine::command::Act;
use baton_engine::envelope::{Actor, ActorKind, PROJECT_STREAM};
use baton_engine::fact::{AnswerSource, GateChoice, Reason, Resolution, Shown, Waivable};
use baton_engine::knowledge::wording;
use baton_engine::state::Dependency;
use baton_engine::word::{GateName, LessonId, TaskId};

use super::Sim;
use super::node::orchestrator;

pub(crate) fn person(name: &str) -> Actor {
    Actor::new(ActorKind::Person, name)
}

impl Sim {
    /// Returns words that nobody has said before, and remembers that a person says them.
    pub(super) fn words(&mut self) -> String {
        let words = format!("words {}", self.world.fresh());
        self.world.said.insert(words.clone());
        words
    }

    pub(super) fn person_acts(&mut self) {
        if self.healing && self.people_rest {
            return;
        }
        let ids = self.task_ids();
        if ids.is_empty() {
            return;
        }
        let id = self.random.pick(&ids).clone();
        if self.random.chance(self.rates.odd_person / 4) {
            return self.odd_act(&id);
        }
        let Some(task) = self.task(&id) else { return };
        let gate = task.gates.iter().find(|(_, gate)| gate.answer.is_none() && task.is_current(gate));
        let gate = gate.map(|(name, gate)| (name.clone(), gate.shown.clone()));
        let question = task.open_clarifications().next().map(|(question, _)| question.clone());
        let escalation = task.escalation.as_ref().map(|escalation| escalation.reason);
        let failed = task.dependencies.iter().find(|(_, state)| matches!(state, Dependency::Failed(_)));
        let failed = failed.map(|(on, _)| on.clone());
        if let Some(clarification) = question {
            let document = self.document();
            let by_covenant = self.random.chance(25);
            let (actor, answer, source, covenant_place) = match by_covenant {
                true => {
                    let place = self.world.covenant_place.clone();
                    (orchestrator(), "as the covenant says".to_owned(), AnswerSource::Covenant, Some(place))
                }
                false => (person("ada"), self.words(), AnswerSource::Person, None),
            };
            self.post(
                id.as_str(),
                actor,
                Act::Answer { clarification, document, answer, source, covenant_place },
            );
        } else if let Some((gate, shown)) = gate {
            self.answer_gate(&id, gate, shown);
        } else if let Some(reason) = escalation {
            self.resolve(&id, reason);
        } else if let Some(on) = failed {
            let reason = self.words();
            let until = self.now + 100 * 24 * 60 * 60_000;
            self.post(
                id.as_str(),
                person("ada"),
                Act::Waive { what: Waivable::Dependency(on), reason, until },
            );
        }
    }

    fn answer_gate(&mut self, id: &TaskId, gate: GateName, mut shown: Shown) {
        let choice = match self.random.below(10) {
            0 | 1 if !self.healing => GateChoice::Reject,
            2 if !self.healing => GateChoice::Question,
            _ => GateChoice::Approve,
        };
        let words = self.words();
        if self.random.chance(self.rates.odd_person / 3) {
            // What lay on the desk since yesterday.
            self.fault_at(id.as_str(), "gate_answer_late");
            let tree = self.world.workspaces.get(id).cloned();
            let older = self.random.chance(50).then_some(tree).flatten();
            shown.tree = older.unwrap_or(shown.tree);
            shown.handoff = self.blob();
        }
        if choice == GateChoice::Approve {
            let seen = (id.clone(), gate.as_str().to_owned(), shown.tree.clone(), shown.handoff.clone());
            self.world.approvals.insert(seen);
        }
        self.post(id.as_str(), person("ada"), Act::AnswerGate { gate, choice, shown, words });
    }

    fn resolve(&mut self, id: &TaskId, reason: Reason) {
        let resolution = match (reason, self.random.below(10)) {
            (Reason::RollbackFailed, 0..=6) => Resolution::RolledBackByHand,
            (_, 0..=4) if !self.healing => Resolution::Again,
            (_, 5 | 6) => Resolution::Rollback,
            _ => Resolution::Fail,
        };
        let words = self.words();
        self.post(id.as_str(), person("ada"), Act::Resolve { resolution, words });
    }

    fn odd_act(&mut self, id: &TaskId) {
        let reason = self.words();
        match self.random.below(14) {
            0 => self.post(id.as_str(), person("ada"), Act::Cancel { reason }),
            1 => self.post(PROJECT_STREAM, person("ada"), Act::Pause { reason }),
            2 | 3 => self.post(PROJECT_STREAM, person("ada"), Act::Resume {}),
            4 | 5 | 8 | 10 | 11 => {
                let Some(task) = self.task(id) else { return };
                let mut what: Vec<Waivable> =
                    task.criteria_in_force().into_iter().map(Waivable::Criterion).collect();
                let stage = task.stage().into_iter().flat_map(|stage| &stage.checkpoints);
                what.extend(stage.map(|checkpoint| Waivable::Checkpoint(checkpoint.name.clone())));
                what.extend(task.run.receipt.as_ref().and_then(|receipt| receipt.waivable()));
                let what = self.random.pick(&what).clone();
                let until =
                    self.now + self.random.between(1, 15) as i64 * 60_000 * *self.random.pick(&[1, 1, 40]);
                self.post(id.as_str(), person("ada"), Act::Waive { what, reason, until });
            }
            12 => {
                let text = LESSON.to_owned();
                let act = Act::ApproveLesson { lesson: lesson(), text, detail: None, words: reason };
                self.post(PROJECT_STREAM, person("ada"), act);
            }
            13 => {
                let act = Act::RetireLesson { lesson: lesson(), words: reason };
                self.post(PROJECT_STREAM, person("ada"), act);
            }
            6 => {
                self.fault("covenant_changes");
                let version =
                    self.context.project.covenant.as_ref().map_or(1, |covenant| covenant.version + 1);
                let act = Act::AdoptCovenant { version, policy_hash: self.blob() };
                self.post(PROJECT_STREAM, person("ada"), act);
            }
            7 => {
                let reason = baton_engine::fact::BlockReason::NeedsHumanInput;
                let act = Act::Escalate {
                    lease: None,
                    document: self.document(),
                    reason,
                    details: "I want to look".to_owned(),
                };
                self.post(id.as_str(), person("ada"), act);
            }
            _ => {
                // Somebody edits in the workspace.
                self.tree_changes();
            }
        }
    }
}

/// Something that was learned; which one does not matter to any task.
const LESSON: &str = "look before you leap";

fn lesson() -> LessonId {
    wording::id("pattern", &wording::canonical(LESSON))
}
