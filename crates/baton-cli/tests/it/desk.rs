//! A task is carried from hand to hand, and nothing passes that is not shown.

use jiff::Timestamp;

use crate::support::{Place, Run};

/// The folder of a project, and the home of those who work in it.
pub(crate) struct Office {
    pub(crate) place: Place,
    pub(crate) home: Place,
}

const CONFIG: &str = "[checks.tests_passing]\nrun = [\"sh\", \"-c\", \"test -f tides.txt\"]\n\
                      [checks.no_lint_errors]\nrun = [\"true\"]\n[checks.validation]\nrun = [\"test\", \"-f\", \"tides.txt\"]\n";

impl Office {
    pub(crate) fn new() -> Self {
        let office = Self { place: Place::new(), home: Place::new() };
        office.place.write("AGENTS.md", "# Be honest\n");
        office.place.write("baton.toml", CONFIG);
        office.baton(&["trust", "--yes"]).ends_with(0);
        office
    }

    pub(crate) fn baton(&self, args: &[&str]) -> Run {
        let mut command = std::process::Command::new("env");
        let home = format!("HOME={}", self.home.path().display());
        command.args([home.as_str(), "USER=ida"]).arg(env!("CARGO_BIN_EXE_baton")).args(args);
        self.place.run(&mut command, b"")
    }

    /// Writes a document outside of the project, so that the project stays as it is.
    pub(crate) fn document(&self, name: &str, text: &str) -> String {
        self.home.write(name, text);
        self.home.file(name).display().to_string()
    }

    /// Writes a build plan for F001 that changes the table of tides, for these criteria.
    pub(crate) fn plan(&self, criteria: &[&str]) -> String {
        let coverage =
            criteria.iter().map(|criterion| format!("\"{criterion}\": \"the table, shown by the check\""));
        let coverage: Vec<String> = coverage.collect();
        let text = format!(
            "{{\"artifact_type\": \"build-plan\", \"waypoint_id\": \"F001\", \"file_targets\": [\"tides.txt\"], \
             \"validation_plan\": [\"test -s tides.txt\"], \"criterion_coverage\": {{{}}}, \"budget\": {{\"minutes\": 10}}}}",
            coverage.join(", ")
        );
        self.document("plan.json", &text)
    }

    /// Writes the document of a stage that ends now, in its first attempt.
    pub(crate) fn stage(&self, stage: &str, checkpoints: &[&str]) -> String {
        self.stage_again(stage, checkpoints, 0)
    }

    pub(crate) fn stage_again(&self, stage: &str, checkpoints: &[&str], retries: u32) -> String {
        let (began, now) = (ago(STAGE_SECONDS), ago(0));
        let checkpoints: String =
            checkpoints.iter().map(|name| format!("  - name: {name}\n    status: pass\n")).collect();
        self.document(
            &format!("{stage}.md"),
            &format!(
                "---\nid: F001\nstage: {stage}\ntitle: Tides\nstatus: complete\nstarted_at: {began}\n\
                 completed_at: {now}\ncheckpoints:\n{checkpoints}handoff_ready: true\nretry_count: {retries}\n---\n\n\
                 # Tides\n\nThe table of tides is printed.\n\n{}",
                body_of(stage)
            ),
        )
    }

    /// Hands over without any change to the files.
    pub(crate) fn hand_over(&self, person: &str, document: &str) {
        self.take(person);
        self.bring(person, document);
    }

    /// Writes the file that the checks look for, and hands over.
    pub(crate) fn hand_over_work(&self, person: &str, document: &str) {
        self.take(person);
        self.work();
        self.bring(person, document);
    }

    pub(crate) fn work(&self) {
        self.place.write("tides.txt", "06:12 low\n");
    }

    fn take(&self, person: &str) {
        self.baton(&["receive", "F001", "--as", person]).ends_with(0);
        // The first stage has nothing to acknowledge.
        let _ = self.baton(&["ack", "F001", "--as", person]);
    }

    fn bring(&self, person: &str, document: &str) {
        self.baton(&["submit", "F001", document, "--as", person]).ends_with(0);
        self.baton(&["task", "check", "F001"]).ends_with(0);
    }
}

/// How long each stage says that it took.
const STAGE_SECONDS: i64 = 3;

