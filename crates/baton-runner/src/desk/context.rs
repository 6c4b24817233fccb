//! What whoever takes a turn is told. One function makes it, for every surface; with the turn it is kept as it was.

mod demands;
mod observed;
pub mod stats;

use std::collections::BTreeSet;

use baton_engine::context::order::{Clarified, Order, REFERENCES_MAX, Reference};
use baton_engine::context::{self, Packet};
use baton_engine::fact::Document;
use baton_engine::knowledge::Journal;
use baton_engine::state::{Said, Task};
use baton_engine::word::{TaskId, TurnId};
use baton_engine::workflow::Role;
use serde_json::{Value, json};

use super::criteria::order_of;
use super::paper::Paper;
use super::{Desk, DeskError};

pub(super) use demands::{role_constraints, stop_conditions};

pub use baton_engine::context::explain::explain;
pub use baton_engine::context::fragment::{Fragment, Kind};
pub use baton_engine::context::order::Scope;
pub use baton_engine::context::quoted;
pub use baton_engine::context::{Packet as ContextPacket, rank::Score};
pub use baton_engine::fact::Performer;
pub use baton_engine::token::{VOCABULARY, count as count_tokens};
pub use baton_engine::workflow::Role as ContextRole;

/// Whose context is wanted.
#[derive(Clone, Copy, Debug)]
pub struct ContextRequest {
    /// The role that is due, when not given.
    pub role: Option<Role>,
    /// What the role gets, when not given.
    pub budget_tokens: Option<usize>,
    pub scope: Scope,
    /// Who is told: a person has Baton at hand, a guest its tools, a program hands over in its last message.
    pub performer: Performer,
}

impl Desk {
    /// Makes the context for the turn that is being taken or comes next. It changes nothing.
    pub fn context_for(&self, id: &TaskId, request: ContextRequest) -> Result<Packet, DeskError> {
        let task = self.task(id)?;
        let live = task.turn.as_ref().map(|turn| turn.role);
        let stage = task.stage().map(|stage| stage.role);
        let role = match request.role.or(live) {
            Some(role) => role,
            None => self.due(&task).ok().map(|(role, _)| role).or(stage).unwrap_or_default(),
        };
        let order = self.order(&task, role, (request, self.journal(id)?))?;
        Ok(context::pack(&order))
    }

    pub(super) fn order(
        &self,
        task: &Task,
        role: Role,
        (request, journal): (ContextRequest, Journal),
    ) -> Result<Order, DeskError> {
        let default = match request.scope {
            Scope::Turn => self.budgets.tokens(role),
            Scope::All(_) => usize::MAX,
        };
        let Some(stage) = task.stage() else {
            return Err(baton_engine::rejection::Refusal::NotNow.into());
        };
        Ok(Order {
            task: task.id.clone(),
            title: task.title.clone(),
            stage: stage.name.clone(),
            role,
            ordered_by: task.lineage.last().map(|above| format!("@{} of {}", above.agent, above.task)),
            salt: format!("{} {}", task.id, turn_of(task)),
            guidance: self.guidance_lines(task, role, request.performer)?,
            criteria: self.criteria(task)?,
            // What an attempt failed at is the story of whoever built it.
            feedback: task.run.feedback.clone().filter(|_| role != Role::Verifier),
            clarifications: clarifications(task),
            said: task
                .run
                .said
                .iter()
                .map(|said| match role {
                    // So is what was asked.
                    Role::Verifier => Said { asked: String::new(), ..said.clone() }.line(),
                    Role::Builder | Role::Repair | Role::Specialist => said.line(),
                })
                .collect(),
            // A program reads it in its prompt, and a verifier no story.
            is_told_beside: request.performer == Performer::Program
                && request.scope == Scope::Turn
                && role != Role::Verifier,
            drift: self.drift(task, &journal)?,
            observed: self.observed(task, role)?,
            references: self.references(task, role)?,
            journal,
            budget_tokens: request.budget_tokens.unwrap_or(default),
            scope: request.scope,
        })
    }

    /// The documents that are worth reading whole, the newest last.
    fn references(&self, task: &Task, role: Role) -> Result<Vec<Reference>, DeskError> {
        let refer = |task: &TaskId, document: &Document| Reference {
            task: task.clone(),
            document: document.id.clone(),
        };
        let mut references: Vec<Reference> =
            task.run.receipt.iter().map(|receipt| refer(&task.id, &receipt.document)).collect();
        if role != Role::Verifier {
            references.extend(task.run.inbound.iter().map(|inbound| refer(&task.id, inbound)));
            // A packet names a few; there can be a thousand.
            for on in task.dependencies.keys().rev() {
                if references.len() >= REFERENCES_MAX {
                    break;
                }
                let submission = self.task(on)?.run.submission;
                references.extend(submission.map(|submission| refer(on, &submission.document)));
            }
        }
        references.reverse();
        Ok(references)
    }

