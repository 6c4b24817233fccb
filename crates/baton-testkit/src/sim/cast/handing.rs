//! What agents hand over: work that claims everything, and work that asks, is blocked or is badly written.

use baton_engine::command::Act;
use baton_engine::fact::{Block, BlockReason, Outcome, Question, Submission};
use baton_engine::verdict::Verdict;
use baton_engine::word::{AgentName, ClarificationId, GateName, TaskId, TreeHash};
use baton_engine::workflow::{FailurePolicy, GateRule, GateWeight};

use super::{Deed, Process};
use crate::sim::Sim;
use crate::sim::world::word;

impl Sim {
    /// A handoff that claims everything.
    pub(super) fn submission(&mut self, id: &TaskId, tree: TreeHash) -> Submission {
        let stage = self.task(id).and_then(|task| task.stage().cloned());
        let names = stage.into_iter().flat_map(|stage| stage.checkpoints).map(|checkpoint| checkpoint.name);
        Submission {
            document: self.document(),
            outcome: Outcome::Completed,
            problems: Vec::new(),
            claims: names.map(|name| (name, Verdict::Pass)).collect(),
            block: None,
            question: None,
            gate: None,
            on_failure: None,
            files: None,
            findings: Vec::new(),
            tree,
        }
    }

    pub(super) fn hand_over(&mut self, process: &Process, deed: Deed) {
        let Some(tree) = self.world.workspaces.get(&process.task).cloned() else { return };
        let mut submission = self.submission(&process.task, tree);
        match deed {
            Deed::SubmitBadly if self.random.chance(50) => {
                submission.problems = vec!["no summary".to_owned()]
            }
            Deed::SubmitAsking => {
                let id = word(ClarificationId::new(format!("q{}", self.world.fresh())));
                let question = "half up or half to even?".to_owned();
                submission.question = Some(Box::new(Question { id, question, options: Vec::new() }));
            }
            Deed::SubmitGated => {
                let name =
                    word(GateName::new(*self.random.pick(&["own", "release", "specification-approved"])));
                let weight = *self.random.pick(&[GateWeight::Blocking, GateWeight::Informing]);
                let items = vec!["is it right?".to_owned()];
                submission.gate = Some(Box::new(GateRule { name, weight, items }));
            }
            Deed::SubmitBadly => submission.outcome = *self.random.pick(&[Outcome::Partial, Outcome::Failed]),
            Deed::Block => {
                let reason = *self.random.pick(BlockReason::ALL);
                submission.outcome = Outcome::Blocked;
                submission.block = Some(Block { reason, details: "it needs somebody else".to_owned() });
            }
            _ => {}
        }
        if self.random.chance(self.rates.bad_agent / 6) {
            let retry = Some(*self.random.pick(&[0, 1, 1_000_000]));
            let notify = AgentName::new("manager").ok();
            submission.on_failure = Some(FailurePolicy { retry, notify, ..FailurePolicy::default() });
        }
        self.say(process, Act::Submit { lease: process.lease.clone(), submission });
    }
}
