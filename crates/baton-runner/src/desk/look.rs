//! Where the work of a task can be looked at, how, and what was seen of it: what a person who is asked wants to know first.

use baton_engine::fact::Waivable;
use baton_engine::state::Task;
use baton_engine::verdict::Verdict;

use super::tell::one_line;
use super::{Desk, DeskError};

/// Most changed files that are named.
const FILES_NAMED_MAX: usize = 8;

impl Desk {
    /// Says where the work of programs lies, what it changed, and what was checked and judged. Whoever works in the checkout
    /// has it before their eyes.
    pub(super) fn look(&self, task: &Task) -> Result<Vec<String>, DeskError> {
        let Some(own) = self.own_workspace(&task.id)? else { return Ok(Vec::new()) };
        let mut lines = Vec::new();
        let saved = self.saved(&task.id)?;
        let began = saved.iter().find(|saved| saved.name.starts_with("before-"));
        if let (Some(began), Some(now)) = (began, &task.tree) {
            let changes = own.changes(&began.tree, now)?;
            let paths: Vec<&str> = changes.iter().map(|change| change.path.as_str()).collect();
            lines.push(format!("changed: {}", named(&paths)));
        }
        // No git is run there: the repository in it is the agent's.
        lines.push(format!(
            "look at it: `diff -ru --exclude=.git --exclude=.baton {} {}`",
            self.root().display(),
            own.root().display()
        ));
        lines.push(format!("seen: {}", seen(task, self.now)));
        Ok(lines)
    }
}

/// What the host saw last that is not as it should be.
pub(super) fn seen_last(task: &Task) -> Vec<String> {
    let Some(receipt) = &task.run.receipt else { return Vec::new() };
    let failed = receipt.checks.iter().filter(|check| check.verdict != Verdict::Pass);
    let failed = failed.map(|check| {
        format!("seen: {} {}: {}", check.checkpoint, check.verdict.name(), one_line(&check.detail))
    });
    failed.chain(receipt.violations.iter().map(|what| format!("seen: not allowed: {what}"))).collect()
}

fn named(paths: &[&str]) -> String {
    let more = paths.len().saturating_sub(FILES_NAMED_MAX);
    let shown = paths.iter().take(FILES_NAMED_MAX).copied().collect::<Vec<_>>().join(", ");
    match (paths.is_empty(), more) {
        (true, _) => "nothing".to_owned(),
        (false, 0) => shown,
        (false, more) => format!("{shown} and {more} more"),
    }
}

/// Says what the host checked, what a verifier judged, and what a person let pass.
fn seen(task: &Task, now: i64) -> String {
    let checks = task.run.receipt.iter().flat_map(|receipt| &receipt.checks);
    let mut seen: Vec<String> = checks
        .map(|check| match task.is_waived(&Waivable::Checkpoint(check.checkpoint.clone()), now) {
            true if check.verdict != Verdict::Pass => {
                format!("{} {}, which was waived", check.checkpoint, check.verdict.name())
            }
            true | false => format!("{} {}", check.checkpoint, check.verdict.name()),
        })
        .collect();
    match &task.run.report {
        Some(report) => {
            let said = report.criteria.iter();
            seen.extend(
                said.map(|said| format!("{} {} by the verifier", said.criterion, said.verdict.name())),
            );
        }
        None => seen.push("nobody independent has judged it".to_owned()),
    }
    seen.join(", ")
}
