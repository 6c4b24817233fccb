//! The commands that tell what happened.

use std::collections::{BTreeMap, BTreeSet};

use baton_runner::Service;
use baton_runner::desk::{Desk, Id, Line, TaskState, tell};
use serde_json::{Value, json};

use super::{Who, failure, json, task_id, told};
use crate::command::Done;
use crate::exit;
use crate::failure::Failure;
use crate::output::{self, one_line, printable};

/// Show how all tasks stand
#[derive(clap::Args, Debug)]
pub(crate) struct Status {
    /// One JSON document
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    who: Who,
}

impl Status {
    pub(crate) fn run(&self, service: &Service) -> Done {
        let desk = self.who.desk(service)?;
        if let Some(anomaly) = desk.clock_anomaly().map_err(failure)? {
            output::talk(&format!("warning: {anomaly}\n"));
        }
        let unjudged = desk.let_through().map_err(failure)?;
        if let Some((at, details)) = unjudged.last() {
            let (count, at) = (unjudged.len(), tell::time(*at));
            let details = printable(details);
            output::talk(&format!("warning: hooks judged nothing {count} times, last at {at}: {details}\n"));
        }
        list(&desk, Wanted::All, self.json)
    }
}

/// More tasks than this are told by what they wait for.
const ROWS_MAX: usize = 50;
/// Tasks that are named for each of these.
const NAMED_MAX: usize = 5;

/// Show what waits for a person, and what they should know
#[derive(clap::Args, Debug)]
pub(crate) struct Inbox {
    /// Every task on a line of its own, however many there are
    #[arg(long)]
    all: bool,
    /// One JSON document
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    who: Who,
}

impl Inbox {
    pub(crate) fn run(&self, service: &Service) -> Done {
        let wanted = if self.all { Wanted::AllForPeople } else { Wanted::ForPeople };
        list(&self.who.desk(service)?, wanted, self.json)
    }
}

/// Which tasks a list shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    All,
    /// What does not go on without somebody: pending, waiting or blocked.
    Blocked,
    ForPeople,
    /// The same, and none of them left out.
    AllForPeople,
}

impl Wanted {
    fn is_for_people(self) -> bool {
        matches!(self, Self::ForPeople | Self::AllForPeople)
    }
}

/// A line of a list, with what it waits for.
struct Row {
    line: Line,
    details: String,
    /// What they wait for, in the same words for all that wait for the same; nothing where they wait for nobody.
    cause: Option<String>,
    /// What a person has to know and do.
    because: Vec<String>,
    notices: Vec<String>,
}

pub(super) fn list(desk: &Desk, wanted: Wanted, as_json: bool) -> Done {
    if let Some(reason) = desk.paused().map_err(failure)? {
        let reason = printable(&reason);
        output::talk(&format!(
            "the project is paused: {reason}; next: `baton pause` without a reason lets it go on\n"
        ));
    }
    let mut rows = Vec::new();
    let has_run = desk.has_run();
    for mut line in desk.board().map_err(failure)? {
        let stuck = ["pending", "waiting", "blocked"].contains(&line.status.as_str());
        // Only what waits for something has more to say than its line.
        let is_taken = ["working", "verifying"].contains(&line.status.as_str());
        let asks_whom = wanted.is_for_people() || as_json || is_taken && !has_run;
        let task = match stuck || asks_whom && !line.has_ended {
            true => desk.shown(&line).map_err(failure)?,
            false => None,
        };
        let mut details = task.as_ref().map_or_else(|| tell::cause(&line), tell::status);
        let notices: Vec<String> = match task.as_ref().filter(|_| wanted.is_for_people()) {
            Some(task) => notices(task).into_iter().chain(desk.to_know(task).map_err(failure)?).collect(),
            None => Vec::new(),
        };
        let stuck_on = match task.as_ref().filter(|_| asks_whom) {
            Some(task) => desk.stuck(task).map_err(failure)?.map(|stuck| stuck.what),
            None => None,
        };
        if let Some(what) = stuck_on.as_ref().filter(|_| is_taken) {
            details = format!("{details}: {what}");
        }
        let cause = stuck_on.or_else(|| line.waits_for_person.then(|| tell::cause(&line)));
        line.waits_for_person = cause.is_some();
        let is_wanted = match wanted {
            Wanted::All => true,
            Wanted::Blocked => stuck,
            Wanted::ForPeople | Wanted::AllForPeople => cause.is_some() || !notices.is_empty(),
        };
        if is_wanted {
            let asked = task.filter(|_| wanted.is_for_people() && cause.is_some());
            let because =
                asked.map_or_else(|| Ok(Vec::new()), |task| desk.because(&task)).map_err(failure)?;
            rows.push(Row { line, details, cause, because, notices });
        }
    }
    if as_json {
        let tasks: Vec<Value> = rows.iter().map(row_json).collect();
        return json(&json!({ "version": 1, "tasks": tasks }));
    }
    if rows.is_empty() {
        output::talk(match wanted {
            Wanted::All => "no task is here; next: `baton task add ID TITLE`\n",
            Wanted::Blocked => "nothing waits\n",
            Wanted::ForPeople | Wanted::AllForPeople => "nothing waits for a person\n",
        });
        return Ok(exit::Code::Fine);
    }
    if wanted == Wanted::ForPeople && rows.len() > ROWS_MAX {
        return Ok(told(&digest(&rows)));
    }
    if wanted == Wanted::AllForPeople {
        rows.iter_mut().for_each(|row| row.because.clear());
    }
    Ok(told(&rows.iter().flat_map(row_lines).collect::<Vec<_>>().join("\n")))
}

