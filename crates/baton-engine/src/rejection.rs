//! Why a command was refused. Agents obey these texts: they say what happened, why, and what to do next.

use std::fmt;

use crate::envelope::{Actor, ActorKind};

macro_rules! refusals {
    ($($name:ident $word:literal: $happened:literal, $why:literal, $next:literal;)*) => {
        /// A reason to refuse, with a name that never changes its meaning.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Refusal {
            $($name,)*
        }

        impl Refusal {
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)*
                }
            }

            pub fn happened(self) -> &'static str {
                match self {
                    $(Self::$name => $happened,)*
                }
            }

            pub fn why(self) -> &'static str {
                match self {
                    $(Self::$name => $why,)*
                }
            }

            pub fn next(self) -> &'static str {
                match self {
                    $(Self::$name => $next,)*
                }
            }
        }
    };
}

refusals! {
    NewerLog "newer_log": "The log holds events of a newer Baton", "What they mean is not known here", "Use the Baton that wrote them";
    NotAllowed "not_allowed": "This is not yours to do", "Each command belongs to a person, an agent, the host or the orchestrator", "Hand over what you have; whoever is allowed to will act";
    NoTask "no_task": "There is no such task", "Nothing was recorded under this id", "`baton status` lists the tasks, `baton task add` adds one";
    TaskExists "task_exists": "The task is there already", "An id is given once", "Choose another id";
    NotNow "not_now": "The task is not in a state for this", "Something else has to come first", "`baton why TASK` says how the task stands, and what comes next";
    UnknownWorkflow "unknown_workflow": "There is no such workflow", "Neither the project nor Baton defines it", "Name one that `baton workflow list` shows";
    BadWorkflow "bad_workflow": "The workflow breaks a bound", "Every limit has a ceiling", "Mend what is named";
    Cycle "cycle": "The tasks would wait for each other", "A completion graph has no cycles", "Leave out one of the dependencies on this path";
    UnknownDependency "unknown_dependency": "The task that is depended on does not exist", "Nothing could ever release it", "Add that task first";
    UndeclaredDependency "undeclared_dependency": "The dependency is not in the project's graph", "The graph is where cycles are refused", "Declare the dependency first";
    DependencyOpen "dependency_open": "The other task has not ended", "Only a finished task releases another", "Wait for it";
    Paused "paused": "The project is paused", "A person paused everything", "Wait until a person resumes";
    ClarificationOpen "clarification_open": "A question is still open", "Nobody may go on over an open question", "Wait for the answer";
    WrongAgent "wrong_agent": "The turn belongs to another agent", "The workflow says whose turn it is", "Give the turn to the agent that is named";
    NotIndependent "not_independent": "The verifier is not independent", "Whoever built cannot judge", "Give the turn to another agent in another session";
    GuidanceOutdated "guidance_outdated": "The guidance is not the one in force", "Every turn goes with the current covenant", "Make the guidance packet again";
    BudgetExhausted "budget_exhausted": "The budget does not cover this", "Tokens are set aside before they are spent", "Ask a person for a larger budget, or end here";
    StaleLease "stale_lease": "The turn is over or belongs to somebody else", "A late, repeated or forged result moves nothing", "Stop working on this turn";
    LeaseLive "lease_live": "The lease has not run out", "A turn is ended early by the host only", "Wait, or stop the turn";
    AlreadyLaunched "already_launched": "The turn was launched before", "A turn is launched at most once", "Wait for its result or for its lease to run out";
    SnapshotMissing "snapshot_missing": "No snapshot was taken before this turn", "Work must be recoverable before anybody touches it", "Take the snapshot first";
    AcknowledgmentMissing "acknowledgment_missing": "The handoff was not acknowledged", "Work begins when the receiver has understood what it got", "Acknowledge the handoff with `baton ack TASK`, or say what is missing with `--blocker`";
    AcknowledgmentWrong "acknowledgment_wrong": "The acknowledgment does not fit the handoff", "It names another handoff, or artifacts are missing", "Ask for what is missing instead of confirming it";
    PlanMissing "plan_missing": "No build plan was handed in", "This stage wants the plan before the work", "Hand in the plan with `baton plan TASK FILE`, then work";
    ArtifactConflict "artifact_conflict": "This id was used for other content", "What was handed over once is never rewritten", "Use a new id";
    UnknownReference "unknown_reference": "A reference points nowhere", "Only what was recorded for this task can be referred to", "Refer to artifacts that exist";
    StaleTree "stale_tree": "This speaks of another tree", "The workspace has changed since", "Do it again on the current tree";
    UnknownClarification "unknown_clarification": "There is no such open question", "It was never asked here, or is answered", "`baton inbox` lists the open questions";
    ClarificationExists "clarification_exists": "A question with this id was asked before", "An id is given once", "Choose another id";
    AnswerUnfounded "answer_unfounded": "The answer has no ground", "Without a person only the covenant can answer, and the place must be named", "Leave the question to a person";
    UnknownGate "unknown_gate": "There is no such gate", "The stage does not define it and nobody asked it", "`baton inbox` lists the open gates";
    GateAnswered "gate_answered": "The gate was answered before", "One answer counts", "Nothing is left to do";
    GateVersionChanged "gate_version_changed": "This is not the version that is to be approved", "An answer holds for exactly what was shown", "Look at the current version and answer again";
    DelegationTooDeep "delegation_too_deep": "The chain of delegations is too long", "Depth is bounded", "Do the work here, or escalate";
    DelegationTooWide "delegation_too_wide": "Too many delegations", "Their number per task is bounded", "Do the work here, or escalate";
    DelegationCycle "delegation_cycle": "The agent is already waiting in this chain", "Two agents would wait for each other", "Delegate to somebody else";
    RouteNotListed "route_not_listed": "The stage doesn't list this agent", "A handoff can only name the agents in `routes` of its stage", "Nothing is left to do here: the workflow says what comes next. A person can add the agent to `routes`";
    UnknownDelegation "unknown_delegation": "There is no such open delegation", "It was never made, or has returned", "Look at the open delegations";
    DecisionNotPossible "decision_not_possible": "No decision is possible yet", "The policy still lacks what is named", "Do that first; `baton why TASK` says more";
    DecisionAgainstPolicy "decision_against_policy": "The policy decides otherwise", "Disposition and reason follow from what is recorded", "Take the decision that is named";
    NoReferences "no_references": "The decision refers to nothing", "Every decision says on what it rests", "Name the artifacts";
    ReasonMissing "reason_missing": "The reason is empty", "Whoever reads this later must know why", "Say why";
    WaiverEnded "waiver_ended": "The waiver would already have ended", "A waiver has an end that lies ahead", "Name a later end";
    UnknownSubject "unknown_subject": "The task has nothing of this name", "A waiver names a checkpoint, a criterion or a dependency of the task, or what was seen in its files as they are", "`baton task show TASK` names its criteria, `baton workflow show` the checkpoints";
    RemediationMissing "remediation_missing": "Nothing says what a person must do", "A rollback that failed needs steps by hand", "Name the steps";
    ResolutionNotPossible "resolution_not_possible": "The task cannot be resolved like this", "Rounds are bounded, and a rollback needs a snapshot", "Choose another resolution";
    NothingReserved "nothing_reserved": "There is nothing to settle for this turn", "Its cost was settled before, or it never ran", "Nothing is left to do";
    UnknownLesson "unknown_lesson": "There is no such lesson", "An approval names a lesson and its exact words", "Name one that `baton knowledge list` shows";
    UnknownNotice "unknown_notice": "There is no such unsent notice", "It was sent, or never owed", "Nothing is left to do";
    DocumentRefused "document_refused": "The document was not taken", "It can't be read as what it was given for, or speaks of something else", "`baton check FILE` says what is wrong; your turn is still open";
    AlreadySo "already_so": "It is so already", "The command would change nothing", "Nothing is left to do";
}

