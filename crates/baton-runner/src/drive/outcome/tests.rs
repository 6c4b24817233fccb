use baton_engine::verdict::Provenance;
use baton_engine::word::CheckpointName;

use super::*;

fn told(verdict: Verdict, detail: &str) -> String {
    let checkpoint = CheckpointName::new("tests").expect("a name");
    let (provenance, detail) = (Provenance::Observed, detail.to_owned());
    found(&CheckResult { checkpoint, verdict, provenance, detail, output: None, hindrance: None })
}

#[test]
fn a_check_is_told_with_the_one_reason_that_is_known() {
    let counted = "`pytest` ended with 1\nFAILED test_a.py::test_one\n\
                   ========= 2 failed, 7 passed in 0.12s =========";
    assert!(
        told(Verdict::Fail, counted).starts_with("fail: 2 of 9 failed: "),
        "{}",
        told(Verdict::Fail, counted)
    );
    assert_eq!(told(Verdict::Fail, "`./check.sh` ended with 1\n  no low tide  \n\n"), "fail: no low tide");
    assert_eq!(told(Verdict::Fail, "`./check.sh` ended with 1"), "fail: `./check.sh` ended with 1");
    let missing = "`make test` settles nothing: `make` is not installed";
    assert_eq!(told(Verdict::Inconclusive, missing), format!("inconclusive: {missing}"));
    assert_eq!(told(Verdict::Pass, "`./check.sh` ended with 0"), "pass");
}

#[test]
fn feedback_is_told_by_what_was_seen_first_and_never_twice() {
    let text = "## Validation Failed\n\n### Handoff\n**Status**: FAIL\n**Reason**: BT402: it says two things\n**Reason**: more\n";
    assert_eq!(seen(Reason::HandoffInvalid, text).as_deref(), Some("BT402: it says two things"));
    assert_eq!(seen(Reason::ChecksFailed, text), None, "the check has told it");
    for reason in [Reason::ClarificationAnswered, Reason::TurnStopped] {
        assert_eq!(seen(reason, text), None, "{reason:?} says nothing new of the work");
    }
}
