//! `baton knowledge`: lessons, how they stand, and what a person says of them.

use baton_runner::Service;
use baton_runner::desk::Id;
use baton_runner::desk::knowledge::{Finding, ItemKind, Known, Lesson, LessonStanding};
use serde_json::{Value, json};

use super::journal;
use super::search::Narrow;
use super::{date, folded, json_of, line, print_json, short};
use crate::command::Done;
use crate::command::desk::{Who, failure, told};
use crate::exit;
use crate::format::graph;
use crate::output::{self, one_line};

/// Look at what was learned, approve it or take it back
///
/// A lesson reaches no prompt until two tasks that have nothing to do with each other say it, or it was learned in work that
/// the host's own checks let pass, or a person approves it. What asks for less checking always needs a person.
#[derive(clap::Args, Debug)]
pub(crate) struct Knowledge {
    #[command(subcommand)]
    what: KnowledgeCommand,
    #[command(flatten)]
    who: Who,
}

#[derive(clap::Subcommand, Debug)]
enum KnowledgeCommand {
    /// List patterns, gotchas and decisions, the newest first
    List {
        #[command(flatten)]
        narrow: Narrow,
        /// Only those that stand so: inert, corroborated, backed, approved, stale, retired
        #[arg(long, value_parser = standing)]
        standing: Option<LessonStanding>,
        /// Most lessons
        #[arg(long, default_value_t = 50, value_name = "COUNT")]
        limit: usize,
        /// Show whole ids
        #[arg(long)]
        full: bool,
        /// One JSON document
        #[arg(long)]
        json: bool,
    },
    /// Show one with everything that speaks for it
    Show {
        /// Its id, or the beginning of it
        id: String,
        /// One JSON document
        #[arg(long)]
        json: bool,
    },
    /// Stand for a lesson, in the words it has now
    Approve {
        /// Its id, or the beginning of it
        id: String,
        /// Why it holds
        #[arg(default_value = "")]
        words: String,
    },
    /// Take a lesson back, or settle a question or a blocker
    Retire {
        /// Its id, or the beginning of it
        id: String,
        /// Why it no longer holds
        words: String,
    },
    /// List the blockers that still stand, and what they block
    Blockers {
        /// One JSON document
        #[arg(long)]
        json: bool,
    },
    /// List the questions that nobody has settled
    Questions {
        /// One JSON document
        #[arg(long)]
        json: bool,
    },
    /// Show what is known that matters to one task
    Journal {
        #[arg(value_name = "TASK", value_parser = crate::command::desk::task_id)]
        id: Id,
        /// One JSON document
        #[arg(long)]
        json: bool,
    },
    /// Draw lessons, files, tags, tasks and agents as a graph
    Graph {
        /// How it is written
        #[arg(long, value_enum, default_value_t = graph::Format::Json)]
        format: graph::Format,
        /// Most nodes; lessons come before what they hang on
        #[arg(long, default_value_t = 60, value_name = "COUNT")]
        nodes: usize,
    },
}

fn standing(text: &str) -> Result<LessonStanding, String> {
    let found = LessonStanding::ALL.iter().copied().find(|standing| standing.name() == text);
    found.ok_or_else(|| "write inert, corroborated, backed, approved, stale or retired".to_owned())
}

impl Knowledge {
    pub(crate) fn run(&self, service: &Service) -> Done {
        let mut desk = self.who.desk(service)?;
        match &self.what {
            KnowledgeCommand::List { narrow, standing, limit, full, json } => {
                let lessons = desk.lessons(&narrow.filter()?, *standing, *limit).map_err(failure)?;
                list(&lessons, *full, *json)
            }
            KnowledgeCommand::Show { id, json } => {
                let known = desk.known(id).map_err(failure)?;
                if *json { print_json(&json_of_known(&known)) } else { Ok(told(&show(&known))) }
            }
            KnowledgeCommand::Approve { id, words } => {
                Ok(told(&said(&desk.approve(id, words).map_err(failure)?)))
            }
            KnowledgeCommand::Retire { id, words } => {
                Ok(told(&said(&desk.retire(id, words).map_err(failure)?)))
            }
            KnowledgeCommand::Blockers { json } => {
                open(&desk.open_items(ItemKind::Blocker).map_err(failure)?, "blockers", *json)
            }
            KnowledgeCommand::Questions { json } => {
                open(&desk.open_items(ItemKind::Question).map_err(failure)?, "questions", *json)
            }
            KnowledgeCommand::Journal { id, json } => {
                let journal = desk.journal(id).map_err(failure)?;
                if *json { print_json(&journal::json(id, &journal)) } else { journal::show(id, &journal) }
            }
            KnowledgeCommand::Graph { format, nodes } => {
                let graph = desk.knowledge_graph(*nodes).map_err(failure)?;
                if graph.left_out > 0 {
                    output::talk(&format!("{} more nodes have no room; see `--nodes`\n", graph.left_out));
                }
                Ok(output::print(graph::write(&graph, *format).as_bytes()))
            }
        }
    }
}

