//! How everything stands when a run is over, and what whoever started it does next.

use std::time::Duration;

use baton_engine::fact::End;
use baton_engine::state::{Status, Task};
use baton_engine::word::TaskId;
use serde_json::{Value, json};

use crate::desk::stuck::Stuck;
use crate::desk::why::UNCHANGED;
use crate::desk::{Desk, DeskError, tell};

/// How the line begins that says what to do.
const NEXT: &str = "next: ";

/// How a run ended for one task.
#[derive(Clone, Debug)]
pub struct Standing {
    pub task: TaskId,
    pub title: String,
    pub status: String,
    /// What this run has spent for it.
    pub spent: Spending,
    /// What it has cost since it was added, in tokens.
    pub task_spent_tokens: u64,
    pub end: Option<End>,
    pub waits_for_person: bool,
    /// Something was accepted that nothing but a waiver let pass.
    pub is_waived: bool,
    /// It was accepted, and its files are as they were before anybody worked on it.
    pub is_unchanged: bool,
    /// What a person knows and does next, in lines; nothing when it is done and something was changed.
    pub because: Vec<String>,
    /// What can be done now.
    pub next: Option<String>,
    /// What its gates inform of, a line each.
    pub informed: Vec<String>,
}

/// What was spent, of what kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spending {
    pub tokens: u64,
    /// Of these, what was set aside for turns of which nobody knows what they used.
    pub uncounted_tokens: u64,
    /// In millionths of a dollar, of the turns whose agents say what they cost.
    pub microdollars: u64,
}

impl Spending {
    /// Returns what a task has spent since it was added.
    pub(super) fn of(task: &Task) -> Self {
        Self {
            tokens: task.budget.spent_tokens,
            uncounted_tokens: task.budget.uncounted_tokens,
            microdollars: task.budget.spent_microdollars,
        }
    }

    fn since(self, before: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_sub(before.tokens),
            uncounted_tokens: self.uncounted_tokens.saturating_sub(before.uncounted_tokens),
            microdollars: self.microdollars.saturating_sub(before.microdollars),
        }
    }

    fn and(self, more: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_add(more.tokens),
            uncounted_tokens: self.uncounted_tokens.saturating_add(more.uncounted_tokens),
            microdollars: self.microdollars.saturating_add(more.microdollars),
        }
    }
}

/// What a run may use up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunLimit {
    Tokens,
    Dollars,
    Time,
}

impl RunLimit {
    /// The key in `[run]`.
    pub fn key(self) -> &'static str {
        match self {
            Self::Tokens => "budget_tokens",
            Self::Dollars => "budget_dollars",
            Self::Time => "budget_minutes",
        }
    }

    /// The name of what then happens to a run.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tokens | Self::Dollars => "run_budget_exhausted",
            Self::Time => "run_time_exhausted",
        }
    }
}

/// How a run ended.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    pub tasks: Vec<Standing>,
    /// Somebody asked the run to stop before it was through.
    pub was_stopped: bool,
    /// Turns were not begun because this was used up.
    pub exhausted: Option<RunLimit>,
    /// Nothing more is started in the whole project.
    pub is_paused: bool,
    /// The branch that accepted work came to in this run.
    pub branch: Option<&'static str>,
    pub duration: Duration,
}

impl Standing {
    pub(super) fn of(
        desk: &Desk,
        (task, before): (Task, Spending),
        stuck: Option<&Stuck>,
    ) -> Result<Self, DeskError> {
        let status = task.status();
        let waits_for_person = status.waits_for_person();
        let mut because = match (task.end, stuck) {
            (Some(_), _) if task.is_unchanged() => {
                let next = format!("{NEXT}`baton why {}` says what was claimed and seen", task.id);
                vec![UNCHANGED.to_owned(), next]
            }
            (Some(end), _) if end.releases() => Vec::new(),
            (Some(_), _) => vec![format!("{NEXT}`baton why {}` says how it came to that", task.id)],
            (None, Some(stuck)) if !waits_for_person => stuck.lines(),
            (None, _) => desk.because(&task)?,
        };
        // Whatever it is, somebody can look at it.
        if !because.iter().any(|line| line.contains(NEXT)) && task.end.is_none() {
            because.push(format!("{NEXT}`baton why {}`", task.id));
        }
        let next = match waits_for_person {
            true => Some(next(&task)),
            // Another task has to end first, and has its own next step.
            false if matches!(status, Status::Pending { .. }) => None,
            false => because.iter().find_map(|line| Some(line.strip_prefix(NEXT)?.to_owned())),
        };
        let informed = desk.informed(&task)?;
        Ok(Self {
            informed,
            title: task.title.clone(),
            status: tell::status(&task),
            spent: Spending::of(&task).since(before),
            task_spent_tokens: task.budget.spent_tokens,
            end: task.end,
            waits_for_person,
            is_waived: task.leaned_on_waiver,
            is_unchanged: task.is_unchanged(),
            because,
            next,
            task: task.id,
        })
    }
}

