//! `baton explain`: what a code means, and every key of `baton.toml`.

use baton_handoff::rule;
use baton_runner::config::rule_named;

use super::Done;
use crate::failure::Failure;
use crate::output::{self, printable};

/// Explain a code: why the rule is there, a bad and a good example, what to do
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The code or name of a rule, as in BT201 or checkpoint-missing; `baton.toml` for the keys of the configuration
    #[arg(value_name = "CODE", required_unless_present = "list")]
    code: Option<String>,
    /// List all rules
    #[arg(long, conflicts_with = "code")]
    list: bool,
}

/// Whoever has the program has the page: an error in a configuration leads here.
const CONFIGURATION: &str = include_str!("../../../../docs/reference/configuration.md");

pub(crate) fn run(args: &Args) -> Done {
    let text = match &args.code {
        None => list(),
        Some(file) if file == baton_runner::config::FILE_NAME => CONFIGURATION.to_owned(),
        Some(code) => {
            let wanted = code.to_ascii_uppercase();
            let found = rule_named(&wanted).or_else(|| rule_named(code)).ok_or_else(|| {
                let message = format!("there is no rule `{}`", printable(code));
                Failure::usage(&message, "`baton explain --list` shows all rules")
            })?;
            found.rule().page.to_owned()
        }
    };
    Ok(output::print(text.as_bytes()))
}

fn list() -> String {
    let line = |rule: &&rule::Rule| format!("{}  {:<8}  {}\n", rule.code, rule.severity.name(), rule.name);
    rule::ALL.iter().map(line).collect()
}
