//! The workflows of the project: its own, then those that come with Baton.

use baton_engine::command::Act;
use baton_engine::envelope::PROJECT_STREAM;
use baton_engine::rejection::{Refusal, Rejection};
use baton_engine::word::WorkflowName;
use baton_engine::workflow::{
    Checkpoint, GateRule, GateWeight, Integration, Plan, Review, SESSION, SettledBy, built_in_names,
};

pub use baton_engine::workflow::{Limits, Stage, Workflow};

use super::{As, Desk, DeskError};
use crate::evaluator;

impl Desk {
    /// Records the workflow of this name as it is defined now, if the log has it otherwise. What is in force changes only when
    /// a person comes, or trusts the configuration as it is: whoever else comes can write the configuration that they stand
    /// before, and can only add to what a session has to show.
    pub(super) fn define_workflow(&mut self, name: &WorkflowName) -> Result<(), DeskError> {
        let project = self.state(PROJECT_STREAM)?.project.clone();
        let is_a_persons_word = self.visitor.is_person() || !self.checks.is_empty();
        let own = self.workflows.iter().find(|known| known.name == *name).cloned();
        if let Some(known) = project.workflow(name).filter(|_| !is_a_persons_word) {
            return match own.and_then(|own| with_more_checks(&known, &own)) {
                Some(more) => self.define(Workflow { version: known.version.saturating_add(1), ..more }),
                None => Ok(()),
            };
        }
        let Some(wanted) = own.or_else(|| Workflow::built_in(name.as_str())) else {
            let names: Vec<String> =
                all(&self.workflows).iter().map(|known| known.workflow.name.to_string()).collect();
            let details = format!("{name}; there are {}", names.join(", "));
            return Err(Rejection::new(Refusal::UnknownWorkflow, details).into());
        };
        let Some(known) = project.workflow(name) else { return self.define(wanted) };
        let wanted = Workflow { version: known.version, ..wanted };
        match wanted == known {
            true => Ok(()),
            false => self.define(Workflow { version: known.version.saturating_add(1), ..wanted }),
        }
    }

    fn define(&mut self, workflow: Workflow) -> Result<(), DeskError> {
        let act = Act::DefineWorkflow { workflow };
        self.act(PROJECT_STREAM, &self.actor(As::Clerk), &act, &[]).map(|_| ())
    }
}

/// Returns the workflow of sessions with the checks that another definition of it has beside; nothing where it has them all.
fn with_more_checks(known: &Workflow, other: &Workflow) -> Option<Workflow> {
    let ([stage], [theirs], SESSION) =
        (known.stages.as_slice(), other.stages.as_slice(), known.name.as_str())
    else {
        return None;
    };
    let is_new = |one: &&Checkpoint| {
        one.settled_by == SettledBy::Host && stage.checkpoints.iter().all(|known| known.name != one.name)
    };
    let more: Vec<Checkpoint> = theirs.checkpoints.iter().filter(is_new).cloned().collect();
    if more.is_empty() {
        return None;
    }
    let checkpoints = stage.checkpoints.iter().cloned().chain(more).collect();
    Some(Workflow { stages: vec![Stage { checkpoints, ..stage.clone() }], ..known.clone() })
}

/// A workflow and where it comes from.
#[derive(Clone, Debug)]
pub struct WorkflowState {
    pub workflow: Workflow,
    /// The project defines it itself.
    pub is_own: bool,
}

/// Returns all workflows, by their names.
pub fn all(own: &[Workflow]) -> Vec<WorkflowState> {
    let defined = own.iter().map(|workflow| WorkflowState { workflow: workflow.clone(), is_own: true });
    let is_replaced = |name: &str| own.iter().any(|workflow| workflow.name.as_str() == name);
    let rest = built_in_names().filter(|name| !is_replaced(name)).filter_map(Workflow::built_in);
    let rest = rest.map(|workflow| WorkflowState { workflow, is_own: false });
    let mut all: Vec<WorkflowState> = defined.chain(rest).collect();
    all.sort_by(|one, other| one.workflow.name.cmp(&other.workflow.name));
    all
}

/// Returns what a stage must show, with who can show it.
pub fn conditions(stage: &Stage) -> Vec<(String, Vec<&str>)> {
    let by = |settled_by: SettledBy| {
        let own = stage.checkpoints.iter().filter(move |checkpoint| checkpoint.settled_by == settled_by);
        own.map(|checkpoint| checkpoint.name.as_str()).collect::<Vec<_>>()
    };
    let (by_rule, asserted) =
        by(SettledBy::Agent).into_iter().partition(|name| evaluator::of(name).is_some());
    let mut all = vec![
        ("the host checks".to_owned(), by(SettledBy::Host)),
        ("the host settles by a rule".to_owned(), by_rule),
        ("the agent asserts".to_owned(), asserted),
        ("criteria".to_owned(), stage.criteria.iter().map(|criterion| criterion.as_str()).collect()),
    ];
    if let Review::Independent(verifier) = &stage.review {
        all.push(("judged independently by".to_owned(), vec![verifier.as_str()]));
    }
    if stage.plan == Plan::Required {
        all.push(("before the work".to_owned(), vec!["a build plan"]));
    }
    all
}

/// Returns the rule by which the host settles a checkpoint, and where the agent's word stays asserted anyway; nothing where no
/// rule settles it.
pub fn rule_of(checkpoint: &str) -> Option<(&'static str, &'static str)> {
    evaluator::of(checkpoint).map(|own| (own.rule, own.asserted))
}

pub fn weight_name(gate: &GateRule) -> &'static str {
    match gate.weight {
        GateWeight::Blocking => "blocking",
        GateWeight::Informing => "informing",
    }
}

pub fn integration_words(workflow: &Workflow) -> &'static str {
    match workflow.integration {
        Integration::InPlace => {
            "work in the checkout stays where it lies; `baton run` brings its own to baton/accepted"
        }
        Integration::Merge => {
            "the work is merged, and done when that is seen; `baton run` brings its own to baton/accepted"
        }
    }
}
