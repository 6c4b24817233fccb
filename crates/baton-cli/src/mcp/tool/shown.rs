//! Words that several tools use for what came of work.

use baton_runner::desk::context::quoted;
use baton_runner::desk::decision::{Decided, Judged};
use baton_runner::desk::{CheckResult, Desk, Id};

use super::failure;
use crate::failure::Failure;

/// Longest detail of a check, in characters.
const DETAIL_CHARS_MAX: usize = 1_200;
/// Longest list of checks, in characters.
const CHECKS_CHARS_MAX: usize = 12_000;

pub(super) fn checks(checks: &[CheckResult]) -> String {
    let line = |check: &CheckResult| {
        let detail: String = check.detail.chars().take(DETAIL_CHARS_MAX).collect();
        format!("{}: {} ({detail})\n", check.checkpoint, check.verdict.name())
    };
    match checks {
        [] => String::new(),
        // The details are what programs of the repository printed.
        checks => format!("{}\n", quoted(&checks.iter().map(line).collect::<String>(), CHECKS_CHARS_MAX)),
    }
}

pub(super) fn decision(decided: &Decided) -> String {
    let feedback = decided.feedback.as_ref().map(|feedback| format!("\n{}\n", feedback.trim()));
    format!(
        "{} because of {}\n{}",
        decided.disposition.name(),
        decided.reason.name(),
        feedback.unwrap_or_default()
    )
}

/// Says what came of work, how the task stands, and what comes next.
pub(super) fn judgement(desk: &Desk, id: &Id, judged: &Judged) -> Result<String, Failure> {
    let mut text = checks(&judged.checks);
    if !judged.asserted.is_empty() {
        text.push_str(&format!("asserted by the agent alone: {}\n", judged.asserted.join(", ")));
    }
    if let Some(decided) = &judged.decided {
        text.push_str(&decision(decided));
    }
    if let Some(waits_for) = &judged.waits_for {
        text.push_str(&format!("no decision yet: {waits_for}\n"));
    }
    judged.findings.iter().for_each(|finding| text.push_str(&format!("{finding}\n")));
    text.push_str(&standing(desk, id, judged.decided.as_ref())?);
    Ok(text)
}

/// Says how the task stands after a decision, and what comes next.
pub(super) fn standing(desk: &Desk, id: &Id, decided: Option<&Decided>) -> Result<String, Failure> {
    let task = desk.task(id).map_err(failure)?;
    let is_rework = decided.is_some_and(|decided| decided.disposition.name() == "rework");
    let next = if is_rework { "\nnext: `receive`, mend it, `submit` again" } else { "" };
    Ok(format!("{id} is {}{next}", task.status().kind().name()))
}
