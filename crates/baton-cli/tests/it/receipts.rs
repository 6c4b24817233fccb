//! What a receipt holds of a run: what was printed, by what, where, and of which tests; and what makes it stale.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::team::{GATED, HANDOFF, Team, all, says, works, write};

/// A team whose check is this script, with these lines more in its table.
fn checked_by(script: &str, table: &str) -> Team {
    let team = Team::new();
    program(&team, "check.sh", script);
    let workflow = GATED.replace("gates = [{ name = \"release\", items = [\"read it\"] }]\n", "");
    let workflow = workflow.replace("gated", "plain");
    team.only(&format!("[checks.validation]\nrun = [\"./check.sh\"]\n{table}\n{GATED}{workflow}"))
}

fn program(team: &Team, name: &str, script: &str) {
    team.place.write(name, script);
    fs::set_permissions(team.place.file(name), fs::Permissions::from_mode(0o755)).expect("a program");
}

/// Returns the documents of a task that have this kind, by their names.
fn documents(team: &Team, kind: &str) -> Vec<String> {
    let told = team.baton(&["task", "show", "T1", "--json"]).ends_with(0).out();
    let task: Value = serde_json::from_str(&told).expect("JSON");
    let all = task["documents"].as_array().expect("a list").iter();
    all.filter(|document| document["kind"] == kind)
        .filter_map(|document| Some(document["id"].as_str()?.to_owned()))
        .collect()
}

fn shown(team: &Team, document: &str) -> String {
    team.baton(&["show", "T1", document]).ends_with(0).out()
}

fn receipt(team: &Team) -> Value {
    let name = documents(team, "checklist_receipt").pop().expect("a receipt");
    serde_json::from_str(&shown(team, &name)).expect("JSON")
}

#[test]
fn what_checks_and_agents_printed_can_be_read_afterwards() {
    let secret = "AKIAIOSFODNN7QRSTUVW";
    let script = format!("#!/bin/sh\necho looked at it, key {secret}\ngrep -q done work.txt\n");
    let half = vec![write("work.txt", "half\n"), says(HANDOFF)];
    let team = checked_by(&script, "").agent("builder", "command", &[half, works()]).ready();
    team.add("T1", "plain", &[]);
    team.run(0, &[]);
    let printed = documents(&team, "check_output");
    assert_eq!(printed.len(), 2, "of the check that failed, and of the one that passed");
    for name in &printed {
        let text = shown(&team, name);
        assert!(text.contains("looked at it") && !text.contains(secret), "{text}");
    }
    assert_eq!(documents(&team, "turn_output"), ["output-turn-1", "output-turn-2"]);
    assert!(shown(&team, "output-turn-1").contains("All checks pass."));
    let why = team.baton(&["why", "T1"]).ends_with(0).out();
    assert!(why.contains(&format!("what it printed is in {}", printed[1])), "{why}");
    assert!(why.contains("taken by command; what it printed is in output-turn-2"), "{why}");
    team.holds("T1");
}

#[test]
fn a_receipt_says_with_what_and_where_it_was_made() {
    let team = checked_by("#!/bin/sh\ngrep -q done work.txt\n", "");
    let team = team.agent("builder", "command", &[works()]).ready();
    team.add("T1", "plain", &[]);
    team.run(0, &[]);
    let receipt = receipt(&team);
    let ran = &receipt["command_ledger"][0];
    assert_eq!(ran["argv"], json!(["./check.sh"]));
    let names = ran["environment"]["names"].as_array().expect("names");
    assert!(names.contains(&json!("PATH")) && names.contains(&json!("CI")), "{names:?}");
    assert_eq!(ran["environment"]["sha256"].as_str().map(str::len), Some(64));
    let interpreter = &ran["program"]["runs"]["interpreter"]["path"];
    assert!(interpreter.as_str().is_some_and(|path| path.ends_with("/sh")), "{ran}");
    assert_eq!(receipt["host"], json!({ "os": std::env::consts::OS, "arch": std::env::consts::ARCH }));
    assert_eq!(receipt["definition"].as_str().map(str::len), Some(64));
}