/// Returns the command that a task waits for.
fn next(task: &Task) -> String {
    let id = &task.id;
    if let Some((gate, _)) = task.open_gate() {
        return format!("baton gate approve {id} {gate}");
    }
    if let Some((question, _)) = task.open_clarifications().next() {
        return format!("baton answer {id} {question} TEXT");
    }
    format!("baton why {id}")
}

impl Summary {
    /// Says whether every task is done.
    pub fn is_done(&self) -> bool {
        self.tasks.iter().all(|task| task.end.is_some_and(End::releases))
    }

    /// Returns what this run has spent.
    pub fn spent(&self) -> Spending {
        self.tasks.iter().fold(Spending::default(), |sum, task| sum.and(task.spent))
    }

    /// Counts the tasks by what came of them, in words, each task once; what came of none is left out.
    pub fn counts(&self) -> Vec<String> {
        let ends = [
            (End::Done, "verified"),
            (End::DoneUnverified, "unverified"),
            (End::Failed, "failed"),
            (End::RolledBack, "rolled back"),
            (End::Cancelled, "cancelled"),
        ];
        let ended = ends.map(|(end, words)| {
            let so: Vec<&Standing> = self.tasks.iter().filter(|task| task.end == Some(end)).collect();
            counted(words, &so)
        });
        let open = self.tasks.iter().filter(|task| task.end.is_none());
        let (waiting, unfinished): (Vec<_>, Vec<_>) = open.partition(|task| task.waits_for_person);
        let open = [counted("waiting for a person", &waiting), counted("not finished", &unfinished)];
        ended.into_iter().chain(open).flatten().collect()
    }

    /// Returns it as one JSON object.
    pub fn json(&self) -> Value {
        let tasks: Vec<Value> = self
            .tasks
            .iter()
            .map(|task| {
                json!({
                    "task": task.task.as_str(),
                    "title": task.title,
                    "status": task.status,
                    "end": task.end.map(End::name),
                    "spent_tokens": task.spent.tokens,
                    "uncounted_tokens": task.spent.uncounted_tokens,
                    "spent_microdollars": task.spent.microdollars,
                    "task_spent_tokens": task.task_spent_tokens,
                    "is_waived": task.is_waived,
                    "is_unchanged": task.is_unchanged,
                    "because": task.because,
                    "next": task.next,
                    "informed": task.informed,
                })
            })
            .collect();
        let spent = self.spent();
        json!({
            "event": "summary",
            "is_done": self.is_done(),
            "was_stopped": self.was_stopped,
            "over_budget": self.exhausted.is_some(),
            "exhausted": self.exhausted.map(RunLimit::key),
            "is_paused": self.is_paused,
            "spent_tokens": spent.tokens,
            "uncounted_tokens": spent.uncounted_tokens,
            "spent_microdollars": spent.microdollars,
            "duration_ms": u64::try_from(self.duration.as_millis()).unwrap_or(u64::MAX),
            "branch": self.branch,
            "tasks": tasks,
        })
    }
}

/// Counts tasks of which the same came, and behind that those of them which are to be told apart.
fn counted(words: &str, tasks: &[&Standing]) -> Option<String> {
    let of = |is_so: fn(&Standing) -> bool| tasks.iter().filter(|task| is_so(task)).count();
    let apart = [
        (of(|task| task.is_unchanged), "with nothing changed"),
        (of(|task| task.end.is_some() && task.is_waived), "with a waiver"),
    ];
    let apart: Vec<String> = apart
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, words)| format!("{count} {words}"))
        .collect();
    let apart = if apart.is_empty() { String::new() } else { format!(" ({})", apart.join(", ")) };
    (!tasks.is_empty()).then(|| format!("{} {words}{apart}", tasks.len()))
}
