//! What follows from a command: events, or a refusal. Nothing here reads a clock or a file; the command brings all.
//!
//! The table of states and commands is in [`crate::table`], who may ask in [`ActKind::allowed`].

mod check;
mod clarify;
mod delegate;
mod gate;
mod graph;
mod project;
mod settle;
mod submit;
mod turn;

pub use check::unfounded;

pub(crate) use turn::expected_worker;

use crate::command::{Act, ActKind, Command, Context};
use crate::event::Event;
use crate::fact::{Document, LeaseToken, Performer};
use crate::rejection::{Refusal, Rejection};
use crate::state::{State, StatusKind, Task, Turn};
use crate::table;
use crate::workflow::Role;

pub(crate) type Decided = Result<Vec<Event>, Rejection>;

/// Decides about a command, on the state of the stream that it is for.
pub fn decide(state: &State, command: &Command, context: &Context) -> Decided {
    let kind = command.act.kind();
    if !state.unknown.is_empty() || context.project_is_newer {
        let kinds: Vec<&str> = state.unknown.iter().map(String::as_str).collect();
        return Err(Rejection::new(Refusal::NewerLog, kinds.join(", ")));
    }
    authorise(kind, command)?;
    if kind.is_for_project() {
        return project::decide(state, command, context);
    }
    let status = state.task.as_ref().map_or(StatusKind::None, |task| task.status().kind());
    if !table::takes(status, kind) {
        return Err(misplaced(status, kind));
    }
    match &state.task {
        None => graph::add(command, context),
        Some(task) => in_task(task, command, context),
    }
}

fn in_task(task: &Task, command: &Command, context: &Context) -> Decided {
    match &command.act {
        Act::AddTask { .. } => Err(Refusal::TaskExists.into()),
        Act::Depend { on } => graph::depend(task, on, context),
        Act::ReleaseDependency { on } => graph::release(task, on, context),
        Act::Cancel { reason } => graph::cancel(task, reason),
        Act::StartTurn { .. } => turn::start(task, command, context),
        Act::RecordSnapshot { turn, reference, tree } => turn::snapshot(task, turn, reference, tree),
        Act::Launch { lease, program } => turn::launch(task, lease, program.as_ref(), context),
        Act::Renew { lease } => turn::renew(task, lease, command.at),
        Act::RecordPrompt { lease, document } => turn::prompt(task, lease, document),
        Act::EndTurn { .. } => turn::end(task, command),
        Act::Expire {} => turn::expire(task, command.at),
        Act::Acknowledge { .. } => submit::acknowledge(task, command),
        Act::HandInPlan { lease, document } => submit::plan(task, command, lease, document),
        Act::Submit { lease, submission } => submit::submit(task, command, lease, submission),
        Act::Escalate { .. } => submit::escalate(task, command),
        Act::Ask { .. } => clarify::ask(task, command),
        Act::Answer { .. } => clarify::answer(task, command),
        Act::ObserveTree { tree, definition } => check::observe(task, tree, definition.as_ref()),
        Act::RecordReceipt { receipt } => check::receipt(task, receipt),
        Act::RecordVerdict { lease, report } => check::verdict(task, command, lease, report),
        Act::AskGate { .. } => gate::ask(task, command),
        Act::AnswerGate { .. } => gate::answer(task, command),
        Act::Delegate { .. } => delegate::delegate(task, command, context),
        Act::Return { delegation, document } => {
            delegate::give_back(task, command, (delegation, document), context)
        }
        Act::Decide { .. } => settle::decide(task, command),
        Act::Resolve { resolution, words } => settle::resolve(task, *resolution, words),
        Act::Waive { what, reason, until } => settle::waive(task, command, what, (reason, *until)),
        Act::RecordRollback { applied, rescue, remediation } => {
            settle::rollback(task, *applied, rescue.as_ref(), remediation)
        }
        Act::RecordMerge { tree, merged, details, receipt } => {
            settle::merge(task, tree, (*merged, details), receipt.as_ref())
        }
        Act::Spend { turn, tokens, account } => settle::spend(task, turn, *tokens, account.as_ref()),
        Act::RecordNotice { notice } => settle::notice(task, *notice),
        Act::AdoptCovenant { .. }
        | Act::DefineWorkflow { .. }
        | Act::DeclareDependency { .. }
        | Act::Pause { .. }
        | Act::Resume { .. }
        | Act::ApproveLesson { .. }
        | Act::RetireLesson { .. } => Err(Refusal::NotNow.into()),
    }
}

