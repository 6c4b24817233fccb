//! What commands bring and events keep: documents, receipts, reports, and the words for why something is so.

mod receipt;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::verdict::Verdict;
use crate::word::{
    AgentName, ArtifactId, BlobId, CheckpointName, ClarificationId, CriterionId, DelegationId, SessionId,
    TaskId, TreeHash, TurnId,
};
use crate::workflow::{FailurePolicy, GateRule};

pub use receipt::{CheckResult, Receipt};

/// A closed list of words, with the name each has in the log.
macro_rules! closed {
    ($($(#[$doc:meta])* $list:ident { $($(#[$note:meta])* $member:ident $name:literal,)* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum $list {
            $($(#[$note])* #[serde(rename = $name)] $member,)*
        }

        impl $list {
            pub const ALL: &[Self] = &[$(Self::$member,)*];

            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$member => $name,)*
                }
            }
        }
    )*};
}
pub(crate) use closed;

closed! {
    /// The eight artifacts of the turn lifecycle, and what the host adds.
    ArtifactKind {
        TaskOrder "task_order",
        GuidancePacket "guidance_packet",
        BuildPlan "build_plan",
        BuildArtifact "build_artifact",
        VerificationRequest "verification_request",
        VerificationReport "verification_report",
        ClarificationRequest "clarification_request",
        ClarificationResponse "clarification_response",
        OrchestratorDecision "orchestrator_decision",
        ChecklistReceipt "checklist_receipt",
        Acknowledgment "acknowledgment",
        GateRequest "gate_request",
        DelegationRequest "delegation_request",
        DelegationResult "delegation_result",
        Escalation "escalation",
        ContextEnvelope "context_envelope",
        /// What the host measured of the work that was handed over.
        Measured "measured",
        FailureHandoff "failure_handoff",
        Prompt "prompt",
        CheckOutput "check_output",
        TurnOutput "turn_output",
    }

    /// How work stands, as its agent says.
    Outcome {
        Completed "completed",
        Partial "partial",
        Failed "failed",
        Blocked "blocked",
    }

    /// Why an agent cannot go on and trying again would not help.
    BlockReason {
        NeedsHumanInput "needs_human_input",
        ExternalDependency "external_dependency",
        ScopeChange "scope_change",
    }

    /// By what a program was kept from writing what it may not.
    ConfinedBy {
        Bubblewrap "bubblewrap",
        Landlock "landlock",
        /// It was to be confined, and nothing here could do it.
        Unenforced "unenforced",
        /// Nobody asked for it.
        Unconfined "unconfined",
    }

    /// How a turn ended when no handoff came of it.
    Ending {
        Crash "crash",
        Timeout "timeout",
        /// The provider's limit; burns no attempt.
        Limit "limit",
        /// The way to the provider; burns no attempt.
        Network "network",
        NoHandoff "no_handoff",
        /// It brought a handoff that was not taken.
        HandoffRefused "handoff_refused",
        /// It was asked for its plan and brought none that could be taken.
        PlanRefused "plan_refused",
        /// A person stopped the run, or cancelled the task; burns no attempt.
        Stopped "stopped",
        LeaseExpired "lease_expired",
        /// It left a question for a person, and goes on when that is answered; burns no attempt.
        Asked "asked",
        /// It gave part of its work to another agent, and resumes with the result; burns no attempt.
        Delegated "delegated",
        /// The provider does not let the account in. Trying again would not help, so a person is asked.
        AccessRefused "access_refused",
        /// It was stopped because it cost more than it may.
        Budget "budget",
    }

    Disposition {
        Accept "accept",
        Rework "rework",
        Rollback "rollback",
        Escalate "escalate",
    }

    /// Why a decision was taken.
    Reason {
        AllCriteriaPass "all_criteria_pass",
        StageChecksPass "stage_checks_pass",
        SelfChecked "self_checked",
        AcceptedWithWaiver "accepted_with_waiver",
        ChecksFailed "checks_failed",
        ClaimContradicted "claim_contradicted",
        CriteriaFailed "criteria_failed",
        InsufficientEvidence "insufficient_evidence",
        CheckUnavailable "check_unavailable",
        FailedBefore "failed_before",
        HandoffInvalid "handoff_invalid",
        PlanInvalid "plan_invalid",
        WorkIncomplete "work_incomplete",
        TurnLost "turn_lost",
        ProviderFault "provider_fault",
        TurnStopped "turn_stopped",
        GateRejected "gate_rejected",
        GateQuestioned "gate_questioned",
        MergeConflict "merge_conflict",
        Safety "safety",
        Regression "regression",
        ClarificationUnresolved "clarification_unresolved",
        ClarificationExhausted "clarification_exhausted",
        ClarificationAnswered "clarification_answered",
        DelegationReturned "delegation_returned",
        AccessRefused "access_refused",
        PolicyConflict "policy_conflict",
        RetriesExhausted "retries_exhausted",
        NoProgress "no_progress",
        BudgetExhausted "budget_exhausted",
        VerificationExhausted "verification_exhausted",
        ProviderUnavailable "provider_unavailable",
        RollbackUnavailable "rollback_unavailable",
        RollbackFailed "rollback_failed",
        NeedsHumanInput "needs_human_input",
        ExternalDependency "external_dependency",
        ScopeChange "scope_change",
    }

    /// Why a check says nothing of the work, so that no agent can mend it.
    Hindrance {
        /// Its program is not there, or cannot be run.
        NotStarted "not_started",
        /// No command is named for it that a person trusts.
        NotNamed "not_named",
        /// It did not end in time.
        TimedOut "timed_out",
        /// It failed in the same way before anybody worked on the task.
        FailedBefore "failed_before",
    }

    /// Something the host saw that makes going on unsafe.
    Danger {
        Safety "safety",
        Regression "regression",
    }

    Understanding {
        Understood "understood",
        Partial "partial",
        RequestClarification "request_clarification",
    }

    GateChoice {
        Approve "approve",
        Reject "reject",
        Question "question",
    }

    /// What a person makes of an escalated task.
    Resolution {
        Again "again",
        Rollback "rollback",
        RolledBackByHand "rolled_back_by_hand",
        Fail "fail",
    }

    /// How a task ends.
    End {
        Done "done",
        DoneUnverified "done_unverified",
        Failed "failed",
        RolledBack "rolled_back",
        Cancelled "cancelled",
    }

    /// What the judgement of a claim came to. A claim that holds is not recorded.
    ClaimVerdict {
        NotCheckable "not_checkable",
        Unsupported "unsupported",
        Contradicted "contradicted",
    }

    /// Whether a decision uses up an attempt.
    Charge {
        Attempt "attempt",
        Nothing "nothing",
    }

    /// Whether the next turn goes on in the session of the last.
    SessionMode {
        Same "same",
        Fresh "fresh",
    }

    /// Who does a turn. A program is one that Baton itself starts. A guest is an agent that a person started; guests and
    /// people are given time, but no tokens, for nobody here counts theirs.
    Performer {
        Program "program",
        Person "person",
        Guest "guest",
    }

    /// Where the answer to a clarification comes from.
    AnswerSource {
        Person "person",
        Covenant "covenant",
    }
}

