//! `baton migrate`: bring a freeform note into a structured form.

use std::path::{Path, PathBuf};

use baton_handoff::migrate::{self, Migration, NotMigrated};
use baton_handoff::span::LineIndex;
use baton_runner::Service;
use serde_json::json;

use super::Done;
use super::check::count;
use super::convert::{failure, read};
use crate::failure::Failure;
use crate::output::{self, printable};

/// Bring a freeform note into the form of a task file's handoff
///
/// Facts are found by the labels of the note's sections, in many languages, and by trigger words second; each has its place in
/// the note and how sure it is. The outcome is `unknown` unless the note states one. Nothing of the note is ever changed.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The note; `-` is standard input
    #[arg(value_name = "FILE")]
    path: PathBuf,
    /// Add the structured section to the end of the file
    #[arg(long, conflicts_with_all = ["prompt", "json"])]
    write: bool,
    /// Print the question for an agent, where something is open
    #[arg(long, conflicts_with = "json")]
    prompt: bool,
    /// Print the facts with their places as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(service: &Service, args: &Args) -> Done {
    let bytes = read(service, &args.path)?;
    let text = baton_handoff::document::decode(&bytes).map_err(|found| {
        Failure::no_handoff(&found.message, found.help.as_deref().unwrap_or("give a text file"))
    })?;
    let migration =
        migrate::migrate(text, &service.project).map_err(|reason| not_migrated(&args.path, &reason))?;
    let shown = if args.write {
        if args.path == Path::new("-") {
            return Err(Failure::usage(
                "standard input cannot be written",
                "leave out `--write` and redirect the output",
            ));
        }
        service
            .replace(&args.path, &migrate::append(text, &migration))
            .map_err(|error| failure(&args.path, error))?;
        String::new()
    } else if args.prompt {
        migrate::prompt(text, &migration).unwrap_or_default()
    } else if args.json {
        as_json(text, &migration)
    } else {
        migration.section.clone()
    };
    let code = output::print(shown.as_bytes());
    talk_about(&migration, args);
    Ok(code)
}

fn talk_about(migration: &Migration, args: &Args) {
    let facts = migration.facts.len();
    let written = if args.write { ", written to the end of the note" } else { "" };
    let (facts, open) = (count(facts, "fact"), count(migration.open.len(), "open point"));
    output::talk(&format!("{facts} found{written}; {open}\n"));
    if !args.prompt && !args.json {
        for point in &migration.open {
            output::talk(&format!("  open: {}\n", printable(point)));
        }
    }
}

fn as_json(source: &str, migration: &Migration) -> String {
    let index = LineIndex::new(source);
    let facts: Vec<_> = migration
        .facts
        .iter()
        .map(|fact| {
            let at = index.position(source, fact.span.start);
            json!({
                "path": fact.path, "value": fact.value, "confidence": fact.confidence.name(),
                "line": at.line, "column": at.column, "start": fact.span.start, "end": fact.span.end,
            })
        })
        .collect();
    let left: Vec<_> = migration.left_in_note.iter().map(|loss| loss.path.clone()).collect();
    let value =
        json!({ "facts": facts, "left_in_note": left, "open": migration.open, "section": migration.section });
    format!("{value:#}\n")
}

fn not_migrated(path: &Path, reason: &NotMigrated) -> Failure {
    let path = printable(&path.display().to_string());
    match reason {
        NotMigrated::Structured(dialect) => {
            let name = dialect.name();
            Failure::usage(
                &format!("{path} is structured already ({name})"),
                "use `baton convert --to` to change its form",
            )
        }
        NotMigrated::NotAHandoff(refusal) => Failure::no_handoff(
            &format!("{path} is not a handoff: {}", refusal.reason),
            "name a note that hands work over",
        ),
    }
}