/// Returns the time so many seconds ago, as a handoff gives it.
pub(crate) fn ago(seconds: i64) -> String {
    Timestamp::from_second(Timestamp::now().as_second() - seconds).expect("a time").to_string()
}

/// What the document of a stage has to say.
fn body_of(stage: &str) -> &'static str {
    match stage {
        "requirements" => {
            "- R-1: The command prints the tides of a day.\n\n## Acceptance criteria\n\n- AC-1: it prints 3 lines\n"
        }
        "architecture" => {
            "## Tasks\n\n1. Print the tides of a day (R-1, AC-1)\n\n## Tests\n\n- AC-1: count the lines\n"
        }
        "implementation" => "No new test is needed: `tests/test_tides.py` covers it.\n",
        "qa" => {
            "- AC-1: pass, `tests/test_tides.py`\n\n## Bugs\n\nNone.\n\nNo documentation changes: the command is the same.\n"
        }
        _ => "",
    }
}

const REQUIREMENTS: &[&str] =
    &["requirements_identified", "impact_analyzed", "acceptance_criteria_defined", "no_open_blockers"];
const ARCHITECTURE: &[&str] =
    &["requirements_addressed", "design_complete", "tasks_defined", "tests_planned"];
pub(crate) const IMPLEMENTATION: &[&str] =
    &["tests_written", "code_complete", "tests_passing", "no_lint_errors"];
const QA: &[&str] = &["criteria_verified", "tests_passing", "no_critical_bugs", "docs_updated"];

#[test]
fn four_stages_a_rework_and_an_independent_verdict() {
    let office = Office::new();
    office.place.write("tests/test_tides.py", "def test_tides():\n    assert open('tides.txt').read()\n");
    office.baton(&["task", "add", "F001", "Print the tides", "--criterion", "AC-1"]).ends_with(0);
    for (person, stage, checkpoints) in
        [("ann", "requirements", REQUIREMENTS), ("ben", "architecture", ARCHITECTURE)]
    {
        office.hand_over(person, &office.stage(stage, checkpoints));
        let decided = office.baton(&["decide", "F001"]).ends_with(0).out();
        assert!(decided.contains("accept because of stage_checks_pass"), "{decided}");
    }
    // The builder says that the tests pass; the host sees that they do not.
    office.hand_over("cat", &office.stage("implementation", IMPLEMENTATION));
    let decided = office.baton(&["decide", "F001"]).ends_with(0).out();
    assert!(
        decided.contains("rework because of claim_contradicted")
            && decided.contains("### Retry Attempt: 1 of 3"),
        "{decided}"
    );
    let received = office.baton(&["receive", "F001", "--as", "cat"]).ends_with(0).out();
    assert!(
        received.contains("tests_passing fail") && !received.contains("stage: architecture"),
        "{received}"
    );
    assert!(
        received.contains("Whole: `baton show F001 handoff-turn-2`"),
        "the whole is one command away: {received}"
    );
    office.place.write("tides.txt", "06:12 low\n");
    office
        .baton(&["submit", "F001", &office.stage_again("implementation", IMPLEMENTATION, 1), "--as", "cat"])
        .ends_with(0);
    office.baton(&["task", "check", "F001"]).ends_with(0);
    office.baton(&["decide", "F001"]).ends_with(0);
    office.hand_over("dan", &office.stage("qa", QA));

    let refused = office.baton(&["decide", "F001"]).ends_with(8).err();
    assert!(refused.contains("the verifier has not judged this tree"), "{refused}");
    let refused = office.baton(&["receive", "F001", "--as", "dan"]).ends_with(8).err();
    assert!(refused.contains("not_independent"), "whoever built cannot judge: {refused}");
    let asked = office.baton(&["receive", "F001", "--as", "eve"]).ends_with(0).out();
    assert!(asked.contains("[checks that Baton ran]") && !asked.contains("The table of tides"), "{asked}");
    assert!(asked.contains("what is asked: `baton show F001 request-"), "{asked}");
    let shown = office.baton(&["task", "show", "F001"]).ends_with(0).out();
    let receipt = shown.lines().rev().find(|line| line.contains("checklist_receipt")).expect("a receipt");
    let receipt = receipt.split_whitespace().next().expect("its name");
    let report = format!(
        "{{\"schema_version\": \"1.0\", \"artifact_type\": \"verification-report\", \"artifact_id\": \"VR-1\", \
         \"waypoint_id\": \"F001\", \"produced_by_role\": \"verifier\", \"produced_at\": \"{}\", \
         \"source_refs\": [\"request\"], \"criterion_verdicts\": [{{\"id\": \"AC-1\", \"criterion\": \"AC-1\", \
         \"verdict\": \"pass\", \"evidence\": [\"{receipt}\"]}}], \"evidence_refs\": [\"{receipt}\"]}}",
        ago(0)
    );
    office.baton(&["submit", "F001", &office.document("report.json", &report), "--as", "eve"]).ends_with(0);
    let decided = office.baton(&["decide", "F001"]).ends_with(0).out();
    assert!(decided.contains("all_criteria_pass") && decided.contains("now: done"), "{decided}");

    let why = office.baton(&["why", "F001"]).ends_with(0).out();
    for words in ["F001 is done", "AC-1: pass", "tests_passing: pass", "ended with 0"] {
        assert!(why.contains(words), "{words}: {why}");
    }
    let log = office.baton(&["log", "F001"]).ends_with(0).out();
    assert!(log.contains("refused start_turn: not_independent"), "{log}");
    office.baton(&["replay"]).ends_with(0);
    let verified = office.baton(&["audit-log", "verify"]).ends_with(0).out();
    assert!(verified.contains("hold together"), "{verified}");
    let current = office.place.read(".baton/state/current.json");
    assert!(
        current.contains("\"status\": \"returned\"") && current.contains("\"to\": \"architecture-agent\""),
        "{current}"
    );
    std::fs::remove_dir_all(office.place.file(".baton")).expect("it can be thrown away");
    office.baton(&["rebuild"]).ends_with(0);
    assert_eq!(office.place.read(".baton/state/current.json"), current);
    assert_eq!(office.place.read(".baton/handoffs/F001/handoff-turn-1"), office.home.read("requirements.md"));
    let written = office.baton(&["show", "F001", "handoff-turn-1"]).ends_with(0).out();
    assert_eq!(written, office.home.read("requirements.md"), "every byte is kept");
}

