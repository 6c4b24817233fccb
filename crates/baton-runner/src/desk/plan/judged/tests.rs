use baton_handoff::project::Project;
use serde_json::{Value, json};

use super::{Order, PLAN_BYTES_MAX, is_only_plan, read};

fn good() -> Value {
    json!({
        "artifact_type": "build-plan",
        "file_targets": ["src/tides.rs", "docs/**/*.md"],
        "validation_plan": ["cargo test"],
        "criterion_coverage": { "AC-1": "src/tides.rs, shown by the test", "AC-2": ["the page"] },
        "budget": { "tokens": 40_000 },
    })
}

fn order() -> Order {
    let words = |all: &[&str]| all.iter().map(|&word| word.to_owned()).collect();
    Order {
        criteria: words(&["AC-1", "AC-2"]),
        targets: words(&["src", "docs"]),
        turn_tokens: Some(50_000),
        must_change: true,
    }
}

/// What is wrong with the good plan when it has this under a key.
fn wrong_with(key: &str, value: Value) -> Vec<String> {
    let mut plan = good();
    plan[key] = value;
    wrong(&plan.to_string())
}

fn wrong(text: &str) -> Vec<String> {
    read(text.as_bytes(), &order(), &Project::default()).err().unwrap_or_default()
}

#[test]
fn a_good_plan_is_taken_without_the_keys_that_the_host_fills() {
    let text = format!("I will do this.\n\n```json\n{}\n```\n", good());
    let plan = read(text.as_bytes(), &order(), &Project::default()).expect("a good plan");
    assert_eq!(plan.targets, ["src/tides.rs", "docs/**/*.md"]);
    assert_eq!(plan.own["budget"], json!({ "tokens": 40_000 }));
    assert_eq!(plan.own["criterion_coverage"]["AC-2"], json!(["the page"]));
    assert!(!plan.own.contains_key("artifact_id"), "{:?}", plan.own);
}

#[test]
fn coverage_may_be_a_list_with_one_entry_for_each_criterion() {
    let list = json!([
        { "criterion": "AC-1", "steps": ["the reader"] },
        { "id": "ac-2", "validation": "the page" },
    ]);
    assert_eq!(wrong_with("criterion_coverage", list), [""; 0]);
    let empty = json!([{ "criterion": "AC-1", "steps": [] }, { "criterion": "AC-2", "steps": ["x"] }]);
    assert_eq!(wrong_with("criterion_coverage", empty).len(), 1);
}

#[test]
fn every_fault_is_named_with_what_to_do() {
    for (key, value, reasons) in [
        ("criterion_coverage", json!({ "AC-1": "x" }), &["doesn't cover the criterion `AC-2`"][..]),
        ("criterion_coverage", json!({ "AC-1": "x", "AC-2": "n/a" }), &["criterion `AC-2`"]),
        (
            "criterion_coverage",
            json!({ "AC-1": "x", "AC-2": "x", "AC-3": "x" }),
            &["names `AC-3`, and no criterion of the task is called so (AC-1, AC-2)"],
        ),
        ("criterion_coverage", json!("all of them"), &["doesn't cover the criterion `AC-1`", "`AC-2`"]),
        ("validation_plan", json!([]), &["`validation_plan` has no validation"]),
        (
            "validation_plan",
            json!([" "]),
            &["BT113: an item of `validation_plan` is empty", "has no validation"],
        ),
        ("validation_plan", json!(["none"]), &["`validation_plan` has no validation"]),
        ("file_targets", json!([]), &["`file_targets` is empty"]),
        ("file_targets", json!(["**"]), &["stands for every file", "outside of the task's targets"]),
        ("file_targets", json!(["src/a.rs", "tests/a.rs"]), &["`tests/a.rs` is outside"]),
        (
            "file_targets",
            json!(["/etc/passwd"]),
            &["BT110: the path `/etc/passwd`", "names nothing in the project"],
        ),
        ("budget", json!({}), &["`budget` says no amount"]),
        ("budget", json!({ "tokens": 0 }), &["`budget` says no amount"]),
        ("budget", json!({ "tokens": "60,000 tokens" }), &["wants 60000 tokens, and the turn has 50000"]),
    ] {
        let found = wrong_with(key, value.clone());
        assert_eq!(found.len(), reasons.len(), "{key}: {value}: {found:?}");
        for (found, reason) in found.iter().zip(reasons) {
            assert!(found.contains(reason) && found.ends_with('.'), "{key}: {reason} in {found}");
        }
    }
}

#[test]
fn a_missing_key_is_named_once() {
    for key in ["file_targets", "validation_plan", "criterion_coverage", "budget"] {
        let mut plan = good();
        plan.as_object_mut().expect("an object").remove(key);
        let found = wrong(&plan.to_string());
        assert!(found.len() == 1 && found[0].starts_with(&format!("BT101: `{key}`")), "{key}: {found:?}");
    }
}

#[test]
fn a_task_without_targets_and_a_stage_that_need_not_change_files_ask_for_less() {
    let free = Order { targets: Vec::new(), must_change: false, ..order() };
    let mut plan = good();
    plan["file_targets"] = json!([]);
    assert!(read(plan.to_string().as_bytes(), &free, &Project::default()).is_ok());
    plan["file_targets"] = json!(["anything/else.rs"]);
    assert!(read(plan.to_string().as_bytes(), &free, &Project::default()).is_ok());
}

#[test]
fn only_one_plan_is_a_plan() {
    let fence = format!("```json\n{}\n```\n", good());
    assert!(is_only_plan(fence.as_bytes()));
    let with_work = format!("{fence}\n```yaml\noutcome: completed\nsummary: did it\n```\n");
    assert!(!is_only_plan(with_work.as_bytes()) && !is_only_plan(b"I plan to do it."));
    assert!(wrong("I plan to do it.")[0].starts_with("It holds no build plans."));
    assert!(wrong(&fence.repeat(2))[0].starts_with("It holds 2 build plans."));
    let long = format!("{}\n{fence}", "x".repeat(PLAN_BYTES_MAX));
    assert!(wrong(&long)[0].contains("Write at most 32768."));
    assert!(!wrong("\u{0}").is_empty());
}