impl Ending {
    /// Says whether the provider, not the agent, is to blame.
    pub fn is_provider_fault(self) -> bool {
        matches!(self, Self::Limit | Self::Network)
    }
}

impl End {
    /// Says whether tasks that depend on this one can go on.
    pub fn releases(self) -> bool {
        matches!(self, Self::Done | Self::DoneUnverified)
    }
}

/// A document that the store keeps: its id, and the bytes it had.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    pub id: ArtifactId,
    pub blob: BlobId,
}

/// What an agent shows to prove that it is its turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeaseToken {
    pub turn: TurnId,
    pub epoch: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    pub reason: BlockReason,
    pub details: String,
}

/// A claim of a handoff that the facts don't support, with the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The code of the rule, such as `BT1001`; empty where no rule applies.
    pub code: String,
    /// What sort of claim it is, such as `file-created`.
    pub claim_kind: String,
    pub verdict: ClaimVerdict,
    /// The claim in the words of the handoff.
    pub claim: String,
    /// The line of the document, counted from 1.
    pub line: u32,
    pub reason: String,
    /// The evidence that decided, where it is kept or what it shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// What makes the claim true, as one imperative sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
}

impl Finding {
    pub fn is_contradicted(&self) -> bool {
        self.verdict == ClaimVerdict::Contradicted
    }

