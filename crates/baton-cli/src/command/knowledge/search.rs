//! `baton search`: find what was said, in any handoff.

use std::collections::BTreeMap;

use baton_runner::Service;
use baton_runner::audit::finding::Said;
use baton_runner::audit::moment::Moment;
use baton_runner::desk::Id;
use baton_runner::desk::knowledge::{AgentName, Answer, Filter, Found, ItemKind, Search as Query, Severity};
use baton_runner::desk::tell;
use serde_json::json;

use super::{date, folded, line, print_json, short};
use crate::command::Done;
use crate::command::desk::{Who, failure, task_id, told};
use crate::exit;
use crate::failure::Failure;
use crate::output::{self, printable};

/// Search what all handoffs said
///
/// Finds patterns, gotchas, decisions, questions, blockers, next steps and files. All words must match; when nothing has all
/// of them, what has some is shown. The last word may be the beginning of a longer one. Words are words: no sign has a special meaning.
#[derive(clap::Args, Debug)]
pub(crate) struct Search {
    /// The words to find; without any, everything that the options let through, the newest first
    words: Vec<String>,
    #[command(flatten)]
    narrow: Narrow,
    /// Most answers
    #[arg(long, default_value_t = 20, value_name = "COUNT")]
    limit: usize,
    /// One JSON document
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    who: Who,
}

/// What an answer must have.
#[derive(clap::Args, Debug)]
pub(crate) struct Narrow {
    /// Only this kind: pattern, gotcha, decision, question, blocker, next_step, file, file_to_read
    #[arg(long, value_parser = kind)]
    kind: Option<ItemKind>,
    /// Only with this tag
    #[arg(long)]
    tag: Option<String>,
    /// Only about this file, or a file in this folder
    #[arg(long, value_name = "PATH")]
    file: Option<String>,
    /// Only this bad or worse: high, medium, low
    #[arg(long, value_parser = severity)]
    severity: Option<Severity>,
    /// Only what this task said
    #[arg(long, value_parser = task_id)]
    task: Option<Id>,
    /// Only what this agent said
    #[arg(long, value_name = "NAME", value_parser = agent)]
    agent: Option<AgentName>,
    /// Only what was said since, as `2026-03-31`
    #[arg(long, value_name = "DATE")]
    since: Option<String>,
}

impl Narrow {
    pub(super) fn filter(&self) -> Result<Filter, Failure> {
        let since = self.since.as_deref().map(moment).transpose()?;
        Ok(Filter {
            kind: self.kind,
            tag: self.tag.clone(),
            file: self.file.clone(),
            severity: self.severity,
            task: self.task.clone(),
            agent: self.agent.clone(),
            since,
            only_lessons: false,
        })
    }
}

fn moment(text: &str) -> Result<i64, Failure> {
    let read = Moment::read(Said::new(text, Default::default()));
    let bad = || Failure::usage(&format!("`{}` is not a date", printable(text)), "write `2026-03-31`");
    read.map(|moment| moment.earliest.saturating_mul(1000)).ok_or_else(bad)
}

fn kind(text: &str) -> Result<ItemKind, String> {
    let names = || ItemKind::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ");
    ItemKind::ALL
        .iter()
        .copied()
        .find(|kind| kind.name() == text)
        .ok_or_else(|| format!("write one of {}", names()))
}

fn severity(text: &str) -> Result<Severity, String> {
    let found = Severity::ALL.iter().copied().find(|severity| severity.name() == text);
    found.ok_or_else(|| "write high, medium or low".to_owned())
}

fn agent(text: &str) -> Result<AgentName, String> {
    AgentName::new(text.trim_start_matches('@')).map_err(|error| error.to_string())
}

impl Search {
    pub(crate) fn run(&self, service: &Service) -> Done {
        let query = Query {
            words: self.words.join(" "),
            filter: self.narrow.filter()?,
            limit: self.limit,
            complete: true,
        };
        let answer = self.who.desk(service)?.search(&query).map_err(failure)?;
        if self.json {
            return print_json(&json(&answer));
        }
        if answer.some_words_only {
            output::talk("nothing has all the words; this has some of them\n");
        }
        if let Some(cut) = answer.cut {
            output::talk(&format!("{cut}\n"));
        }
        if answer.found.is_empty() {
            output::talk("nothing was found\n");
            return Ok(exit::Code::Fine);
        }
        let shown: Vec<String> = answer.found.iter().map(show).collect();
        Ok(told(&shown.join("\n")))
    }
}

fn show(found: &Found) -> String {
    let hit = &found.hit;
    let mut marks: Vec<String> = Vec::new();
    marks.extend(hit.severity.map(|severity| severity.name().to_owned()));
    marks.extend(found.standing.as_ref().map(|(standing, _)| standing.name().to_owned()));
    let marks = if marks.is_empty() { String::new() } else { format!(" [{}]", marks.join(", ")) };
    let text = if hit.text.is_empty() { hit.paths.join(" ") } else { hit.text.clone() };
    let mut lines = vec![format!("{}{marks} {}", short(&hit.id), folded(&text, "    "))];
    if !hit.detail.is_empty() {
        lines.push(format!("    → {}", folded(&hit.detail, "      ")));
    }
    let mut about: Vec<String> = if hit.text.is_empty() { Vec::new() } else { hit.paths.clone() };
    about.extend(hit.tags.iter().map(|tag| format!("#{tag}")));
    let tasks = found.tasks.iter().map(|(task, agents)| {
        let agents: Vec<String> = agents.iter().map(|agent| format!("@{agent}")).collect();
        format!("{task} {}", agents.join(" "))
    });
    about.push(format!("{} {}", tasks.collect::<Vec<_>>().join(", "), date(hit.at)));
    lines.push(format!("    {}", line(&about.join(" · "))));
    lines.join("\n")
}

fn json(answer: &Answer) -> serde_json::Value {
    let found: Vec<_> = answer
        .found
        .iter()
        .map(|Found { hit, standing, tasks }| {
            let tasks: BTreeMap<&str, Vec<&str>> = tasks
                .iter()
                .map(|(task, agents)| (task.as_str(), agents.iter().map(AgentName::as_str).collect()))
                .collect();
            json!({
                "id": hit.id,
                "kind": hit.kind,
                "text": hit.text,
                "detail": Some(&hit.detail).filter(|detail| !detail.is_empty()),
                "tags": hit.tags,
                "paths": hit.paths,
                "severity": hit.severity,
                "standing": standing.as_ref().map(|(standing, _)| standing.name()),
                "because": standing.as_ref().map(|(_, because)| because),
                "times_said": hit.sources,
                "said_last_at": tell::time(hit.at),
                "tasks": tasks,
                "score": hit.score,
            })
        })
        .collect();
    json!({ "version": 1, "found": found, "some_words_only": answer.some_words_only, "cut": answer.cut })
}
