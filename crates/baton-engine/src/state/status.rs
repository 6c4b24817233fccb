//! How a task honestly stands. Nothing stores it: it is read off what was recorded, so it cannot contradict that.

use std::collections::BTreeSet;

use super::{Dependency, Merge, Rollback, Task};
use crate::fact::{End, Reason};
use crate::word::{AgentName, TaskId};
use crate::workflow::{Plan, Role};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    Pending { on: BTreeSet<TaskId> },
    Ready,
    Working,
    Checking,
    Verifying,
    Waiting { on: Whom, for_what: String, since: i64 },
    Blocked { why: String },
    Done,
    DoneUnverified,
    Failed,
    RolledBack,
    Cancelled,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Whom {
    Person,
    Agent(AgentName),
    Host,
}

/// Whether what was seen is still so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    Missing,
    Fresh,
    Stale,
}

/// A status without what it carries; the rows of the transition table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StatusKind {
    None,
    Pending,
    Ready,
    Working,
    Checking,
    Verifying,
    Waiting,
    Blocked,
    Done,
    DoneUnverified,
    Failed,
    RolledBack,
    Cancelled,
}

impl StatusKind {
    pub const ALL: &[Self] = &[
        Self::None,
        Self::Pending,
        Self::Ready,
        Self::Working,
        Self::Checking,
        Self::Verifying,
        Self::Waiting,
        Self::Blocked,
        Self::Done,
        Self::DoneUnverified,
        Self::Failed,
        Self::RolledBack,
        Self::Cancelled,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::None => "no task",
            Self::Pending => "pending",
            Self::Ready => "ready",
            Self::Working => "working",
            Self::Checking => "checking",
            Self::Verifying => "verifying",
            Self::Waiting => "waiting",
            Self::Blocked => "blocked",
            Self::Done => "done",
            Self::DoneUnverified => "done-unverified",
            Self::Failed => "failed",
            Self::RolledBack => "rolled back",
            Self::Cancelled => "cancelled",
        }
    }
}

impl Status {
    pub fn kind(&self) -> StatusKind {
        match self {
            Self::Pending { .. } => StatusKind::Pending,
            Self::Ready => StatusKind::Ready,
            Self::Working => StatusKind::Working,
            Self::Checking => StatusKind::Checking,
            Self::Verifying => StatusKind::Verifying,
            Self::Waiting { .. } => StatusKind::Waiting,
            Self::Blocked { .. } => StatusKind::Blocked,
            Self::Done => StatusKind::Done,
            Self::DoneUnverified => StatusKind::DoneUnverified,
            Self::Failed => StatusKind::Failed,
            Self::RolledBack => StatusKind::RolledBack,
            Self::Cancelled => StatusKind::Cancelled,
        }
    }

    pub fn waits_for_person(&self) -> bool {
        matches!(self, Self::Waiting { on: Whom::Person, .. } | Self::Blocked { .. })
    }

    fn waiting(on: Whom, for_what: impl Into<String>, since: i64) -> Self {
        Self::Waiting { on, for_what: for_what.into(), since }
    }
}

impl Task {
    /// Returns how the task stands. The first line that applies counts.
    pub fn status(&self) -> Status {
        if let Some(end) = self.end {
            return ended(end);
        }
        if let Some(status) = self.owed_by_host().or_else(|| self.lies_with_person()) {
            return status;
        }
        if let Some((_, delegation)) = self.open_delegation() {
            let (whom, since) = (Whom::Agent(delegation.to.clone()), delegation.since);
            return Status::waiting(whom, format!("delegated work in {}", delegation.child), since);
        }
        let on = self.waits_for_dependencies();
        if !on.is_empty() {
            return Status::Pending { on };
        }
        self.status_of_stage()
    }

    fn owed_by_host(&self) -> Option<Status> {
        if let Some(since) = self.cancel_requested_at {
            return Some(Status::waiting(Whom::Host, "its turn to be stopped", since));
        }
        if let Rollback::Owed(since) = self.rollback {
            return Some(Status::waiting(Whom::Host, "rollback", since));
        }
        if let Merge::Owed(_, since) = self.merge {
            return Some(Status::waiting(Whom::Host, "merge", since));
        }
        None
    }

    fn lies_with_person(&self) -> Option<Status> {
        if let Some(escalation) = &self.escalation {
            let reason = escalation.reason;
            return Some(match reason {
                Reason::ExternalDependency => Status::Blocked { why: reason.name().to_owned() },
                _ => {
                    Status::waiting(Whom::Person, format!("escalation: {}", reason.name()), escalation.since)
                }
            });
        }
        let failed = |(on, dependency): (&TaskId, &Dependency)| match dependency {
            Dependency::Failed(end) => Some(format!("{on} ended as {}", end.name())),
            Dependency::Waiting | Dependency::Released(_) => None,
        };
        if let Some(why) = self.dependencies.iter().find_map(failed) {
            return Some(Status::Blocked { why });
        }
        if let Some((id, open)) = self.open_clarifications().next()
            && (self.turn.is_some() || self.awaits_answer().is_some())
        {
            return Some(Status::waiting(Whom::Person, format!("answer to {id}"), open.asked_at));
        }
        if let Some((name, gate)) = self.open_gate() {
            return Some(Status::waiting(Whom::Person, format!("gate {name}"), gate.asked_at));
        }
        None
    }

    fn status_of_stage(&self) -> Status {
        if let Some(turn) = &self.turn {
            return match turn.role {
                Role::Verifier => Status::Verifying,
                Role::Builder | Role::Repair | Role::Specialist if self.owes_acknowledgment() => {
                    let whom = Whom::Agent(turn.agent.clone());
                    Status::waiting(whom, "acknowledgment of the handoff", turn.started_at)
                }
                Role::Builder | Role::Repair | Role::Specialist => Status::Working,
            };
        }
        if self.raised.is_some() || self.run.lost.is_some() || self.run.merge_conflict.is_some() {
            return Status::Checking;
        }
        match &self.run.submission {
            None => Status::Ready,
            Some(_) if self.verifier().is_some() && self.checks_are_through() => Status::Verifying,
            Some(_) => Status::Checking,
        }
    }

    /// Says whether whoever holds the turn has still to acknowledge what it was handed.
    pub fn owes_acknowledgment(&self) -> bool {
        self.turn.as_ref().is_some_and(|turn| self.will_owe_acknowledgment(turn.role, &turn.agent))
    }

    /// Says whether whoever takes a turn has first to acknowledge what it is handed.
    pub fn will_owe_acknowledgment(&self, role: Role, agent: &AgentName) -> bool {
        role != Role::Verifier
            && self.run.inbound.is_some()
            && self.run.acknowledged_by.as_ref() != Some(agent)
    }

    /// Says whether the holder of the turn must hand in a plan before the work: the stage wants one and has none.
    pub fn owes_plan(&self) -> bool {
        let is_wanted = self.stage().is_some_and(|stage| stage.plan == Plan::Required);
        let is_of_worker = self.turn.as_ref().is_some_and(|turn| turn.role != Role::Verifier);
        is_wanted && is_of_worker && self.run.plan.is_none()
    }

    fn checks_are_through(&self) -> bool {
        use super::Freshness::Fresh;
        self.receipt_freshness() == Fresh || self.run.verifications_lost > 0 || self.run.report.is_some()
    }
}

fn ended(end: End) -> Status {
    match end {
        End::Done => Status::Done,
        End::DoneUnverified => Status::DoneUnverified,
        End::Failed => Status::Failed,
        End::RolledBack => Status::RolledBack,
        End::Cancelled => Status::Cancelled,
    }
}