#[test]
fn a_check_that_is_changed_after_the_gate_is_run_again_before_anything_is_accepted() {
    let team = checked_by("#!/bin/sh\ngrep -q done work.txt\n", "");
    program(&team, "strict.sh", "#!/bin/sh\necho more is wanted\ngrep -q more work.txt\n");
    let more = vec![write("work.txt", "done and more\n"), says(HANDOFF)];
    let team = team.agent("builder", "command", &[works(), more]).ready();
    team.add("T1", "gated", &[]);
    team.run(9, &[]);
    let strict = team.place.read("baton.toml").replace("./check.sh", "./strict.sh");
    team.place.write("baton.toml", strict);
    team.baton(&["trust", "--yes"]).ends_with(0);
    team.baton(&["gate", "approve", "T1", "release"]).ends_with(0);
    let events = team.run(9, &[]);
    let first = &all(&events, "checked")[0]["checks"][0];
    assert_eq!(first["verdict"], "fail", "{first}");
    assert!(first["detail"].as_str().is_some_and(|detail| detail.contains("./strict.sh")), "{first}");
    assert_eq!(all(&events, "decided")[0]["reason"], "checks_failed");
    assert!(
        team.log("T1").contains("the checks, their tools or their environment are others"),
        "{}",
        team.log("T1")
    );
    team.holds("T1");
}

#[test]
fn a_tool_that_is_replaced_while_a_gate_waits_makes_the_receipt_stale() {
    let team = Team::new();
    let tool = team.home().join("tools/judge");
    let install = |text: &str| {
        fs::create_dir_all(tool.parent().expect("a folder")).expect("a folder");
        let new = tool.with_extension("new");
        fs::write(&new, text).expect("a tool");
        fs::set_permissions(&new, fs::Permissions::from_mode(0o755)).expect("a tool");
        fs::rename(&new, &tool).expect("a tool");
    };
    install("#!/bin/sh\ngrep -q done work.txt\n");
    let config = format!("[checks.validation]\nrun = [{:?}]\n{GATED}", tool.display().to_string());
    let team = team.only(&config).agent("builder", "command", &[works()]).ready();
    let approved = |task: &str, replaced_by: Option<&str>| {
        team.add(task, "gated", &[]);
        team.run(9, &[task]);
        replaced_by.into_iter().for_each(install);
        team.baton(&["gate", "approve", task, "release"]).ends_with(0);
        team.baton(&["run", "--json", "--once", task])
    };
    let events = approved("T1", None).ends_with(0).out();
    assert!(!events.contains("\"event\":\"checked\""), "nothing had changed: {events}");
    let events = approved("T2", Some("#!/bin/sh\necho judged anew\nexit 1\n")).ends_with(9).events();
    let checked = &all(&events, "checked")[0]["checks"][0];
    assert_eq!(checked["verdict"], "fail", "{checked}");
    assert!(checked["detail"].as_str().is_some_and(|detail| detail.contains("judged anew")), "{checked}");
    team.holds("T2");
}

const SUITE_PASSES: &str = "<testsuite><testcase classname=\"t\" name=\"a\"/></testsuite>";
const SUITE_FAILS: &str = "<testsuite><testcase classname=\"t\" name=\"a\"/><testcase classname=\"t\" name=\"b\"><failure/></testcase></testsuite>";
const SUITE_SKIPS: &str = "<testsuite><testcase classname=\"t\" name=\"a\"><skipped/></testcase></testsuite>";

