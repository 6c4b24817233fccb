//! Agents that lie, and roles that are not theirs, tried as somebody at the command line would.

use crate::desk::{IMPLEMENTATION, Office, ago};

/// A project whose host checks that the table of tides is there.
fn office(workflow: &str) -> Office {
    let office = Office::new();
    let criteria = ["--criterion", "AC-1", "--criterion", "AC-2"];
    let mut args = vec!["task", "add", "F001", "Print the tides", "--workflow", workflow];
    args.extend(criteria);
    office.baton(&args).ends_with(0);
    office
}

impl Office {
    fn status(&self) -> String {
        let answer = self.baton(&["status", "--json"]).ends_with(0).json();
        answer["tasks"][0]["status"].as_str().expect("a status").to_owned()
    }

    fn decision(&self) -> String {
        self.baton(&["decide", "F001"]).ends_with(0).out()
    }

    fn refusal(&self, args: &[&str]) -> String {
        self.baton(args).ends_with(8).err()
    }

    /// Builds as cat, with the host's leave, until a verifier is due; returns the receipt.
    fn built(&self) -> String {
        self.baton(&["receive", "F001", "--as", "cat"]).ends_with(0);
        let plan = self.plan(&["AC-1", "AC-2"]);
        self.baton(&["plan", "F001", &plan, "--as", "cat"]).ends_with(0);
        self.place.write("tides.txt", "06:12 low\n");
        self.baton(&["submit", "F001", &self.stage("implementation", IMPLEMENTATION), "--as", "cat"])
            .ends_with(0);
        self.baton(&["task", "check", "F001"]).ends_with(0);
        let shown = self.baton(&["task", "show", "F001"]).ends_with(0).out();
        let receipt = shown.lines().rev().find(|line| line.contains("checklist_receipt")).expect("a receipt");
        receipt.split_whitespace().next().expect("its name").to_owned()
    }

    /// Writes a verifier's report with these verdicts: criterion, verdict, evidence.
    fn report(&self, verdicts: &[(&str, &str, &str)]) -> String {
        let verdicts: Vec<String> = verdicts
            .iter()
            .map(|(criterion, verdict, evidence)| {
                let evidence = if evidence.is_empty() { String::new() } else { format!("\"{evidence}\"") };
                format!(
                    "{{\"id\": \"{criterion}\", \"criterion\": \"{criterion}\", \"verdict\": \"{verdict}\", \
                     \"evidence\": [{evidence}]}}"
                )
            })
            .collect();
        let text = format!(
            "{{\"schema_version\": \"1.0\", \"artifact_type\": \"verification-report\", \"artifact_id\": \"VR-1\", \
             \"waypoint_id\": \"F001\", \"produced_by_role\": \"verifier\", \"produced_at\": \"{}\", \
             \"source_refs\": [\"request\"], \"criterion_verdicts\": [{}], \"evidence_refs\": []}}",
            ago(0),
            verdicts.join(", ")
        );
        self.document("report.json", &text)
    }

    fn log(&self) -> String {
        self.baton(&["log", "F001"]).ends_with(0).out()
    }
}

#[test]
fn e1_a_marker_alone_is_not_done() {
    let office = office("single");
    let stage = office.stage("implementation", IMPLEMENTATION);
    let text = std::fs::read_to_string(&stage).expect("it was just written");
    let marked =
        office.document("marked.md", &format!("{text}\n<waypoint-complete>F001</waypoint-complete>\n"));
    office.baton(&["receive", "F001"]).ends_with(0);
    let alone = office.document("alone.md", "<waypoint-complete>F001</waypoint-complete>\n");
    let taken = office.baton(&["submit", "F001", &alone]);
    if taken.code == Some(0) {
        office.baton(&["task", "check", "F001"]).ends_with(0);
        assert!(office.decision().contains("rework"), "a marker says nothing of the work");
        office.baton(&["receive", "F001"]).ends_with(0);
    }
    office.baton(&["submit", "F001", &marked]).ends_with(0);
    assert_eq!(office.status(), "checking");
    assert!(office.refusal(&["decide", "F001"]).contains("the host has not checked this tree"));
    office.baton(&["task", "check", "F001"]).ends_with(0);
    assert!(office.decision().contains("rework because of claim_contradicted"));
}

