//! What has happened. Events are added and never changed; a kind from a newer Baton is kept as it is.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::command::Command;
use crate::envelope::{Actor, Fresh, Recorded};
use crate::fact::{
    Account, AgentProgram, Ancestor, AnswerSource, BlockReason, Charge, Disposition, Document, End, Ending,
    GateChoice, Guidance, NextTurn, Performer, Reason, Receipt, Report, Resolution, Shown, Submission,
    Understanding, Waivable,
};
use crate::feedback::Feedback;
use crate::progress::Fingerprint;
use crate::word::{
    AgentName, ArtifactId, AttemptNumber, BlobId, ClarificationId, CriterionId, DelegationId, GateName,
    LessonId, SessionId, StageName, TaskId, TreeHash, TurnId,
};
use crate::workflow::{GateWeight, Role, Workflow};

macro_rules! events {
    ($($(#[$doc:meta])* $name:ident $kind:literal $schema:literal $body:tt,)*) => {
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(tag = "kind")]
        pub enum Event {
            $($(#[$doc])* #[serde(rename = $kind)] $name $body,)*
            /// Something that only a newer Baton understands, or whose body does not fit its kind.
            #[serde(skip)]
            Unknown { kind: String, schema: u32, body: Vec<u8> },
        }

        /// Every kind that this Baton knows, with its newest schema.
        pub const KINDS: &[(&str, u32)] = &[$(($kind, $schema),)*];

        impl Event {
            pub fn kind(&self) -> &str {
                match self {
                    $(Self::$name { .. } => $kind,)*
                    Self::Unknown { kind, .. } => kind,
                }
            }

            pub fn schema(&self) -> u32 {
                match self {
                    $(Self::$name { .. } => $schema,)*
                    Self::Unknown { schema, .. } => *schema,
                }
            }
        }
    };
}

events! {
    CovenantAdopted "covenant_adopted" 1 { version: u32, policy_hash: BlobId },
    WorkflowDefined "workflow_defined" 1 { workflow: Workflow },
    DependencyDeclared "dependency_declared" 1 { task: TaskId, on: TaskId },
    Paused "paused" 1 { reason: String },
    Resumed "resumed" 1 {},
    LessonApproved "lesson_approved" 1 {
        lesson: LessonId,
        text: String,
        detail: Option<String>,
        words: String,
    },
    LessonRetired "lesson_retired" 1 { lesson: LessonId, words: String },
    TaskAdded "task_added" 1 {
        task: TaskId,
        title: String,
        document: Document,
        workflow: Workflow,
        criteria: BTreeSet<CriterionId>,
        depends_on: BTreeSet<TaskId>,
        lineage: Vec<Ancestor>,
        budget_tokens: u64,
    },
    DependencyAdded "dependency_added" 1 { on: TaskId },
    DependencyReleased "dependency_released" 1 { on: TaskId, end: End },
    DependencyFailed "dependency_failed" 1 { on: TaskId, end: End },
    GuidanceIssued "guidance_issued" 1 { turn: TurnId, guidance: Guidance },
    TurnStarted "turn_started" 1 {
        turn: TurnId,
        stage: StageName,
        role: Role,
        agent: AgentName,
        session: SessionId,
        performer: Performer,
        attempt: AttemptNumber,
        epoch: u64,
        expires_at: i64,
        reserved_tokens: u64,
        request: Option<Document>,
        /// A person takes it in the task's own workspace.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        apart: bool,
    },
    SnapshotTaken "snapshot_taken" 1 { turn: TurnId, reference: String, tree: TreeHash },
    TurnLaunched "turn_launched" 1 {
        turn: TurnId,
        epoch: u64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        program: Option<AgentProgram>,
    },
    LeaseRenewed "lease_renewed" 1 { turn: TurnId, expires_at: i64 },
    TurnEnded "turn_ended" 1 {
        turn: TurnId,
        ending: Ending,
        spent_tokens: u64,
        /// The handoff that the host made in place of the missing one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        document: Option<Document>,
        /// In which way the program ended, as a code; nothing in logs of before and where there was no program.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        how: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        account: Option<Account>,
        /// What the host saw of it, in words; nothing in logs of before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        why: Option<String>,
    },
    /// The exact words that the holder of a turn was given: once, and again where its session turned out to be lost.
    PromptRecorded "prompt_recorded" 1 { turn: TurnId, document: Document },
    HandoffAcknowledged "handoff_acknowledged" 1 {
        turn: TurnId,
        document: Document,
        handoff: Document,
        understanding: Understanding,
        blockers: Vec<String>,
    },
    PlanReceived "plan_received" 1 { turn: TurnId, document: Document },
    HandoffReceived "handoff_received" 1 { turn: TurnId, attempt: AttemptNumber, submission: Submission },
    ClarificationAsked "clarification_asked" 1 {
        turn: TurnId,
        clarification: ClarificationId,
        document: Document,
        question: String,
        options: Vec<String>,
    },
    ClarificationAnswered "clarification_answered" 1 {
        clarification: ClarificationId,
        document: Document,
        answer: String,
        source: AnswerSource,
        covenant_place: Option<String>,
        expires_at: i64,
    },
    TreeObserved "tree_observed" 1 {
        tree: TreeHash,
        /// How the checks are defined now, where that is not as the receipt says.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        definition: Option<BlobId>,
    },
    ReceiptRecorded "receipt_recorded" 1 { receipt: Receipt },
    VerdictReported "verdict_reported" 1 { turn: TurnId, report: Report },
    /// A report that counts for nothing, and why.
    VerdictVoided "verdict_voided" 1 { turn: TurnId, report: Report, why: String },
    GateAsked "gate_asked" 1 {
        gate: GateName,
        weight: GateWeight,
        items: Vec<String>,
        shown: Shown,
        document: Document,
        turn: Option<TurnId>,
    },
    GateAnswered "gate_answered" 1 {
        gate: GateName,
        choice: GateChoice,
        shown: Shown,
        words: String,
        expires_at: i64,
    },
    Delegated "delegated" 1 {
        turn: TurnId,
        delegation: DelegationId,
        to: AgentName,
        child: TaskId,
        workflow: Workflow,
        deliverable: String,
        document: Document,
        budget_tokens: u64,
    },
    DelegationReturned "delegation_returned" 1 {
        delegation: DelegationId,
        document: Document,
        end: End,
        spent_tokens: u64,
        expires_at: i64,
    },
    EscalationRaised "escalation_raised" 1 {
        turn: Option<TurnId>,
        document: Document,
        reason: Reason,
        details: String,
    },
    EscalationResolved "escalation_resolved" 1 { resolution: Resolution, words: String },
    DecisionMade "decision_made" 1 {
        document: Document,
        disposition: Disposition,
        reason: Reason,
        refs: Vec<ArtifactId>,
        charge: Charge,
        next: Option<NextTurn>,
        feedback: Option<Feedback>,
        fingerprint: Option<Fingerprint>,
        waived: Vec<Waivable>,
        notify: Option<AgentName>,
    },
    StageAdvanced "stage_advanced" 1 { from: StageName, to: StageName, handoff: Document },
    Waived "waived" 1 { what: Waivable, reason: String, until: i64 },
    RollbackRecorded "rollback_recorded" 1 {
        applied: bool,
        rescue: Option<String>,
        remediation: Vec<String>,
    },
    MergeRecorded "merge_recorded" 1 {
        tree: TreeHash,
        merged: bool,
        details: String,
        /// What checks showed of the accepted files together with those of others.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        receipt: Option<Receipt>,
    },
    Spent "spent" 1 {
        turn: TurnId,
        tokens: u64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        account: Option<Account>,
    },
    NoticeSent "notice_sent" 1 { notice: u64 },
    CancelRequested "cancel_requested" 1 { reason: String },
    TaskEnded "task_ended" 1 { end: End },
    /// A command that was refused and must be remembered, because of who asked for what. The same refusal to the same caller
    /// is recorded once, with how often it came again once the turn is over.
    CommandRefused "command_refused" 1 {
        command: String,
        refusal: String,
        details: String,
        /// How often it came again after it was recorded; nothing where this is the first.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        repeats: Option<u64>,
    },
}

/// An event with what the log keeps around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub version: u64,
    pub at: i64,
    pub actor: Actor,
    pub event: Event,
}

impl Entry {
    pub fn read(recorded: &Recorded) -> Self {
        Self {
            version: recorded.version,
            at: recorded.at,
            actor: recorded.actor.clone(),
            event: Event::read(&recorded.kind, recorded.schema, &recorded.body),
        }
    }
}

impl Event {
    /// Reads an event of any schema. It never fails: what does not fit is `Unknown`, and is kept as it is.
    pub fn read(kind: &str, schema: u32, body: &[u8]) -> Self {
        let newest = KINDS.iter().find(|(known, _)| *known == kind).map(|(_, newest)| *newest);
        let value = match newest {
            Some(newest) if schema == newest => serde_json::from_slice(body).ok(),
            Some(newest) if schema < newest => {
                serde_json::from_slice(body).ok().map(|value| upcast(kind, schema, value))
            }
            Some(_) | None => None,
        };
        let known = value.and_then(|value: serde_json::Value| serde_json::from_value(value).ok());
        known.unwrap_or_else(|| Self::Unknown { kind: kind.to_owned(), schema, body: body.to_vec() })
    }

    /// Writes the body: JSON with its keys in order and no blanks.
    pub fn body(&self) -> Vec<u8> {
        match self {
            Self::Unknown { body, .. } => body.clone(),
            known => {
                let value = serde_json::to_value(known).unwrap_or_default();
                serde_json::to_vec(&value).unwrap_or_default()
            }
        }
    }

    /// Returns the events of a command as the log takes them. Only the first carries the key, so that it stays unique.
    pub fn seal(events: &[Self], command: &Command) -> Vec<Fresh> {
        let fresh = |(index, event): (usize, &Self)| Fresh {
            key: command.key.clone().filter(|_| index == 0),
            ..event.sealed(command.at, &command.actor)
        };
        events.iter().enumerate().map(fresh).collect()
    }

    /// Returns the event as the log takes it, by itself.
    pub fn sealed(&self, at: i64, actor: &Actor) -> Fresh {
        let (kind, schema) = (self.kind().to_owned(), self.schema());
        Fresh { at, actor: actor.clone(), kind, schema, body: self.body(), key: None }
    }

    /// Records that somebody asked for what is not theirs to ask for.
    pub fn refused(command: &str, refusal: &str, details: &str) -> Self {
        Self::CommandRefused {
            command: command.to_owned(),
            refusal: refusal.to_owned(),
            details: details.to_owned(),
            repeats: None,
        }
    }

    /// Returns the reason code under which a block escalates.
    pub fn block_reason(reason: BlockReason) -> Reason {
        match reason {
            BlockReason::NeedsHumanInput => Reason::NeedsHumanInput,
            BlockReason::ExternalDependency => Reason::ExternalDependency,
            BlockReason::ScopeChange => Reason::ScopeChange,
        }
    }
}

/// Brings the body of an older schema to the next ones, step by step. All kinds still have their first schema.
fn upcast(_kind: &str, _schema: u32, body: serde_json::Value) -> serde_json::Value {
    body
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let event = Event::Paused { reason: "lunch".to_owned() };
        assert_eq!(event.body(), br#"{"kind":"paused","reason":"lunch"}"#);
        assert_eq!(Event::read("paused", 1, &event.body()), event);
    }

    #[test]
    fn what_is_newer_is_kept_as_it_is() {
        let body = br#"{ "kind": "teleported" }"#;
        for (kind, schema) in [("teleported", 1), ("paused", 2), ("paused", 1)] {
            let event = Event::read(kind, schema, body);
            assert!(matches!(event, Event::Unknown { .. }), "{kind} {schema}");
            assert_eq!(event.body(), body);
            assert_eq!((event.kind(), event.schema()), (kind, schema));
        }
    }

    #[test]
    fn kinds_are_listed_once() {
        let names: BTreeSet<_> = KINDS.iter().map(|(kind, _)| kind).collect();
        assert_eq!(names.len(), KINDS.len());
    }
}