/// A command that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    pub refusal: Refusal,
    /// What exactly, in this case.
    pub details: String,
}

impl Rejection {
    pub fn new(refusal: Refusal, details: impl Into<String>) -> Self {
        Self { refusal, details: details.into() }
    }

    /// Says whether the attempt itself must be remembered: somebody reached for what isn't theirs, or an agent was refused
    /// something that it then didn't do.
    pub fn is_recorded(&self, actor: &Actor) -> bool {
        match self.refusal {
            Refusal::NotAllowed
            | Refusal::NotIndependent
            | Refusal::StaleLease
            | Refusal::ArtifactConflict
            | Refusal::AcknowledgmentWrong
            | Refusal::AnswerUnfounded
            | Refusal::GateVersionChanged
            | Refusal::DecisionAgainstPolicy
            | Refusal::RouteNotListed => true,
            Refusal::AlreadySo | Refusal::NewerLog => false,
            _ => actor.kind == ActorKind::Agent,
        }
    }
}

impl From<Refusal> for Rejection {
    fn from(refusal: Refusal) -> Self {
        Self::new(refusal, "")
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let refusal = self.refusal;
        write!(out, "{}", refusal.happened())?;
        if !self.details.is_empty() {
            write!(out, ": {}", self.details)?;
        }
        write!(out, ". {}. {}.", refusal.why(), refusal.next())
    }
}

impl std::error::Error for Rejection {}
