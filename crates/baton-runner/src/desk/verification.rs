//! What a verifier is asked: the criteria under review, the evidence that is there for each, and the rules it works under.

use baton_engine::context::order::Observed;
use baton_engine::fact::Performer;
use baton_engine::state::Task;
use baton_engine::workflow::Role;
use serde_json::{Value, json};

use super::context;
use super::criteria::Criterion;
use super::paper::{Paper, sources_of_work};
use super::{Desk, DeskError};

impl Desk {
    pub(super) fn verification_request(
        &self,
        task: &Task,
        number: u64,
        performer: Performer,
    ) -> Result<Paper, DeskError> {
        let observed = self.observed(task, Role::Verifier)?;
        let receipt = task.run.receipt.as_ref().map(|receipt| receipt.document.id.as_str());
        let one = |Criterion { id, text }: &Criterion| {
            let words = text.as_deref().unwrap_or(id.as_str());
            json!({ "id": id, "criterion": words, "expected_evidence": expected(words, &observed, receipt) })
        };
        let criteria: Vec<Value> = self.criteria(task)?.iter().map(one).collect();
        let checks = observed.checks.iter().map(|check| format!("{}: {}", check.checkpoint, check.detail));
        let files = observed.files.iter().map(|file| format!("{}: {}", file.path, file.seen));
        let mut constraints = context::role_constraints(task, Role::Verifier, performer);
        constraints.extend(context::stop_conditions(task, Role::Verifier, performer));
        let sources: Vec<String> =
            sources_of_work(task).into_iter().chain([format!("guidance-{number}")]).collect();
        Paper::artifact(
            "verification-request",
            &format!("request-{number}"),
            (&task.id, "orchestrator", self.now),
            &sources,
            json!({
                "criteria": criteria,
                "expected_evidence": receipt.map(str::to_owned).into_iter().chain(checks).collect::<Vec<_>>(),
                "policy_constraints": constraints,
                "base": observed.base,
                "changed_files": files.collect::<Vec<_>>(),
                "findings": observed.findings,
            }),
        )
    }
}

/// Returns what a verdict on a criterion can rest on: the receipt, and of the changed files those that its words name, or else
/// all.
fn expected(words: &str, observed: &Observed, receipt: Option<&str>) -> Vec<String> {
    let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    let names = |path: &&str| words.contains(*path) || words.contains(&name(path));
    let all: Vec<&str> = observed.files.iter().map(|file| file.path.as_str()).collect();
    let named: Vec<&str> = all.iter().copied().filter(names).collect();
    let files = if named.is_empty() { all } else { named };
    receipt.into_iter().chain(files).map(str::to_owned).collect()
}