/// Refuses whoever has no business with this command.
fn authorise(kind: ActKind, command: &Command) -> Result<(), Rejection> {
    match kind.allowed().contains(&command.actor.kind) {
        true => Ok(()),
        false => {
            let details = format!("`{}` is not for {}s", kind.name(), command.actor.kind.name());
            Err(Rejection::new(Refusal::NotAllowed, details))
        }
    }
}

fn misplaced(status: StatusKind, kind: ActKind) -> Rejection {
    if status == StatusKind::None {
        return Refusal::NoTask.into();
    }
    if kind == ActKind::AddTask {
        return Refusal::TaskExists.into();
    }
    // Whoever brings a result for a turn that is gone shall stop, whatever the task does now.
    let brings_result =
        matches!(kind, ActKind::Submit | ActKind::RecordVerdict | ActKind::EndTurn | ActKind::HandInPlan);
    let refusal = if brings_result { Refusal::StaleLease } else { Refusal::NotNow };
    Rejection::new(refusal, format!("`{}` while the task is {}", kind.name(), status.name()))
}

/// Returns the live turn when the lease is its own.
fn leased<'a>(task: &'a Task, lease: &LeaseToken) -> Result<&'a Turn, Rejection> {
    let live = task.turn.as_ref().filter(|turn| turn.id == lease.turn && turn.epoch == lease.epoch);
    live.ok_or_else(|| Rejection::new(Refusal::StaleLease, format!("{} is not being taken", lease.turn)))
}

/// Returns the live turn when the actor holds it: by its token, and by its name or as the person who does it.
fn holder<'a>(task: &'a Task, command: &Command, lease: &LeaseToken) -> Result<&'a Turn, Rejection> {
    use crate::envelope::ActorKind::{Agent, Host, Orchestrator, Person};
    use crate::fact::Performer;
    let turn = leased(task, lease)?;
    let actor = &command.actor;
    let is_own = match actor.kind {
        // The session of a person is their name, and a guest is known by its session: nobody ends the turn that somebody else
        // took, least of all a verifier's.
        Agent => match turn.performer {
            Performer::Program => actor.name == turn.agent.as_str(),
            Performer::Guest => actor.name == turn.session.as_str(),
            Performer::Person => false,
        },
        Person => turn.performer == Performer::Person && actor.name == turn.session.as_str(),
        Orchestrator | Host => false,
    };
    match is_own && actor.turn.as_deref() == Some(turn.id.as_str()) {
        true => Ok(turn),
        false => Err(Rejection::new(Refusal::NotAllowed, format!("{} belongs to @{}", turn.id, turn.agent))),
    }
}

/// Refuses a document whose id already stands for other bytes.
fn unused(task: &Task, document: &Document) -> Result<(), Rejection> {
    match task.artifacts.get(&document.id) {
        Some(known) if known.blob != document.blob => {
            Err(Rejection::new(Refusal::ArtifactConflict, document.id.as_str()))
        }
        Some(_) | None => Ok(()),
    }
}

/// Returns when the lease of the turn that is being taken runs out, if it is given anew now.
fn lease_end(task: &Task, now: i64) -> i64 {
    let whose = task.turn.as_ref().map(|turn| (turn.role, turn.performer));
    whose.map_or(now, |whose| first_lease_end(task, whose, now))
}

/// Returns when a lease that is given now runs out. A program has no more time than its task has left.
fn first_lease_end(task: &Task, (role, performer): (Role, Performer), now: i64) -> i64 {
    let turn_ms = task.limits_for(role).map_or(0, |limits| limits.turn_ms);
    let left_ms = task.left_ms(now).filter(|_| performer == Performer::Program);
    now.saturating_add(left_ms.map_or(turn_ms, |left| left.min(turn_ms)))
}

#[cfg(test)]
mod tests;
