//! Agents: they work, fail, ask, delegate, lie, come late, come twice, or never come back.

mod handing;
mod judge;

use baton_engine::command::Act;
use baton_engine::envelope::{Actor, ActorKind};
use baton_engine::fact::{
    BlockReason, CriterionVerdict, Danger, Ending, GateChoice, LeaseToken, Report, Shown, Understanding,
};
use baton_engine::state::Freshness;
use baton_engine::verdict::Verdict;
use baton_engine::word::{
    AgentName, ClarificationId, CriterionId, DelegationId, GateName, TaskId, TreeHash, TurnId, WorkflowName,
};
use baton_engine::workflow::{GateWeight, Role};

use super::Sim;
use super::node::host;
use super::setting::HELPERS;
use super::world::{Examination, Launch, Tree, word};

/// A running agent.
#[derive(Clone, Debug)]
pub(crate) struct Process {
    pub(crate) task: TaskId,
    pub(crate) lease: LeaseToken,
    pub(crate) agent: AgentName,
    role: Role,
    /// What it still means to do, the last first.
    script: Vec<Deed>,
    /// The tree that a verifier looks at.
    examined: Option<TreeHash>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deed {
    Acknowledge,
    AskBack,
    Plan,
    Work,
    Ask,
    /// Ends the turn with the question as its last word, where it is still open.
    Leave,
    AskGate,
    Delegate,
    /// Ends the turn with the delegation as its last word, where it is still open.
    Part,
    Forge,
    Submit,
    /// Hands over with a question that a person has to answer first.
    SubmitAsking,
    /// Hands over and asks for a gate of its own.
    SubmitGated,
    SubmitBadly,
    Block,
    Escalate,
    End(Ending),
    Hang,
    Examine,
    Judge,
}

impl Sim {
    /// Really starts a process, whatever the log says.
    pub(super) fn launch(&mut self, id: &TaskId, turn: &TurnId) {
        let Some(task) = self.task(id) else { return };
        let Some(live) = task.turn.clone().filter(|live| live.id == *turn) else { return };
        let reserved = task.budget.reserved_for(turn.as_str());
        let owes = task.owes_acknowledgment();
        let plans = task.owes_plan();
        let spent =
            self.cost(id, reserved.max(task.limits_for(live.role).map_or(0, |limits| limits.turn_tokens)));
        let key = (id.clone(), turn.clone());
        let launch = Launch {
            role: live.role,
            agent: live.agent.clone(),
            session: live.session.clone(),
            count: 0,
            spent,
        };
        self.world.launches.entry(key).or_insert(launch).count += 1;
        self.check_launch(id, turn);
        let script = match live.role {
            Role::Verifier => self.verifier_script(),
            Role::Builder | Role::Repair | Role::Specialist => self.builder_script(owes, plans),
        };
        let lease = LeaseToken { turn: live.id, epoch: live.epoch };
        let process =
            Process { task: id.clone(), lease, agent: live.agent, role: live.role, script, examined: None };
        self.processes.push(process);
    }

    fn builder_script(&mut self, owes: bool, plans: bool) -> Vec<Deed> {
        let bad = self.rates.bad_agent;
        let mut script = Vec::new();
        if owes {
            if self.random.chance(bad / 4) {
                script.push(Deed::AskBack);
            }
            script.push(Deed::Acknowledge);
        }
        if plans && self.random.chance(bad / 4) {
            script.push(Deed::End(Ending::PlanRefused));
            script.reverse();
            return script;
        }
        if plans || self.random.chance(bad / 10) {
            script.push(Deed::Plan);
        }
        if self.random.chance(self.rates.asks) {
            script.push(Deed::Ask);
            if self.random.chance(50) {
                script.push(Deed::Leave);
            }
        }
        for deed in [Deed::Ask, Deed::AskGate, Deed::Delegate, Deed::Forge] {
            if self.random.chance(bad / 5) {
                script.push(deed);
                if deed == Deed::Delegate && self.random.chance(50) {
                    script.push(Deed::Part);
                }
            }
        }
        script.push(Deed::Work);
        if self.random.chance(self.rates.provider) {
            return vec![Deed::End(*self.random.pick(&[Ending::Limit, Ending::Network]))];
        }
        script.push(match self.random.chance(bad / 2) {
            false => Deed::Submit,
            true => *self.random.pick(&[
                Deed::SubmitBadly,
                Deed::SubmitAsking,
                Deed::SubmitGated,
                Deed::Block,
                Deed::Escalate,
                Deed::Hang,
                Deed::End(Ending::Crash),
                Deed::End(Ending::Limit),
                Deed::End(Ending::Network),
                Deed::End(Ending::NoHandoff),
                Deed::End(Ending::AccessRefused),
                Deed::End(Ending::HandoffRefused),
                Deed::End(Ending::Stopped),
            ]),
        });
        script.reverse();
        script
    }