fn list(lessons: &[Lesson], full: bool, json: bool) -> Done {
    if json {
        let lessons: Vec<Value> = lessons.iter().map(json_of_lesson).collect();
        return print_json(&json!({ "version": 1, "lessons": lessons }));
    }
    if lessons.is_empty() {
        output::talk(
            "nothing was learned here yet; handoffs that name patterns, gotchas or decisions teach\n",
        );
        return Ok(exit::Code::Fine);
    }
    let row = |lesson: &Lesson| {
        let id = if full { lesson.id.as_str() } else { short(&lesson.id) };
        let severity = lesson.severity.map_or("", |severity| severity.name());
        format!("{id:<18} {:<12} {severity:<6}  {}", lesson.standing.name(), line(&lesson.text))
    };
    Ok(told(&lessons.iter().map(row).collect::<Vec<_>>().join("\n")))
}

fn said(lesson: &Lesson) -> String {
    format!("{} is {}: {}", short(&lesson.id), lesson.standing.name(), line(&lesson.text))
}

fn show(known: &Known) -> String {
    let lesson = &known.lesson;
    let mut lines = vec![format!("{}\n    {}", lesson.id, folded(&lesson.text, "    "))];
    if let Some(detail) = &lesson.detail {
        lines.push(format!("    → {}", folded(detail, "      ")));
    }
    if lesson.kind.is_lesson() {
        lines.push(format!("{}: {}", lesson.standing.name(), one_line(&lesson.because)));
    }
    let mut about: Vec<String> = lesson.paths.iter().cloned().collect();
    about.extend(lesson.tags.iter().map(|tag| format!("#{tag}")));
    about.extend(lesson.severity.map(|severity| severity.name().to_owned()));
    if !about.is_empty() {
        lines.push(format!("about {}", one_line(&about.join("  "))));
    }
    lines.push("said by".to_owned());
    for Finding { source, item } in &known.findings {
        let backed = if source.backed { ", checked by the host" } else { "" };
        let guessed = if item.stated { "" } else { ", guessed from prose" };
        lines.push(format!(
            "  {}  {} @{} in {} ({}{backed}{guessed})  baton show {} {}",
            date(source.at),
            source.task,
            source.agent,
            source.stage,
            source.fate.name(),
            source.task,
            source.handoff
        ));
        if item.text != lesson.text {
            lines.push(format!("      {}", line(&item.text)));
        }
        if item.detail.is_some() && item.detail != lesson.detail {
            lines.push(format!("      → {}", line(item.detail.as_deref().unwrap_or_default())));
        }
    }
    if !known.close.is_empty() {
        lines.push("close to, and not the same".to_owned());
        lines.extend(known.close.iter().map(|(id, text)| format!("  {} {}", short(id), line(text))));
    }
    lines.join("\n")
}

fn open(findings: &[Finding], name: &str, json: bool) -> Done {
    if json {
        let open: Vec<Value> = findings.iter().map(json_of).collect();
        return print_json(&json!({ "version": 1, name: open }));
    }
    if findings.is_empty() {
        output::talk(&format!("no open {name}\n"));
        return Ok(exit::Code::Fine);
    }
    let rows: Vec<String> = findings
        .iter()
        .map(|finding| {
            let item = &finding.item;
            let mut text = format!("{} {} @{}", short(&item.id()), finding.source.task, finding.source.agent);
            if !item.tasks.is_empty() {
                let tasks: Vec<&str> = item.tasks.iter().map(Id::as_str).collect();
                text.push_str(&format!(" holds up {}", tasks.join(", ")));
            } else if item.kind == ItemKind::Question && item.blocking {
                text.push_str(" blocks");
            }
            text.push_str(&format!("\n    {}", folded(&item.text, "    ")));
            if let Some(detail) = &item.detail {
                text.push_str(&format!("\n    → {}", folded(detail, "      ")));
            }
            text
        })
        .collect();
    Ok(told(&rows.join("\n")))
}

pub(super) fn json_of_lesson(lesson: &Lesson) -> Value {
    let mut value = serde_json::to_value(lesson).unwrap_or_default();
    value["reaches_prompts"] = json!(lesson.standing.reaches_prompts());
    value
}

fn json_of_known(known: &Known) -> Value {
    let close: Vec<Value> = known.close.iter().map(|(id, text)| json!({ "id": id, "text": text })).collect();
    json!({
        "version": 1,
        "lesson": json_of_lesson(&known.lesson),
        "said": known.findings.iter().map(json_of).collect::<Vec<_>>(),
        "close_to": close,
    })
}
