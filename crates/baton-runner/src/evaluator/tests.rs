use std::fmt::Write as _;

use baton_engine::workflow::{SettledBy, Workflow};

use super::*;

/// Most of the sixteen that only an agent may speak for.
const ASSERTED_MAX: usize = 6;
const PAGE: &str = include_str!("../../../../docs/concepts/evidence.md");

/// Returns the table of all checkpoints of the built-in stages, and how many of them no command and no rule settles.
fn table() -> (String, usize) {
    let workflow = Workflow::built_in("stages").expect("it comes with Baton");
    let mut table = String::from(
        "| stage | checkpoint | settled by | it passes if | it stays asserted if |\n|---|---|---|---|---|\n",
    );
    let mut asserted = 0;
    for stage in &workflow.stages {
        for checkpoint in &stage.checkpoints {
            let name = checkpoint.name.as_str();
            let (by, rule, open) = match (checkpoint.settled_by, of(name)) {
                (SettledBy::Host, _) => {
                    ("a command", format!("the command under `[checks.{name}]` passes"), "")
                }
                (SettledBy::Agent, Some(own)) => ("a rule", own.rule.to_owned(), own.asserted),
                (SettledBy::Agent, None) => {
                    asserted += 1;
                    ("the agent", "the handoff says so".to_owned(), "always")
                }
            };
            let _ = writeln!(table, "| {} | `{name}` | {by} | {rule} | {open} |", stage.name);
        }
    }
    (table, asserted)
}

#[test]
fn the_page_has_the_table_of_all_checkpoints() {
    let (table, asserted) = table();
    assert_eq!(table.lines().count(), 2 + 16);
    assert!(asserted <= ASSERTED_MAX, "{asserted} are asserted");
    assert!(PAGE.contains(&table), "docs/concepts/evidence.md has to hold this table:\n\n{table}");
}

#[test]
fn every_rule_belongs_to_a_checkpoint_of_the_stages() {
    let workflow = Workflow::built_in("stages").expect("it comes with Baton");
    for own in ALL {
        let mut names =
            workflow.stages.iter().flat_map(|stage| &stage.checkpoints).map(|known| known.name.as_str());
        assert!(names.any(|name| name == own.checkpoint), "{}", own.checkpoint);
    }
}