    fn verifier_script(&mut self) -> Vec<Deed> {
        let bad = self.rates.bad_verifier;
        let mut script = vec![Deed::Examine];
        if self.random.chance(bad / 3) {
            script.push(Deed::Ask);
        }
        if self.random.chance(bad / 4) {
            script.push(Deed::Forge);
        }
        script.push(match self.random.chance(bad / 4) {
            false => Deed::Judge,
            true => *self.random.pick(&[
                Deed::Hang,
                Deed::End(Ending::Crash),
                Deed::End(Ending::Limit),
                Deed::End(Ending::Stopped),
                Deed::Escalate,
            ]),
        });
        script.reverse();
        script
    }

    pub(super) fn process_moves(&mut self) {
        if self.processes.is_empty() {
            return;
        }
        let place = self.random.below(self.processes.len());
        let mut process = self.processes.swap_remove(place);
        if self.has_to_wait(&process) {
            if self.random.chance(self.rates.bad_agent / 10) {
                self.forge(&process);
            }
            self.processes.push(process);
            return;
        }
        if self.random.chance(5) {
            let renew = Act::Renew { lease: process.lease.clone() };
            self.post(process.task.as_str(), host(), renew);
        }
        let Some(deed) = process.script.pop() else { return };
        let goes_on = self.act_out(&mut process, deed);
        if goes_on {
            self.processes.push(process);
        }
    }

    /// An agent that asked something waits for the answer, unless it is one that does not.
    fn has_to_wait(&mut self, process: &Process) -> bool {
        let Some(task) = self.task(&process.task) else { return false };
        let asked = task.open_clarifications().next().is_some();
        let waits = asked || task.open_gate().is_some() || task.open_delegation().is_some();
        let is_live = task.turn.as_ref().is_some_and(|turn| turn.id == process.lease.turn);
        let parts = task.open_delegation().is_some() && process.script.last() == Some(&Deed::Part);
        if parts || asked && process.script.last() == Some(&Deed::Leave) {
            return false;
        }
        let haste = match process.role {
            Role::Verifier => self.rates.bad_verifier / 2,
            Role::Builder | Role::Repair | Role::Specialist => self.rates.bad_agent / 20,
        };
        let impatient = asked && self.random.chance(haste);
        is_live && waits && !impatient
    }

    fn act_out(&mut self, process: &mut Process, deed: Deed) -> bool {
        match deed {
            Deed::Acknowledge | Deed::AskBack => self.acknowledge(process, deed),
            Deed::Plan => {
                let (lease, document) = (process.lease.clone(), self.document());
                self.say(process, Act::HandInPlan { lease, document });
            }
            Deed::Work => self.work(process),
            Deed::Ask => self.ask(process),
            Deed::Leave => {
                let task = self.task(&process.task);
                let is_asking = task.is_some_and(|task| {
                    task.open_clarifications().any(|(_, asked)| asked.turn == process.lease.turn)
                });
                if is_asking {
                    self.end(process, Ending::Asked);
                }
                return !is_asking;
            }
            Deed::Part => {
                let task = self.task(&process.task);
                let is_waiting = task
                    .and_then(|task| task.open_delegation())
                    .is_some_and(|(_, open)| open.turn == process.lease.turn);
                if is_waiting {
                    self.end(process, Ending::Delegated);
                }
                return !is_waiting;
            }
            Deed::AskGate => self.ask_gate(process),
            Deed::Delegate => self.delegate(process),
            Deed::Forge => self.forge(process),
            Deed::Submit | Deed::SubmitBadly | Deed::SubmitAsking | Deed::SubmitGated | Deed::Block => {
                self.hand_over(process, deed);
                return false;
            }
            Deed::Escalate => {
                let reason = *self.random.pick(BlockReason::ALL);
                let details = "this is not for me to decide".to_owned();
                let (lease, document) = (Some(process.lease.clone()), self.document());
                self.say(process, Act::Escalate { lease, document, reason, details });
                return false;
            }
            Deed::End(ending) => {
                let name = if ending.is_provider_fault() { "provider_fails" } else { "agent_crashes" };
                self.fault_in_turn(process, name);
                self.end(process, ending);
                return false;
            }
            Deed::Hang => {
                self.fault_in_turn(process, "agent_hangs");
                return false;
            }
            Deed::Examine => process.examined = self.world.workspaces.get(&process.task).cloned(),
            Deed::Judge => {
                self.judge(process);
                return false;
            }
        }
        true
    }

