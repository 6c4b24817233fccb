//! A turn begins, is launched once, and ends.

use super::{Decided, first_lease_end, graph, lease_end, leased, unused};
use crate::command::{Act, Command, Context};
use crate::event::Event;
use crate::fact::{AgentProgram, Document, End, Ending, LeaseToken, Performer, SessionMode};
use crate::policy::{NotYet, consider};
use crate::rejection::{Refusal, Rejection};
use crate::state::Task;
use crate::word::{AgentName, SessionId, TreeHash, TurnId};
use crate::workflow::Role;

pub(super) fn start(task: &Task, command: &Command, context: &Context) -> Decided {
    let Act::StartTurn { role, agent, session, performer, guidance, request, apart } = &command.act else {
        return Err(Refusal::NotNow.into());
    };
    if let Some(reason) = &context.project.paused {
        return Err(Rejection::new(Refusal::Paused, reason.as_str()));
    }
    if let Some((id, _)) = task.open_clarifications().next() {
        return Err(Rejection::new(Refusal::ClarificationOpen, id.as_str()));
    }
    if task.turn.is_some() {
        return Err(Rejection::new(Refusal::NotNow, "a turn is being taken"));
    }
    whose(task, command.at, *role, agent)?;
    match role {
        Role::Verifier => independent(task, agent, session)?,
        Role::Builder | Role::Repair | Role::Specialist => same_or_fresh(task, session)?,
    }
    let in_force = context.project.covenant.as_ref();
    if in_force.is_none_or(|covenant| {
        covenant.policy_hash != guidance.policy_hash || covenant.version != guidance.covenant_version
    }) {
        return Err(Refusal::GuidanceOutdated.into());
    }
    unused(task, &guidance.document)?;
    guidance.context.iter().try_for_each(|context| unused(task, context))?;
    match request {
        Some(request) => unused(task, request)?,
        None if *role == Role::Verifier => {
            return Err(Rejection::new(
                Refusal::UnknownReference,
                "the verifier needs a verification request",
            ));
        }
        None => {}
    }
    let Some(stage) = task.stage() else { return Err(Refusal::NotNow.into()) };
    let (reserved_tokens, is_affordable) = match performer {
        Performer::Program => (stage.limits_for(*role).turn_tokens, task.affords_turn(*role, command.at)),
        // Nobody tells what a guest or a person spends.
        Performer::Person | Performer::Guest => (0, task.budget.can_afford(0)),
    };
    if !is_affordable {
        return Err(Refusal::BudgetExhausted.into());
    }
    let turn = task.next_turn_id();
    Ok(vec![
        Event::GuidanceIssued { turn: turn.clone(), guidance: guidance.clone() },
        Event::TurnStarted {
            turn,
            stage: stage.name.clone(),
            role: *role,
            agent: agent.clone(),
            session: session.clone(),
            performer: *performer,
            attempt: task.attempt(),
            epoch: task.turns_count.saturating_add(1),
            expires_at: first_lease_end(task, (*role, *performer), command.at),
            reserved_tokens,
            request: request.clone(),
            apart: *apart,
        },
    ])
}

/// The policy says what is missing: work, or a judgement on it. Only the agent for that gets the turn.
fn whose(task: &Task, now: i64, role: Role, agent: &AgentName) -> Result<(), Rejection> {
    let (expected_role, expected) = match consider(task, now) {
        Err(NotYet::Work) => expected_worker(task),
        Err(NotYet::Verification) => (Role::Verifier, task.verifier().cloned()),
        Err(other) => return Err(Rejection::new(Refusal::NotNow, other.words())),
        Ok(ruling) => {
            let details = format!("first decide: {} ({})", ruling.disposition.name(), ruling.reason.name());
            return Err(Rejection::new(Refusal::NotNow, details));
        }
    };
    match expected {
        Some(expected) if expected == *agent && expected_role == role => Ok(()),
        Some(expected) => {
            let details = format!("it is the turn of @{expected} as {}", expected_role.name());
            Err(Rejection::new(Refusal::WrongAgent, details))
        }
        None => Err(Refusal::WrongAgent.into()),
    }
}

/// Returns who works next on the stage at hand, and as what.
pub(crate) fn expected_worker(task: &Task) -> (Role, Option<AgentName>) {
    let own = task.stage().map(|stage| (stage.role, stage.agent.clone()));
    match (&task.run.next, own) {
        (Some(next), Some((_, agent))) if next.agent != agent => (Role::Repair, Some(next.agent.clone())),
        (_, Some((role, agent))) => (role, Some(agent)),
        (_, None) => (Role::Builder, None),
    }
}

fn independent(task: &Task, agent: &AgentName, session: &SessionId) -> Result<(), Rejection> {
    let shared = task.writers.iter().find(|writer| writer.agent == *agent || writer.session == *session);
    match shared {
        Some(writer) => Err(Rejection::new(Refusal::NotIndependent, format!("@{} built this", writer.agent))),
        None => Ok(()),
    }
}

