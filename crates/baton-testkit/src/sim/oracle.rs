//! What must be so in the world whatever the log says. The world's own knowledge decides, never the engine's fields.

use baton_engine::Entry;
use baton_engine::Event;
use baton_engine::envelope::{ActorKind, PROJECT_STREAM};
use baton_engine::fact::{AnswerSource, Disposition, Ending, GateChoice, Understanding, Waivable};
use baton_engine::invariant;
use baton_engine::state::{Dependency, State};
use baton_engine::verdict::Verdict;
use baton_engine::word::{TaskId, TreeHash, TurnId};
use baton_engine::workflow::{Review, Role};

use super::Sim;
use super::node::OVERRUN_PERCENT;

impl Sim {
    /// Holds one new event against the world.
    pub(super) fn check_entry(&mut self, stream: &str, entry: &Entry, before: &State) {
        self.check_words(stream, entry);
        let Some(task) = before.task.as_ref() else { return };
        let id = task.id.clone();
        match &entry.event {
            Event::TurnStarted { turn, .. } => {
                if self.context.project.paused.is_some() {
                    self.violate("pause_holds", format!("{turn} started while everything is paused"));
                }
                let early = task.dependencies.iter().find(|(on, state)| {
                    !matches!(state, Dependency::Failed(_))
                        && self.task(on).is_none_or(|other| !other.end.is_some_and(|end| end.releases()))
                });
                if let Some((on, _)) = early {
                    let how = format!("{turn} of {id} started before {on} was done");
                    self.violate("dependencies_really_done", how);
                }
            }
            Event::DecisionMade { disposition, reason, .. } => {
                self.coverage.reach("disposition", disposition.name());
                self.coverage.reach("reason", reason.name());
                if *disposition == Disposition::Accept {
                    self.check_acceptance(before, entry);
                }
            }
            Event::VerdictReported { turn, report } => {
                let launched = self.world.launches.get(&(id.clone(), turn.clone()));
                if launched.is_none_or(|launch| launch.role != Role::Verifier) {
                    self.violate("verdict_by_a_verifier", format!("{turn} of {id} is no verifier's"));
                }
                let looked = self.world.examinations.get(&(id.clone(), turn.clone()));
                match looked {
                    Some(looked) if looked.wrote => {
                        self.violate("verifier_kept_its_hands_off", format!("{turn} of {id} wrote"));
                    }
                    Some(looked) if looked.tree == report.tree_before => {}
                    Some(_) | None => self.violate(
                        "verifier_examined_this_tree",
                        format!("{turn} of {id} never saw {}", report.tree_before),
                    ),
                }
            }
            Event::HandoffAcknowledged { document, understanding: Understanding::Understood, .. }
                if !self.world.acknowledgments.contains(document.id.as_str()) =>
            {
                let how = format!("nobody acknowledged {} in {id}", document.id);
                self.violate("acknowledged_by_the_receiver", how);
            }
            Event::TurnEnded { turn, ending: Ending::Stopped, .. }
                if self.processes.iter().any(|process| process.task == id && process.lease.turn == *turn) =>
            {
                self.violate("stopped_means_stopped", format!("the agent of {id} still runs"));
            }
            Event::ReceiptRecorded { receipt }
                if self.world.checked.get(&receipt.document.id) != Some(&receipt.tree_before) =>
            {
                self.violate("receipt_of_this_tree", format!("{id}: the host never ran on this tree"));
            }
            _ => {}
        }
    }

    /// What a person is said to have said, a person said.
    fn check_words(&mut self, stream: &str, entry: &Entry) {
        let words = match &entry.event {
            Event::ClarificationAnswered { answer, source: AnswerSource::Person, .. } => Some(answer),
            Event::ClarificationAnswered { covenant_place, .. } => {
                if covenant_place.as_ref() != Some(&self.world.covenant_place) {
                    self.violate("answers_are_founded", format!("{covenant_place:?} does not say that"));
                }
                None
            }
            Event::GateAnswered { gate, choice, shown, words, .. } => {
                let Ok(id) = TaskId::new(stream) else { return };
                let seen = (id, gate.as_str().to_owned(), shown.tree.clone(), shown.handoff.clone());
                if *choice == GateChoice::Approve && !self.world.approvals.contains(&seen) {
                    self.violate(
                        "approved_by_a_person",
                        format!("nobody approved {gate} of {stream} like this"),
                    );
                }
                Some(words)
            }
            Event::Waived { reason, .. } | Event::CancelRequested { reason } | Event::Paused { reason } => {
                Some(reason)
            }
            Event::EscalationResolved { words, .. } => Some(words),
            _ => None,
        };
        if let Some(words) = words.filter(|words| !self.world.said.contains(*words)) {
            let how = format!("{} in {stream}: nobody said {words:?}", entry.event.kind());
            self.violate("a_person_said_so", how);
        }
        if stream == PROJECT_STREAM
            && !matches!(entry.actor.kind, ActorKind::Person | ActorKind::Orchestrator)
        {
            self.violate("project_is_for_people", entry.event.kind().to_owned());
        }
    }