#[test]
fn a_junit_file_counts_beside_the_exit_code() {
    let cases = [
        ("passes", SUITE_PASSES, 0, "pass", "1 tests, none fails"),
        ("fails beside 0", SUITE_FAILS, 0, "fail", "1 of 2 tests fail: t::b"),
        ("is clean beside 1", SUITE_PASSES, 1, "fail", "1 tests, none fails"),
        ("skips all", SUITE_SKIPS, 0, "inconclusive", "all of its 1 tests were skipped"),
        ("has none", "<testsuite/>", 0, "inconclusive", "no test was run"),
        ("is not there", "", 0, "inconclusive", "it wrote no JUnit file report.log"),
    ];
    for (what, suite, code, verdict, words) in cases {
        let writes = if suite.is_empty() { String::new() } else { format!("echo '{suite}' > report.log\n") };
        let script = format!("#!/bin/sh\n{writes}exit {code}\n");
        let team = checked_by(&script, "junit = \"report.log\"");
        let team = team.agent("builder", "command", &[works()]).ready();
        team.add("T1", "plain", &[]);
        let events = team.run(if verdict == "pass" { 0 } else { 9 }, &["--once"]);
        let check = &all(&events, "checked")[0]["checks"][0];
        assert_eq!(check["verdict"], verdict, "{what}: {check}");
        assert!(check["detail"].as_str().is_some_and(|detail| detail.contains(words)), "{what}: {check}");
        if suite == SUITE_FAILS {
            let junit = &receipt(&team)["command_ledger"][0]["junit"];
            assert_eq!((&junit["tests"], &junit["failing"]), (&json!(2), &json!(["t::b"])), "{junit}");
            let feedback = all(&events, "decided")[0]["feedback"].to_string();
            assert!(feedback.contains("t::b"), "{feedback}");
        }
    }
}

#[test]
fn the_folder_of_a_junit_file_is_there_for_tools_that_make_none() {
    let script = format!("#!/bin/sh\necho '{SUITE_PASSES}' > .baton/junit.xml\n");
    let team = checked_by(&script, "junit = \".baton/junit.xml\"");
    let team = team.agent("builder", "command", &[works()]).ready();
    team.add("T1", "plain", &[]);
    let events = team.run(0, &[]);
    let check = &all(&events, "checked")[0]["checks"][0];
    assert!(check["detail"].as_str().is_some_and(|detail| detail.contains("1 tests, none fails")), "{check}");
    let changed = team.baton(&["task", "diff", "T1"]).ends_with(0).out();
    assert!(!changed.contains("junit.xml"), "it is no work: {changed}");
}

#[test]
fn what_failed_before_the_work_is_no_fault_of_the_work() {
    let team = checked_by("#!/bin/sh\necho 'the clock of the server is wrong'\nexit 1\n", "");
    let team = team.agent("builder", "command", &[works(), works()]).ready();
    team.add("T1", "plain", &[]);
    let events = team.run(9, &[]);
    let verdicts: Vec<&Value> =
        all(&events, "checked").iter().map(|checked| &checked["checks"][0]["verdict"]).collect();
    assert_eq!(verdicts, ["fail", "inconclusive"], "it could have been the task to mend it");
    let reasons: Vec<&Value> = all(&events, "decided").iter().map(|decided| &decided["reason"]).collect();
    assert_eq!(reasons, ["checks_failed", "failed_before"]);
    assert_eq!(team.starts("builder", "T1"), 2, "whoever worked hears of it once");
    let told = team.given("builder", "T1", "prompt-2");
    assert!(told.contains("failed in the same way before the work began"), "{told}");
    let why = team.baton(&["why", "T1"]).ends_with(0).out();
    assert!(
        why.contains("next: `baton waive T1 checkpoint:validation REASON --until DATE` and then"),
        "{why}"
    );
    // A person lets it pass, and no further turn is taken.
    let waive = ["waive", "T1", "checkpoint:validation", "known", "--until", "2999-01-01"];
    let told = team.baton(&waive).ends_with(0).out();
    assert!(told.contains("next: `baton resolve T1 again WORDS`") && !told.contains("baton waive"), "{told}");
    team.baton(&["resolve", "T1", "again", "it is known"]).ends_with(0);
    team.run(0, &[]);
    assert_eq!(team.starts("builder", "T1"), 2);
    team.holds("T1");
}

