//! `baton doctor`: what works beside the agents, and what to do.

use std::path::{Path, PathBuf};

use baton_runner::doctor::{self, Finding, State};
use baton_runner::hook;
use serde_json::{Value, json};

use super::Done;
use super::desk::json as print_json;
use crate::exit;
use crate::failure::Failure;
use crate::output::{self, printable};

/// Say what works beside your agents, and what to do where it does not
///
/// Looks at the project and at each agent: whether it is installed, whether its hooks and its MCP entry are there, and what
/// only you can do, such as reviewing hooks or trusting a folder. It changes nothing. Ends with 1 when something is missing.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// One JSON document
    #[arg(long)]
    json: bool,
    /// The folder with the log, instead of the one in the state folder of the user
    #[arg(long, value_name = "FOLDER")]
    store: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Done {
    let here = std::env::current_dir().map_err(|error| Failure::io(Path::new("."), "entered", &error))?;
    let root =
        hook::project_of(&here).map_err(|trouble| Failure::usage(&trouble.words, "go to the project"))?;
    let findings = doctor::examine(&root, args.store.as_deref());
    let shown = if args.json {
        print_json(&described(&root, &findings))?
    } else {
        output::print(told(&findings).as_bytes())
    };
    let is_missing = findings.iter().any(|found| found.state == State::Missing);
    Ok(if shown == exit::Code::Fine && is_missing { exit::Code::Findings } else { shown })
}

fn told(findings: &[Finding]) -> String {
    let mut text = String::new();
    let mut last = "";
    for found in findings {
        if found.subject != last {
            text.push_str(&format!("{}{}\n", if last.is_empty() { "" } else { "\n" }, found.subject));
            last = found.subject;
        }
        text.push_str(&format!("  {:<8} {:<8} {}\n", found.state.word(), found.thing, found.words));
        if let Some(next) = &found.next {
            text.push_str(&format!("  {:<17} {next}\n", "  to do:"));
        }
    }
    printable(&text)
}

fn described(root: &Path, findings: &[Finding]) -> Value {
    let findings: Vec<Value> = findings
        .iter()
        .map(|found| {
            json!({
                "subject": found.subject,
                "thing": found.thing,
                "state": found.state.word(),
                "words": found.words,
                "next": found.next,
            })
        })
        .collect();
    json!({ "version": 1, "root": root, "findings": findings })
}
