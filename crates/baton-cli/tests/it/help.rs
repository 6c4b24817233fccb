//! Help is there for everything, and the exit codes are documented.

use std::fs;
use std::path::Path;

use crate::support::Place;

const COMMANDS: &[&str] = &[
    "run",
    "check",
    "audit",
    "convert",
    "migrate",
    "new",
    "schema",
    "task",
    "receive",
    "context",
    "ack",
    "plan",
    "submit",
    "delegate",
    "return",
    "clarify",
    "answer",
    "gate",
    "escalate",
    "resolve",
    "waive",
    "decide",
    "merge",
    "rollback",
    "recover",
    "pause",
    "workflow",
    "status",
    "inbox",
    "search",
    "knowledge",
    "files",
    "log",
    "show",
    "why",
    "metrics",
    "replay",
    "rebuild",
    "audit-log",
    "backup",
    "restore",
    "mcp",
    "init",
    "doctor",
    "trust",
    "hook",
    "explain",
    "demo",
    "completions",
    "man",
];

#[test]
fn every_command_and_option_says_what_it_does() {
    let place = Place::new();
    let overview = place.baton(&["--help"]).ends_with(0).out();
    for command in listed(&overview) {
        assert!(COMMANDS.contains(&command.as_str()) || command == "help", "{command} has no test");
    }
    for command in COMMANDS {
        assert!(listed(&overview).iter().any(|name| name == command), "{command} is not in the overview");
        let help = place.baton(&[command, "--help"]).ends_with(0).out();
        let first = help.lines().next().unwrap_or_default();
        assert!(first.len() > 10 && first.starts_with(char::is_uppercase), "{command}: {first}");
        let silent = silent_options(&help);
        assert!(silent.is_empty(), "{command}: no words for {silent:?}\n{help}");
        let short = place.baton(&[command, "-h"]).ends_with(0).out();
        assert!(short.len() <= help.len(), "{command}");
        assert!(
            short.lines().chain(help.lines()).all(|line| line.chars().count() <= 100),
            "{command} is too wide"
        );
    }
    assert!(silent_options(&overview).is_empty(), "{overview}");
}

/// Returns the commands of an overview that have words beside them: everything between the usage and the options.
fn listed(overview: &str) -> Vec<String> {
    let below = overview.split_once("Usage:").map_or("", |(_, below)| below);
    let groups = below.split("Options:\n").next().unwrap_or_default();
    let lines = groups.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    lines
        .filter_map(|line| {
            let (name, about) = line.trim().split_once(' ')?;
            (!about.trim().is_empty()).then(|| name.to_owned())
        })
        .collect()
}

#[test]
fn a_new_user_sees_first_what_matters_and_every_command_has_a_heading() {
    let overview = Place::new().baton(&["--help"]).ends_with(0).out();
    let first = overview.split("Start here:\n").nth(1).expect("a first group");
    let first: Vec<&str> = first.lines().take_while(|line| !line.is_empty()).collect();
    assert!(first.len() <= 5 && first[0].trim_start().starts_with("check"), "{first:?}");
    assert!(!overview.contains("\nMore:\n"), "a command has no heading:\n{overview}");
    let mut names = listed(&overview);
    names.sort();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count, "a command stands under two headings");
}

/// Returns the long options without words beside or below them.
fn silent_options(help: &str) -> Vec<&str> {
    let lines: Vec<_> = help.lines().collect();
    let is_option = |line: &str| line.trim_start().starts_with('-') && line.contains("--");
    let silent = |at: usize| {
        let line = lines[at].trim();
        let beside = line.split_once("  ").is_some_and(|(_, words)| !words.trim().is_empty());
        let below = lines
            .get(at + 1)
            .is_some_and(|next| next.starts_with("      ") && !next.trim().is_empty() && !is_option(next));
        !beside && !below
    };
    (0..lines.len())
        .filter(|&at| lines[at].starts_with("  ") && is_option(lines[at]) && silent(at))
        .map(|at| lines[at])
        .collect()
}

#[test]
fn the_version_is_that_of_the_package() {
    let run = Place::new().baton(&["--version"]).ends_with(0);
    assert_eq!(run.out(), format!("baton {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn every_exit_code_is_documented() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let source = fs::read_to_string(root.join("src/exit.rs")).expect("the table of exit codes");
    let codes: Vec<_> = source
        .lines()
        .filter_map(|line| line.trim().strip_suffix(',')?.split_once(" = "))
        .map(|(_, code)| code.to_owned())
        .collect();
    assert_eq!(codes, ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]);
    let Ok(page) = fs::read_to_string(root.join("../../docs/reference/exit-codes.md")) else { return };
    for code in codes {
        let told = page.lines().any(|line| {
            let mut words =
                line.split(|mark: char| !mark.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
            words.next() == Some(code.as_str())
        });
        assert!(told, "exit code {code} is not in docs/reference/exit-codes.md");
    }
}
