//! How a seed is set up: which faults it draws and how often, which tasks it has.

use std::collections::BTreeSet;

use baton_engine::command::Act;
use baton_engine::envelope::PROJECT_STREAM;
use baton_engine::word::{AgentName, BlobId, CriterionId, GateName, TaskId, WorkflowName};
use baton_engine::workflow::{GateRule, GateWeight, Integration, Review, Role, RoleLimits, Workflow};

use super::store::Fate;
use super::world::{Tree, word};
use super::{Sim, people};
use crate::random::Random;

const TASKS_MAX: usize = 3;

/// How often, in percent, something goes wrong. Every seed draws its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rates {
    pub(crate) crash: usize,
    pub(crate) power_cut: usize,
    pub(crate) clock_jump: usize,
    pub(crate) tree_change: usize,
    pub(crate) stale_view: usize,
    pub(crate) storage: usize,
    pub(crate) mail: usize,
    pub(crate) bad_agent: usize,
    /// The provider is down for a whole seed, or nearly.
    pub(crate) provider: usize,
    /// Agents that always have another question.
    pub(crate) asks: usize,
    /// Agents that hand over what they were given.
    pub(crate) stuck: usize,
    pub(crate) bad_work: usize,
    pub(crate) bad_verifier: usize,
    pub(crate) bad_host: usize,
    pub(crate) odd_person: usize,
}

impl Rates {
    pub(crate) fn draw(random: &mut Random) -> Self {
        let mut seldom = || if random.chance(8) { random.between(60, 100) } else { 0 };
        let (provider, asks, stuck) = (seldom(), seldom(), seldom());
        let mut rate = |high: usize| if random.chance(60) { random.between(1, high) } else { 0 };
        Self {
            crash: rate(90),
            power_cut: rate(90),
            clock_jump: rate(60),
            tree_change: rate(80),
            stale_view: rate(40),
            storage: rate(8),
            mail: rate(30),
            bad_agent: rate(60),
            provider,
            asks,
            stuck,
            bad_work: rate(70),
            bad_verifier: rate(60),
            bad_host: rate(25),
            odd_person: rate(70),
        }
    }

    pub(crate) fn none() -> Self {
        Self {
            crash: 0,
            power_cut: 0,
            clock_jump: 0,
            tree_change: 0,
            stale_view: 0,
            storage: 0,
            mail: 0,
            bad_agent: 0,
            provider: 0,
            asks: 0,
            stuck: 0,
            bad_work: 0,
            bad_verifier: 0,
            bad_host: 0,
            odd_person: 0,
        }
    }

    /// Agents fail and ask as before, but nothing breaks around them.
    pub(crate) fn without_faults(self) -> Self {
        let Self { bad_agent, provider, asks, stuck, bad_work, bad_verifier, .. } = self;
        Self { bad_agent, provider, asks, stuck, bad_work, bad_verifier, ..Self::none() }
    }

    pub(crate) fn fate(&self, random: &mut Random) -> Fate {
        match random.chance(self.storage) {
            false => Fate::Kept,
            true => *random.pick(&[Fate::Refused, Fate::KeptInDoubt, Fate::LostInDoubt]),
        }
    }
}