/// When the last session got nowhere, the next one does not inherit its memory.
fn same_or_fresh(task: &Task, session: &SessionId) -> Result<(), Rejection> {
    let fresh = task.run.next.as_ref().is_some_and(|next| next.session == SessionMode::Fresh);
    match fresh && task.writers.iter().any(|writer| writer.session == *session) {
        true => {
            Err(Rejection::new(Refusal::WrongAgent, "the work made no progress: a fresh session is needed"))
        }
        false => Ok(()),
    }
}

pub(super) fn snapshot(task: &Task, turn: &TurnId, reference: &str, tree: &TreeHash) -> Decided {
    let live = task.turn.as_ref().filter(|live| live.id == *turn);
    let Some(live) = live else { return Err(Rejection::new(Refusal::StaleLease, turn.as_str())) };
    if live.snapshot.is_some() || live.launched {
        return Err(Refusal::AlreadySo.into());
    }
    Ok(vec![Event::SnapshotTaken { turn: turn.clone(), reference: reference.to_owned(), tree: tree.clone() }])
}

pub(super) fn launch(
    task: &Task,
    lease: &LeaseToken,
    program: Option<&AgentProgram>,
    context: &Context,
) -> Decided {
    let turn = leased(task, lease)?;
    if turn.launched {
        return Err(Rejection::new(Refusal::AlreadyLaunched, turn.id.as_str()));
    }
    if let Some(reason) = &context.project.paused {
        return Err(Rejection::new(Refusal::Paused, reason.as_str()));
    }
    if task.cancel_requested_at.is_some() {
        return Err(Rejection::new(Refusal::NotNow, "the task is being cancelled"));
    }
    if turn.snapshot.is_none() {
        return Err(Refusal::SnapshotMissing.into());
    }
    Ok(vec![Event::TurnLaunched { turn: turn.id.clone(), epoch: turn.epoch, program: program.cloned() }])
}

pub(super) fn renew(task: &Task, lease: &LeaseToken, now: i64) -> Decided {
    let turn = leased(task, lease)?;
    let ceiling = turn.started_at.saturating_add(crate::workflow::TURN_MS_MAX);
    let expires_at = lease_end(task, now).min(ceiling);
    match expires_at > turn.expires_at && task.cancel_requested_at.is_none() {
        true => Ok(vec![Event::LeaseRenewed { turn: turn.id.clone(), expires_at }]),
        false => Err(Refusal::AlreadySo.into()),
    }
}

pub(super) fn prompt(task: &Task, lease: &LeaseToken, document: &Document) -> Decided {
    let turn = leased(task, lease)?;
    unused(task, document)?;
    Ok(vec![Event::PromptRecorded { turn: turn.id.clone(), document: document.clone() }])
}

pub(super) fn end(task: &Task, command: &Command) -> Decided {
    let Act::EndTurn { lease, ending, spent_tokens, document, how, account, why } = &command.act else {
        return Err(Refusal::NotNow.into());
    };
    let turn = leased(task, lease)?;
    match (task.open_delegation().is_some(), *ending == Ending::Delegated) {
        (true, false) => return Err(Rejection::new(Refusal::NotNow, "delegated work has not returned")),
        (false, true) => return Err(Rejection::new(Refusal::NotNow, "nothing is delegated")),
        (true, true) | (false, false) => {}
    }
    let spent_tokens = spent_tokens.unwrap_or_else(|| task.unknown_cost(&turn.id));
    let output = account.as_ref().and_then(|account| account.output.as_ref());
    document.iter().chain(output).try_for_each(|document| unused(task, document))?;
    let (turn, ending, document) = (turn.id.clone(), *ending, document.clone());
    let (how, account, why) = (how.clone(), account.clone(), why.clone());
    Ok(over(task, Event::TurnEnded { turn, ending, spent_tokens, document, how, account, why }))
}

pub(super) fn expire(task: &Task, now: i64) -> Decided {
    let Some(turn) = &task.turn else { return Err(Refusal::AlreadySo.into()) };
    if now < turn.expires_at {
        return Err(Rejection::new(Refusal::LeaseLive, turn.id.as_str()));
    }
    let waits = task.open_delegation().is_some() || task.open_gate().is_some();
    if (waits || task.open_clarifications().next().is_some()) && task.cancel_requested_at.is_none() {
        return Err(Rejection::new(Refusal::LeaseLive, "the agent waits for an answer"));
    }
    let spent_tokens = task.unknown_cost(&turn.id);
    let (turn, ending) = (turn.id.clone(), Ending::LeaseExpired);
    let (document, how, account, why) = (None, None, None, None);
    Ok(over(task, Event::TurnEnded { turn, ending, spent_tokens, document, how, account, why }))
}

fn over(task: &Task, ended: Event) -> Vec<Event> {
    let mut events = vec![ended];
    if task.cancel_requested_at.is_some() {
        events.extend(graph::ended(task, End::Cancelled));
    }
    events
}
