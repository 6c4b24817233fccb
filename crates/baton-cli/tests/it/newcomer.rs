//! What somebody meets who is new: the wrong order, the wrong folder, a name half remembered. Every answer leads onward.

use crate::desk::Office;
use crate::support::Place;

#[test]
fn a_project_is_the_same_from_each_of_its_folders() {
    let office = Office::new();
    std::fs::remove_file(office.place.file("baton.toml")).expect("it was there");
    office.place.write("src/deep/tides.rs", "");
    office.place.commit("first");
    office.baton(&["task", "add", "F001", "Print the tides"]).ends_with(0);
    let below = format!(
        "cd src/deep && HOME={} {} status",
        office.home.path().display(),
        env!("CARGO_BIN_EXE_baton")
    );
    let mut shell = std::process::Command::new("sh");
    let seen = office.place.run(shell.args(["-c", &below]), b"").ends_with(0).out();
    assert!(seen.contains("F001"), "hooks find the top of the repository, and so do people: {seen}");
}

#[test]
fn each_step_names_the_next() {
    let office = Office::new();
    let nothing = office.baton(&["run", "--agent", "human"]).ends_with(0).out();
    assert!(nothing.contains("no task to work on; next: `baton task add"), "{nothing}");
    let none = office.baton(&["run"]).ends_with(0).out();
    assert_eq!(none, nothing, "nobody is asked for an agent before there is a task");
    let unknown = office.baton(&["run", "F009"]).ends_with(8).err();
    assert!(unknown.contains("There is no such task: F009"), "{unknown}");
    let unknown = office.baton(&["run", "--agent", "claud"]).ends_with(2).err();
    assert!(unknown.contains("there are claude, codex, gemini"), "{unknown}");
    office
        .baton(&["task", "add", "F001", "Print", "--workflow", "waypoint", "--criterion", "AC-1"])
        .ends_with(0);
    let received = office.baton(&["receive", "F001", "--as", "ann"]).ends_with(0).out();
    assert!(received.contains("next: `baton plan F001 FILE`, then work"), "{received}");
    let why = office.baton(&["why", "F001"]).ends_with(0).out();
    assert!(why.contains("next: `baton plan F001 FILE`"), "{why}");
    let document =
        office.document("build.md", "```yaml\noutcome: completed\nsummary: printed in tides.txt\n```\n");
    let refused = office.baton(&["submit", "F001", &document, "--as", "ann"]).ends_with(8).err();
    assert!(refused.contains("`baton plan TASK FILE`"), "{refused}");
    let vague = office.baton(&["plan", "F001", &document, "--as", "ann"]).ends_with(8).err();
    assert!(vague.contains("It holds no build plans") && vague.contains("`baton new build-plan`"), "{vague}");
    let plan = office.plan(&["AC-1"]);
    let planned = office.baton(&["plan", "F001", &plan, "--as", "ann"]).ends_with(0).out();
    assert!(planned.contains("next: `baton submit F001 FILE`"), "{planned}");
    office.place.write("tides.txt", "06:12 low\n");
    let kept = office.baton(&["submit", "F001", &document, "--as", "ann"]).ends_with(0).out();
    assert!(kept.contains("next: `baton task check F001`"), "{kept}");
    let checked = office.baton(&["task", "check", "F001"]).ends_with(0).out();
    assert!(checked.contains("next: `baton receive F001`"), "the verifier is next: {checked}");

    let asked = office.baton(&["receive", "F001", "--as", "bob"]).ends_with(0).out();
    let receipt = asked.split(['(', ')']).find(|word| word.starts_with("receipt-")).expect("a receipt");
    let report = format!(
        "{{\"artifact_type\": \"verification-report\", \"waypoint_id\": \"F001\", \"unresolved_doubts\": [], \
         \"criterion_verdicts\": [{{\"criterion\": \"AC-1\", \"verdict\": \"pass\", \"evidence\": [\"{receipt}\"]}}]}}"
    );
    // A report that is written into the project is a change under the verifier's hands.
    office.place.write("report.json", &report);
    let void = office.baton(&["submit", "F001", "report.json", "--as", "bob"]).ends_with(0).out();
    assert!(void.contains("doesn't count: verifier_wrote") && !void.contains("handed over"), "{void}");
}

#[test]
fn the_inbox_says_what_is_asked_and_how_to_answer() {
    let office = Office::new();
    office.baton(&["task", "add", "F001", "Print the tides", "--workflow", "single"]).ends_with(0);
    office.baton(&["receive", "F001"]).ends_with(0);
    office.baton(&["clarify", "F001", "Which\nharbour?"]).ends_with(0);
    let inbox = office.baton(&["inbox"]).ends_with(0).out();
    assert!(inbox.contains("the question q1 is open: Which harbour?"), "on one line: {inbox}");
    assert!(inbox.contains("next: `baton answer F001 q1 TEXT`"), "{inbox}");
    assert_eq!(office.baton(&["inbox", "--all"]).ends_with(0).out().lines().count(), 1);
    let json = office.baton(&["inbox", "--json"]).ends_with(0).json();
    assert_eq!(json["tasks"][0]["because"].as_array().map(Vec::len), Some(2), "{json}");
}