#[test]
fn self_checked_work_ends_unverified() {
    let office = Office::new();
    office.baton(&["task", "add", "F001", "Print the tides", "--workflow", "single"]).ends_with(0);
    office.hand_over_work("ann", &office.stage("implementation", IMPLEMENTATION));
    let decided = office.baton(&["decide", "F001"]).ends_with(0).out();
    assert!(decided.contains("self_checked") && decided.contains("now: done-unverified"), "{decided}");
}

#[test]
fn a_check_that_nobody_trusts_opens_no_door_and_a_person_may_waive_it() {
    let office = Office::new();
    office.place.write("baton.toml", CONFIG.replace("\"true\"", "\"true\", \"again\""));
    office.baton(&["task", "add", "F001", "Print the tides", "--workflow", "single"]).ends_with(0);
    office.hand_over_work("ann", &office.stage("implementation", IMPLEMENTATION));
    let decided = office.baton(&["decide", "F001"]).ends_with(0).out();
    for part in [
        "escalate because of check_unavailable",
        "`baton resolve F001 again WORDS`",
        "`baton task check F001`",
    ] {
        assert!(decided.contains(part), "{part} in {decided}");
    }
    let waive = ["waive", "F001", "checkpoint:validation", "looked at it by hand", "--until", "2999-01-01"];
    office.baton(&waive).ends_with(0);
    office.baton(&["resolve", "F001", "again", "I looked at it"]).ends_with(0);
    office.baton(&["task", "check", "F001"]).ends_with(0);
    let decided = office.baton(&["decide", "F001"]).ends_with(0).out();
    assert!(decided.contains("accepted_with_waiver") && decided.contains("done-unverified"), "{decided}");
}

