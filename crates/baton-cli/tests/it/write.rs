//! `convert`, `migrate`, `new`, `schema`, `explain`, `completions`, `man`: what they write holds.

use baton_handoff::dialect;
use baton_handoff::rule;
use serde_json::Value;

use crate::support::{Place, good};

const NOTE: &str = "# Session handoff: sign-in link\n\n## Done\n\n- The link is sent\n- The link is spent once\n\n## Gotchas\n\n- The clock of the mail server is 4 minutes late\n\n## Next steps\n\n- Add the page that says the link was spent\n\n## Status\n\nIn progress. No newline at the end";

#[test]
fn what_a_dialect_cannot_hold_is_told_and_changes_the_exit_code() {
    let place = Place::with(&[("stage.md", &good())]);
    let lossy = place.baton(&["convert", "--to", "summary", "stage.md"]).ends_with(5);
    assert!(lossy.err().lines().all(|line| line.starts_with("not carried over: ")), "{}", lossy.err());
    assert!(lossy.err().contains("checkpoints"), "{}", lossy.err());
    assert!(lossy.out().contains("handoff:"), "{}", lossy.out());
    let same = place.baton(&["convert", "--to", "frontmatter", "stage.md"]).ends_with(0);
    assert_eq!(same.err(), "");
    place.write("same.md", same.out());
    place.baton(&["check", "--deny-warnings", "same.md"]).ends_with(0);
    place.baton(&["convert", "--to", "pigeon", "stage.md"]).ends_with(2);
    place.write("novel.md", "It was raining.\n");
    place.baton(&["convert", "--to", "summary", "novel.md"]).ends_with(6);
    place.baton(&["convert", "--to", "summary", "missing.md"]).ends_with(3);
    let stream =
        place.baton_with_input(&["convert", "--to", "frontmatter", "-"], good().as_bytes()).ends_with(0);
    assert_eq!(stream.out(), same.out());
}

#[test]
fn members_nobody_knows_survive_a_conversion() {
    let place = Place::new();
    let plan = place.baton(&["new", "build-plan"]).ends_with(0).out();
    let mut plan: Value = serde_json::from_str(&plan).expect("JSON");
    plan["schema_version"] = "99".into();
    plan["x-note"] = serde_json::json!({ "__proto__": [1, null, "two"] });
    place.write("plan.json", plan.to_string());
    let run = place.baton(&["convert", "--to", "build-plan", "plan.json"]);
    assert_eq!(run.json()["x-note"], plan["x-note"], "{}", run.out());
    assert_eq!(run.json()["schema_version"], "99", "{}", run.out());
}

#[test]
fn a_migrated_note_begins_with_every_byte_of_the_old() {
    let place = Place::with(&[("note.md", NOTE)]);
    let shown = place.baton(&["migrate", "note.md"]).ends_with(0);
    assert_eq!(place.read("note.md"), NOTE, "without `--write` nothing is written");
    place.baton(&["migrate", "--write", "note.md"]).ends_with(0);
    let written = place.read("note.md");
    assert!(written.starts_with(NOTE), "{written}");
    assert!(written.ends_with(&shown.out()), "{written}");
    let again = place.baton(&["migrate", "--write", "note.md"]).ends_with(2);
    assert!(again.err().contains("structured already"), "{}", again.err());
    assert_eq!(place.read("note.md"), written);
    place.baton_with_input(&["migrate", "--write", "-"], NOTE.as_bytes()).ends_with(2);
}

#[test]
fn a_migration_tells_its_facts_and_asks_its_question() {
    let place = Place::with(&[("note.md", NOTE), ("novel.md", "It was raining.\n")]);
    let report = place.baton(&["migrate", "--json", "note.md"]).ends_with(0).json();
    let facts = report["facts"].as_array().expect("a list");
    assert!(
        facts.iter().any(|fact| fact["value"].as_str().is_some_and(|text| text.contains("4 minutes late")))
    );
    for fact in facts {
        let (start, end) = (fact["start"].as_u64().unwrap_or(1), fact["end"].as_u64().unwrap_or(0));
        assert!(start <= end && end as usize <= NOTE.len(), "{fact}");
        assert!(matches!(fact["confidence"].as_str(), Some("stated" | "likely" | "low")), "{fact}");
    }
    let prompt = place.baton(&["migrate", "--prompt", "note.md"]).ends_with(0).out();
    let open = report["open"].as_array().expect("a list");
    assert_eq!(prompt.is_empty(), open.is_empty(), "{prompt}");
    for point in open {
        assert!(prompt.contains(point.as_str().unwrap_or_default()), "{point}");
    }
    place.baton(&["migrate", "--json", "--prompt", "note.md"]).ends_with(2);
    place.baton(&["migrate", "novel.md"]).ends_with(6);
}