#[test]
fn a_backup_comes_back_to_a_place_that_is_named_from_here() {
    let office = Office::new();
    office.baton(&["task", "add", "F001", "Print the tides", "--workflow", "single"]).ends_with(0);
    office.baton(&["receive", "F001"]).ends_with(0);
    let file = office.home.file("copy").display().to_string();
    office.baton(&["backup", &file]).ends_with(0);
    let told = office.baton(&["restore", &file, "--into", "elsewhere"]).ends_with(0).out();
    assert!(told.contains("1 saved workspaces restored and verified"), "{told}");
    let status = office.baton(&["status", "--store", "elsewhere"]).ends_with(0).out();
    assert!(status.contains("F001"), "{status}");
    let saved = office.baton(&["recover", "F001", "--store", "elsewhere"]).ends_with(0).out();
    assert!(saved.contains("before-turn-1"), "{saved}");
}

#[test]
fn what_cannot_be_is_refused_with_a_reason() {
    let office = Office::new();
    let empty = office.baton(&["task", "add", "F001", " "]).ends_with(2).err();
    assert!(empty.contains("it does not say what is to be done"), "{empty}");
    let unknown = office.baton(&["log", "F001"]).ends_with(8).err();
    assert!(unknown.contains("There is no such task: F001"), "{unknown}");
    for command in [&["task", "add", "--help"][..], &["resolve", "--help"]] {
        let help = office.baton(command).ends_with(0).out();
        assert!(help.contains("is to be done"), "every argument says what it is: {help}");
    }
    office.baton(&["task", "add", "F001", "Print", "--workflow", "single"]).ends_with(0);
    let early = office.baton(&["resolve", "F001", "again", "go"]).ends_with(8).err();
    assert!(early.contains("`baton why TASK` says how the task stands, and what comes next"), "{early}");
    office.place.write("baton.toml", "[[workflows.a.stages]]\nname = \"b c\"\nagent = \"x\"\n");
    let wrong = office.baton(&["status"]).ends_with(4).err();
    assert!(wrong.contains("`baton explain baton.toml`"), "{wrong}");
}

#[test]
fn what_is_looked_for_is_named() {
    let place = Place::new();
    let keys = place.baton(&["explain", "baton.toml"]).ends_with(0).out();
    assert!(keys.contains("as_written") && keys.contains("[agents."), "every key is at hand: {keys}");
    let unknown = place.baton(&["new", "plan"]).ends_with(2).err();
    assert!(unknown.contains("build-plan") && unknown.contains("taskfile"), "{unknown}");
    place.write("baton.toml", "[chek]\n");
    let wrong = place.baton(&["check"]).ends_with(4).err();
    assert!(wrong.contains("`baton explain baton.toml`"), "{wrong}");
}

#[test]
fn what_is_missing_is_named_with_what_to_do_and_nothing_else() {
    let office = Office::new();
    office.place.write("baton.toml", "[checks.validation]\nrun = [\"true\"]\n");
    let warned = office.baton(&["task", "add", "F001", "Print", "--workflow", "single"]).ends_with(0).err();
    assert!(warned.contains("hint: read its commands, and say `baton trust`\n"), "{warned}");
    assert!(!warned.contains("[checks.") && !warned.contains("baton waive"), "it is named: {warned}");
    office.baton(&["trust", "--yes"]).ends_with(0);
    let warned = office.baton(&["task", "add", "F002", "Print"]).ends_with(0).err();
    assert!(warned.contains("`[checks.no_lint_errors]`, `[checks.tests_passing]`"), "{warned}");
    for name in ["no_lint_errors", "tests_passing"] {
        let waive = format!("`baton waive F002 checkpoint:{name} REASON --until DATE`");
        assert!(warned.contains(&waive), "{waive} in {warned}");
    }
}

#[test]
fn work_that_nothing_can_settle_is_told_before_anybody_works() {
    let office = Office::new();
    office.place.write("baton.toml", "[checks.other]\nrun = [\"true\"]\n");
    office.baton(&["trust", "--yes"]).ends_with(0);
    let add = ["task", "add", "F001", "Print the tides", "--workflow", "single"];
    let warned = office.baton(&add).ends_with(0).err();
    assert!(warned.contains("no trusted check for `validation`, so no work can pass"), "{warned}");
    assert!(warned.contains("`[checks.validation]`") && warned.contains("`baton trust`"), "{warned}");
    let run = office.baton(&["run", "--agent", "human"]).ends_with(9).err();
    assert!(run.contains("no trusted check for `validation`"), "{run}");
    office
        .baton(&["waive", "F001", "checkpoint:validation", "none yet", "--until", "2999-01-01"])
        .ends_with(0);
    let run = office.baton(&["run", "--agent", "human"]).ends_with(9).err();
    assert!(!run.contains("no trusted check"), "{run}");
}