#[test]
fn tasks_wait_for_each_other_and_never_in_a_circle() {
    let office = Office::new();
    office.baton(&["task", "add", "F001", "First", "--workflow", "single"]).ends_with(0);
    office.baton(&["task", "add", "F002", "Second", "--workflow", "single", "--after", "F001"]).ends_with(0);
    let status = office.baton(&["status"]).ends_with(0).out();
    assert!(status.contains("pending on F001"), "{status}");
    let circle = office.baton(&["task", "depend", "F001", "F002"]).ends_with(8).err();
    assert!(circle.contains("F001 → F002 → F001"), "{circle}");
    office.baton(&["receive", "F002"]).ends_with(8);
    office.hand_over_work("ann", &office.stage("implementation", IMPLEMENTATION));
    office.baton(&["decide", "F001"]).ends_with(0);
    let answer = office.baton(&["status", "--json"]).ends_with(0).json();
    assert_eq!(answer["tasks"][1]["status"], "ready", "{answer}");
}

#[test]
fn a_question_stops_the_work_until_a_person_answers() {
    let office = Office::new();
    office.baton(&["task", "add", "F001", "Print the tides", "--workflow", "single"]).ends_with(0);
    office.baton(&["receive", "F001"]).ends_with(0);
    office.baton(&["clarify", "F001", "Which harbour?", "--option", "North"]).ends_with(0);
    let again = office.baton(&["clarify", "F001", "Which harbour?", "--option", "North"]).ends_with(0).out();
    assert!(again.contains("asked as q1"), "the same question is open already: {again}");
    let inbox = office.baton(&["inbox"]).ends_with(0).out();
    assert!(inbox.contains("answer to q1"), "{inbox}");
    office.baton(&["decide", "F001"]).ends_with(8);
    office.baton(&["answer", "F001", "q1", "North"]).ends_with(0);
    office.place.write("tides.txt", "06:12 low\n");
    office.baton(&["submit", "F001", &office.stage("implementation", IMPLEMENTATION)]).ends_with(0);
    office.baton(&["task", "check", "F001"]).ends_with(0);
    office.baton(&["decide", "F001"]).ends_with(0);
}

#[test]
fn what_is_asked_wrongly_is_told_and_changes_nothing() {
    let office = Office::new();
    for (args, code, words) in [
        (&["receive", "F404"][..], 8, "no_task"),
        (&["task", "add", "../x", "T"], 2, "task id"),
        (&["task", "add", "F001", "T", "--workflow", "none"], 8, "unknown_workflow"),
        (&["submit", "F404", "missing.md"], 3, "missing.md"),
        (&["show", "F404", "x"], 8, "no_task"),
        (&["backup", "baton.toml"], 3, "exists"),
    ] {
        let run = office.baton(args).ends_with(code);
        assert!(run.err().contains(words), "{args:?}: {}", run.err());
    }
    let nothing = office.baton(&["status"]).ends_with(0);
    assert!(nothing.out().is_empty() && nothing.err().contains("no task is here"));
    office.baton(&["task", "add", "F001", "T", "--workflow", "single"]).ends_with(0);
    office.baton(&["receive", "F001", "--as", "ann"]).ends_with(0);
    let note = office.document("note.txt", "see you on Tuesday\n");
    let refused = office.baton(&["submit", "F001", &note, "--as", "ann"]).ends_with(8).err();
    assert!(refused.contains("your turn is still open"), "{refused}");
    let log = office.baton(&["log", "F001"]).ends_with(0).out();
    assert!(!log.contains("handoff received"), "{log}");
}

#[test]
fn a_backup_comes_back_whole() {
    let office = Office::new();
    office.baton(&["task", "add", "F001", "T", "--workflow", "single"]).ends_with(0);
    let file = office.home.file("backup.sqlite").display().to_string();
    office.baton(&["backup", &file]).ends_with(0);
    let folder = office.home.file("restored").display().to_string();
    office.baton(&["restore", &file, "--into", &folder]).ends_with(0);
    let status = office.baton(&["status", "--store", &folder]).ends_with(0).out();
    assert!(status.contains("F001"), "{status}");
    office.baton(&["restore", &file, "--into", &folder]).ends_with(3);
}

#[test]
fn who_comes_second_is_told_which_turn_is_being_taken() {
    let office = Office::new();
    office.baton(&["task", "add", "F001", "Tides", "--workflow", "single"]).ends_with(0);
    office.baton(&["receive", "F001", "--as", "ann"]).ends_with(0);
    let refused = office.baton(&["receive", "F001", "--as", "bob"]).ends_with(8).err();
    assert!(refused.contains("turn-1 is being taken"), "{refused}");
}
