//! Build plans: judged before the work by one function, whichever way they come in, and kept as artifacts of the host.

mod judged;

use baton_engine::command::{Act, ActKind};
use baton_engine::envelope::Actor;
use baton_engine::state::{Task, Turn};
use baton_engine::word::TaskId;
use baton_engine::workflow::Role;
use baton_handoff::project::Project;
use serde_json::Value;

use self::judged::Order;
pub(crate) use self::judged::{PLAN, is_only_plan};
use super::brought::PROBLEMS_MAX;
use super::own_task::about_another;
use super::paper::{self, Paper};
use super::program::{NotTaken, agent, lease_of};
use super::{Desk, DeskError};
use crate::cheat::is_named;

/// How a refusal begins that isn't told as one.
const NOT_TAKEN: &str = "the plan was not taken: ";

/// Returns the files that were changed too early for a plan with these targets.
type Changed<'c> = &'c dyn Fn(&[String]) -> Vec<String>;

/// A plan that was taken: what its work may change.
#[derive(Debug)]
pub(crate) struct Taken {
    pub(crate) targets: Vec<String>,
}

impl Desk {
    /// Takes a build plan from the holder of the turn, or says everything that is wrong with it.
    pub fn hand_in_plan(&mut self, id: &TaskId, bytes: &[u8], project: &Project) -> Result<(), DeskError> {
        let (task, turn, _) = self.live(id)?;
        self.only_for_holder(id, &turn, ActKind::HandInPlan)?;
        let begun = match &turn.snapshot {
            Some(before) if task.owes_plan() => {
                let after = self.keep(id)?;
                let differing = self.snapshots()?.differing(before.tree.as_str(), after.as_str())?;
                let files = differing.into_iter().filter_map(|one| one.after.or(one.before));
                files.map(|file| String::from_utf8_lossy(&file.path).into_owned()).collect()
            }
            _ => Vec::new(),
        };
        let holder = self.visitor.holder(id, &turn);
        // Somebody else may work in the same folder: only what the plan is about was begun too early.
        let is_too_early =
            |path: &String, targets: &[String]| is_named(path, targets) && begun.contains(path);
        self.take_plan(
            (id, &holder),
            (&task, &turn),
            bytes,
            (project, &|targets| begun.iter().filter(|path| is_too_early(path, targets)).cloned().collect()),
        )?;
        self.settle(id)
    }

    /// Takes the plan that a program brought in its step before the work, with the files that it had changed by then.
    pub(crate) fn plan_for(
        &mut self,
        id: &TaskId,
        turn: &Turn,
        bytes: &[u8],
        (project, changed): (&Project, &[String]),
    ) -> Result<Taken, NotTaken> {
        let task = self.task(id)?;
        let taken =
            self.take_plan((id, &agent(turn)), (&task, turn), bytes, (project, &|_| changed.to_vec()));
        taken.map_err(|error| match NotTaken::from(error) {
            NotTaken::Refused(why) => NotTaken::Refused(why.trim_start_matches(NOT_TAKEN).to_owned()),
            failed @ NotTaken::Failed(_) => failed,
        })
    }

    /// Says whether a document is a plan and nothing else, so that it comes before the work.
    pub fn is_plan(&self, id: &TaskId, bytes: &[u8]) -> Result<bool, DeskError> {
        let (_, turn, _) = self.live(id)?;
        Ok(turn.role != Role::Verifier && is_only_plan(bytes))
    }

    fn take_plan(
        &mut self,
        (id, holder): (&TaskId, &Actor),
        (task, turn): (&Task, &Turn),
        bytes: &[u8],
        (project, changed): (&Project, Changed<'_>),
    ) -> Result<Taken, DeskError> {
        let bytes = crate::secret::mask_known(bytes.to_vec());
        let order = Order {
            criteria: task.criteria_in_force().iter().map(ToString::to_string).collect(),
            targets: self.targets(task)?,
            turn_tokens: task.limits_for(turn.role).map(|limits| limits.turn_tokens),
            must_change: task.stage().is_some_and(|stage| stage.must_change),
        };
        let plan = judged::read(&bytes, &order, project).and_then(|plan| {
            let named: Vec<String> = about_another(task, turn, &bytes).into_iter().collect();
            let early = changed(&plan.targets).into_iter().take(PROBLEMS_MAX).map(|path| {
                format!("`{path}` was changed before the plan was taken. Hand in the plan first, then change files.")
            });
            let wrong: Vec<String> = named.into_iter().chain(early).collect();
            if wrong.is_empty() { Ok(plan) } else { Err(wrong) }
        });
        let plan =
            plan.map_err(|wrong| self.refused_document(id, (holder, ActKind::HandInPlan), refused(&wrong)))?;
        let mut sources = paper::sources_of_turn(task, turn);
        sources.extend(plan.source_refs);
        let paper = Paper::artifact(
            PLAN,
            &plan_of(turn.id.as_str()),
            (id, turn.role.name(), self.now),
            &sources,
            Value::Object(plan.own),
        )?;
        let act = Act::HandInPlan { lease: lease_of(turn), document: paper.document.clone() };
        self.act(id.as_str(), holder, &act, &[&paper.bytes])?;
        Ok(Taken { targets: plan.targets })
    }

    /// Returns the plan that binds the work of the stage at hand, as it is kept.
    pub(super) fn plan_text(&self, task: &Task) -> Result<Option<String>, DeskError> {
        let Some(taken) = &task.run.plan else { return Ok(None) };
        let bytes = self.document(&taken.document.blob)?;
        Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    }
}

/// Returns the name of the plan that was handed in during a turn.
pub(super) fn plan_of(turn: &str) -> String {
    format!("plan-{turn}")
}

fn refused(wrong: &[String]) -> DeskError {
    DeskError::Document {
        what: format!("{NOT_TAKEN}{}", wrong.join(" ")),
        next: "correct the plan and hand it in again; `baton new build-plan` writes an empty one, and your turn is still open"
            .to_owned(),
    }
}