    /// Says the finding to whoever made the claim, in the words of the claim.
    pub fn told(&self) -> String {
        let evidence = self.evidence.as_ref().map(|evidence| format!(" ({evidence})")).unwrap_or_default();
        format!("`{}` in line {}: {}{evidence}", self.claim, self.line, self.reason)
    }

    /// Says the finding in Baton's own words: the code, the kind and place of the claim, and what was found.
    pub fn statement(&self) -> String {
        let code = if self.code.is_empty() { String::new() } else { format!("{}: ", self.code) };
        let evidence = self.evidence.as_ref().map(|evidence| format!(" ({evidence})")).unwrap_or_default();
        format!("{code}{} in line {}: {}{evidence}", self.claim_kind, self.line, self.reason)
    }
}

/// What a handoff asks a person before its work can be accepted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    pub id: ClarificationId,
    pub question: String,
    pub options: Vec<String>,
}

/// A handoff at the end of a turn: what the document says, what reading it found, the tree the host measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Submission {
    pub document: Document,
    pub outcome: Outcome,
    /// What the rules found wrong with the document, in words.
    pub problems: Vec<String>,
    /// What the agent says of the checkpoints.
    pub claims: BTreeMap<CheckpointName, Verdict>,
    pub block: Option<Block>,
    /// The work waits until it is answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<Box<Question>>,
    /// A gate that the handoff itself asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<Box<GateRule>>,
    pub on_failure: Option<FailurePolicy>,
    pub tree: TreeHash,
    /// The files that the document names, as the host found them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<Document>,
    /// What the files before and after the turn show about its claims.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CriterionVerdict {
    pub criterion: CriterionId,
    pub verdict: Verdict,
    pub evidence: Vec<ArtifactId>,
    /// What the verifier saw, in its own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A verifier's judgement, with the trees the host measured around it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    pub document: Document,
    pub criteria: Vec<CriterionVerdict>,
    pub doubts: Vec<String>,
    pub tree_before: TreeHash,
    pub tree_after: TreeHash,
    /// The files are the same, and somebody has written them in between.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub put_back: bool,
    /// What kept the verifier from writing; nothing where a person judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confined_by: Option<ConfinedBy>,
}

/// The program that takes a turn, as the host knows it when it starts it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentProgram {
    pub driver: String,
    /// The model that the project asks for, where it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// It tells what a turn has cost. Whoever does not costs nothing here.
    pub counts_tokens: bool,
}

/// What the host has to show of a program's turn when it is over.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// The model, as the agent itself names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What the program printed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Document>,
    /// What the turn has cost in millionths of a dollar, as the agent says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_microdollars: Option<u64>,
    /// What the turn has used, as the agent counts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<TokenUsage>,
}

/// The tokens of a turn, apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenUsage {
    /// With what came from a cache.
    pub input_tokens: u64,
    pub cached_tokens: u64,
    pub output_tokens: u64,
}

/// Says whether nobody counted what a turn is charged with: it is all that was set aside, and its agent told no usage.
pub fn is_uncounted(tokens: u64, reserved_tokens: u64, account: Option<&Account>) -> bool {
    tokens > 0 && tokens == reserved_tokens && account.is_none_or(|account| account.usage.is_none())
}

/// What exactly a person was shown at a gate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    pub tree: TreeHash,
    pub handoff: BlobId,
}

/// The guidance that goes with a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guidance {
    pub document: Document,
    pub covenant_version: u32,
    pub policy_hash: BlobId,
    /// What whoever takes the turn was told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Document>,
}

/// Who does the next turn, and how.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NextTurn {
    pub agent: AgentName,
    pub session: SessionMode,
}

/// A task above this one in a chain of delegations, and the agent that delegated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ancestor {
    pub task: TaskId,
    pub agent: AgentName,
    pub delegation: DelegationId,
}

/// What a waiver lets pass.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Waivable {
    Checkpoint(CheckpointName),
    Criterion(CriterionId),
    Dependency(TaskId),
    /// What the host saw in a tree, exactly these things in exactly these files.
    Violations {
        tree: TreeHash,
        seen: Vec<String>,
    },
}

/// Whose turn and session; two of these differ when nothing connects them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Worker {
    pub agent: AgentName,
    pub session: SessionId,
}