    /// The host sees the end of a turn that brought no handoff.
    fn end(&mut self, process: &Process, ending: Ending) {
        let key = (process.task.clone(), process.lease.turn.clone());
        let spent = self.world.launches.get(&key).map(|launch| launch.spent);
        let (lease, document) = (process.lease.clone(), Some(self.document()));
        let act = Act::EndTurn {
            lease,
            ending,
            spent_tokens: spent,
            document,
            how: None,
            account: None,
            why: None,
        };
        self.post(process.task.as_str(), host(), act);
    }

    fn acknowledge(&mut self, process: &Process, deed: Deed) {
        let inbound = self.task(&process.task).and_then(|task| task.run.inbound.clone());
        let Some(handoff) = inbound else { return };
        let document = self.document();
        let understood = deed == Deed::Acknowledge;
        let (understanding, blockers) = match understood {
            true => (Understanding::Understood, Vec::new()),
            false => (Understanding::Partial, vec!["the specification is missing".to_owned()]),
        };
        if understood {
            self.world.acknowledgments.insert(document.id.as_str().to_owned());
        }
        let missing = match self.random.chance(self.rates.bad_agent / 10) {
            true => vec!["docs/spec.md".to_owned()],
            false => Vec::new(),
        };
        let lease = process.lease.clone();
        self.say(process, Act::Acknowledge { lease, document, handoff, understanding, blockers, missing });
    }

    fn work(&mut self, process: &Process) {
        if self.random.chance(self.rates.stuck.max(self.rates.bad_work / 4)) {
            return;
        }
        let passes = !self.random.chance(self.rates.bad_work);
        let danger = match self.random.chance(self.rates.bad_work / 8) {
            true => Some(*self.random.pick(Danger::ALL)),
            false => None,
        };
        let violation = self.random.chance(self.rates.bad_work / 10);
        let error = self.random.below(6);
        let tree = self.world.tree(Tree { passes, danger, violation, error });
        self.world.workspaces.insert(process.task.clone(), tree);
    }

    fn ask(&mut self, process: &Process) {
        let number = self.world.fresh();
        let act = Act::Ask {
            lease: process.lease.clone(),
            clarification: word(ClarificationId::new(format!("q{number}"))),
            document: self.document(),
            question: "which of the two?".to_owned(),
            options: vec!["this".to_owned(), "that".to_owned()],
        };
        self.say(process, act);
    }

    fn ask_gate(&mut self, process: &Process) {
        let Some(tree) = self.world.workspaces.get(&process.task).cloned() else { return };
        let number = self.world.fresh();
        let document = self.document();
        let act = Act::AskGate {
            gate: word(GateName::new(format!("g{number}"))),
            weight: GateWeight::Blocking,
            items: vec!["may I?".to_owned()],
            shown: Shown { tree, handoff: document.blob.clone() },
            document,
            lease: Some(process.lease.clone()),
        };
        self.say(process, act);
    }

