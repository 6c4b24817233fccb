//! What is still owed, read off the state. Nothing is ever sent, so a crash loses nothing and recovery is the ordinary path.

use crate::command::Context;
use crate::decide::expected_worker;
use crate::fact::{SessionMode, Shown};
use crate::policy::{NotYet, Ruling, consider};
use crate::state::{Dependency, Merge, Rollback, State, Status, Task};
use crate::word::{AgentName, CheckpointName, DelegationId, GateName, TaskId, TreeHash, TurnId};
use crate::workflow::Role;

/// Something to do. Its result comes back as a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Write the guidance and start a turn.
    GiveTurn {
        role: Role,
        agent: AgentName,
        session: SessionMode,
    },
    TakeSnapshot {
        turn: TurnId,
    },
    /// Claim the launch, then start the process.
    StartAgent {
        turn: TurnId,
        epoch: u64,
        agent: AgentName,
    },
    StopAgent {
        turn: TurnId,
    },
    /// The lease has run out.
    Expire {
        turn: TurnId,
    },
    RunChecks {
        tree: TreeHash,
        checkpoints: Vec<CheckpointName>,
    },
    SettleCost {
        turn: TurnId,
    },
    Decide(Box<Ruling>),
    AskGate {
        gate: GateName,
        shown: Shown,
    },
    /// Show it to a person; the status says what for.
    AskPerson {
        for_what: String,
    },
    AddChild {
        delegation: DelegationId,
        child: TaskId,
    },
    ReturnChild {
        delegation: DelegationId,
    },
    Release {
        on: TaskId,
    },
    RollBack,
    /// Bring this tree to its target, by compare-and-set there: another host may be trying the same.
    Merge {
        tree: TreeHash,
    },
    Notify {
        notice: u64,
        to: AgentName,
    },
    /// An edge that the project's graph has and the task does not know.
    RecordDependency {
        on: TaskId,
    },
}

/// Returns what is owed for the task of a stream at this time.
pub fn pending(state: &State, context: &Context, now: i64) -> Vec<Effect> {
    let Some(task) = state.task.as_ref().filter(|task| task.end.is_none() && state.unknown.is_empty()) else {
        return Vec::new();
    };
    let mut owed = Vec::new();
    edges(task, context, &mut owed);
    let notices = task.notices.iter().enumerate().filter(|(_, notice)| !notice.sent);
    owed.extend(
        notices.map(|(index, notice)| Effect::Notify { notice: index as u64, to: notice.to.clone() }),
    );
    if task.rollback != Rollback::None {
        owed.push(Effect::RollBack);
    }
    if let Merge::Owed(tree, _) = &task.merge {
        owed.push(Effect::Merge { tree: tree.clone() });
    }
    if let Some((id, delegation)) = task.open_delegation() {
        match context.standings.get(&delegation.child) {
            None => owed.push(Effect::AddChild { delegation: id.clone(), child: delegation.child.clone() }),
            Some(standing) if standing.end.is_some() => {
                owed.push(Effect::ReturnChild { delegation: id.clone() })
            }
            Some(_) => {}
        }
    }
    turn(task, context, now, &mut owed);
    considered(task, context, now, &mut owed);
    if let status @ Status::Waiting { .. } | status @ Status::Blocked { .. } = task.status()
        && status.waits_for_person()
    {
        let for_what = match status {
            Status::Waiting { for_what, .. } => for_what,
            Status::Blocked { why } => why,
            _ => String::new(),
        };
        owed.push(Effect::AskPerson { for_what });
    }
    owed
}

fn edges(task: &Task, context: &Context, owed: &mut Vec<Effect>) {
    for (on, dependency) in &task.dependencies {
        let ended = context.standings.get(on).is_some_and(|standing| standing.end.is_some());
        if *dependency == Dependency::Waiting && ended {
            owed.push(Effect::Release { on: on.clone() });
        }
    }
    let untouched = task.turn.is_none() && task.run.submission.is_none();
    let declared = context.project.edges.get(&task.id).into_iter().flatten();
    let unknown = declared.filter(|on| {
        untouched
            && !task.dependencies.contains_key(*on)
            && !task.waivers.contains_key(&crate::fact::Waivable::Dependency((*on).clone()))
    });
    owed.extend(unknown.map(|on| Effect::RecordDependency { on: on.clone() }));
}

fn turn(task: &Task, context: &Context, now: i64, owed: &mut Vec<Effect>) {
    let Some(turn) = &task.turn else { return };
    if task.cancel_requested_at.is_some() {
        owed.push(Effect::StopAgent { turn: turn.id.clone() });
    } else if turn.snapshot.is_none() && !turn.launched {
        owed.push(Effect::TakeSnapshot { turn: turn.id.clone() });
    } else if !turn.launched && context.project.paused.is_none() {
        let (id, agent) = (turn.id.clone(), turn.agent.clone());
        owed.push(Effect::StartAgent { turn: id, epoch: turn.epoch, agent });
    }
    let answers = task.open_delegation().is_some()
        || task.open_gate().is_some()
        || task.open_clarifications().next().is_some();
    if now >= turn.expires_at && (!answers || task.cancel_requested_at.is_some()) {
        owed.push(Effect::Expire { turn: turn.id.clone() });
    }
}

fn considered(task: &Task, context: &Context, now: i64, owed: &mut Vec<Effect>) {
    let may_start = context.project.paused.is_none() && context.project.covenant.is_some();
    match consider(task, now) {
        Ok(ruling) => owed.push(Effect::Decide(Box::new(ruling))),
        Err(NotYet::Work) if may_start => {
            if let (role, Some(agent)) = expected_worker(task) {
                let session = task.run.next.as_ref().map_or(SessionMode::Same, |next| next.session);
                owed.push(Effect::GiveTurn { role, agent, session });
            }
        }
        Err(NotYet::Verification) if may_start => {
            if let Some(agent) = task.verifier().cloned() {
                owed.push(Effect::GiveTurn { role: Role::Verifier, agent, session: SessionMode::Fresh });
            }
        }
        Err(NotYet::Checks) => {
            if let (Some(tree), Some(stage)) = (task.tree.clone(), task.stage()) {
                let checkpoints = stage.host_checkpoints().cloned().collect();
                owed.push(Effect::RunChecks { tree, checkpoints });
            }
        }
        Err(NotYet::Gate(gate)) => {
            if let Some(shown) = task.shown() {
                owed.push(Effect::AskGate { gate, shown });
            }
        }
        Err(NotYet::Usage(whom)) => {
            if let Some(attempt) = task.history.iter().find(|attempt| attempt.turn.as_str() == whom) {
                owed.push(Effect::SettleCost { turn: attempt.turn.clone() });
            }
        }
        Err(
            NotYet::Work
            | NotYet::Verification
            | NotYet::Ended
            | NotYet::LiesWithPerson
            | NotYet::LiesWithHost
            | NotYet::Dependencies(_)
            | NotYet::Delegation
            | NotYet::Turn
            | NotYet::Clarification(_)
            | NotYet::GateAnswer(_),
        ) => {}
    }
}

#[cfg(test)]
mod tests;