#[test]
fn every_dialect_has_a_schema() {
    let place = Place::new();
    let names = place.baton(&["schema"]).ends_with(0).out();
    for variant in dialect::ALL.iter().flat_map(|definition| definition.variants) {
        let name = variant.name;
        let schema = place.baton(&["schema", name]).ends_with(0).json();
        let uri = schema["$schema"].as_str().unwrap_or_default();
        assert!(uri.contains("json-schema.org"), "{name}: {schema}");
        assert!(names.lines().any(|line| line.starts_with(name)), "{name} is not listed");
    }
    // A dialect of several forms wants one of them.
    place.baton(&["schema", "artifact"]).ends_with(2);
    place.baton(&["schema", "pigeon"]).ends_with(2);
}

#[test]
fn every_dialect_that_is_listed_can_be_written_empty_and_passes() {
    let place = Place::new();
    let listed = place.baton(&["new"]).ends_with(0).out();
    let names: Vec<_> = listed.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.len() >= 16, "{listed}");
    let mut wrong = Vec::new();
    for name in names {
        let new = place.baton(&["new", name, "--task", "TASK-42"]);
        if new.code != Some(0) {
            wrong.push(format!("{name} is listed and cannot be written: {}", new.err()));
            continue;
        }
        place.write("new.md", new.out());
        let check = place.baton(&["check", "--json", "--deny-warnings", "new.md"]);
        if check.code != Some(0) {
            wrong.push(format!("{name}: {}", check.out()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_task_cannot_write_more_than_its_name() {
    let place = Place::new();
    for task in ["T\nstatus: complete", "T\"", "T: x", "T\\", "T\u{1b}[2J", "", "-", "T #", "@t", "{}", "é"]
    {
        for name in ["frontmatter", "summary", "taskfile", "package", "build-plan"] {
            let new = place.baton(&["new", name, &format!("--task={task}")]);
            if new.code == Some(0) {
                place.write("new.md", new.out());
                let check = place.baton(&["check", "--json", "new.md"]);
                assert_eq!(check.code, Some(0), "{name} with {task:?}\n{}\n{}", new.out(), check.out());
            }
        }
    }
}

#[test]
fn every_code_is_explained() {
    let place = Place::new();
    let list = place.baton(&["explain", "--list"]).ends_with(0).out();
    assert_eq!(list.lines().count(), rule::ALL.len());
    for rule in rule::ALL {
        let code = rule.code.to_string();
        assert_eq!(place.baton(&["explain", &code]).ends_with(0).out(), rule.page, "{code}");
        assert_eq!(place.baton(&["explain", rule.name]).ends_with(0).out(), rule.page, "{code}");
        assert!(list.contains(&code) && list.contains(rule.name), "{code}");
    }
    for wrong in ["BT999", "BT", "201", "", "no-such-rule", "BT-1", "BT00201x"] {
        let run = place.baton(&["explain", wrong]).ends_with(2);
        assert!(run.out().is_empty() && run.err().contains("--list"), "{wrong}: {}", run.err());
    }
    assert_eq!(place.baton(&["explain", "bt201"]).ends_with(0).out(), rule::Code(201).rule().page);
}

#[test]
fn completions_and_manual_are_printed() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let run = place.baton(&["completions", shell]).ends_with(0);
        assert!(run.out().contains("migrate") && run.err().is_empty(), "{shell}");
    }
    let page = place.baton(&["man"]).ends_with(0).out();
    assert!(page.contains(".TH") && page.contains("baton"), "{page}");
    assert!(place.baton(&["man", "check"]).ends_with(0).out().contains("deny"));
    place.baton(&["man", "pigeon"]).ends_with(2);
}