    fn check_acceptance(&mut self, before: &State, entry: &Entry) {
        let (Some(task), Event::DecisionMade { waived, .. }) = (before.task.as_ref(), &entry.event) else {
            return;
        };
        let Some(stage) = task.stage() else { return };
        let id = &task.id;
        let truth = task.tree.as_ref().and_then(|tree| self.world.truth(tree));
        let checks =
            stage.host_checkpoints().any(|name| !waived.contains(&Waivable::Checkpoint(name.clone())));
        if checks && truth.is_none_or(|truth| !truth.passes) {
            return self.violate("accepted_work_really_passes", format!("{id}: the accepted tree fails"));
        }
        let was_let_pass = waived.iter().any(
            |what| matches!(what, Waivable::Violations { tree, .. } if Some(tree) == task.tree.as_ref()),
        );
        if truth.is_some_and(|truth| truth.violation && !was_let_pass || truth.danger.is_some()) {
            return self.violate("accepted_work_is_safe", format!("{id}: the accepted tree is not safe"));
        }
        if stage.review == Review::None {
            return;
        }
        let mut judged = self
            .world
            .examinations
            .iter()
            .filter(|((of, _), seen)| of == id && Some(&seen.tree) == task.tree.as_ref());
        let builders: Vec<_> = self
            .world
            .launches
            .iter()
            .filter(|((of, _), launch)| of == id && launch.role != Role::Verifier)
            .map(|(_, launch)| (&launch.agent, &launch.session))
            .collect();
        let independent = judged.any(|(key, seen)| {
            self.world.launches.get(key).is_some_and(|launch| {
                !seen.wrote
                    && builders
                        .iter()
                        .all(|(agent, session)| **agent != launch.agent && **session != launch.session)
            })
        });
        let report = task.run.report.as_ref();
        let every = task.criteria_in_force().into_iter().all(|criterion| {
            waived.contains(&Waivable::Criterion(criterion.clone()))
                || report.is_some_and(|report| {
                    report
                        .criteria
                        .iter()
                        .any(|said| said.criterion == criterion && said.verdict == Verdict::Pass)
                })
        });
        if !independent || !every {
            self.violate(
                "accepted_work_was_really_judged",
                format!("{id}: no independent judgement of this tree"),
            );
        }
    }

    /// A process may start only after the log says so, and only once.
    pub(super) fn check_launch(&mut self, id: &TaskId, turn: &TurnId) {
        let is_it =
            |event: &Event| matches!(event, Event::TurnLaunched { turn: launched, .. } if launched == turn);
        let recorded = self.store.has(id.as_str(), is_it);
        let count = self.world.launches.get(&(id.clone(), turn.clone())).map_or(0, |launch| launch.count);
        if !recorded || count > 1 {
            self.violate("launched_once_and_recorded", format!("{turn} of {id}, launch {count}"));
        }
        let Some(task) = self.task(id) else { return };
        let (own, committed) = (self.world.spent(id), task.budget.committed_tokens());
        if own * 100 > committed * OVERRUN_PERCENT {
            return self.violate(
                "cost_is_in_the_books",
                format!("{id} spent {own}, and {committed} is accounted for"),
            );
        }
        let cap = task.budget.cap_tokens;
        let reservation = task.stage().map_or(0, |stage| stage.limits.turn_tokens);
        let children: u64 = task.delegations.values().map(|open| self.world.spent(&open.child)).sum();
        let spent = self.world.spent(id) + children;
        if spent > cap + reservation {
            self.violate("spent_within_the_cap", format!("{id} spent {spent} of {cap}"));
        }
    }

    pub(super) fn check_merge(&mut self, id: &TaskId, tree: &TreeHash) {
        let merges = self.world.merges.get(id).map_or(0, Vec::len);
        let accepted = self.task(id).is_some_and(
            |task| matches!(&task.merge, baton_engine::state::Merge::Owed(accepted, _) if accepted == tree),
        );
        let recorded = self.store.has(id.as_str(), |event| {
            matches!(event, Event::MergeRecorded { tree: merged, merged: true, .. } if merged == tree)
        });
        if merges > 1 || !accepted && !recorded {
            self.violate("merged_once_and_accepted", format!("{id}: merge {merges}"));
        }
    }

    /// Holds the log of a task against the engine's own rules, and the chain against its hashes.
    pub(super) fn check_stream(&mut self, stream: &str) {
        if let Some(sequence) = self.store.broken_link(&mut self.chain_checked) {
            self.violate("chain_holds", format!("event {sequence}"));
        }
        if stream == PROJECT_STREAM {
            return;
        }
        if let Some(task) = self.truth.get(stream).and_then(|state| state.task.as_ref()) {
            let status = task.status().kind();
            self.coverage.reach("state", status.name());
        }
        if let Some((rule, how)) = invariant::violation(self.store.entries(stream)) {
            self.violate(rule, format!("{stream}: {how}"));
        }
    }

    pub(super) fn check_durability(&mut self) {
        if let Some(sequence) = self.store.lost_acknowledgment() {
            self.violate("acknowledged_is_kept", format!("event {sequence} is lost"));
        }
    }
}
