//! What can be asked of the engine. A command carries everything that the decision needs.

use std::collections::{BTreeMap, BTreeSet};

use crate::envelope::{Actor, ActorKind};
use crate::fact::{
    Account, AgentProgram, Ancestor, AnswerSource, BlockReason, Disposition, Document, End, Ending,
    GateChoice, Guidance, LeaseToken, Performer, Reason, Receipt, Report, Resolution, Shown, Submission,
    Understanding, Waivable,
};
use crate::state::Project;
use crate::word::{
    AgentName, ArtifactId, BlobId, ClarificationId, CriterionId, DelegationId, GateName, LessonId, SessionId,
    TaskId, TreeHash, TurnId, WorkflowName,
};
use crate::workflow::{GateWeight, Role, Workflow};

/// Somebody wants something done.
#[derive(Clone, Debug)]
pub struct Command {
    /// Milliseconds since 1970 in UTC.
    pub at: i64,
    pub actor: Actor,
    /// The same key twice is the same command twice; the store keeps it.
    pub key: Option<String>,
    pub act: Act,
}

/// What lies outside the stream that a command is for.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// Folded from the project's stream.
    pub project: Project,
    /// The project's stream holds events of a newer Baton.
    pub project_is_newer: bool,
    /// Every other task that matters here, and how it ended if it did.
    pub standings: BTreeMap<TaskId, Standing>,
}

/// How another task stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    pub end: Option<End>,
    /// What it has spent, for the parent that pays.
    pub spent_tokens: u64,
    /// The document that it ended with.
    pub result: Option<Document>,
}

macro_rules! acts {
    ($($(#[$doc:meta])* $name:ident $word:literal [$($who:ident)*] $body:tt,)*) => {
        /// The list of all commands. The first comment of each is its line in the reference.
        #[derive(Clone, Debug)]
        pub enum Act {
            $($(#[$doc])* $name $body,)*
        }

        /// A command without what it carries.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum ActKind {
            $($name,)*
        }

        impl Act {
            pub fn kind(&self) -> ActKind {
                match self {
                    $(Self::$name { .. } => ActKind::$name,)*
                }
            }
        }

        impl ActKind {
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)*
                }
            }

            /// Returns who may ask for this.
            pub fn allowed(self) -> &'static [ActorKind] {
                match self {
                    $(Self::$name => &[$(ActorKind::$who,)*],)*
                }
            }
        }
    };
}

