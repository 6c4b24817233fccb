//! Workflows as data: an ordered set of stages, each with who works, what must hold, and what happens when it does not.
//!
//! The built-in workflows and a project's own are the same type; the engine knows no other difference.

mod limits;
mod phases;
mod session;
mod single;
mod stages;
mod steps;
mod waypoint;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

pub use limits::{Limits, RoleLimits};

use crate::word::{AgentName, CheckpointName, CriterionId, GateName, StageName, WorkflowName};

/// The workflow of agents that Baton sits beside.
pub const SESSION: &str = "session";
/// More tries after the first than this are never given.
pub const RETRIES_MAX: u32 = 3;
pub const CLARIFICATION_ROUNDS_MAX: u32 = 8;
pub const STAGES_MAX: usize = 32;
pub const CHECKPOINTS_MAX: usize = 64;
/// The most agents that the handoffs of a stage can name.
pub const ROUTES_MAX: usize = 32;
pub const DELEGATION_DEPTH_MAX: usize = 4;
pub const DELEGATION_FANOUT_MAX: usize = 16;
/// Faults of a provider burn no attempt, but have this ceiling of their own.
pub const PROVIDER_FAULTS_MAX: u32 = 5;
/// Turns that a person stopped burn no attempt, up to this many in a stage.
pub const STOPS_MAX: u32 = 16;
/// How often a void or lost verification is asked for again.
pub const VERIFICATIONS_MAX: u32 = 3;
/// How often a person can send an escalated task round again.
pub const ROUNDS_MAX: u32 = 3;
pub const TURN_MS_MAX: i64 = 24 * 60 * 60 * 1000;
const CLARIFICATION_ROUNDS_DEFAULT: u32 = 2;
const BUDGET_TOKENS_DEFAULT: u64 = 25_000_000;

/// An ordered set of stages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Workflow {
    pub name: WorkflowName,
    #[serde(default = "first_version")]
    pub version: u32,
    pub stages: Vec<Stage>,
    #[serde(default)]
    pub integration: Integration,
    #[serde(default = "clarification_rounds_default")]
    pub clarification_rounds_max: u32,
    #[serde(default = "budget_default")]
    pub budget_tokens: u64,
    /// Millionths of a dollar for a whole task, as its agents tell their cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_microdollars: Option<u64>,
    /// How long the turns of programs may take together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_ms: Option<i64>,
}

/// What happens to accepted work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Integration {
    /// It lies where it was made; the task is done with the decision.
    #[default]
    InPlace,
    /// It is merged by the host; the task is done when that is recorded.
    Merge,
}

/// One step of a workflow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    pub name: StageName,
    pub agent: AgentName,
    #[serde(default)]
    pub role: Role,
    #[serde(default)]
    pub checkpoints: Vec<Checkpoint>,
    /// What must be shown in this stage beyond the task's own criteria.
    #[serde(default)]
    pub criteria: Vec<CriterionId>,
    #[serde(default)]
    pub gates: Vec<GateRule>,
    #[serde(default)]
    pub limits: Limits,
    /// What is tighter for those who work in a role.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub role_limits: BTreeMap<Role, RoleLimits>,
    #[serde(default)]
    pub on_failure: FailurePolicy,
    /// The agents that a handoff of this stage can delegate to or send a failure to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub routes: Vec<AgentName>,
    #[serde(default)]
    pub review: Review,
    #[serde(default)]
    pub plan: Plan,
    /// Completed work of this stage has to change files.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub must_change: bool,
}

/// What an agent is there for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    #[default]
    Builder,
    Verifier,
    Repair,
    Specialist,
}

impl Role {
    pub fn name(self) -> &'static str {
        match self {
            Self::Builder => "builder",
            Self::Verifier => "verifier",
            Self::Repair => "repair",
            Self::Specialist => "specialist",
        }
    }
}

/// A named condition and who can settle it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checkpoint {
    pub name: CheckpointName,
    #[serde(default)]
    pub settled_by: SettledBy,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SettledBy {
    /// A receipt of the host says so. An agent's word counts for nothing here.
    #[default]
    Host,
    /// Nobody but the agent can say so. Shown as asserted everywhere, and never makes work verified.
    Agent,
}

/// A question to a person that belongs to a stage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GateRule {
    pub name: GateName,
    #[serde(default)]
    pub weight: GateWeight,
    #[serde(default)]
    pub items: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GateWeight {
    #[default]
    Blocking,
    Informing,
}

