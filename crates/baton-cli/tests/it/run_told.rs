//! What agents are told in a run: the guidance in every turn, what they are judged by, and where more is to be read.

use std::collections::BTreeSet;
use std::fs;

use serde_json::json;

use crate::team::{HANDOFF, Team, approves, claude, says, works, write};

const COVENANT: &str = "# Rules\n\n- Times are in UTC.\n";

#[test]
fn a_verifier_is_told_the_guidance_and_all_that_has_changed_and_never_the_builders_story() {
    let two = "[workflows.two]\nintegration = \"merge\"\n[[workflows.two.stages]]\nname = \"draft\"\nagent = \"drafter\"\n\
               [[workflows.two.stages]]\nname = \"build\"\nagent = \"builder\"\ncheckpoints = [\"validation\"]\nreview = \"verifier\"\n";
    let drafts = vec![
        write("draft.txt", "a draft\n"),
        says("```yaml\noutcome: completed\nsummary: a first story of FILES\n```\n"),
    ];
    let builds = vec![
        write("work.txt", "done\n"),
        says(
            "```yaml\noutcome: completed\nsummary: a wonderful story of FILES\ngotchas: [{issue: trust me, severity: high}]\n```\n",
        ),
    ];
    let team = Team::new()
        .configured(two)
        .agent("drafter", "command", &[drafts])
        .agent("builder", "command", &[builds])
        .agent("verifier", "command", &[approves()]);
    team.place.write("AGENTS.md", COVENANT);
    let team = team.ready();
    team.add("T1", "two", &["--criterion", "works=The file says that it is done"]);
    team.run(0, &[]);
    let told = team.given("verifier", "T1", "prompt-1");
    for part in [
        "comes first: AGENTS.md (version ",
        "Times are in UTC.",
        "The file says that it is done",
        "Change nothing: one changed file voids your report.",
        "draft.txt",
        "work.txt",
    ] {
        assert!(told.contains(part), "{part} in {told}");
    }
    for part in ["story", "trust me"] {
        assert!(!told.contains(part), "{part} in {told}");
    }
    let kept = team.baton(&["show", "T1", "prompt-turn-3"]).ends_with(0).out();
    assert_eq!(kept, told);
}

#[test]
fn whoever_goes_on_in_a_session_is_told_the_guidance_again_and_the_record_says_how_much() {
    let handoff = "```yaml\noutcome: completed\nsummary: FILES\n```\n";
    let first = vec![claude(handoff, json!({}))];
    let second = vec![write("work.txt", "done\n"), claude(handoff, json!({}))];
    let team = Team::new().agent("builder", "claude", &[first, second]);
    team.place.write("AGENTS.md", COVENANT);
    let team = team.ready();
    team.add("T1", "single", &[]);
    team.run(0, &[]);
    let told = team.given("builder", "T1", "prompt-2");
    assert!(told.contains("\nThe project's guidance comes first: AGENTS.md (version "), "{told}");
    assert!(told.contains("### Retry Attempt: 1 of 3\n") && !told.contains("Times are in UTC."), "{told}");
    for (turn, given) in [("turn-1", "whole"), ("turn-2", "news")] {
        let kept = team.baton(&["show", "T1", &format!("context-{turn}")]).ends_with(0).json();
        assert_eq!(kept["given"], given, "{kept:#}");
    }
}

#[test]
fn skills_that_apply_are_named_with_their_place_and_others_are_not() {
    let team = Team::new().agent("builder", "command", &[works()]);
    let tides = "---\nname: tides\ndescription: How tables of tides are written.\nkeywords: [tide, harbour]\n---\nA long secret recipe.\n";
    team.place.write("docs/skills/tides.md", tides);
    team.place
        .write(".agents/skills/letters/SKILL.md", "---\ndescription: Writes letters to customers.\n---\n");
    let team = team.ready();
    team.baton(&["task", "add", "T1", "Print the tides of a harbour", "--workflow", "single"]).ends_with(0);
    team.run(0, &[]);
    let told = team.given("builder", "T1", "prompt-1");
    assert!(
        told.contains(
            "Skill tides: How tables of tides are written. Read docs/skills/tides.md if it applies"
        ),
        "{told}"
    );
    assert!(!told.contains("letters") && !told.contains("recipe"), "{told}");
}

