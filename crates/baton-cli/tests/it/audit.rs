//! `baton audit`: what it shows, to whom, and how it ends.

use std::collections::BTreeSet;

use baton_testkit::project;
use serde_json::Value;

use crate::support::Place;

fn lying() -> Place {
    let place = Place::new();
    project::lying(place.path()).expect("the project is made");
    place
}

fn honest() -> Place {
    let place = Place::new();
    project::honest(place.path()).expect("the project is made");
    place
}

/// A stage document of the past, whose stage had as many retries.
fn implementation(retry_count: usize, file: &str) -> String {
    format!(
        "---\nid: F001\nstage: implementation\ntitle: Tides\nstatus: complete\nstarted_at: 2020-03-02T09:00:00Z\n\
         completed_at: 2020-03-02T1{retry_count}:00:00Z\nfiles_created:\n  - {file}\ncheckpoints:\n  - name: tests_written\n    status: pass\n  \
         - name: code_complete\n    status: pass\n  - name: tests_passing\n    status: pass\n  - name: no_lint_errors\n    \
         status: pass\nhandoff_ready: true\nretry_count: {retry_count}\n---\n\n# Tides\n\nThe table of tides.\n"
    )
}

fn claims(answer: &Value) -> Vec<&Value> {
    let tasks = answer["tasks"].as_array().expect("tasks");
    let handoffs = tasks.iter().flat_map(|task| task["handoffs"].as_array().expect("handoffs"));
    handoffs.flat_map(|handoff| handoff["claims"].as_array().expect("claims")).collect()
}

fn codes(answer: &Value) -> BTreeSet<String> {
    claims(answer).iter().filter_map(|claim| claim["code"].as_str().map(str::to_owned)).collect()
}

