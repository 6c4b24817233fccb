//! Decisions: what follows from the record, or what is missing before anything does.

use baton_engine::command::{Act, ActKind};
use baton_engine::fact::{CheckResult, Disposition, Reason};
use baton_engine::policy::{NotYet, consider};
use baton_engine::rejection::{Refusal, Rejection};
use baton_engine::word::{TaskId, TreeHash};
use serde_json::json;

use super::paper::Paper;
use super::{As, Desk, DeskError};

/// A decision that was taken.
#[derive(Clone, Debug)]
pub struct Decided {
    pub disposition: Disposition,
    pub reason: Reason,
    /// What whoever works next is told.
    pub feedback: Option<String>,
}

/// What came of work that was handed over, as far as it goes without anybody else.
#[derive(Clone, Debug)]
pub struct Judged {
    pub checks: Vec<CheckResult>,
    /// Checkpoints that neither a command nor a rule settled.
    pub asserted: Vec<String>,
    /// Missing where something has to come first.
    pub decided: Option<Decided>,
    /// What has to come first.
    pub waits_for: Option<String>,
}

impl Desk {
    /// Runs the host's checks and takes the decision, each if it is due.
    pub fn judge(&mut self, id: &TaskId) -> Result<Judged, DeskError> {
        let checks = match self.check_if_due(id) {
            Ok(checks) => checks,
            Err(error @ DeskError::Refused(_)) => return Err(error),
            // An agent can't repair what keeps Baton from checking, so its work waits for a person.
            Err(error) => match self.visitor.is_guest() && self.could_not_check(id, &error.to_string())? {
                true => Vec::new(),
                false => return Err(error),
            },
        };
        let receipt = self.task(id)?.run.receipt;
        let asserted =
            receipt.iter().flat_map(|receipt| &receipt.asserted).map(ToString::to_string).collect();
        match self.decide(id) {
            Ok(decided) => Ok(Judged { checks, asserted, decided: Some(decided), waits_for: None }),
            Err(DeskError::Refused(rejection)) if rejection.refusal == Refusal::DecisionNotPossible => {
                Ok(Judged { checks, asserted, decided: None, waits_for: Some(rejection.details) })
            }
            Err(error) => Err(error),
        }
    }

    pub(super) fn check_if_due(&mut self, id: &TaskId) -> Result<Vec<CheckResult>, DeskError> {
        match consider(&self.task(id)?, self.now) {
            Err(NotYet::Checks) => self.check(id),
            Err(_) | Ok(_) => Ok(Vec::new()),
        }
    }

    /// Takes the decision that is due.
    pub fn decide(&mut self, id: &TaskId) -> Result<Decided, DeskError> {
        self.decide_on(id, None)
    }

    /// Takes the decision that is due on files that look so, where they were looked at this very moment.
    pub(crate) fn decide_on(&mut self, id: &TaskId, seen: Option<TreeHash>) -> Result<Decided, DeskError> {
        self.only_for_people(id.as_str(), ActKind::Decide)?;
        // A decision speaks of the files as they are, not as they were when they were checked.
        self.look_again(id, seen)?;
        self.settle_task(id)?;
        let task = self.task(id)?;
        let ruling = consider(&task, self.now).map_err(|missing| {
            let next = self.next(id).ok().flatten().map(|next| format!("; {next}")).unwrap_or_default();
            Rejection::new(Refusal::DecisionNotPossible, format!("{}{next}", missing.words()))
        })?;
        let number = task.artifacts.len();
        let refs: Vec<&str> = ruling.refs.iter().map(|id| id.as_str()).collect();
        let paper = Paper::artifact(
            "orchestrator-decision",
            &format!("decision-{number}"),
            (id, "orchestrator", self.now),
            json!({
                "disposition": ruling.disposition.name(),
                "reason_code": ruling.reason.name(),
                "referenced_artifact_ids": refs,
            }),
        )?;
        let act = Act::Decide {
            document: paper.document.clone(),
            disposition: ruling.disposition,
            reason: ruling.reason,
            refs: ruling.refs.clone(),
        };
        self.act(id.as_str(), &self.actor(As::Orchestrator), &act, &[&paper.bytes])?;
        self.settle(id)?;
        let feedback = ruling.feedback.as_ref().map(baton_engine::feedback::Feedback::text);
        Ok(Decided { disposition: ruling.disposition, reason: ruling.reason, feedback })
    }
}
