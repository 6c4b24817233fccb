//! Checks and verifiers in their box: what they may write, what the record says of it, and what a project can demand of it.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use baton_testkit::script::Step;
use serde_json::json;
use tempfile::TempDir;

use crate::scripted::{sh, supervisor};
use crate::support::announce;
use crate::team::{HANDOFF, Team, all, approves, claude, works, write};

/// Two workflows of one stage, one with a check that nothing confines.
const MORE: &str = "[checks.free]\nrun = [\"true\"]\nconfined = false\n[workflows.free]\n\
                    [[workflows.free.stages]]\nname = \"build\"\nagent = \"builder\"\ncheckpoints = [\"free\"]\n";
const DEMAND: &str = "[run]\nconfinement = \"enforced\"\n";

/// Says loudly when nothing here can confine anything.
fn can_confine() -> bool {
    let can = supervisor().ladder().best().is_some();
    if !can {
        announce("LEFT OUT: neither bubblewrap nor Landlock can be had here");
    }
    can
}

#[test]
fn a_check_writes_its_own_files_and_no_others_and_the_record_says_by_what() {
    let outside = TempDir::new().expect("a folder");
    let spoiled = outside.path().join("spoiled");
    let team = Team::new()
        .agent("builder", "command", &[works()])
        .agent("verifier", "command", &[approves()])
        .configured(DEMAND);
    let check = format!(
        "#!/bin/sh\necho own > \"$TMPDIR/own\" || exit 1\necho x > '{}' 2>/dev/null\ngrep -q done work.txt\n",
        spoiled.display()
    );
    team.place.write("check.sh", check);
    let team = team.ready();
    team.add("T1", "verified", &["--criterion", "works"]);
    if !can_confine() {
        let refused = team.baton(&["run"]).ends_with(1).err();
        assert!(refused.contains("demands confinement"), "{refused}");
        return;
    }
    let events = team.run(0, &[]);
    let label = all(&events, "checked")[0]["checks"][0]["confinement"].clone();
    assert!(label == "bubblewrap" || label == "landlock", "{label}");
    assert!(!spoiled.exists(), "the check wrote outside of its folder");
    let why = team.baton(&["why", "T1"]).ends_with(0).out();
    let label = label.as_str().unwrap_or_default();
    assert!(why.contains(&format!("its commands were confined by: {label}")), "{why}");
    assert!(why.contains(&format!("the verifier was confined by: {label}")), "{why}");
    team.holds("T1");
}

#[test]
fn what_nothing_confines_is_labelled_and_can_be_refused() {
    let team = Team::new().agent("builder", "command", &[works()]).configured(MORE).ready();
    team.add("T1", "free", &[]);
    let events = team.run(0, &[]);
    assert_eq!(all(&events, "checked")[0]["checks"][0]["confinement"], "unconfined");
    if !can_confine() {
        return;
    }
    let turns = vec![works(); 4];
    let team = Team::new().agent("builder", "command", &turns).configured(MORE).configured(DEMAND).ready();
    team.add("T1", "free", &[]);
    let events = team.run(9, &[]);
    let check = all(&events, "checked")[0]["checks"][0].clone();
    assert_eq!((&check["verdict"], &check["confinement"]), (&json!("inconclusive"), &json!(null)));
    assert!(check["detail"].as_str().is_some_and(|detail| detail.contains("confined = false")), "{check}");
}

#[test]
fn git_settings_of_the_person_and_of_the_builder_run_nothing_when_work_is_verified() {
    let beside = TempDir::new().expect("a folder");
    let (trap, trace) = (beside.path().join("trap.sh"), beside.path().join("trace"));
    fs::write(&trap, format!("#!/bin/sh\necho \"$0 $*\" >> '{}'\n", trace.display())).expect("a trap");
    fs::set_permissions(&trap, fs::Permissions::from_mode(0o755)).expect("a program");
    let trap = trap.display();
    let settings = format!(
        "[core]\n\trepositoryformatversion = 0\n\tfsmonitor = {trap}\n\tpager = {trap}\n\thooksPath = {}\n\
         [diff]\n\texternal = {trap}\n[filter \"nasty\"]\n\tclean = {trap}\n\tsmudge = {trap}\n\trequired = true\n",
        beside.path().display()
    );
    for hook in ["post-checkout", "post-commit", "post-merge", "reference-transaction", "post-index-change"] {
        fs::copy(beside.path().join("trap.sh"), beside.path().join(hook)).expect("a trap");
    }
    let mut sets_traps = works();
    sets_traps.insert(0, write(".git/config", &settings));
    sets_traps.insert(0, write(".git/info/attributes", "* filter=nasty\n"));
    let team = Team::new()
        .agent("builder", "command", &[sets_traps])
        .agent("verifier", "command", &[approves()])
        .ready();
    let own = format!("{}{settings}", team.place.read(".git/config"));
    team.place.write(".git/config", own);
    team.place.write(".git/info/attributes", "* filter=nasty\n");
    team.add("T1", "verified", &["--criterion", "works"]);
    team.run(0, &[]);
    assert!(!trace.exists(), "{}", fs::read_to_string(&trace).unwrap_or_default());
    let _ = std::process::Command::new("git").arg("status").current_dir(team.place.path()).output();
    assert!(trace.exists(), "the trap would never have sprung");
}