/// What happens when an attempt fails. A handoff can carry one too, and only tighten what the stage says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FailurePolicy {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub route_to: Option<AgentName>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notify: Option<AgentName>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub escalate_after: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
}

/// Who judges the work of a stage.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Review {
    /// Nobody but the host's checks; the task can end done-unverified at best.
    #[default]
    None,
    /// Another agent, in another session, criterion by criterion.
    Independent(AgentName),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Plan {
    #[default]
    Optional,
    /// A build plan is handed in before the work is.
    Required,
}

impl Workflow {
    /// Returns a workflow with these stages, and the usual bounds.
    pub fn named(name: WorkflowName, stages: Vec<Stage>) -> Self {
        Self {
            name,
            version: first_version(),
            stages,
            integration: Integration::InPlace,
            clarification_rounds_max: CLARIFICATION_ROUNDS_DEFAULT,
            budget_tokens: BUDGET_TOKENS_DEFAULT,
            budget_microdollars: None,
            budget_ms: None,
        }
    }

    /// Returns the workflow of this name that comes with Baton.
    pub fn built_in(name: &str) -> Option<Self> {
        BUILT_IN.iter().find(|(known, _)| *known == name).map(|(_, make)| make())
    }

    /// Returns the workflow of sessions in a project that has these checks.
    pub fn of_session(checks: Vec<CheckpointName>) -> Self {
        session::of_checks(checks)
    }

    pub fn stage(&self, index: usize) -> Option<&Stage> {
        self.stages.get(index)
    }

    /// Lets the handoffs of every stage name the agents of all the others.
    fn routed_among_stages(mut self) -> Self {
        let mut agents: Vec<AgentName> = self.stages.iter().map(|stage| stage.agent.clone()).collect();
        agents.dedup();
        for stage in &mut self.stages {
            stage.routes = agents.iter().filter(|agent| **agent != stage.agent).cloned().collect();
        }
        self
    }

    /// Returns everything that is wrong with a workflow, in words; nothing when it can be used.
    pub fn problems(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        if self.stages.is_empty() || self.stages.len() > STAGES_MAX {
            wrong.push(format!("a workflow has 1 to {STAGES_MAX} stages, not {}", self.stages.len()));
        }
        if self.clarification_rounds_max > CLARIFICATION_ROUNDS_MAX {
            wrong.push(format!("at most {CLARIFICATION_ROUNDS_MAX} rounds of clarification are allowed"));
        }
        if self.budget_ms.is_some_and(|ms| ms <= 0) || self.budget_microdollars == Some(0) {
            wrong.push("a budget of nothing lets nobody work".to_owned());
        }
        let mut names = BTreeSet::new();
        for stage in &self.stages {
            if !names.insert(&stage.name) {
                wrong.push(format!("two stages are called `{}`", stage.name));
            }
            wrong.extend(stage.problems().into_iter().map(|what| format!("stage `{}`: {what}", stage.name)));
        }
        wrong
    }
}

impl Stage {
    fn problems(&self) -> Vec<String> {
        let mut wrong = self.limits.problems();
        for (role, limits) in &self.role_limits {
            let name = role.name();
            if !self.has_turns_for(*role) {
                wrong.push(format!(
                    "nobody works as {name} here, so `role_limits.{name}` would hold for nobody"
                ));
            }
            if self.limits.is_exceeded_by(limits) {
                wrong.push(format!("`role_limits.{name}` can only be tighter than `limits`"));
            }
            wrong.extend(self.limits.within(limits).problems());
        }
        if self.checkpoints.len() > CHECKPOINTS_MAX {
            wrong.push(format!("at most {CHECKPOINTS_MAX} checkpoints are allowed"));
        }
        let names: BTreeSet<_> = self.checkpoints.iter().map(|checkpoint| &checkpoint.name).collect();
        if names.len() < self.checkpoints.len() {
            wrong.push("a checkpoint is named twice".to_owned());
        }
        let gates: BTreeSet<_> = self.gates.iter().map(|gate| &gate.name).collect();
        if gates.len() < self.gates.len() {
            wrong.push("a gate is named twice".to_owned());
        }
        let routes: BTreeSet<_> = self.routes.iter().collect();
        if routes.len() < self.routes.len() {
            wrong.push("a route is named twice".to_owned());
        }
        if self.routes.len() > ROUTES_MAX {
            wrong.push(format!("at most {ROUTES_MAX} routes are allowed"));
        }
        if matches!(&self.review, Review::Independent(verifier) if *verifier == self.agent) {
            wrong.push("the verifier is the builder; an independent one has another name".to_owned());
        }
        if self.on_failure.route_to.as_ref() == Some(&self.agent) {
            wrong.push("failures are routed to the agent that failed".to_owned());
        }
        wrong
    }