impl Sim {
    pub(super) fn set_up(&mut self) {
        let rates = std::mem::replace(&mut self.rates, Rates::none());
        let setter = people::person("setter");
        self.world.said.insert("setter".to_owned());
        let covenant = Act::AdoptCovenant { version: 1, policy_hash: self.blob() };
        self.send_now(PROJECT_STREAM, setter.clone(), covenant);
        for workflow in [tight(), part()] {
            self.send_now(PROJECT_STREAM, setter.clone(), Act::DefineWorkflow { workflow });
        }
        let count = self.random.between(1, TASKS_MAX);
        for number in 0..count {
            let task = word(TaskId::new(format!("T{number}")));
            let mut depends_on = BTreeSet::new();
            if number > 0 && self.random.chance(40) {
                let on = word(TaskId::new(format!("T{}", self.random.below(number))));
                let declare = Act::DeclareDependency { task: task.clone(), on: on.clone() };
                self.send_now(PROJECT_STREAM, setter.clone(), declare);
                depends_on.insert(on);
            }
            let names =
                ["tight", "tight", "tight", "waypoint", "waypoint", "steps", "stages", "single", "phases"];
            let workflow = word(WorkflowName::new(*self.random.pick(&names)));
            let criteria = ["c1", "c2"].iter().map(|id| word(CriterionId::new(*id))).collect();
            self.new_workspace(&task);
            let add = Act::AddTask {
                task: task.clone(),
                title: "a task".to_owned(),
                document: self.document(),
                workflow,
                criteria,
                depends_on,
                lineage: Vec::new(),
                assignee: None,
                budget_tokens: None,
            };
            self.send_now(task.as_str(), setter.clone(), add);
        }
        if count > 1 && self.random.chance(30) {
            // An edge drawn after the tasks were added: the node has to tell the task.
            let (task, on) = (word(TaskId::new("T1")), word(TaskId::new("T0")));
            self.send_now(PROJECT_STREAM, setter, Act::DeclareDependency { task, on });
        }
        self.rates = rates;
    }

    pub(super) fn new_workspace(&mut self, task: &TaskId) {
        let tree = self.world.tree(Tree { passes: false, danger: None, violation: false, error: 0 });
        self.world.workspaces.insert(task.clone(), tree);
    }

    pub(super) fn blob(&mut self) -> BlobId {
        let number = self.world.fresh();
        word(BlobId::new(format!("{number:064x}")))
    }
}

/// A workflow in which rare things are near: a small budget, few retries, gates, a review, a merge.
/// The agents to whom work is given.
pub(super) const HELPERS: &[&str] = &["specialist", "security", "repair"];

/// What a part of a task goes through. Its agents may give work to any other, also to those that wait for it.
fn part() -> Workflow {
    let mut workflow = Workflow::built_in("single").unwrap_or_else(|| unreachable!("it is built in"));
    workflow.name = word(WorkflowName::new("part"));
    let names = HELPERS.iter().chain(&["builder", "specification"]);
    workflow.stages[0].routes = names.map(|name| word(AgentName::new(*name))).collect();
    workflow
}

fn tight() -> Workflow {
    let mut workflow = Workflow::built_in("waypoint").unwrap_or_else(|| unreachable!("it is built in"));
    let steps = Workflow::built_in("steps").unwrap_or_else(|| unreachable!("it is built in"));
    workflow.name = word(WorkflowName::new("tight"));
    let mut first = steps.stages[0].clone();
    first.limits.retries_max = 2;
    first.on_failure.notify = Some(word(AgentName::new("manager")));
    first.on_failure.context = Some("look at the guide first".to_owned());
    let gate = GateRule {
        name: word(GateName::new("look")),
        weight: GateWeight::Informing,
        items: vec!["for your information".to_owned()],
    };
    workflow.stages[0].gates = vec![
        GateRule { name: word(GateName::new("release")), weight: GateWeight::Blocking, items: Vec::new() },
        gate,
    ];
    workflow.stages[0].criteria = vec![word(CriterionId::new("own"))];
    workflow.stages[0].review = Review::Independent(word(AgentName::new("verifier")));
    let tighter =
        RoleLimits { turn_tokens: Some(100_000), turn_ms: Some(20 * 60_000), ..RoleLimits::default() };
    workflow.stages[0].role_limits.insert(Role::Verifier, tighter);
    workflow.stages.insert(0, first);
    for stage in &mut workflow.stages {
        stage.routes = HELPERS.iter().map(|name| word(AgentName::new(*name))).collect();
    }
    workflow.integration = Integration::Merge;
    workflow.budget_tokens = 900_000;
    workflow.budget_ms = Some(10 * 60 * 60_000);
    workflow
}
