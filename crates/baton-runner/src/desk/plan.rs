//! Build plans: handed in before the work, or taken out of a handoff that brings the plan together with it.

use std::collections::BTreeMap;

use baton_engine::command::Act;
use baton_engine::envelope::Actor;
use baton_engine::knowledge;
use baton_engine::state::{Task, Turn};
use baton_engine::word::TaskId;
use baton_engine::workflow::{Plan, Role};
use baton_handoff::record::Record;
use serde_json::{Value, json};

use super::handover::Brought;
use super::paper::Paper;
use super::{Desk, DeskError};

/// Most steps of a plan that are kept.
const STEPS_MAX: usize = 50;
/// The mark of a plan that nobody had seen before the work: the files it names declare nothing.
const CAME_WITH_WORK: &str = "came_with_work";

impl Desk {
    /// Takes the plan out of a document that brings it together with the work, where the stage wants one and has none yet.
    pub(super) fn take_plan(
        &mut self,
        id: &TaskId,
        holder: &Actor,
        brought: &Brought,
    ) -> Result<(), DeskError> {
        let (task, turn, lease) = self.live(id)?;
        let is_wanted = task.stage().is_some_and(|stage| stage.plan == Plan::Required);
        if !is_wanted || turn.role == Role::Verifier || turn.planned || brought.plan.is_empty() {
            return Ok(());
        }
        let paper = Paper::artifact(
            "build-plan",
            &plan_of(turn.id.as_str()),
            (id, turn.role.name(), self.now),
            self.completed_plan(&task, &turn, brought),
        )?;
        let act = Act::HandInPlan { lease, document: paper.document.clone() };
        self.act(id.as_str(), holder, &act, &[&paper.bytes]).map(|_| ())
    }

    /// The steps are the agent's. What was expected of it is what the host gave it: checks, criteria and limits.
    fn completed_plan(&self, task: &Task, turn: &Turn, brought: &Brought) -> Value {
        let items = knowledge::read(&brought.bytes);
        let files: Vec<&str> = items.iter().filter_map(|item| item.path.as_deref()).collect();
        let checks = self.checks_ahead(task, turn.role).into_iter();
        let checks = checks.map(|(name, run)| match run {
            Some(run) => format!("{name} by `{run}`"),
            None => format!("{name}, which nothing settles yet"),
        });
        let covered: BTreeMap<String, &str> =
            task.criteria_in_force().iter().map(|criterion| (criterion.to_string(), "all steps")).collect();
        let limits = task.limits_for(turn.role).unwrap_or_default();
        json!({
            "source_refs": [format!("guidance-{}", turn.epoch)],
            "steps": brought.plan,
            "file_targets": files,
            "validation_plan": checks.collect::<Vec<_>>(),
            "criterion_coverage": covered,
            "budget": { "tokens": limits.turn_tokens, "milliseconds": limits.turn_ms },
            CAME_WITH_WORK: true,
        })
    }

    /// Takes a build plan.
    pub fn hand_in_plan(&mut self, id: &TaskId, bytes: &[u8]) -> Result<(), DeskError> {
        let (_, turn, lease) = self.live(id)?;
        let paper = Paper::of(&plan_of(turn.id.as_str()), bytes.to_vec())?;
        let act = Act::HandInPlan { lease, document: paper.document.clone() };
        self.act(id.as_str(), &self.visitor.holder(id, &turn), &act, &[&paper.bytes])?;
        self.settle(id)
    }
}

/// Returns the name of the plan that was handed in during a turn.
pub(super) fn plan_of(turn: &str) -> String {
    format!("plan-{turn}")
}

/// Says whether a plan was there before the work, so that it declares what the work may change.
pub(super) fn is_declared(plan: &Record<'_>) -> bool {
    plan.extensions.iter().all(|extension| extension.key != CAME_WITH_WORK)
}

/// Returns the steps under `plan`, a key of no dialect.
pub(super) fn steps(record: &Record<'_>) -> Vec<String> {
    let own = record.extensions.iter().find(|extension| extension.key == "plan");
    let steps = own.and_then(|own| own.value.items()).unwrap_or_default();
    steps.iter().filter_map(|step| step.text()).take(STEPS_MAX).map(str::to_owned).collect()
}