acts! {
    /// Puts new guidance in force.
    AdoptCovenant "adopt_covenant" [Person Orchestrator] { version: u32, policy_hash: BlobId },
    /// Defines a workflow of the project's own.
    DefineWorkflow "define_workflow" [Person Orchestrator] { workflow: Workflow },
    /// Draws an edge of the completion graph.
    DeclareDependency "declare_dependency" [Person Orchestrator] { task: TaskId, on: TaskId },
    /// Starts nothing more in the whole project.
    Pause "pause" [Person] { reason: String },
    Resume "resume" [Person] {},
    /// Stands for a lesson, in exactly these words.
    ApproveLesson "approve_lesson" [Person] {
        lesson: LessonId,
        text: String,
        detail: Option<String>,
        words: String,
    },
    /// Takes a lesson back, or settles a question or a blocker.
    RetireLesson "retire_lesson" [Person] { lesson: LessonId, words: String },
    AddTask "add_task" [Person Orchestrator] {
        task: TaskId,
        title: String,
        /// What was ordered, as it was written. The first thing that a decision can refer to.
        document: Document,
        workflow: WorkflowName,
        criteria: BTreeSet<CriterionId>,
        depends_on: BTreeSet<TaskId>,
        /// The chain of delegations that led here; empty for a task of its own.
        lineage: Vec<Ancestor>,
        /// Who works on the first stage instead of the agent that the workflow names.
        assignee: Option<AgentName>,
        /// For a delegated task, what its parent set aside.
        budget_tokens: Option<u64>,
    },
    Depend "depend" [Person Orchestrator] { on: TaskId },
    ReleaseDependency "release_dependency" [Orchestrator] { on: TaskId },
    /// Gives a turn to an agent, with guidance and a lease.
    StartTurn "start_turn" [Orchestrator] {
        role: Role,
        agent: AgentName,
        session: SessionId,
        performer: Performer,
        guidance: Guidance,
        /// The verification request, when the role is the verifier's.
        request: Option<Document>,
        /// Whoever takes it works in the task's own workspace, as programs always do.
        apart: bool,
    },
    RecordSnapshot "record_snapshot" [Host] { turn: TurnId, reference: String, tree: TreeHash },
    /// Claims the one launch that a turn has, before the process is started.
    Launch "launch" [Host] { lease: LeaseToken, program: Option<AgentProgram> },
    Renew "renew" [Host] { lease: LeaseToken },
    /// Keeps the exact words that the holder of a turn was given.
    RecordPrompt "record_prompt" [Host] { lease: LeaseToken, document: Document },
    /// Says that a turn is over and left no handoff.
    EndTurn "end_turn" [Host] {
        lease: LeaseToken,
        ending: Ending,
        spent_tokens: Option<u64>,
        /// The handoff that the host made in place of the missing one.
        document: Option<Document>,
        /// In which way its program ended, as a code, where there was one.
        how: Option<String>,
        account: Option<Account>,
        /// What the host saw of it, in words.
        why: Option<String>,
    },
    /// Ends a turn whose lease has run out.
    Expire "expire" [Orchestrator] {},
    Acknowledge "acknowledge" [Agent Person] {
        lease: LeaseToken,
        document: Document,
        handoff: Document,
        understanding: Understanding,
        blockers: Vec<String>,
        /// Artifacts of the handoff that the host could not find.
        missing: Vec<String>,
    },
    HandInPlan "hand_in_plan" [Agent Person] { lease: LeaseToken, document: Document },
    /// Hands over at the end of a turn.
    Submit "submit" [Agent Person] { lease: LeaseToken, submission: Submission },
    Ask "ask" [Agent Person] {
        lease: LeaseToken,
        clarification: ClarificationId,
        document: Document,
        question: String,
        options: Vec<String>,
    },
    Answer "answer" [Person Orchestrator] {
        clarification: ClarificationId,
        document: Document,
        answer: String,
        source: AnswerSource,
        /// The place in the covenant that settles it, when no person does.
        covenant_place: Option<String>,
    },
    /// Says what the workspace looks like now, and how the checks are defined.
    ObserveTree "observe_tree" [Host] { tree: TreeHash, definition: Option<BlobId> },
    RecordReceipt "record_receipt" [Host] { receipt: Receipt },
    RecordVerdict "record_verdict" [Agent Person] { lease: LeaseToken, report: Report },
    AskGate "ask_gate" [Orchestrator Agent] {
        gate: GateName,
        weight: GateWeight,
        items: Vec<String>,
        shown: Shown,
        document: Document,
        /// Needed when an agent asks in the middle of its turn.
        lease: Option<LeaseToken>,
    },
    AnswerGate "answer_gate" [Person] { gate: GateName, choice: GateChoice, shown: Shown, words: String },
    Delegate "delegate" [Agent Person] {
        lease: LeaseToken,
        delegation: DelegationId,
        to: AgentName,
        child: TaskId,
        workflow: WorkflowName,
        deliverable: String,
        document: Document,
        budget_tokens: u64,
    },
    Return "return" [Orchestrator] { delegation: DelegationId, document: Document },
    /// Hands the task to a person instead of going on.
    Escalate "escalate" [Agent Person] {
        lease: Option<LeaseToken>,
        document: Document,
        reason: BlockReason,
        details: String,
    },
    Resolve "resolve" [Person] { resolution: Resolution, words: String },
    Decide "decide" [Orchestrator] {
        document: Document,
        disposition: Disposition,
        reason: Reason,
        refs: Vec<ArtifactId>,
    },
    Waive "waive" [Person] { what: Waivable, reason: String, until: i64 },
    RecordRollback "record_rollback" [Host] { applied: bool, rescue: Option<String>, remediation: Vec<String> },
    /// Records what became of accepted work at its target, and what checks showed of both together where others were there first.
    RecordMerge "record_merge" [Host] {
        tree: TreeHash,
        merged: bool,
        details: String,
        receipt: Option<Receipt>,
    },
    /// Settles what a turn has cost.
    Spend "spend" [Host] { turn: TurnId, tokens: u64, account: Option<Account> },
    RecordNotice "record_notice" [Host] { notice: u64 },
    Cancel "cancel" [Person] { reason: String },
}

impl ActKind {
    /// Says whether the command is for the project's stream.
    pub fn is_for_project(self) -> bool {
        matches!(
            self,
            Self::AdoptCovenant
                | Self::DefineWorkflow
                | Self::DeclareDependency
                | Self::Pause
                | Self::Resume
                | Self::ApproveLesson
                | Self::RetireLesson
        )
    }
}