/// So many at once have few causes: each is told once, with how many wait for it.
fn digest(rows: &[Row]) -> String {
    let mut causes: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for Row { line, cause, notices, .. } in rows {
        for cause in cause.iter().chain(notices).cloned() {
            causes.entry(cause).or_default().push(&line.task);
        }
    }
    let mut causes: Vec<_> = causes.into_iter().collect();
    causes.sort_by_key(|(_, tasks)| std::cmp::Reverse(tasks.len()));
    let mut text = format!("{} tasks are here; `baton inbox --all` has a line for each\n", rows.len());
    for (cause, tasks) in causes {
        let more = if tasks.len() > NAMED_MAX { " …" } else { "" };
        let named = tasks.iter().take(NAMED_MAX).copied().collect::<Vec<_>>().join(" ");
        text.push_str(&format!("{:>6}  {cause}: {named}{more}\n", tasks.len()));
    }
    text.trim_end().to_owned()
}

fn row_lines(row: &Row) -> Vec<String> {
    let Row { line, details, because, notices, .. } = row;
    let stage = line.stage.as_deref().unwrap_or_default();
    let first = format!("{:<12} {stage:<16} {details}  {}", line.task, one_line(&line.title));
    let more = because.iter().chain(notices).map(|words| format!("{:<12} {}", "", one_line(words)));
    std::iter::once(first).chain(more).collect()
}

fn row_json(row: &Row) -> Value {
    let Row { line, details, because, notices, .. } = row;
    let mut value = json!({
        "task": line.task,
        "title": line.title,
        "workflow": line.workflow,
        "stage": line.stage,
        "status": line.status,
        "details": details,
        "waits_for_person": line.waits_for_person,
        "is_unchanged": line.is_unchanged,
    });
    if !because.is_empty() {
        value["because"] = json!(because);
    }
    if !notices.is_empty() {
        value["notices"] = json!(notices);
    }
    value
}

/// What somebody was to be told of, while the task goes on: each thing once.
fn notices(task: &TaskState) -> Vec<String> {
    let once: BTreeSet<_> = task.notices.iter().map(|own| (own.to.as_str(), own.about.name())).collect();
    once.into_iter().map(|(to, about)| format!("for @{to} to know: {about}")).collect()
}

pub(super) fn show_task(desk: &Desk, id: &Id, as_json: bool) -> Done {
    let task = desk.task(id).map_err(failure)?;
    let criteria = desk.criteria(&task).map_err(failure)?;
    let targets = desk.targets(&task).map_err(failure)?;
    if as_json {
        let documents: Vec<Value> = task
            .artifacts
            .iter()
            .map(|(name, artifact)| json!({ "id": name.as_str(), "kind": artifact.kind.name(), "sha256": artifact.blob.as_str() }))
            .collect();
        return json(&json!({
            "version": 1,
            "task": id.as_str(),
            "title": task.title,
            "workflow": task.workflow.name.as_str(),
            "stage": task.stage().filter(|_| task.end.is_none()).map(|stage| stage.name.as_str()),
            "attempt": task.attempt().0,
            "status": task.status().kind().name(),
            "details": tell::status(&task),
            "is_unchanged": task.is_unchanged(),
            "delegated_by": task.lineage.last().map(|above| above.task.as_str()),
            "criteria": criteria.iter().map(|own| json!({ "id": own.id.as_str(), "text": own.text })).collect::<Vec<_>>(),
            "targets": targets,
            "documents": documents,
        }));
    }
    let title = one_line(&task.title);
    let mut text = format!("{id}: {title}\n{} in {}\n", tell::status(&task), task.workflow.name);
    if let Some(stage) = task.stage().filter(|_| task.end.is_none()) {
        text.push_str(&format!("stage {} by @{}, attempt {}\n", stage.name, stage.agent, task.attempt()));
    }
    for criterion in &criteria {
        text.push_str(&format!("criterion {}\n", one_line(&criterion.to_string())));
    }
    for target in &targets {
        text.push_str(&format!("target {}\n", one_line(target)));
    }
    for (name, artifact) in &task.artifacts {
        text.push_str(&format!("  {:<24} {}\n", name.as_str(), artifact.kind.name()));
    }
    Ok(told(text.trim_end()))
}

