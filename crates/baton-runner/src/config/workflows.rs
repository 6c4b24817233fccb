//! `[workflows.NAME]`: the project's own workflows, as data.

use std::collections::BTreeMap;
use std::ops::Range;

use baton_engine::word::{AgentName, BadWord};
use baton_engine::workflow::{
    Checkpoint, FailurePolicy, GateRule, GateWeight, Integration, Limits, Plan, Review, Role, SettledBy,
    Stage, Workflow,
};
use serde::Deserialize;
use toml::Spanned;

use super::Problem;

/// Milliseconds of a minute.
const MINUTE_MS: i64 = 60_000;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WorkflowTable {
    stages: Vec<StageTable>,
    #[serde(default)]
    integration: Integration,
    clarification_rounds_max: Option<u32>,
    budget_tokens: Option<u64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct StageTable {
    name: Spanned<String>,
    agent: Spanned<String>,
    #[serde(default)]
    role: Role,
    /// Settled by the host.
    #[serde(default)]
    checkpoints: Vec<Spanned<String>>,
    /// Only the agent can say so.
    #[serde(default)]
    asserted: Vec<Spanned<String>>,
    #[serde(default)]
    criteria: Vec<Spanned<String>>,
    #[serde(default)]
    gates: Vec<GateTable>,
    #[serde(default)]
    limits: LimitsTable,
    #[serde(default)]
    on_failure: FailureTable,
    /// The agent that judges independently.
    review: Option<Spanned<String>>,
    #[serde(default)]
    plan: Plan,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct GateTable {
    name: Spanned<String>,
    #[serde(default)]
    weight: GateWeight,
    #[serde(default)]
    items: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct LimitsTable {
    retries_max: Option<u32>,
    turn_minutes: Option<i64>,
    turn_tokens: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct FailureTable {
    retry: Option<u32>,
    route_to: Option<Spanned<String>>,
    notify: Option<Spanned<String>>,
    escalate_after: Option<u32>,
    context: Option<String>,
}

/// Reads the workflows; each is held against the bounds of the engine.
pub(super) fn read(tables: BTreeMap<Spanned<String>, WorkflowTable>) -> Result<Vec<Workflow>, Problem> {
    tables.into_iter().map(|(name, table)| workflow(name, table)).collect()
}

fn workflow(name: Spanned<String>, table: WorkflowTable) -> Result<Workflow, Problem> {
    let span = name.span();
    let place = |stage: &StageTable| (stage.name.get_ref().clone(), stage.name.span());
    let places: Vec<(String, Range<usize>)> = table.stages.iter().map(place).collect();
    let stages = table.stages.into_iter().map(read_stage).collect::<Result<_, _>>()?;
    let mut workflow = Workflow::named(word(name)?, stages);
    workflow.integration = table.integration;
    workflow.budget_tokens = table.budget_tokens.unwrap_or(workflow.budget_tokens);
    workflow.clarification_rounds_max =
        table.clarification_rounds_max.unwrap_or(workflow.clarification_rounds_max);
    match workflow.problems().into_iter().next() {
        None => Ok(workflow),
        Some(message) => {
            // The words name the stage; the last of that name is the one that is one too many.
            let named = places.iter().rev().find(|(stage, _)| message.contains(&format!("`{stage}`")));
            let span = named.map_or(span, |(_, place)| place.clone());
            Err(Problem { message, help: help(), span })
        }
    }
}

fn read_stage(table: StageTable) -> Result<Stage, Problem> {
    let settled = |settled_by| move |name| Ok::<_, Problem>(Checkpoint { name: word(name)?, settled_by });
    let host = table.checkpoints.into_iter().map(settled(SettledBy::Host));
    let asserted = table.asserted.into_iter().map(settled(SettledBy::Agent));
    let gate = |gate: GateTable| {
        Ok::<_, Problem>(GateRule { name: word(gate.name)?, weight: gate.weight, items: gate.items })
    };
    Ok(Stage {
        name: word(table.name)?,
        agent: agent(table.agent)?,
        role: table.role,
        checkpoints: host.chain(asserted).collect::<Result<_, _>>()?,
        criteria: table.criteria.into_iter().map(word).collect::<Result<_, _>>()?,
        gates: table.gates.into_iter().map(gate).collect::<Result<_, _>>()?,
        limits: table.limits.read(),
        role_limits: BTreeMap::new(),
        on_failure: table.on_failure.read()?,
        review: table.review.map(agent).transpose()?.map_or(Review::None, Review::Independent),
        plan: table.plan,
    })
}

impl LimitsTable {
    fn read(&self) -> Limits {
        let usual = Limits::default();
        Limits {
            retries_max: self.retries_max.unwrap_or(usual.retries_max),
            turn_ms: self.turn_minutes.map_or(usual.turn_ms, |minutes| minutes.saturating_mul(MINUTE_MS)),
            turn_tokens: self.turn_tokens.unwrap_or(usual.turn_tokens),
            ..usual
        }
    }
}

impl FailureTable {
    fn read(self) -> Result<FailurePolicy, Problem> {
        Ok(FailurePolicy {
            retry: self.retry,
            route_to: self.route_to.map(agent).transpose()?,
            notify: self.notify.map(agent).transpose()?,
            escalate_after: self.escalate_after,
            context: self.context,
        })
    }
}

/// Reads an agent with or without the `@` that people write before it.
fn agent(text: Spanned<String>) -> Result<AgentName, Problem> {
    let span = text.span();
    let name = text.into_inner();
    word(Spanned::new(span, name.trim_start_matches('@').to_owned()))
}

fn word<W: TryFrom<String, Error = BadWord>>(text: Spanned<String>) -> Result<W, Problem> {
    let span = text.span();
    W::try_from(text.into_inner()).map_err(|wrong| Problem { message: wrong.to_string(), help: help(), span })
}

fn help() -> Option<String> {
    Some("`docs/reference/configuration.md` has every key of a workflow and every limit".to_owned())
}
