//! What the host itself ran and saw.

use baton_engine::command::Act;
use baton_engine::fact::{CheckResult, Receipt};
use baton_engine::rejection::{Refusal, Rejection};
use baton_engine::verdict::{Provenance, Verdict};
use baton_engine::word::{CheckpointName, TaskId};
use serde_json::json;

use super::paper::Paper;
use super::{As, Desk, DeskError, tree};
use crate::settled::Settled;
use crate::supervise::{self, End};

/// Longest piece of output that goes into a detail, in characters.
const DETAIL_CHARS_MAX: usize = 600;

impl Desk {
    /// Runs the checks of the stage at hand on the workspace, and records what came of them. A checkpoint that no trusted
    /// check settles is inconclusive, which opens no door.
    pub fn check(&mut self, id: &TaskId) -> Result<Vec<CheckResult>, DeskError> {
        let task = self.task(id)?;
        let Some(stage) = task.stage() else { return Err(Refusal::NotNow.into()) };
        if task.run.submission.is_none() {
            return Err(Rejection::new(Refusal::NotNow, "no work was handed over").into());
        }
        let before = tree::measure(&self.root)?;
        self.observe(id, before.clone())?;
        let names: Vec<CheckpointName> = stage.host_checkpoints().cloned().collect();
        let checks: Vec<CheckResult> = names.iter().map(|name| self.settle(name)).collect();
        let after = tree::measure(&self.root)?;
        let number = task.history.len();
        let ledger: Vec<_> = checks
            .iter()
            .map(|check| json!({ "name": check.checkpoint.as_str(), "status": check.verdict.name(), "message": check.detail }))
            .collect();
        let serial = task.artifacts.len();
        let paper = Paper::artifact(
            "checklist-receipt",
            &format!("receipt-{number}-{serial}"),
            (id, "host", self.now),
            json!({ "command_ledger": [], "checkpoints": ledger }),
        )?;
        let receipt = Receipt {
            document: paper.document.clone(),
            checks: checks.clone(),
            tree_before: before,
            tree_after: after,
            danger: None,
            violations: Vec::new(),
        };
        self.act(id.as_str(), &self.actor(As::Host), &Act::RecordReceipt { receipt }, &[&paper.bytes])?;
        Ok(checks)
    }

    fn settle(&self, checkpoint: &CheckpointName) -> CheckResult {
        let result = |verdict, detail: String| CheckResult {
            checkpoint: checkpoint.clone(),
            verdict,
            provenance: Provenance::Observed,
            detail,
        };
        let Some(check) = self.checks.iter().find(|check| check.checkpoint == checkpoint.as_str()) else {
            let detail = format!("`baton.toml` names no trusted check for {checkpoint}");
            return result(Verdict::Inconclusive, detail);
        };
        let run = supervise::run(&check.run, &self.root, check.timeout);
        let command = check.run.join(" ");
        match Settled::by(&run) {
            Settled::Pass => result(Verdict::Pass, format!("`{command}` ended with 0")),
            Settled::Inconclusive(reason) => {
                result(Verdict::Inconclusive, format!("`{command}` settles nothing: {reason}"))
            }
            Settled::Fail => {
                let code = match run.end {
                    End::Code(code) => code.to_string(),
                    End::Signal | End::TimedOut | End::NotStarted(_) => "no code".to_owned(),
                };
                let detail =
                    format!("`{command}` ended with {code}\n{}", tail(&String::from_utf8_lossy(&run.output)));
                result(Verdict::Fail, detail.trim_end().to_owned())
            }
        }
    }
}

/// Returns the end of an output: tools say there how it went.
fn tail(output: &str) -> String {
    let masked = baton_handoff::secret::mask(output.trim_end());
    let skip = masked.chars().count().saturating_sub(DETAIL_CHARS_MAX);
    masked.chars().skip(skip).collect()
}