/// Tell what happened, in order
#[derive(clap::Args, Debug)]
pub(crate) struct Log {
    /// One task; everything when not given
    #[arg(value_name = "TASK", value_parser = task_id)]
    id: Option<Id>,
    /// One JSON document
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    who: Who,
}

impl Log {
    pub(crate) fn run(&self, service: &Service) -> Done {
        let desk = self.who.desk(service)?;
        self.id.iter().try_for_each(|id| desk.task(id).map(|_| ())).map_err(failure)?;
        let entries = desk.entries(self.id.as_ref()).map_err(failure)?;
        if self.json {
            let entries: Vec<Value> = entries
                .iter()
                .map(|(recorded, entry)| {
                    json!({
                        "sequence": recorded.sequence,
                        "task": recorded.stream,
                        "version": recorded.version,
                        "at": tell::time(entry.at),
                        "actor": { "kind": entry.actor.kind.name(), "name": entry.actor.name },
                        "kind": recorded.kind,
                        "words": tell::words(&entry.event),
                    })
                })
                .collect();
            return json(&json!({ "version": 1, "events": entries }));
        }
        let mut lines = Vec::new();
        let mut before = i64::MIN;
        for (recorded, entry) in &entries {
            let line = tell::line(entry);
            let anomaly = tell::clock_anomaly(before, entry.at).map(|anomaly| format!("  ! {anomaly}"));
            let stream = if self.id.is_some() { String::new() } else { format!("{:<12} ", recorded.stream) };
            lines.push(format!("{stream}{line}{}", anomaly.unwrap_or_default()));
            before = entry.at;
        }
        Ok(told(&lines.join("\n")))
    }
}

/// Print a document that a task keeps, byte for byte
#[derive(clap::Args, Debug)]
pub(crate) struct Show {
    #[arg(value_name = "TASK", value_parser = task_id)]
    id: Id,
    /// The document, as `baton task show TASK` names it
    document: String,
    #[command(flatten)]
    who: Who,
}

impl Show {
    pub(crate) fn run(&self, service: &Service) -> Done {
        let desk = self.who.desk(service)?;
        let task = desk.task(&self.id).map_err(failure)?;
        let found = task.artifacts.iter().find(|(name, _)| name.as_str() == self.document);
        let bytes = match found {
            Some((_, artifact)) => desk.document(&artifact.blob).map_err(failure)?,
            None => None,
        };
        match bytes {
            Some(bytes) => Ok(output::print(&bytes)),
            None => {
                let what = format!("{} has no document `{}`", self.id, printable(&self.document));
                Err(Failure::usage(&what, &format!("`baton task show {}` lists them", self.id)))
            }
        }
    }
}

/// Say why a task stands as it does, down to the evidence
#[derive(clap::Args, Debug)]
pub(crate) struct Why {
    #[arg(value_name = "TASK", value_parser = task_id)]
    id: Id,
    /// One JSON document
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    who: Who,
}

impl Why {
    pub(crate) fn run(&self, service: &Service) -> Done {
        let desk = self.who.desk(service)?;
        let why = desk.why(&self.id).map_err(failure)?;
        if self.json {
            return json(&json!({
                "version": 1,
                "task": self.id.as_str(),
                "status": why.status,
                "is_unchanged": why.is_unchanged,
                "because": why.because,
                "record": why.record,
            }));
        }
        let because: Vec<String> = why.because.iter().map(|line| format!("  {line}")).collect();
        let parts = [format!("{} is {}", self.id, why.status), because.join("\n"), why.record.join("\n")];
        let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        Ok(told(&parts.join("\n")))
    }
}
