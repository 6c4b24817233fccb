//! `status`: how tasks stand, and why.

use baton_runner::desk::context::quoted;

use super::{Call, Changes, Outcome, Tool, failure, id, optional};
use crate::failure::Failure;

/// Most tasks that are listed.
const TASKS_MAX: usize = 50;
/// Most lines that say why.
const BECAUSE_MAX: usize = 20;
/// Most characters of titles and reasons, which others wrote.
const CHARS_MAX: usize = 12_000;

pub(super) const TOOL: Tool = Tool {
    name: "status",
    about: "How tasks stand; with `task`, why.",
    parameters: &[optional("task", "")],
    changes: Changes::Nothing,
    run,
};

fn run(call: &Call<'_>) -> Result<Outcome, Failure> {
    let desk = call.desk()?;
    if let Some(task) = call.arguments.optional("task") {
        let id = id(task)?;
        let (why, task) = (desk.why(&id).map_err(failure)?, desk.task(&id).map_err(failure)?);
        let because = why.because.iter().take(BECAUSE_MAX).map(String::as_str);
        let told: Vec<&str> = std::iter::once(why.status.as_str()).chain(because).collect();
        let kind = task.status().kind().name();
        return Ok(Outcome::Told(format!("{id} is {kind}\n{}", quoted(&told.join("\n"), CHARS_MAX))));
    }
    let board = desk.board().map_err(failure)?;
    let open: Vec<_> = board.iter().filter(|line| !line.has_ended).collect();
    let mut lines = Vec::new();
    for line in open.iter().take(TASKS_MAX) {
        let person = if line.waits_for_person { ", for a person" } else { "" };
        let stage = line.stage.as_deref().unwrap_or("-");
        lines.push(format!("{} {stage} {}{person}: {}", line.task, line.status, line.title));
    }
    let ended = board.len().saturating_sub(open.len());
    let more = open.len().saturating_sub(TASKS_MAX);
    let rest = if more > 0 { format!(", {more} more open") } else { String::new() };
    Ok(Outcome::Told(format!("{}\n{ended} ended{rest}", quoted(&lines.join("\n"), CHARS_MAX))))
}
