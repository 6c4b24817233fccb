//! `[workflows.NAME]`: the project's own workflows, as data.

use std::collections::BTreeMap;
use std::ops::Range;

use baton_engine::word::{AgentName, BadWord};
use baton_engine::workflow::{
    Checkpoint, FailurePolicy, Form, GateRule, GateWeight, Integration, Limits, Plan, Review, Role,
    RoleLimits, SettledBy, Stage, Workflow,
};
use serde::Deserialize;
use toml::Spanned;

use super::{Problem, amount};

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
    budget_dollars: Option<Spanned<f64>>,
    budget_minutes: Option<Spanned<f64>>,
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
    role_limits: BTreeMap<Role, LimitsTable>,
    #[serde(default)]
    on_failure: FailureTable,
    /// The agents that a handoff can delegate to or send a failure to.
    #[serde(default)]
    routes: Vec<Spanned<String>>,
    /// The agent that judges independently.
    review: Option<Spanned<String>>,
    #[serde(default)]
    plan: Plan,
    #[serde(default)]
    must_change: bool,
    /// The form that the prompt asks for.
    #[serde(default)]
    form: Form,
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
    retries_max: Option<Spanned<u32>>,
    turn_minutes: Option<i64>,
    turn_tokens: Option<u64>,
    turn_dollars: Option<Spanned<f64>>,
    turn_output_mib: Option<u64>,
    turn_commands: Option<u64>,
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
    workflow.budget_microdollars = table.budget_dollars.as_ref().map(amount::microdollars).transpose()?;
    workflow.budget_ms = table.budget_minutes.as_ref().map(amount::milliseconds).transpose()?;
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
        limits: table.limits.read()?,
        role_limits: table
            .role_limits
            .into_iter()
            .map(|(role, limits)| Ok::<_, Problem>((role, limits.read_for_role()?)))
            .collect::<Result<_, _>>()?,
        on_failure: table.on_failure.read()?,
        routes: table.routes.into_iter().map(agent).collect::<Result<_, _>>()?,
        review: table.review.map(agent).transpose()?.map_or(Review::None, Review::Independent),
        plan: table.plan,
        must_change: table.must_change,
        form: table.form,
    })
}

impl LimitsTable {
    fn read(self) -> Result<Limits, Problem> {
        let usual = Limits::default();
        Ok(Limits {
            retries_max: self.retries_max.as_ref().map_or(usual.retries_max, |max| *max.get_ref()),
            turn_ms: self.turn_ms().unwrap_or(usual.turn_ms),
            turn_tokens: self.turn_tokens.unwrap_or(usual.turn_tokens),
            turn_microdollars: self.turn_microdollars()?,
            turn_output_mib: self.turn_output_mib,
            turn_commands: self.turn_commands,
        })
    }

    fn read_for_role(self) -> Result<RoleLimits, Problem> {
        if let Some(retries) = &self.retries_max {
            let message = "`retries_max` is for a whole stage, not for a role".to_owned();
            return Err(Problem { message, help: help(), span: retries.span() });
        }
        Ok(RoleLimits {
            turn_ms: self.turn_ms(),
            turn_tokens: self.turn_tokens,
            turn_microdollars: self.turn_microdollars()?,
            turn_output_mib: self.turn_output_mib,
            turn_commands: self.turn_commands,
        })
    }

    fn turn_ms(&self) -> Option<i64> {
        self.turn_minutes.map(|minutes| minutes.saturating_mul(MINUTE_MS))
    }

    fn turn_microdollars(&self) -> Result<Option<u64>, Problem> {
        self.turn_dollars.as_ref().map(amount::microdollars).transpose()
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
    Some("`baton explain baton.toml` has every key of a workflow and every limit".to_owned())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use baton_engine::workflow::Role;

    use super::super::parse;

    const STAGE: &str =
        "[[workflows.w.stages]]\nname = \"build\"\nagent = \"builder\"\nreview = \"verifier\"\n";

    #[test]
    fn every_bound_of_a_task_a_turn_and_a_role_is_read() {
        let text = format!(
            "[workflows.w]\nbudget_dollars = 2.5\nbudget_minutes = 90\n{STAGE}\
             limits = {{ turn_dollars = 1, turn_output_mib = 64, turn_commands = 200 }}\n\
             role_limits.verifier = {{ turn_minutes = 5, turn_tokens = 9, turn_dollars = 0.25, turn_commands = 20 }}\n"
        );
        let workflow = parse(&text, Path::new("project")).ok().expect("it is right").workflows.remove(0);
        assert_eq!((workflow.budget_microdollars, workflow.budget_ms), (Some(2_500_000), Some(90 * 60_000)));
        let builder = workflow.stages[0].limits_for(Role::Builder);
        assert_eq!(
            (builder.turn_microdollars, builder.turn_output_mib, builder.turn_commands),
            (Some(1_000_000), Some(64), Some(200))
        );
        let verifier = workflow.stages[0].limits_for(Role::Verifier);
        assert_eq!((verifier.turn_ms, verifier.turn_tokens), (5 * 60_000, 9));
        assert_eq!(
            (verifier.turn_microdollars, verifier.turn_output_mib, verifier.turn_commands),
            (Some(250_000), Some(64), Some(20))
        );
    }

    #[test]
    fn a_bound_that_would_be_none_is_an_error_at_its_place() {
        for (workflow, stage, at) in [
            ("budget_dollars = 0", "", "0"),
            ("budget_dollars = -2.5", "", "-2.5"),
            ("budget_minutes = nan", "", "nan"),
            ("budget_dollar = 1", "", "budget_dollar"),
            ("", "limits = { turn_outputs_mib = 1 }", "turn_outputs_mib"),
            ("", "limits = { turn_output_mib = 0 }", "\"build\""),
            ("", "role_limits.judge = { turn_tokens = 1 }", "judge"),
            ("", "role_limits.verifier = { retries_max = 1 }", "1"),
            ("", "role_limits.verifier = { turn_tokens = 1_000_001 }", "\"build\""),
            ("", "role_limits.specialist = { turn_tokens = 1 }", "\"build\""),
        ] {
            let text = format!("[workflows.w]\n{workflow}\n{STAGE}{stage}\n");
            let problem = parse(&text, Path::new("project")).expect_err("it is wrong");
            assert_eq!(&text[problem.span], at, "{}", problem.message);
        }
    }
}