    /// Returns what a turn of this role may take.
    pub fn limits_for(&self, role: Role) -> Limits {
        self.role_limits.get(&role).map_or_else(|| self.limits.clone(), |own| self.limits.within(own))
    }

    /// Says whether a handoff of this stage can name this agent: the stage lists it, or sends its own failures there.
    pub fn allows_route(&self, agent: &AgentName) -> bool {
        self.routes.contains(agent) || self.on_failure.route_to.as_ref() == Some(agent)
    }

    /// Says whether somebody may work in this role. Any handoff can name somebody who repairs.
    fn has_turns_for(&self, role: Role) -> bool {
        match role {
            Role::Repair => true,
            Role::Verifier => self.review != Review::None,
            Role::Builder | Role::Specialist => self.role == role,
        }
    }

    pub fn host_checkpoints(&self) -> impl Iterator<Item = &CheckpointName> {
        self.checkpoints
            .iter()
            .filter(|checkpoint| checkpoint.settled_by == SettledBy::Host)
            .map(|checkpoint| &checkpoint.name)
    }
}

/// What a stage and the handoffs in it allow together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allowance {
    pub retries_max: u32,
    pub escalate_after: u32,
    pub route_to: Option<AgentName>,
    pub notify: Option<AgentName>,
    pub context: Option<String>,
}

impl Allowance {
    /// Takes the tightest of everything said. A route that the stage doesn't list isn't followed.
    pub fn of(stage: &Stage, handoff: Option<&FailurePolicy>) -> Self {
        let own = &stage.on_failure;
        let said = handoff.cloned().unwrap_or_default();
        let tightest = |bounds: [Option<u32>; 3]| bounds.into_iter().flatten().min().unwrap_or(RETRIES_MAX);
        let retries_max = tightest([Some(stage.limits.retries_max.min(RETRIES_MAX)), own.retry, said.retry]);
        let escalate_after = tightest([Some(retries_max + 1), own.escalate_after, said.escalate_after]);
        let known = said.route_to.filter(|agent| stage.allows_route(agent));
        Self {
            retries_max,
            escalate_after: escalate_after.max(1),
            route_to: known.or_else(|| own.route_to.clone()),
            notify: said.notify.or_else(|| own.notify.clone()),
            context: said.context.or_else(|| own.context.clone()),
        }
    }
}

type Make = fn() -> Workflow;

const BUILT_IN: &[(&str, Make)] = &[
    ("phases", phases::workflow),
    (SESSION, session::workflow),
    ("single", single::workflow),
    ("stages", stages::workflow),
    ("steps", steps::workflow),
    ("waypoint", waypoint::workflow),
];

/// Returns the names of the workflows that come with Baton.
pub fn built_in_names() -> impl Iterator<Item = &'static str> {
    BUILT_IN.iter().map(|(name, _)| *name)
}

fn first_version() -> u32 {
    1
}

fn clarification_rounds_default() -> u32 {
    CLARIFICATION_ROUNDS_DEFAULT
}

fn budget_default() -> u64 {
    BUDGET_TOKENS_DEFAULT
}

fn named(name: &str, stages: Vec<Stage>) -> Workflow {
    Workflow::named(WorkflowName::fixed(name), stages)
}

fn stage(name: &str, agent: &str, checkpoints: Vec<Checkpoint>) -> Stage {
    Stage {
        name: StageName::fixed(name),
        agent: AgentName::fixed(agent),
        role: Role::Builder,
        checkpoints,
        criteria: Vec::new(),
        gates: Vec::new(),
        limits: Limits::default(),
        role_limits: BTreeMap::new(),
        on_failure: FailurePolicy::default(),
        routes: Vec::new(),
        review: Review::None,
        plan: Plan::Optional,
        must_change: false,
    }
}

fn checkpoint(name: &str, settled_by: SettledBy) -> Checkpoint {
    Checkpoint { name: CheckpointName::fixed(name), settled_by }
}

fn verified_by(agent: &str) -> Review {
    Review::Independent(AgentName::fixed(agent))
}

#[cfg(test)]
mod tests;