    /// Returns the context that was given with a turn, as it was, or none if that turn had none.
    pub fn context_of_turn(&self, id: &TaskId, turn: &str) -> Result<Option<Value>, DeskError> {
        let task = self.task(id)?;
        let name = format!("context-{turn}");
        let Some((_, artifact)) = task.artifacts.iter().find(|(known, _)| known.as_str() == name) else {
            return Ok(None);
        };
        let bytes = self.document(&artifact.blob)?.unwrap_or_default();
        Ok(serde_json::from_slice(&bytes).ok())
    }
}

/// How much of a packet whoever takes the turn is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Given {
    Whole,
    /// What is new, and the guidance: its session knows the rest.
    News,
}

impl Given {
    fn name(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::News => "news",
        }
    }
}

/// Writes a packet as the artifact that is kept with its turn.
pub(super) fn envelope(
    task: &Task,
    role: Role,
    (packet, given): (&Packet, Given),
    at: i64,
) -> Result<Paper, DeskError> {
    let fragments: Vec<Value> = packet.kept.iter().map(describe).collect();
    let of_fragments: BTreeSet<String> = packet
        .kept
        .iter()
        .flat_map(|fragment| &fragment.sources)
        .map(|source| format!("{}/{}", source.task, source.handoff))
        .collect();
    let own = [order_of(&task.id), format!("guidance-{}", task.turns_count + 1)];
    let sources: Vec<String> = own.into_iter().chain(of_fragments).collect();
    Paper::artifact(
        "context-envelope",
        &format!("context-{}", task.next_turn_id()),
        (&task.id, "orchestrator", at),
        &sources,
        json!({
            "audience_role": role.name(),
            "given": given.name(),
            "budget": {
                "tokens": packet.budget_tokens,
                "used": packet.tokens,
                "vocabulary": VOCABULARY,
                "over": packet.over_budget,
            },
            "text": packet.text,
            "sha256": packet.hash,
            "fragments": fragments,
            "left_out": left_out(packet),
            "stripped_characters": packet.stripped_characters,
        }),
    )
}

/// Returns what the project and the role demand, as it is kept with a turn.
pub(super) fn demands(envelope: &Value) -> Vec<String> {
    let fragments = envelope["fragments"].as_array().into_iter().flatten();
    let demands = fragments.filter(|fragment| fragment["kind"] == Kind::Guidance.name());
    demands.filter_map(|fragment| fragment["text"].as_str()).map(str::to_owned).collect()
}

/// Returns how much of each kind a packet leaves out, by the names of the kinds.
pub fn left_out(packet: &Packet) -> Value {
    let counts = packet.left_out.iter().map(|(kind, count)| (kind.name().to_owned(), json!(count)));
    Value::Object(counts.collect())
}

/// Returns a fragment with everything that is known of it.
pub fn describe(fragment: &Fragment) -> Value {
    let sources: Vec<Value> = fragment
        .sources
        .iter()
        .map(|source| {
            json!({
                "task": source.task.as_str(),
                "turn": source.turn.as_str(),
                "stage": source.stage.as_str(),
                "agent": source.agent.as_str(),
                "handoff": source.handoff.as_str(),
                "sequence": source.sequence,
            })
        })
        .collect();
    let score = fragment.score;
    json!({
        "kind": fragment.kind.name(),
        "text": fragment.text,
        "place": fragment.place,
        "id": fragment.id.as_ref().map(|id| id.as_str()),
        "standing": fragment.standing.map(|standing| standing.name()),
        "sources": sources,
        "tokens": fragment.tokens,
        "fate": fragment.fate.name(),
        "score": {
            "total": score.total(),
            "relevance": score.relevance,
            "weight": score.weight,
            "recency": score.recency,
            "support": score.support,
            "returned": score.returned,
        },
    })
}

/// Returns the turn that a packet is for: the one that is being taken, or the next.
fn turn_of(task: &Task) -> TurnId {
    task.turn.as_ref().map_or_else(|| task.next_turn_id(), |turn| turn.id.clone())
}

fn clarifications(task: &Task) -> Vec<Clarified> {
    let all = task.clarifications.iter();
    all.map(|(id, clarification)| Clarified {
        id: id.clone(),
        question: clarification.question.clone(),
        answer: clarification.answer.as_ref().map(|(answer, _)| answer.clone()),
    })
    .collect()
}
