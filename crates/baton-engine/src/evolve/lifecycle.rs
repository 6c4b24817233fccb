//! Tasks come, wait for others, take turns and end.

use std::collections::{BTreeMap, BTreeSet};

use crate::event::{Entry, Event};
use crate::fact::{Account, ArtifactKind, Document, Ending, Performer, Worker, is_uncounted};
use crate::state::{
    Artifact, Attempt, Budget, Dependency, Merge, Rollback, Snapshot, StageRun, State, Task, Turn,
};
use crate::word::{TreeHash, TurnId};
use crate::workflow::Role;

pub(super) fn task_added(state: &mut State, entry: &Entry) {
    let Event::TaskAdded { task, title, document, workflow, criteria, depends_on, lineage, budget_tokens } =
        &entry.event
    else {
        return;
    };
    if state.task.is_some() || workflow.stages.is_empty() {
        return;
    }
    let mut added = Task {
        id: task.clone(),
        title: title.clone(),
        workflow: workflow.clone(),
        criteria: criteria.clone(),
        lineage: lineage.clone(),
        added_at: entry.at,
        stage_index: 0,
        dependencies: depends_on.iter().map(|on| (on.clone(), Dependency::Waiting)).collect(),
        budget: Budget { cap_tokens: *budget_tokens, ..Budget::default() },
        turns_count: 0,
        turn: None,
        run: StageRun::default(),
        history: Vec::new(),
        writers: BTreeSet::new(),
        began_with: None,
        tree: None,
        definition: None,
        snapshot_good: None,
        clarifications: BTreeMap::new(),
        clarification_rounds: 0,
        gates: BTreeMap::new(),
        delegations: BTreeMap::new(),
        raised: None,
        escalation: None,
        rounds: 0,
        rollback: Rollback::None,
        merge: Merge::None,
        waivers: BTreeMap::new(),
        leaned_on_waiver: false,
        artifacts: BTreeMap::new(),
        notices: Vec::new(),
        cancel_requested_at: None,
        end: None,
        changed_at: entry.at,
        lies_apart: false,
    };
    keep(&mut added, document, ArtifactKind::TaskOrder, None);
    state.task = Some(added);
}

pub(super) fn apply(task: &mut Task, entry: &Entry) -> bool {
    match &entry.event {
        Event::DependencyAdded { on } => {
            task.dependencies.entry(on.clone()).or_insert(Dependency::Waiting);
        }
        Event::DependencyReleased { on, end } => {
            task.dependencies.insert(on.clone(), Dependency::Released(*end));
        }
        Event::DependencyFailed { on, end } => {
            task.dependencies.insert(on.clone(), Dependency::Failed(*end));
        }
        Event::GuidanceIssued { guidance, .. } => {
            keep(task, &guidance.document, ArtifactKind::GuidancePacket, None);
            if let Some(context) = &guidance.context {
                keep(task, context, ArtifactKind::ContextEnvelope, None);
            }
        }
        Event::TurnStarted { .. } => turn_started(task, entry),
        Event::SnapshotTaken { turn, reference, tree } => {
            let snapshot = Snapshot { reference: reference.clone(), tree: tree.clone() };
            task.began_with.get_or_insert_with(|| tree.clone());
            task.tree = Some(tree.clone());
            if let Some(live) = task.turn.as_mut().filter(|live| live.id == *turn) {
                live.snapshot = Some(snapshot.clone());
                // Until somebody works on the stage, the workspace holds nothing but accepted work.
                if !task.run.touched {
                    task.snapshot_good = Some(snapshot);
                }
            }
        }
        Event::TurnLaunched { turn, program, .. } => {
            if let Some(attempt) = attempt_of(task, turn) {
                attempt.program.clone_from(program);
            }
            if let Some(live) = task.turn.as_mut().filter(|live| live.id == *turn) {
                live.launched = true;
                if live.role != Role::Verifier {
                    task.run.touched = true;
                    let (agent, session) = (live.agent.clone(), live.session.clone());
                    task.writers.insert(Worker { agent, session });
                }
            }
        }
        Event::PromptRecorded { document, .. } => keep(task, document, ArtifactKind::Prompt, None),
        Event::LeaseRenewed { turn, expires_at } => {
            if let Some(live) = task.turn.as_mut().filter(|live| live.id == *turn) {
                live.expires_at = *expires_at;
            }
        }
        Event::TurnEnded { turn, ending, spent_tokens, document, how, account, why } => {
            accounted(task, turn, (*spent_tokens, account.as_ref()));
            priced(task, turn, *spent_tokens);
            if let Some(document) = document {
                keep(task, document, ArtifactKind::FailureHandoff, None);
            }
            let was_verifier = task.turn.as_ref().is_some_and(|live| live.role == Role::Verifier);
            close_turn(task, entry.at, Some(*ending));
            if let Some(attempt) = attempt_of(task, turn) {
                attempt.how.clone_from(how);
                attempt.why.clone_from(why);
            }
            if *ending == Ending::Stopped {
                task.run.stops = task.run.stops.saturating_add(1);
            }
            match was_verifier {
                // A verifier that asks is asked again with the answer; one that was stopped, as if it had not been asked.
                true if *ending == Ending::Asked || task.is_stopped_for_free(*ending) => {}
                true => task.run.verifications_lost = task.run.verifications_lost.saturating_add(1),
                false => {
                    task.run.lost = Some(*ending);
                    task.run.failure.clone_from(document);
                }
            }
        }
        Event::Spent { turn, tokens, account } => {
            accounted(task, turn, (*tokens, account.as_ref()));
            priced(task, turn, *tokens);
        }
        Event::CancelRequested { .. } => task.cancel_requested_at = Some(entry.at),
        Event::TaskEnded { end } => {
            task.end = Some(*end);
            close_turn(task, entry.at, None);
        }
        _ => return false,
    }
    true
}