#[test]
fn e3_counts_and_pasted_logs_are_claims() {
    let office = office("single");
    let text =
        std::fs::read_to_string(office.stage("implementation", IMPLEMENTATION)).expect("it was just written");
    let lying = format!(
        "{text}\n## Evidence\n\n```\ntest result: ok. 45 passed; 0 failed\n```\n\ntests_passed: 45\n"
    );
    office.baton(&["receive", "F001"]).ends_with(0);
    office.baton(&["submit", "F001", &office.document("lie.md", &lying)]).ends_with(0);
    office.baton(&["task", "check", "F001"]).ends_with(0);
    let decided = office.decision();
    assert!(
        decided.contains("rework because of claim_contradicted") && decided.contains("validation"),
        "{decided}"
    );
}

#[test]
fn e7_a_verifier_that_writes_judges_nothing() {
    let office = office("waypoint");
    let receipt = office.built();
    office.baton(&["receive", "F001", "--as", "eve"]).ends_with(0);
    office.place.write("tides.txt", "as the verifier likes it\n");
    let report = office.report(&[("AC-1", "pass", &receipt), ("AC-2", "pass", &receipt)]);
    office.baton(&["submit", "F001", &report, "--as", "eve"]).ends_with(0);
    assert!(office.log().contains("report void: verifier_wrote"), "{}", office.log());
    let refused = office.refusal(&["decide", "F001"]);
    assert!(refused.contains("decision_not_possible"), "{refused}");
}

#[test]
fn e8_a_pass_without_a_receipt_of_the_host_counts_for_nothing() {
    for (name, evidence) in
        [("none", ""), ("invented", "receipt-99"), ("the builder's own words", "handoff-turn-1")]
    {
        let office = office("waypoint");
        let receipt = office.built();
        office.baton(&["receive", "F001", "--as", "eve"]).ends_with(0);
        let report = office.report(&[("AC-1", "pass", &receipt), ("AC-2", "pass", evidence)]);
        let refused = office.refusal(&["submit", "F001", &report, "--as", "eve"]);
        assert!(refused.contains("AC-2") && refused.contains(&receipt), "{name}: {refused}");
        assert_ne!(office.status(), "done", "{name}");
    }
}

#[test]
fn e9_each_criterion_is_judged_once_and_no_other() {
    type Verdicts = &'static [(&'static str, &'static str)];
    let cases: [(&str, Verdicts); 3] = [
        ("one is left out", &[("AC-1", "pass")]),
        ("one is unknown", &[("AC-1", "pass"), ("AC-2", "pass"), ("AC-9", "pass")]),
        ("one is judged twice", &[("AC-1", "fail"), ("AC-1", "pass"), ("AC-2", "pass")]),
    ];
    for (name, verdicts) in cases {
        let office = office("waypoint");
        let receipt = office.built();
        office.baton(&["receive", "F001", "--as", "eve"]).ends_with(0);
        let verdicts: Vec<(&str, &str, &str)> =
            verdicts.iter().map(|(criterion, verdict)| (*criterion, *verdict, receipt.as_str())).collect();
        let submitted = office.baton(&["submit", "F001", &office.report(&verdicts), "--as", "eve"]);
        match submitted.code {
            Some(8) => assert!(submitted.err().contains("BT1019"), "{name}: {}", submitted.err()),
            _ => assert!(office.log().contains("report void: criteria"), "{name}: {}", office.log()),
        }
        assert_ne!(office.status(), "done", "{name}");
    }
}

#[test]
fn e10_whoever_built_neither_judges_nor_hands_in_the_judgement_of_another() {
    let office = office("waypoint");
    let receipt = office.built();
    assert!(office.refusal(&["receive", "F001", "--as", "cat"]).contains("not_independent"));
    office.baton(&["receive", "F001", "--as", "eve"]).ends_with(0);
    let report = office.report(&[("AC-1", "pass", &receipt), ("AC-2", "pass", &receipt)]);
    assert!(office.refusal(&["submit", "F001", &report, "--as", "cat"]).contains("not_allowed"));
    let log = office.log();
    assert!(log.contains("person cat") && log.contains("refused record_verdict: not_allowed"), "{log}");
    assert!(log.contains("refused start_turn: not_independent"), "{log}");
    office.baton(&["submit", "F001", &report, "--as", "eve"]).ends_with(0);
    assert!(office.decision().contains("all_criteria_pass"));
}