#[test]
fn the_worst_fits_one_screen() {
    let run = lying().baton(&["audit"]).ends_with(1);
    let shown = run.out();
    assert!(shown.lines().count() <= 24, "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 120), "{shown}");
    assert!(shown.contains("344 handoffs of 89 tasks"), "{shown}");
    assert!(shown.contains("F087  4 contradicted"), "{shown}");
    assert!(!shown.contains('\u{1b}'), "colours do not belong into a pipe: {shown}");
}

#[test]
fn an_honest_project_ends_well() {
    let shown = honest().baton(&["audit"]).ends_with(0).out();
    assert!(shown.contains("0 contradicted") && shown.contains("nothing speaks against 13 tasks"), "{shown}");
}

#[test]
fn every_form_tells_the_same_findings() {
    let place = lying();
    let answer = place.baton(&["audit", "--json"]).ends_with(1).json();
    let is_finding =
        |claim: &&&Value| matches!(claim["verdict"].as_str(), Some("contradicted" | "unsupported"));
    assert_eq!(claims(&answer).iter().filter(is_finding).count(), 87);
    assert_eq!(answer["audit"]["summary"]["contradicted"], 56);
    for claim in claims(&answer) {
        assert_eq!(claim["code"].is_string(), claim["verdict"] != "holds", "{claim}");
        assert!(claim["reason"].as_str().is_some_and(|reason| !reason.is_empty()), "{claim}");
        assert!(claim["line"].as_u64().is_some_and(|line| line > 0), "{claim}");
    }
    let sarif = place.baton(&["audit", "--format", "sarif"]).ends_with(1).json();
    assert_eq!(sarif["runs"][0]["results"].as_array().map(Vec::len), Some(87));
    let annotations = place.baton(&["audit", "--format", "github"]).ends_with(1).out();
    assert_eq!(annotations.lines().count(), 87);
    assert_eq!(annotations.lines().filter(|line| line.starts_with("::error ")).count(), 56);
    let junit = place.baton(&["audit", "--format", "junit"]).ends_with(1).out();
    assert!(junit.contains("<failure") && junit.contains("handoffs/F037/qa.md"), "{junit}");
    let all = place.baton(&["audit", "--all"]).ends_with(1).out();
    assert_eq!(all.matches("error[BT").count() + all.matches("warning[BT").count(), 87);
}

#[test]
fn one_task_is_told_from_its_first_claim_to_its_last() {
    let place = lying();
    let shown = place.baton(&["audit", "--task", "f037"]).ends_with(1).out();
    for words in [
        "requirements",
        "architecture",
        "qa",
        "`tests_passing: pass`",
        "BT1010",
        "a commit of this work added it",
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    let explained = place.baton(&["audit", "--task", "F037", "--explain"]).ends_with(1).out();
    assert!(explained.contains("nobody held against anything"), "{explained}");
    let missing = place.baton(&["audit", "--task", "F999"]).ends_with(6).err();
    assert!(missing.contains("F999") && missing.contains("hint:"), "{missing}");
    assert!(
        place.baton(&["audit", "--task", "F001"]).ends_with(0).out().contains("nothing speaks against it")
    );
}

#[test]
fn what_is_known_does_not_fail_again() {
    let place = lying();
    let told = place.baton(&["audit", "--write-baseline", "known.json"]).ends_with(0).err();
    assert!(told.contains("87 known findings"), "{told}");
    let shown = place.baton(&["audit", "--baseline", "known.json"]).ends_with(0).out();
    assert!(shown.contains("87 findings known to the baseline"), "{shown}");
    // A line above does not make an old finding new, a new lie does.
    let old = place.read("handoffs/F037/qa.md");
    place.write("handoffs/F037/qa.md", old.replacen("id: F037", "# checked\nid: F037", 1));
    place.baton(&["audit", "--baseline", "known.json"]).ends_with(0);
    place.write("handoffs/F037/qa.md", old.replacen("completed_at: 2025", "completed_at: 2024", 1));
    place.baton(&["audit", "--baseline", "known.json"]).ends_with(1);
    place.write("known.json", "{\"version\": 1, \"findings\": [], \"more\": 1}");
    let refused = place.baton(&["audit", "--baseline", "known.json"]).ends_with(3).err();
    assert!(refused.contains("known.json") && refused.contains("BT901"), "{refused}");
}

#[test]
fn history_shows_handoffs_as_they_were() {
    let place = Place::new();
    place.write("src/tides.rs", "fn tide() {}\n");
    place.write("handoffs/F001.md", implementation(2, "src/tides.rs"));
    place.commit("first");
    place.write("handoffs/F001.md", implementation(1, "src/tides.rs").replace("T11:", "T13:"));
    place.commit("second");
    let now = place.baton(&["audit", "--json"]).json();
    assert!(!codes(&now).contains("BT1110"), "{now}");
    let then = place.baton(&["audit", "--json", "--since", "2020-01-01"]).ends_with(1).json();
    assert!(codes(&then).contains("BT1110"), "{then}");
    let head = place.git(&["rev-parse", "HEAD"]);
    let first = place.git(&["rev-parse", "HEAD~1"]);
    place.baton(&["audit", "--commits", &head]).ends_with(1);
    place.baton(&["audit", "--commits", "main"]).ends_with(1);
    place.baton(&["audit", "--commits", &format!("{first}..{head}")]).ends_with(0);
    for (option, value) in [("--since", "yesterday"), ("--commits", "no-such-branch")] {
        let refused = place.baton(&["audit", option, value]).ends_with(2).err();
        assert!(refused.contains(value) && refused.contains("hint:"), "{refused}");
    }
}

#[test]
fn without_git_nothing_is_guessed() {
    let place = Place::with(&[("F001.md", &implementation(0, "src/gone.rs"))]);
    let shown = place.baton(&["audit"]).ends_with(0).out();
    assert!(shown.contains("without git") && shown.contains("0 contradicted"), "{shown}");
    let refused = place.baton(&["audit", "--since", "2020-01-01"]).ends_with(2).err();
    assert!(refused.contains("no git history"), "{refused}");
}

#[test]
fn a_shallow_clone_is_said_to_be_one() {
    let full = Place::new();
    full.write("handoffs/F001.md", implementation(0, "src/gone.rs"));
    full.write("src/tides.rs", "fn tide() {}\n");
    full.commit("first");
    full.commit("second");
    let clone = Place::new();
    clone.git(&["clone", "--quiet", "--depth", "1", &format!("file://{}", full.path().display()), "copy"]);
    let shown = clone.baton(&["audit", "copy"]).ends_with(0).out();
    assert!(shown.contains("shallow"), "{shown}");
    assert!(shown.contains("0 unsupported"), "the commit at the cut brings everything: {shown}");
    full.baton(&["audit"]).ends_with(1);
}

#[test]
fn nothing_to_judge_is_not_all_well() {
    let place = Place::with(&[("notes.txt", "Tuesday\n")]);
    let run = place.baton(&["audit"]).ends_with(6);
    assert!(run.err().contains("BT902"), "{}", run.err());
    place.baton(&["audit", "--allow-empty"]).ends_with(0);
    let missing = place.baton(&["audit", "no-such-folder"]).ends_with(3).err();
    assert!(missing.contains("no-such-folder"), "{missing}");
}

#[test]
fn a_project_weighs_the_rules_of_an_audit_too() {
    let place = lying();
    place.write("baton.toml", "[rules]\nBT1010 = \"off\"\nfile-missing = \"warning\"\n");
    let answer = place.baton(&["audit", "--json"]).ends_with(1).json();
    assert!(!codes(&answer).contains("BT1010"));
    let of_files = claims(&answer).into_iter().filter(|claim| claim["code"] == "BT1001");
    assert!(of_files.into_iter().all(|claim| claim["verdict"] == "unsupported"));
}

#[test]
fn check_holds_one_document_against_the_repository_when_asked() {
    let place = lying();
    place.baton(&["check", "handoffs/F037/qa.md"]).ends_with(0);
    let shown = place.baton(&["check", "--evidence", "handoffs/F037/qa.md"]).ends_with(1).out();
    assert!(shown.contains("error[BT1010]") && shown.contains("qa-tests_passing.log:24"), "{shown}");
    place.baton(&["check", "--evidence", "handoffs/F001"]).ends_with(0);
}