fn turn_started(task: &mut Task, entry: &Entry) {
    let Event::TurnStarted {
        turn,
        stage,
        role,
        agent,
        session,
        performer,
        attempt,
        epoch,
        expires_at,
        reserved_tokens,
        request,
        apart,
    } = &entry.event
    else {
        return;
    };
    close_turn(task, entry.at, None);
    task.turns_count = (*epoch).max(task.turns_count);
    task.budget.reserve(turn.as_str(), *reserved_tokens);
    if let Some(request) = request {
        keep(task, request, ArtifactKind::VerificationRequest, None);
    }
    task.lies_apart |= (*apart || *performer == Performer::Program) && *role != Role::Verifier;
    task.turn = Some(Turn {
        id: turn.clone(),
        role: *role,
        agent: agent.clone(),
        session: session.clone(),
        performer: *performer,
        attempt: *attempt,
        epoch: *epoch,
        expires_at: *expires_at,
        started_at: entry.at,
        snapshot: None,
        launched: false,
    });
    task.history.push(Attempt {
        stage: stage.clone(),
        turn: turn.clone(),
        role: *role,
        agent: agent.clone(),
        performer: *performer,
        attempt: *attempt,
        started_at: entry.at,
        ended_at: None,
        ending: None,
        how: None,
        why: None,
        program: None,
        account: None,
    });
}

/// Charges a turn, and writes what the host has to show of it into the history.
fn accounted(task: &mut Task, turn: &TurnId, (tokens, account): (u64, Option<&Account>)) {
    if is_uncounted(tokens, task.budget.reserved_for(turn.as_str()), account) {
        task.budget.uncounted_tokens = task.budget.uncounted_tokens.saturating_add(tokens);
    }
    task.budget.settle(turn.as_str(), tokens);
    let Some(account) = account else { return };
    if let Some(output) = &account.output {
        keep(task, output, ArtifactKind::TurnOutput, None);
    }
    let cost = account.cost_microdollars.unwrap_or(0);
    task.budget.spent_microdollars = task.budget.spent_microdollars.saturating_add(cost);
    if let Some(attempt) = attempt_of(task, turn) {
        attempt.account = Some(account.clone());
    }
}

/// A turn that cost tokens and told no dollars counts with what its stage set aside.
fn priced(task: &mut Task, turn: &TurnId, tokens: u64) {
    let Some(attempt) = task.history.iter().rev().find(|attempt| attempt.turn == *turn) else { return };
    let told = attempt.account.as_ref().and_then(|account| account.cost_microdollars);
    let counts = attempt.program.as_ref().is_some_and(|program| program.counts_tokens);
    if told.is_some() || tokens == 0 || !counts {
        return;
    }
    let stage = task.workflow.stages.iter().find(|stage| stage.name == attempt.stage);
    let budget = &mut task.budget;
    match stage.and_then(|stage| stage.limits_for(attempt.role).turn_microdollars) {
        Some(aside) => budget.unpriced_microdollars = budget.unpriced_microdollars.saturating_add(aside),
        None => budget.unpriced_turns = budget.unpriced_turns.saturating_add(1),
    }
}

pub(super) fn attempt_of<'t>(task: &'t mut Task, turn: &TurnId) -> Option<&'t mut Attempt> {
    task.history.iter_mut().rev().find(|attempt| attempt.turn == *turn)
}

/// Takes the live turn off the task and writes its end into the history.
pub(super) fn close_turn(task: &mut Task, at: i64, ending: Option<Ending>) {
    let Some(turn) = task.turn.take() else { return };
    if let Some(attempt) = attempt_of(task, &turn.id) {
        attempt.ended_at = Some(at);
        attempt.ending = ending;
    }
}

/// Keeps the first content that an id ever had.
pub(super) fn keep(task: &mut Task, document: &Document, kind: ArtifactKind, tree: Option<TreeHash>) {
    let artifact = Artifact { kind, blob: document.blob.clone(), tree };
    task.artifacts.entry(document.id.clone()).or_insert(artifact);
}