#[test]
fn whoever_broke_a_check_is_told_that_it_passed_before() {
    let broken = vec![write("work.txt", "broken\n"), says(HANDOFF)];
    let team = checked_by("#!/bin/sh\necho looking\ngrep -qE 'begin|done' work.txt\n", "");
    let team = team.agent("builder", "command", &[broken, works()]).ready();
    team.add("T1", "plain", &[]);
    team.run(0, &[]);
    let told = team.given("builder", "T1", "prompt-2");
    assert!(told.contains("it passed before the work began"), "{told}");
    team.holds("T1");
}

#[test]
fn a_check_that_cannot_be_started_goes_to_a_person_at_once_and_is_then_run_again() {
    let team = Team::new().only(&format!(
        "[checks.validation]\nrun = [\"no-such-checker\"]\n{}",
        GATED.replace("gates = [{ name = \"release\", items = [\"read it\"] }]\n", "")
    ));
    let team = team.agent("builder", "command", &[works(), works()]).ready();
    team.add("T1", "gated", &[]);
    let told = team.baton(&["run"]).ends_with(9).err();
    assert!(told.contains("`no-such-checker` is not installed"), "{told}");
    assert_eq!(team.starts("builder", "T1"), 1, "no agent can mend that");
    let inbox = team.baton(&["inbox"]).ends_with(0).out();
    assert!(inbox.contains("check_unavailable") && inbox.contains("[checks.validation]"), "{inbox}");
    let mended = team.place.read("baton.toml").replace("no-such-checker", "./check.sh");
    team.place.write("baton.toml", mended);
    team.baton(&["trust", "--yes"]).ends_with(0);
    team.baton(&["resolve", "T1", "again", "it is there now"]).ends_with(0);
    team.run(0, &[]);
    assert_eq!(team.starts("builder", "T1"), 1, "the work was kept");
    team.holds("T1");
}

#[test]
fn an_agent_that_is_no_program_is_refused_before_anything_starts() {
    let team = Team::new().agent("builder", "command", &[works()]).ready();
    let program = team.home().join("builder/run.sh");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o644)).expect("no program");
    team.add("T1", "single", &[]);
    let refused = team.baton(&["run"]).err();
    assert!(refused.contains("is not marked as a program") && refused.contains("chmod +x"), "{refused}");
    assert!(!team.log("T1").contains("started"), "{}", team.log("T1"));
}

#[test]
fn a_claim_that_the_work_itself_refutes_counts_for_nothing() {
    let claims = "Done.\n\n```yaml\noutcome: completed\nsummary: did it in FILES\ncheckpoints:\n  - {name: tests_written, status: pass}\n  \
                  - {name: design_complete, status: pass}\n```\n";
    let workflow = "[workflows.asserting]\n[[workflows.asserting.stages]]\nname = \"build\"\nagent = \"builder\"\n\
                    asserted = [\"tests_written\", \"design_complete\"]\n";
    let without = vec![write("work.txt", "done\n"), says(claims)];
    let with = vec![
        write("tests/test_work.py", "def test_work():\n    assert open('work.txt').read()\n"),
        says(claims),
    ];
    let team = Team::new().configured(workflow).agent("builder", "command", &[without, with]).ready();
    team.add("T1", "asserting", &[]);
    let events = team.run(0, &[]);
    let first = &all(&events, "checked")[0]["checks"];
    assert_eq!(first.as_array().map(Vec::len), Some(1), "nobody can see a design: {first}");
    assert_eq!((&first[0]["checkpoint"], &first[0]["verdict"]), (&json!("tests_written"), &json!("fail")));
    assert_eq!(all(&events, "decided")[0]["reason"], "claim_contradicted");
    let why = team.baton(&["why", "T1"]).ends_with(0).out();
    assert!(
        why.contains("tests_written: pass (settled by a rule): tests were written in tests/test_work.py"),
        "{why}"
    );
    assert!(why.contains("design_complete: pass (asserted; nobody else can see it)"), "{why}");
    team.holds("T1");
}
