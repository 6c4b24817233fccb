//! One task for a person: its timeline, and every claim with what came of it.

use std::io::{self, Write};

use baton_runner::audit::finding::Finding;
use baton_runner::audit::report::{Audit, HandoffReport};

use super::screen::{self, colour, counts, mark};
use super::{against, code, sentence, why};
use crate::output::printable;

const BOLD: &str = "\x1b[1m";
const DIM: &str = "\x1b[2m";
const RESET: &str = "\x1b[0m";

pub(super) fn write(out: &mut dyn Write, audit: &Audit, explain: bool) -> io::Result<()> {
    for chain in &audit.chains {
        writeln!(out, "{BOLD}{}{RESET}  {}", printable(&chain.task), counts(chain.tally))?;
        for handoff in &chain.handoffs {
            writeln!(out, "\n{}", head(handoff))?;
            for row in &handoff.rows {
                line(out, row, explain)?;
            }
        }
    }
    screen::ending(out, audit)
}

fn head(handoff: &HandoffReport) -> String {
    let mut parts =
        vec![format!("{BOLD}{}{RESET}", printable(handoff.stage.as_deref().unwrap_or(handoff.dialect)))];
    let agents = [handoff.from.as_deref(), handoff.to.as_deref()];
    if let [Some(from), to] = agents {
        parts.push(printable(&format!("{from} → {}", to.unwrap_or("nobody"))));
    }
    let times: Vec<&str> = [&handoff.started, &handoff.ended]
        .into_iter()
        .flatten()
        .map(|moment| moment.said.text.as_str())
        .collect();
    parts.push(printable(&times.join(" … ")));
    parts.push(handoff.outcome.to_owned());
    parts.push(format!("{DIM}{}:{}{RESET}", printable(&handoff.shown), handoff.line));
    parts.retain(|part| !part.is_empty());
    parts.join("  ")
}

fn line(out: &mut dyn Write, row: &Finding, explain: bool) -> io::Result<()> {
    let (colour, mark) = (colour(row.verdict), mark(row.verdict));
    let text = printable(&sentence(row));
    let code = code(row);
    writeln!(
        out,
        "  {colour}{mark}{RESET} {DIM}{:>4}{RESET} {:<13} {text}  {DIM}{code}{RESET}",
        row.place.line, row.kind
    )?;
    if !row.verdict.is_finding() && !explain {
        return Ok(());
    }
    if let Some(other) = &row.against {
        writeln!(out, "         {DIM}{}: {}{RESET}", row.provenance.name(), printable(&against(other)))?;
    }
    match row.rule.and_then(why).filter(|_| explain) {
        Some(why) => writeln!(out, "         {DIM}{why}{RESET}"),
        None => Ok(()),
    }
}
