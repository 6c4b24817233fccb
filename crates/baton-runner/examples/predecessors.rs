//! Measures how long the context of a task takes that depends on many others.
//!
//! `predecessors FOLDER COUNT` carries COUNT tasks, one after the other, in a new project in FOLDER, then makes the context
//! of the next one again and again. A folder that is there already is used as it is.

use std::error::Error;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use baton_handoff::project::Project;
use baton_runner::config::Check;
use baton_runner::desk::context::{ContextRequest, Performer, Scope};
use baton_runner::desk::turn::NewTask;
use baton_runner::desk::{CriterionId, Desk, DeskError, Id, Visit, WorkflowName};

/// How often the context is made.
const ROUNDS: u32 = 20;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    // The checks run under a keeper, which is this program again.
    #[cfg(target_os = "linux")]
    if words == ["keeper"] {
        return Ok(baton_runner::supervise::keeper::keep()?);
    }
    baton_runner::supervise::this_program_keeps();
    let [folder, count] = words.as_slice() else { return Err("say FOLDER COUNT".into()) };
    let (folder, count) = (Path::new(folder), count.parse::<usize>()?);
    let fresh = !folder.exists();
    std::fs::create_dir_all(folder.join("project"))?;
    let check = Check {
        checkpoint: "validation".to_owned(),
        run: vec!["true".to_owned()],
        timeout: Duration::from_secs(60),
        writable: Vec::new(),
        junit: None,
        is_confined: true,
        guards: None,
    };
    let visit = Visit {
        root: folder.join("project").canonicalize()?,
        store: Some(folder.join("state")),
        caller: baton_runner::desk::caller::Caller::Person("ann".to_owned()),
        now: 1_790_000_000_000,
        checks: vec![check],
        files: Default::default(),
        budgets: Default::default(),
        workflows: Default::default(),
    };
    let mut desk = Desk::open(visit).map_err(said)?;
    for number in (0..=count).filter(|_| fresh) {
        carry(&mut desk, number, count)?;
    }
    let last = Id::new(format!("T{count}"))?;
    let request =
        ContextRequest { role: None, budget_tokens: None, scope: Scope::Turn, performer: Performer::Person };
    let mut packet = desk.context_for(&last, request).map_err(said)?;
    let started = Instant::now();
    let mut used = Vec::new();
    for _ in 0..ROUNDS {
        let before = processor();
        packet = desk.context_for(&last, request).map_err(said)?;
        used.push(processor().saturating_sub(before));
    }
    let wall = started.elapsed() / ROUNDS;
    used.sort();
    let (least, median) = (used.first().copied().unwrap_or_default(), used[used.len() / 2]);
    writeln!(
        std::io::stdout(),
        "{count} predecessors: {wall:?} of time, {median:?} of processor, at least {least:?}; {} tokens, {} left out",
        packet.tokens,
        packet.left_out.values().sum::<usize>()
    )?;
    Ok(())
}

#[expect(clippy::needless_pass_by_value, reason = "it stands where an error is handed on")]
fn said(error: DeskError) -> Box<dyn Error> {
    error.to_string().into()
}

/// Adds a task, and carries it to its end unless it is the last.
fn carry(desk: &mut Desk, number: usize, count: usize) -> Result<(), Box<dyn Error>> {
    let id = Id::new(format!("T{number}"))?;
    let before = number.checked_sub(1).map(|before| Id::new(format!("T{before}"))).transpose()?;
    let new = NewTask {
        id: id.clone(),
        title: format!("Part {number} of the harbour"),
        workflow: WorkflowName::new("single")?,
        criteria: [(CriterionId::new("AC-1")?, None)].into(),
        depends_on: before.into_iter().collect(),
        targets: Vec::new(),
    };
    desk.add_task(new).map_err(said)?;
    if number == count {
        return Ok(());
    }
    desk.receive(&id).map_err(said)?;
    desk.submit(&id, document(number).as_bytes(), &Project::default()).map_err(said)?;
    desk.check(&id).map_err(said)?;
    desk.decide(&id).map_err(said)?;
    Ok(())
}

fn document(number: usize) -> String {
    let traps: String = (0..5)
        .map(|trap| {
            format!(
                "  - issue: Part {number} has trap {trap} that nobody would expect\n    discovered_in: the work\n    \
                 mitigation: look at it twice\n    severity: medium\n"
            )
        })
        .collect();
    format!(
        "# Task\n\n## Handoff\n\n```yaml\noutcome: completed\nfiles_created:\n  - path: src/part{number}.rs\n    \
         purpose: part {number}\n    lines: 1-9\npatterns_discovered:\n  - pattern: Part {number} keeps its words\n    \
         location: src/part{number}.rs\n    applies_to: [part]\ngotchas:\n{traps}dependencies_for_next:\n  - file: \
         src/part{number}.rs\n    reason: the next part calls it\nsuggested_next_steps:\n  - step: Do part {number}\n    \
         priority: high\n    depends_on: []\n```\n"
    )
}

/// Returns how long this thread has run. It does nearly all of the work.
fn processor() -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = told.split_whitespace().next().and_then(|first| first.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or(0))
}