#[test]
fn what_the_host_writes_of_a_turn_passes_its_own_check() {
    let builds = vec![
        write("work.txt", "done\n"),
        says(
            "```yaml\noutcome: completed\nsummary: did it in FILES\nplan: [look, write]\n\
             files_modified: [{path: work.txt, change_type: modify, description: says it}]\n```\n",
        ),
    ];
    let team = Team::new().agent("builder", "command", &[builds]).agent("verifier", "command", &[approves()]);
    let team = team.ready();
    team.add("T1", "waypoint", &["--criterion", "works"]);
    team.run(0, &[]);
    let task = team.baton(&["task", "show", "T1", "--json"]).ends_with(0).json();
    let names = task["documents"].as_array().into_iter().flatten().filter_map(|own| own["id"].as_str());
    let (mut kinds, file) = (BTreeSet::new(), team.home().join("artifact.json"));
    for name in names {
        let kind = name.split('-').next().unwrap_or_default();
        if !["guidance", "context", "plan", "receipt", "request", "decision"].contains(&kind) {
            continue;
        }
        fs::write(&file, team.baton(&["show", "T1", name]).ends_with(0).out()).expect("a file");
        team.baton(&["check", file.to_str().expect("UTF-8")]).ends_with(0);
        kinds.insert(kind.to_owned());
    }
    assert_eq!(kinds.len(), 6, "{kinds:?}");
    let plan = team.baton(&["show", "T1", "plan-turn-1"]).ends_with(0).json();
    assert_eq!(plan["steps"], json!(["look", "write"]));
    assert_eq!(plan["file_targets"], json!(["work.txt"]));
    assert_eq!(plan["validation_plan"], json!(["validation by `./check.sh`"]));
    assert_eq!(plan["criterion_coverage"], json!({ "works": "all steps" }));
    assert_eq!(plan["source_refs"], json!(["guidance-1"]));
}

#[test]
fn a_run_says_what_new_work_begins_with_and_what_agents_do_not_see() {
    let works = vec![write("work.txt", "done\n"), write("TASK.txt", "done\n"), says(HANDOFF)];
    let team = Team::new().agent("builder", "command", &[works]).ready();
    team.add("T1", "single", &[]);
    let notes = |team: &Team| team.baton(&["run"]).ends_with(0).err();
    let first = notes(&team);
    assert!(!first.contains("note:"), "it begins with HEAD, and everything is committed: {first}");

    team.add("T2", "single", &[]);
    let behind = notes(&team);
    assert!(behind.contains("note: new work begins with baton/accepted at "), "{behind}");
    assert!(behind.contains(", not with your HEAD\n"), "{behind}");

    team.place.write("mine.txt", "mine\n");
    team.place.commit("mine");
    team.place.write("check.sh", "#!/bin/sh\ntrue\n");
    team.place.write("new.txt", "new\n");
    team.place.write("ignored.log", "x\n");
    // What the user ignores in all projects is no news either.
    fs::create_dir_all(team.home().join(".config/git")).expect("a folder");
    fs::write(team.home().join(".config/git/ignore"), "*.swp\n").expect("rules");
    team.place.write("one.swp", "x\n");
    team.add("T3", "single", &[]);
    let beside = notes(&team);
    assert!(beside.contains("without what you have committed since; `git merge baton/accepted`"), "{beside}");
    assert!(
        beside.contains("note: agents do not see what you have not committed: check.sh, new.txt\n"),
        "{beside}"
    );
    fs::write(team.home().join("mine"), "new.txt\n").expect("rules");
    fs::write(team.home().join(".gitconfig"), "[core]\n\texcludesFile = ~/mine\n").expect("settings");
    team.place.git(&["merge", "--quiet", "--no-edit", "baton/accepted"]);
    team.add("T4", "single", &[]);
    let merged = notes(&team);
    assert!(!merged.contains("new work begins with"), "{merged}");
    assert!(merged.contains("have not committed: check.sh, one.swp\n"), "{merged}");
}
