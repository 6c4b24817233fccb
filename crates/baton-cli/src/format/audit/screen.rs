//! One screen for a person: what was looked at, what came of it, the worst tasks first.

use std::io::{self, Write};

use baton_runner::audit::finding::Verdict;
use baton_runner::audit::report::{Audit, ChainReport, Tally};

use super::{against, code, sentence};
use crate::command::check::count;
use crate::output::printable;

/// Lines of a terminal that are surely there.
const LINES_MAX: usize = 24;
/// Lines for the head and the foot of the screen.
const LINES_AROUND: usize = 9;
/// Lines for a finding: what it is, and the places of both sides.
const LINES_OF_FINDING: usize = 2;
/// Longest line; what is longer is cut.
const COLUMNS_MAX: usize = 120;

const BOLD: &str = "\x1b[1m";
const DIM: &str = "\x1b[2m";
const RED: &str = "\x1b[1;31m";
const YELLOW: &str = "\x1b[33m";
const GREEN: &str = "\x1b[32m";
const RESET: &str = "\x1b[0m";

pub(super) fn colour(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Contradicted => RED,
        Verdict::Unsupported => YELLOW,
        Verdict::Holds => GREEN,
        Verdict::NotCheckable => DIM,
    }
}

pub(super) fn mark(verdict: Verdict) -> char {
    match verdict {
        Verdict::Contradicted => '✗',
        Verdict::Unsupported => '!',
        Verdict::Holds => '✓',
        Verdict::NotCheckable => '·',
    }
}

pub(super) fn write(out: &mut dyn Write, audit: &Audit) -> io::Result<()> {
    head(out, audit)?;
    let worst: Vec<&ChainReport> = audit.chains.iter().filter(|chain| chain.tally.findings() > 0).collect();
    let room = LINES_MAX - LINES_AROUND;
    let shown = worst.len().min(room / (1 + LINES_OF_FINDING));
    let findings_each = (room / shown.max(1)).saturating_sub(1) / LINES_OF_FINDING;
    for chain in worst.iter().take(shown) {
        writeln!(out, "{BOLD}{}{RESET}  {}", cut(&chain.task, COLUMNS_MAX / 2), counts(chain.tally))?;
        for (handoff, row) in chain.findings().iter().take(findings_each) {
            let (colour, mark) = (colour(row.verdict), mark(row.verdict));
            let text = cut(&sentence(row), COLUMNS_MAX - 12);
            writeln!(out, "  {colour}{mark}{RESET} {text}  {DIM}{}{RESET}", code(row))?;
            let other = row.against.as_ref().map(|other| format!(" against {}", against(other)));
            let place = format!("{}:{}{}", handoff.shown, row.place.line, other.unwrap_or_default());
            writeln!(out, "    {DIM}{}{RESET}", cut(&place, COLUMNS_MAX - 4))?;
        }
    }
    if worst.len() > shown {
        let names: Vec<&str> = worst[shown..].iter().map(|chain| chain.task.as_str()).collect();
        writeln!(
            out,
            "{}",
            cut(&format!("and {} more: {}", worst.len() - shown, names.join(", ")), COLUMNS_MAX)
        )?;
    }
    let clean = audit.chains.len() - worst.len();
    if clean > 0 {
        writeln!(out, "{GREEN}✓{RESET} {}", cut(&clean_tasks(audit, clean), COLUMNS_MAX - 2))?;
    }
    ending(out, audit)?;
    if let Some(first) = worst.first() {
        writeln!(
            out,
            "\nnext: the same with `--task {}`, `--all`, or `--format html > audit.html`",
            printable(&first.task)
        )?;
    }
    Ok(())
}

fn clean_tasks(audit: &Audit, clean: usize) -> String {
    let names: Vec<&str> = audit
        .chains
        .iter()
        .filter(|chain| chain.tally.findings() == 0)
        .map(|chain| chain.task.as_str())
        .collect();
    let nothing = if audit.known > 0 { "nothing new" } else { "nothing" };
    format!("{nothing} speaks against {}: {}", count(clean, "task"), names.join(", "))
}

fn head(out: &mut dyn Write, audit: &Audit) -> io::Result<()> {
    let tasks = count(audit.chains.len(), "task");
    let handoffs = count(audit.handoffs, "handoff");
    let commits = match audit.commits {
        0 => "without git".to_owned(),
        commits => format!("against {}", count(commits, "commit")),
    };
    writeln!(out, "{handoffs} of {tasks} held {commits}")?;
    let tally = audit.tally;
    let parts = [
        (Verdict::Contradicted, tally.contradicted),
        (Verdict::Unsupported, tally.unsupported),
        (Verdict::Holds, tally.holds),
        (Verdict::NotCheckable, tally.not_checkable),
    ];
    let parts: Vec<String> = parts
        .iter()
        .map(|(verdict, number)| {
            format!("{}{} {number} {}{RESET}", colour(*verdict), mark(*verdict), verdict.name())
        })
        .collect();
    writeln!(out, "{}\n", parts.join("   "))
}

/// Says what was left out.
pub(super) fn ending(out: &mut dyn Write, audit: &Audit) -> io::Result<()> {
    if audit.known > 0 {
        writeln!(out, "{} known to the baseline and left out", count(audit.known, "finding"))?;
    }
    for note in &audit.notes {
        writeln!(out, "note: {}", printable(note))?;
    }
    Ok(())
}

pub(super) fn counts(tally: Tally) -> String {
    let mut parts = Vec::new();
    if tally.contradicted > 0 {
        parts.push(format!("{RED}{} contradicted{RESET}", tally.contradicted));
    }
    if tally.unsupported > 0 {
        parts.push(format!("{YELLOW}{} unsupported{RESET}", tally.unsupported));
    }
    if parts.is_empty() {
        parts.push(format!("{GREEN}nothing speaks against it{RESET}"));
    }
    parts.join(", ")
}

/// Returns a text that is safe to print, cut to so many characters.
pub(super) fn cut(text: &str, max: usize) -> String {
    let safe = printable(text);
    if safe.chars().count() <= max {
        return safe;
    }
    safe.chars().take(max.saturating_sub(1)).chain(['…']).collect()
}