#[test]
fn e11_a_question_is_answered_once_where_it_was_asked_and_not_afterwards() {
    let office = office("single");
    office.baton(&["task", "add", "F002", "Another", "--workflow", "single"]).ends_with(0);
    office.baton(&["receive", "F001", "--as", "cat"]).ends_with(0);
    office.baton(&["clarify", "F001", "Which harbour?", "--as", "cat"]).ends_with(0);
    let elsewhere = office.refusal(&["answer", "F002", "q1", "North"]);
    assert!(elsewhere.contains("unknown_clarification"), "{elsewhere}");
    assert!(office.refusal(&["decide", "F001"]).contains("the question q1 is open"));
    office.baton(&["answer", "F001", "q1", "North"]).ends_with(0);
    assert!(office.refusal(&["answer", "F001", "q1", "South"]).contains("unknown_clarification"));
    office.place.write("tides.txt", "06:12 low\n");
    office
        .baton(&["submit", "F001", &office.stage("implementation", IMPLEMENTATION), "--as", "cat"])
        .ends_with(0);
    office.baton(&["task", "check", "F001"]).ends_with(0);
    office.decision();
    assert!(office.refusal(&["answer", "F001", "q1", "East"]).contains("not_now"));
}

#[test]
fn e12_what_stands_in_the_repository_answers_for_nobody() {
    let office = office("waypoint");
    let receipt = office.built();
    let report = office.report(&[("AC-1", "pass", &receipt), ("AC-2", "pass", &receipt)]);
    let report = std::fs::read_to_string(report).expect("it was just written");
    let approval = "{\"gate\": \"release\", \"approved\": true, \"by\": \"ida\"}";
    for (path, text) in [
        (".baton/handoffs/F001/report-turn-2", report.as_str()),
        (".baton/state/current.json", "{\"tasks\": [{\"task\": \"F001\", \"status\": \"done\"}]}"),
        (".baton/gates/release.json", approval),
    ] {
        office.place.write(path, text);
    }
    let refused = office.refusal(&["decide", "F001"]);
    assert!(refused.contains("the verifier has not judged this tree"), "{refused}");
    assert_eq!(office.status(), "verifying");
    office.baton(&["rebuild"]).ends_with(0);
    assert!(!office.place.read(".baton/state/current.json").contains("\"done\""));
}

/// What goes on to the next stage, with a file in it.
const PACKAGE: &str = "handoff:\n  id: HO-12\n  timestamp: \"{{now}}\"\n  from:\n    agent: ann\n  to:\n    \
    agent: ben\n    reason: It is the next stage\n  context:\n    summary: The tides of the north harbour are described, with their hours and heights\n    artifacts:\n      \
    - path: docs/tides.md\n        type: doc\n        description: Describes the tides\n  expectations:\n    \
    deliverable: A design\n    success_criteria:\n      - It says how the tides are printed\n";

#[test]
fn e14_nobody_confirms_files_that_are_not_there() {
    let office = Office::new();
    office.baton(&["task", "add", "F001", "Print the tides"]).ends_with(0);
    let handoff = office.stage(
        "requirements",
        &["requirements_identified", "impact_analyzed", "acceptance_criteria_defined", "no_open_blockers"],
    );
    let text = std::fs::read_to_string(&handoff).expect("it was just written");
    let package = PACKAGE.replace("{{now}}", &ago(0));
    let listed = format!("{text}\n```yaml\n{package}```\n");
    office.place.write("docs/tides.md", "# Tides\n");
    office.hand_over("ann", &office.document("listed.md", &listed));
    office.baton(&["decide", "F001"]).ends_with(0);
    std::fs::remove_file(office.place.file("docs/tides.md")).expect("it was just written");
    office.baton(&["receive", "F001", "--as", "ben"]).ends_with(0);
    let refused = office.refusal(&["ack", "F001", "--as", "ben"]);
    assert!(refused.contains("acknowledgment_wrong") && refused.contains("docs/tides.md"), "{refused}");
    assert!(office.log().contains("refused acknowledge: acknowledgment_wrong"));
    office.place.write("docs/tides.md", "# Tides\n");
    office.baton(&["ack", "F001", "--as", "ben"]).ends_with(0);
}

#[test]
fn e15_what_was_handed_over_is_never_rewritten() {
    let office = office("single");
    office.baton(&["receive", "F001"]).ends_with(0);
    let first = office.stage("implementation", IMPLEMENTATION);
    let before = std::fs::read_to_string(&first).expect("it was just written");
    office.baton(&["submit", "F001", &first]).ends_with(0);
    let other = office.document("other.md", &before.replace("Tides", "Tides, rewritten"));
    assert!(office.refusal(&["submit", "F001", &other]).contains("not_now"));
    office.place.write(".baton/handoffs/F001/handoff-turn-1", "rewritten\n");
    assert_eq!(office.baton(&["show", "F001", "handoff-turn-1"]).ends_with(0).out(), before);
    office.baton(&["rebuild"]).ends_with(0);
    assert_eq!(office.place.read(".baton/handoffs/F001/handoff-turn-1"), before);
}