    fn delegate(&mut self, process: &Process) {
        let number = self.world.fresh();
        let Some(task) = self.task(&process.task) else { return };
        let (lineage, cap) = (task.lineage.clone(), task.budget.cap_tokens);
        let above: Vec<AgentName> = lineage.into_iter().map(|ancestor| ancestor.agent).collect();
        let to = match above.is_empty() || self.random.chance(50) {
            true => word(AgentName::new(*self.random.pick(HELPERS))),
            false => self.random.pick(&above).clone(),
        };
        let act = Act::Delegate {
            lease: process.lease.clone(),
            delegation: word(DelegationId::new(format!("d{number}"))),
            to,
            child: word(TaskId::new(format!("D{number}"))),
            workflow: word(WorkflowName::new("part")),
            deliverable: "a review of the risks".to_owned(),
            document: self.document(),
            budget_tokens: cap / 3,
        };
        self.say(process, act);
    }

    /// What goes wrong with an agent concerns its task while its turn is being taken, and nobody afterwards.
    fn fault_in_turn(&mut self, process: &Process, name: &'static str) {
        let live = self.task(&process.task).and_then(|task| task.turn.as_ref());
        match live.is_some_and(|turn| turn.id == process.lease.turn) {
            true => self.fault_at(process.task.as_str(), name),
            false => self.coverage.reach("fault", name),
        }
    }

    /// Somebody who has no turn, or had one once, reaches for a task in whatever state it is.
    pub(super) fn stranger_forges(&mut self) {
        let ids = self.task_ids();
        if ids.is_empty() {
            return;
        }
        let task = self.random.pick(&ids).clone();
        let number = self.random.between(1, 4) as u64;
        let lease = LeaseToken { turn: word(TurnId::new(format!("turn-{number}"))), epoch: number };
        let agent = word(AgentName::new(*self.random.pick(&["builder", "verifier", "repair"])));
        let process = Process { task, lease, agent, role: Role::Builder, script: Vec::new(), examined: None };
        self.forge(&process);
    }

    /// Reaches for what is not its own.
    fn forge(&mut self, process: &Process) {
        let Some(task) = self.task(&process.task) else { return };
        let question = task.open_clarifications().next().map(|(question, _)| question.clone());
        let gate = task.gates.iter().next().map(|(name, gate)| (name.clone(), gate.shown.clone()));
        let mut forger = Actor::new(ActorKind::Agent, process.agent.as_str());
        forger.turn = Some(process.lease.turn.as_str().to_owned());
        self.fault_at(process.task.as_str(), "forged_role");
        let document = self.document();
        let words = "an agent said so".to_owned();
        let acts = [
            question.map(|clarification| Act::Answer {
                clarification,
                document: document.clone(),
                answer: words.clone(),
                source: baton_engine::fact::AnswerSource::Person,
                covenant_place: None,
            }),
            gate.map(|(gate, shown)| Act::AnswerGate {
                gate,
                choice: GateChoice::Approve,
                shown,
                words: words.clone(),
            }),
            Some(Act::Cancel { reason: words }),
            Some(Act::Expire {}),
        ];
        let possible: Vec<Act> = acts.into_iter().flatten().collect();
        let act = self.random.pick(&possible).clone();
        self.post(process.task.as_str(), forger.clone(), act);
        self.fault_at(process.task.as_str(), "forged_lease");
        let Some(tree) = self.world.workspaces.get(&process.task).cloned() else { return };
        let lease =
            LeaseToken { turn: process.lease.turn.clone(), epoch: process.lease.epoch.saturating_sub(1) };
        let submission = self.submission(&process.task, tree);
        self.post(process.task.as_str(), forger, Act::Submit { lease, submission });
    }

    fn say(&mut self, process: &Process, act: Act) {
        let turn = process.lease.turn.as_str();
        let actor = Actor::new(ActorKind::Agent, process.agent.as_str()).with_turn(turn);
        let wrong_role = matches!(act, Act::Submit { .. }) && process.role == Role::Verifier;
        if !wrong_role {
            self.post(process.task.as_str(), actor, act);
        }
    }

    /// Somebody changes a workspace after it was handed over.
    pub(super) fn tree_changes(&mut self) {
        let ids = self.task_ids();
        if ids.is_empty() {
            return;
        }
        let id = self.random.pick(&ids).clone();
        if self.task(&id).is_none_or(|task| task.end.is_some()) {
            return;
        }
        self.fault_at(id.as_str(), "tree_changes");
        let passes = self.random.chance(50);
        let error = self.random.below(6);
        let tree = self.world.tree(Tree { passes, danger: None, violation: false, error });
        self.world.workspaces.insert(id, tree);
    }
}
