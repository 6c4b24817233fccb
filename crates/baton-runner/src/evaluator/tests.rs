use super::*;
use baton_handoff::document;

/// Says what an evaluator sees in a handoff, and in files before and after.
fn seen(checkpoint: &str, handoff: &str, files: &[(&str, &str, &str)]) -> Option<Verdict> {
    let read = document::read(handoff);
    let everything = read.handoffs.first().expect("a handoff").everything();
    let bytes = |text: &str| (!text.is_empty()).then(|| text.as_bytes().to_vec());
    let changes: Vec<FileChange> = files
        .iter()
        .map(|(path, before, after)| FileChange {
            path: (*path).to_owned(),
            before: bytes(before),
            after: bytes(after),
            is_whole: true,
            loses_program: false,
        })
        .collect();
    let criteria = BTreeSet::from([CriterionId::new("AC-1").expect("a name")]);
    let facts = Facts { handoff: &everything, criteria: &criteria, changes: Some(&changes) };
    evaluate(checkpoint, &facts).map(|finding| finding.verdict)
}

const PLAIN: &str = "```yaml\noutcome: completed\nsummary: did it\n```\n";

#[test]
fn a_handoff_that_names_a_blocker_has_one() {
    assert_eq!(seen("no_open_blockers", PLAIN, &[]), Some(Verdict::Pass));
    let blocked =
        "```yaml\noutcome: completed\nsummary: did it\nblockers:\n  - blocker: the key is missing\n```\n";
    assert_eq!(seen("no_open_blockers", blocked, &[]), Some(Verdict::Fail));
}

#[test]
fn criteria_count_when_each_is_judged_as_met() {
    let judging = |verdict: &str| {
        format!(
            "```json\n{{\"artifact_type\": \"verification-report\", \"waypoint_id\": \"T1\", \"criterion_verdicts\": \
             [{{\"criterion\": \"AC-1\", \"verdict\": \"{verdict}\", \"evidence\": []}}]}}\n```\n"
        )
    };
    assert_eq!(seen("criteria_verified", &judging("pass"), &[]), Some(Verdict::Pass));
    assert_eq!(seen("criteria_verified", &judging("fail"), &[]), Some(Verdict::Fail));
    assert_eq!(seen("criteria_verified", PLAIN, &[]), None, "then the agent only says so");
    assert_eq!(seen("acceptance_criteria_defined", PLAIN, &[]), Some(Verdict::Pass));
}

#[test]
fn tests_and_documents_are_seen_in_what_changed() {
    let source = ("src/lib.rs", "fn a() {}\n", "fn a() {}\nfn b() {}\n");
    assert_eq!(seen("tests_written", PLAIN, &[source]), Some(Verdict::Fail));
    let inside = ("src/lib.rs", "fn a() {}\n", "fn a() {}\n#[test]\nfn b() {}\n");
    assert_eq!(seen("tests_written", PLAIN, &[inside]), Some(Verdict::Pass));
    let removed = ("tests/a.rs", "#[test]\nfn a() {}\n", "");
    assert_eq!(seen("tests_written", PLAIN, &[removed]), Some(Verdict::Fail));
    assert_eq!(
        seen("tests_written", PLAIN, &[("tests/a.rs", "", "#[test]\nfn a() {}\n")]),
        Some(Verdict::Pass)
    );
    assert_eq!(seen("docs_updated", PLAIN, &[source]), Some(Verdict::Fail));
    assert_eq!(seen("docs_updated", PLAIN, &[("docs/a.html", "", "<p>\n")]), Some(Verdict::Pass));
}

#[test]
fn what_only_an_agent_can_know_is_not_looked_at() {
    for checkpoint in ["impact_analyzed", "requirements_addressed", "design_complete", "code_complete"] {
        assert_eq!(seen(checkpoint, PLAIN, &[]), None, "{checkpoint}");
    }
}
