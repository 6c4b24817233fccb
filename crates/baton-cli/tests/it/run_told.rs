//! What agents are told in a run: the guidance in every turn, what they are judged by, and where more is to be read.

use std::collections::BTreeSet;
use std::fs;

use serde_json::{Value, json};

use crate::team::{HANDOFF, Team, approves, claude, lies, says, works, write};

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
            "```yaml\noutcome: completed\nsummary: did it in FILES\n\
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
        if !["guidance", "context", "plan", "build", "receipt", "request", "decision"].contains(&kind) {
            continue;
        }
        fs::write(&file, team.baton(&["show", "T1", name]).ends_with(0).out()).expect("a file");
        team.baton(&["check", file.to_str().expect("UTF-8")]).ends_with(0);
        kinds.insert(kind.to_owned());
    }
    assert_eq!(kinds.len(), 7, "{kinds:?}");
    let built = team.baton(&["show", "T1", "build-turn-1"]).ends_with(0).json();
    assert_eq!(built["touched_files"], json!([{ "path": "work.txt", "change_type": "modify" }]));
    assert_eq!(built["diff_summary"], "1 file changed: 0 added, 1 modified, 0 deleted");
    assert_eq!(built["completion_claim"], json!({ "outcome": "completed", "claimed_by": "builder" }));
    let sources = built["source_refs"].to_string();
    for source in ["order-T1", "guidance-1", "plan-turn-1", "handoff-turn-1"] {
        assert!(sources.contains(&format!("\"{source}\"")), "{source} in {sources}");
    }
    let plan = team.baton(&["show", "T1", "plan-turn-1"]).ends_with(0).json();
    assert_eq!(plan["file_targets"], json!(["work.txt"]));
    assert_eq!(plan["validation_plan"], json!(["`./check.sh` ends with 0"]));
    assert_eq!(plan["criterion_coverage"], json!({ "works": "The line in work.txt, shown by the check" }));
    assert_eq!(plan["budget"], json!({ "tokens": 1000 }));
    assert_eq!(plan["source_refs"], json!(["order-T1", "guidance-1"]));
    assert_eq!((&plan["artifact_id"], &plan["waypoint_id"]), (&json!("plan-turn-1"), &json!("T1")));
}

#[test]
fn the_guidance_of_a_turn_quotes_what_applies_to_its_role_with_its_sources() {
    let team =
        Team::new().agent("builder", "command", &[works()]).agent("verifier", "command", &[approves()]);
    team.place.write("AGENTS.md", "# Rules\n\n- Times are in UTC.\n\n## Verifier\n\nDoubt it.\n");
    let tides = "---\nname: tides\ndescription: How tables of tides are written.\nkeywords: [tide]\n---\n";
    team.place.write("docs/skills/tides.md", tides);
    let team = team.ready();
    let words = ["--workflow", "waypoint", "--criterion", "works=It prints the tide", "--target", "work.txt"];
    team.baton(&[&["task", "add", "T1", "Print the tides"], &words[..]].concat()).ends_with(0);
    team.run(0, &[]);
    let packet = |name| team.baton(&["show", "T1", name]).ends_with(0).json();
    let (builder, verifier) = (packet("guidance-1"), packet("guidance-2"));
    let quoted = &builder["guidance"][0];
    assert_eq!((&quoted["source"], &quoted["covenant"]), (&json!("AGENTS.md"), &json!("covenant-1")));
    assert_eq!(quoted["text"], "# Rules\n\n- Times are in UTC.\n\n");
    assert_eq!((&quoted["left_out"], &quoted["is_whole"]), (&json!(["Verifier"]), &json!(false)));
    assert!(verifier["guidance"][0]["text"].as_str().is_some_and(|text| text.contains("Doubt it.")));
    assert_eq!(builder["skills"][0]["source"], "docs/skills/tides.md");
    assert_eq!(
        builder["source_refs"],
        json!(["order-T1", "covenant-1", "AGENTS.md", "docs/skills/tides.md"])
    );
    let constraints = builder["role_constraints"].to_string();
    assert!(constraints.contains("outside of the task's targets: work.txt"), "{constraints}");
    assert!(constraints.contains("Hand in a build plan before the first change"), "{constraints}");
    assert!(!verifier["role_constraints"].to_string().contains("build plan"), "{verifier:#}");
}

#[test]
fn no_artifact_of_the_host_is_without_a_source() {
    let team = Team::new().agent("builder", "command", &[lies(), works()]).agent(
        "verifier",
        "command",
        &[approves()],
    );
    let team = team.ready();
    team.add("T1", "waypoint", &["--criterion", "works"]);
    team.run(0, &[]);
    let task = team.baton(&["task", "show", "T1", "--json"]).ends_with(0).json();
    let names = task["documents"].as_array().into_iter().flatten().filter_map(|own| own["id"].as_str());
    let mut count = 0;
    for name in names {
        let text = team.baton(&["show", "T1", name]).ends_with(0).out();
        let Ok(artifact) = serde_json::from_str::<Value>(&text) else { continue };
        if artifact["artifact_type"].is_null() {
            continue;
        }
        count += 1;
        assert!(
            artifact["source_refs"].as_array().is_some_and(|refs| !refs.is_empty()),
            "{name}: {artifact:#}"
        );
    }
    assert!(count >= 10, "{count} artifacts");
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
