//! `baton metrics`: how long turns took, how often work passed at once, and what it cost.

use baton_runner::Service;
use baton_runner::desk::tell::dollars;
use baton_runner::desk::{By, Count};
use clap::ValueEnum;
use serde_json::{Map, Value, json};

use super::{Who, failure, json, told};
use crate::command::Done;
use crate::exit;
use crate::output;

/// Show how long turns took, how often work passed at once, and what it cost
#[derive(clap::Args, Debug)]
pub(crate) struct Metrics {
    /// Only by this
    #[arg(long, value_enum)]
    by: Option<Subject>,
    /// One JSON document
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    who: Who,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Subject {
    Agent,
    Stage,
    Task,
}

impl Metrics {
    pub(crate) fn run(&self, service: &Service) -> Done {
        let desk = self.who.desk(service)?;
        let wanted = match self.by {
            None => By::ALL.to_vec(),
            Some(Subject::Agent) => vec![By::Agent],
            Some(Subject::Stage) => vec![By::Stage],
            Some(Subject::Task) => vec![By::Task],
        };
        let mut tables = Vec::new();
        for by in wanted {
            tables.push((by, desk.metrics(by).map_err(failure)?));
        }
        if self.json {
            let mut all = Map::from_iter([("version".to_owned(), json!(1))]);
            for (by, counts) in &tables {
                let rows: Vec<Value> = counts.iter().map(|(name, count)| row(*by, name, count)).collect();
                all.insert(format!("{}s", by.name()), json!(rows));
            }
            return json(&Value::Object(all));
        }
        if tables.iter().all(|(_, counts)| counts.is_empty()) {
            output::talk("nothing was counted yet: no turn was taken\n");
            return Ok(exit::Code::Fine);
        }
        Ok(told(&tables.iter().map(|(by, counts)| table(*by, counts)).collect::<Vec<_>>().join("\n\n")))
    }
}

fn row(by: By, name: &str, count: &Count) -> Value {
    json!({
        by.name(): name,
        "turns": count.turns,
        "turns_ms": count.turns_ms,
        "lost": count.lost,
        "accepted": count.accepted,
        "first_pass": count.first_pass,
        "first_pass_rate": rate(count),
        "contradicted_claims": count.contradicted_claims,
        "contradicted_turns": count.contradicted_turns,
        "reworks": count.reworks,
        "rollbacks": count.rollbacks,
        "escalations": count.escalations,
        "tokens": count.tokens,
        "uncounted_tokens": count.uncounted_tokens,
        "input_tokens": count.input_tokens,
        "cached_tokens": count.cached_tokens,
        "output_tokens": count.output_tokens,
        "cost_microdollars": count.cost_microdollars,
    })
}

/// Returns the part of the accepted work that passed at the first attempt with no claim contradicted.
fn rate(count: &Count) -> Option<f64> {
    (count.accepted > 0).then(|| count.first_pass as f64 / count.accepted as f64)
}

fn table(by: By, counts: &[(String, Count)]) -> String {
    let width = counts.iter().map(|(name, _)| name.len()).chain([by.name().len()]).max().unwrap_or(0);
    let mut lines = vec![format!(
        "{:<width$} {:>6} {:>10} {:>9} {:>9} {:>11} {:>8} {:>12} {:>9} {:>10} {:>12}",
        by.name(),
        "turns",
        "mean turn",
        "lost",
        "accepted",
        "first pass",
        "reworks",
        "contradicted",
        "escalated",
        "tokens",
        "cost"
    )];
    for (name, count) in counts {
        let mean = count.turns_ms.checked_div(count.turns).map_or_else(|| "-".to_owned(), duration);
        let rate = rate(count).map_or_else(|| "-".to_owned(), |rate| format!("{:.0} %", rate * 100.0));
        let cost = match count.cost_microdollars {
            0 => "-".to_owned(),
            cost => dollars(cost),
        };
        lines.push(format!(
            "{name:<width$} {:>6} {mean:>10} {:>9} {:>9} {rate:>11} {:>8} {:>12} {:>9} {:>10} {cost:>12}",
            count.turns,
            count.lost,
            count.accepted,
            count.reworks,
            count.contradicted_claims,
            count.escalations,
            count.tokens
        ));
    }
    let uncounted = counts.iter().filter(|(_, count)| count.uncounted_tokens > 0);
    lines.extend(uncounted.map(|(name, count)| {
        format!(
            "nobody counted up to {} of the tokens of {name}: they were set aside",
            count.uncounted_tokens
        )
    }));
    lines.join("\n")
}

fn duration(milliseconds: u64) -> String {
    let seconds = milliseconds / 1000;
    match seconds {
        0 => format!("{milliseconds} ms"),
        1..=119 => format!("{seconds} s"),
        120..=7199 => format!("{} min", seconds / 60),
        _ => format!("{} h", seconds / 3600),
    }
}