/// Three tasks whose turns cost 15 tokens each.
fn spenders(rules: &str) -> Team {
    let turn = vec![write("work.txt", "done\n"), write("TASK.txt", "done\n"), claude(HANDOFF, json!({}))];
    let team = Team::new().agent("builder", "claude", &[turn]).configured(rules).ready();
    ["T1", "T2", "T3"].iter().for_each(|task| team.add(task, "single", &[]));
    team
}

#[test]
fn a_run_begins_no_turn_that_could_cost_more_than_it_may() {
    let team = spenders("[run]\nbudget_tokens = 1_000_020\n");
    let events = team.run(9, &["--jobs", "1"]);
    let over = all(&events, "over_budget");
    assert_eq!(over.len(), 1, "{events:?}");
    assert_eq!((&over[0]["task"], &over[0]["used_tokens"]), (&json!("T3"), &json!(30)));
    let summary = events.last().expect("a summary");
    assert_eq!((&summary["over_budget"], &summary["spent_tokens"]), (&json!(true), &json!(30)));
    assert_eq!(team.starts("builder", "T3"), 0);
    // The next run has a budget of its own.
    team.run(0, &[]);
}

#[test]
fn a_turn_that_costs_more_than_was_set_aside_is_told_and_counts_in_full() {
    let rules = "[workflows.small]\nbudget_tokens = 24\n[[workflows.small.stages]]\nname = \"build\"\n\
                 agent = \"builder\"\ncheckpoints = [\"validation\"]\nlimits = { turn_tokens = 12 }\n";
    let lies = vec![claude(HANDOFF, json!({}))];
    let team = Team::new().agent("builder", "claude", &[lies]).configured(rules).ready();
    team.add("T1", "small", &[]);
    let events = team.run(9, &[]);
    assert_eq!(all(&events, "over_budget")[0]["spent_tokens"], 15);
    let reasons: Vec<_> = all(&events, "decided").iter().map(|event| event["reason"].clone()).collect();
    assert_eq!(reasons.last(), Some(&json!("budget_exhausted")), "{reasons:?}");
    assert_eq!(team.starts("builder", "T1"), 1);
}

/// Tries to change the checkout, the work of another task, and the log; and then does its work.
fn spoils(team: &Team) -> Vec<Step> {
    let (project, state) = (team.place.path().display(), team.state());
    let state = state.display();
    let lines = [
        format!("echo x >> {project}/work.txt; rm -f {project}/check.sh; mv {project} {project}-away"),
        format!("for work in {state}/baton/projects/*/work/B1/files; do echo x > $work/work.txt; done"),
        format!(
            "for store in {state}/baton/projects/*; do echo x >> $store/log.sqlite; rm -rf $store/work; done"
        ),
        format!("rm -rf {state}/baton/trust*; mv {state} {state}-away; mv {state}/baton {state}/away"),
    ];
    lines.iter().map(|line| sh(line)).chain(works()).collect()
}

#[test]
fn a_builder_cannot_write_the_checkout_the_log_or_another_task_that_lie_where_it_has_temporary_files() {
    if !can_confine() {
        return;
    }
    let team = Team::new().agent("builder", "command", &[]);
    assert!(team.place.path().starts_with(std::env::temp_dir()), "that is what is tried here");
    // The other one is at its work meanwhile: it ends when the first one has tried everything.
    let is_over = team.bench("builder", "A1").join("over");
    let mut waits = vec![write("own.txt", "mine\n"), Step::WaitFor { path: is_over.clone() }];
    waits.extend(works());
    team.script("builder", "B1/always", &waits);
    let mut spoils = spoils(&team);
    spoils.insert(spoils.len() - 1, write(&is_over.display().to_string(), "over"));
    team.script("builder", "A1/always", &spoils);
    let team = team.ready();
    ["A1", "B1"].iter().for_each(|task| team.add(task, "single", &[]));
    let before = team.place.git(&["status", "--porcelain"]);
    team.run(0, &["--jobs", "2"]);
    assert_eq!(team.place.read("work.txt"), "begin\n");
    assert_eq!(team.place.git(&["status", "--porcelain"]), before, "the checkout is as it was");
    assert_eq!(fs::read_to_string(team.files("B1").join("own.txt")).expect("kept"), "mine\n");
    assert!(!team.home().join("state-away").exists());
    ["A1", "B1"].iter().for_each(|task| team.holds(task));
}

#[test]
fn an_agent_that_cannot_write_the_log_is_told_to_ask_in_its_handoff() {
    if !can_confine() {
        return;
    }
    let team = Team::new().agent("builder", "command", &[]);
    let heard = team.bench("builder", "T1").join("heard");
    let line = format!("{} clarify T1 'North?' > {} 2>&1", env!("CARGO_BIN_EXE_baton"), heard.display());
    team.script("builder", "always", &[vec![sh(&line)], works()].concat());
    let team = team.ready();
    team.add("T1", "single", &[]);
    team.run(0, &[]);
    let heard = fs::read_to_string(heard).expect("it asked");
    assert!(heard.contains("say it in your handoff instead") && !heard.contains("make the file"), "{heard}");
    assert!(!team.log("T1").contains("North?"), "{}", team.log("T1"));
}
