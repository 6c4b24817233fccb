//! `baton context`: what whoever takes a turn is told.

use baton_runner::Service;
use baton_runner::desk::context::stats::ContextStats;
use baton_runner::desk::context::{
    ContextPacket, ContextRequest, ContextRole, Kind, Performer, Scope, VOCABULARY, describe, explain,
    left_out,
};
use baton_runner::desk::{Desk, Id};
use clap::ValueEnum;
use serde_json::Value;

use super::{Who, failure, json, task_id, told};
use crate::command::Done;
use crate::failure::Failure;
use crate::output::{self, printable};

/// Show what whoever takes a turn is told
///
/// The context has guidance and criteria first, which are never cut, then what predecessors handed over and the project has
/// learned, the most relevant first, within a budget of tokens. Everything names its source, and what was left out is
/// counted. `baton receive` keeps it with the turn.
#[derive(clap::Args, Debug)]
pub(crate) struct Context {
    #[arg(value_name = "TASK", value_parser = task_id, required_unless_present = "stats")]
    id: Option<Id>,
    /// For this role; the one that is due when not given
    #[arg(long, value_enum)]
    role: Option<RoleName>,
    /// Use at most this many tokens; what the role gets when not given
    #[arg(long, value_name = "TOKENS")]
    budget: Option<usize>,
    /// Everything of one kind, such as `warnings`, however little it matters
    #[arg(long, value_name = "KIND", value_parser = kind, conflicts_with_all = ["turn", "stats"])]
    all: Option<Kind>,
    /// What was told in this turn, such as `turn-3`, as it was kept
    #[arg(long, value_name = "TURN", conflicts_with_all = ["explain", "role", "budget", "stats"])]
    turn: Option<String>,
    /// What every fragment scored and cost, and why it was kept or left out
    #[arg(long)]
    explain: bool,
    /// What the contexts of all turns cost, and what became of the tasks that were told a lesson
    #[arg(long)]
    stats: bool,
    /// One JSON document
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    who: Who,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum RoleName {
    Builder,
    Verifier,
    Repair,
    Specialist,
}

impl From<RoleName> for ContextRole {
    fn from(name: RoleName) -> Self {
        match name {
            RoleName::Builder => Self::Builder,
            RoleName::Verifier => Self::Verifier,
            RoleName::Repair => Self::Repair,
            RoleName::Specialist => Self::Specialist,
        }
    }
}

fn kind(text: &str) -> Result<Kind, String> {
    Kind::named(text).ok_or_else(|| {
        let names: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
        format!("there are {}", names.join(", "))
    })
}

impl Context {
    pub(crate) fn run(&self, service: &Service) -> Done {
        let desk = self.who.desk(service)?;
        match (&self.id, &self.turn) {
            (Some(id), Some(turn)) => self.kept(&desk, id, turn),
            (Some(id), None) if !self.stats => self.made(&desk, id),
            (Some(_) | None, _) => self.figures(&desk),
        }
    }

    fn made(&self, desk: &Desk, id: &Id) -> Done {
        let request = ContextRequest {
            role: self.role.map(ContextRole::from),
            budget_tokens: self.budget,
            scope: self.all.map_or(Scope::Turn, Scope::All),
            performer: Performer::Person,
        };
        let packet = desk.context_for(id, request).map_err(failure)?;
        if packet.over_budget {
            output::talk(&format!(
                "warning: guidance, criteria and open questions alone need more than {} tokens; they were not cut\n",
                packet.budget_tokens
            ));
        }
        if self.json {
            return json(&document(id, &packet));
        }
        if self.explain {
            return Ok(told(explain(&packet).trim_end()));
        }
        let code = output::print(packet.text.as_bytes());
        output::talk(&format!("{} tokens ({VOCABULARY} estimate), sha256 {}\n", packet.tokens, packet.hash));
        Ok(code)
    }

    fn kept(&self, desk: &Desk, id: &Id, turn: &str) -> Done {
        let Some(envelope) = desk.context_of_turn(id, turn).map_err(failure)? else {
            let what = format!("{id} has no context of `{}`", printable(turn));
            return Err(Failure::usage(&what, &format!("`baton task show {id}` lists its documents")));
        };
        if self.json {
            return json(&envelope);
        }
        Ok(output::print(envelope["text"].as_str().unwrap_or_default().as_bytes()))
    }

    fn figures(&self, desk: &Desk) -> Done {
        let stats = desk.context_stats().map_err(failure)?;
        match self.json {
            true => json(&figures_json(&stats)),
            false => Ok(told(&figures_text(&stats))),
        }
    }
}

fn document(id: &Id, packet: &ContextPacket) -> Value {
    let kept: Vec<Value> = packet.kept.iter().map(describe).collect();
    let cut: Vec<Value> = packet.cut.iter().map(describe).collect();
    serde_json::json!({
        "version": 1,
        "task": id.as_str(),
        "tokens": packet.tokens,
        "budget_tokens": packet.budget_tokens,
        "vocabulary": VOCABULARY,
        "over_budget": packet.over_budget,
        "sha256": packet.hash,
        "stripped_characters": packet.stripped_characters,
        "fragments": kept,
        "cut": cut,
        "left_out": left_out(packet),
        "text": packet.text,
    })
}

fn figures_json(stats: &ContextStats) -> Value {
    let turns: Vec<Value> = stats
        .turns
        .iter()
        .map(|turn| {
            serde_json::json!({
                "task": turn.task,
                "turn": turn.turn,
                "role": turn.role,
                "tokens": turn.tokens,
                "budget_tokens": turn.budget_tokens,
                "fragments_kept": turn.kept,
                "fragments_cut": turn.left_out,
            })
        })
        .collect();
    let lessons: Vec<Value> = stats
        .lessons
        .iter()
        .map(|(id, lesson)| {
            serde_json::json!({ "id": id, "text": lesson.text, "tasks": lesson.tasks, "standings": lesson.standings })
        })
        .collect();
    serde_json::json!({
        "version": 1,
        "tokens_mean": stats.tokens_mean(),
        "used_percent": stats.used_percent(),
        "turns": turns,
        "lessons": lessons,
    })
}

fn figures_text(stats: &ContextStats) -> String {
    if stats.turns.is_empty() {
        return "no turn was given a context yet".to_owned();
    }
    let mut lines = vec![format!(
        "{} turns, {} tokens each ({VOCABULARY} estimate), {} % of their budgets",
        stats.turns.len(),
        stats.tokens_mean(),
        stats.used_percent()
    )];
    for turn in &stats.turns {
        lines.push(format!(
            "{:<12} {:<10} {:<10} {:>6} of {:>6} tokens, {:>3} kept, {:>5} left out",
            turn.task, turn.turn, turn.role, turn.tokens, turn.budget_tokens, turn.kept, turn.left_out
        ));
    }
    for lesson in stats.lessons.values() {
        let standings: Vec<String> =
            lesson.standings.iter().map(|(standing, count)| format!("{count} {standing}")).collect();
        lines.push(format!("lesson told to {}: {}", standings.join(", "), lesson.text));
    }
    lines.join("\n")
}
