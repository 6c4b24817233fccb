//! `cargo xtask docs`: the reference pages that are made from the program itself.

use std::fs;
use std::process::Command;

/// Whether pages are written or held against what they should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Write,
    Check,
}

const COMMANDS: &str = "docs/reference/cli.md";
const RULES: &str = "docs/errors/README.md";
const ENGINE: &str = "docs/reference/engine.md";

pub(crate) fn run(mode: Mode) -> Result<(), String> {
    for (path, text) in [(COMMANDS, commands()?), (RULES, rules()), (ENGINE, baton_engine::table::page())] {
        match mode {
            Mode::Write => fs::write(path, text).map_err(|error| format!("{path}: {error}"))?,
            Mode::Check if fs::read_to_string(path).unwrap_or_default() == text => {
                println!("{path} is up to date")
            }
            Mode::Check => return Err(format!("{path} is out of date: run `cargo xtask docs`")),
        }
    }
    Ok(())
}

fn commands() -> Result<String, String> {
    let mut page = String::from(
        "# Commands\n\nThis page is made from `baton help`; `cargo xtask docs` writes it anew.\n\n## baton\n\n",
    );
    let overview = help(&[])?;
    page.push_str(&fenced(&overview));
    let listed = overview
        .lines()
        .skip_while(|line| !line.starts_with("Usage:"))
        .take_while(|line| *line != "Options:");
    // What a command does may go on in the next line, further to the right.
    let of_command = listed.filter_map(|line| line.strip_prefix("  ").filter(|line| !line.starts_with(' ')));
    let names: Vec<String> =
        of_command.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect();
    for name in names.iter().filter(|name| *name != "help") {
        page.push_str(&format!("\n## baton {name}\n\n"));
        page.push_str(&fenced(&help(&[name])?));
    }
    Ok(page)
}

fn fenced(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    format!("```text\n{}\n```\n", lines.join("\n").trim_end())
}

fn help(command: &[&str]) -> Result<String, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let out = Command::new(cargo)
        .args(["run", "--quiet", "--package", "baton-cli", "--"])
        .args(command)
        .arg("--help")
        .env("COLUMNS", "100")
        .output()
        .map_err(|error| format!("baton could not be run: {error}"))?;
    match out.status.success() {
        true => Ok(String::from_utf8_lossy(&out.stdout).into_owned()),
        false => Err(format!(
            "`baton {} --help` failed: {}",
            command.join(" "),
            String::from_utf8_lossy(&out.stderr)
        )),
    }
}

fn rules() -> String {
    let mut page = String::from(
        "# Codes\n\nEvery code has a page, and `baton explain CODE` prints it. `cargo xtask docs` writes this list anew.\n\n\
         | code | rule | severity | level |\n|---|---|---|---|\n",
    );
    for rule in baton_handoff::rule::ALL {
        let level = match rule.level {
            baton_handoff::rule::Level::Written => "as written",
            baton_handoff::rule::Level::Normalised => "normalised",
        };
        let (code, name, severity) = (rule.code, rule.name, rule.severity.name());
        page.push_str(&format!("| [{code}]({code}.md) | {name} | {severity} | {level} |\n"));
    }
    page
}
