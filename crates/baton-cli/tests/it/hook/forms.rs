//! What agents bring in other forms than one handoff at the end of a message.

use super::{Beside, handoff};

#[test]
fn several_handoffs_in_one_message_are_held_to_all_that_they_claim() {
    let beside = Beside::new();
    beside.prompt("claude", "s1");
    beside.place.write("greet.txt", "hello\n");
    let (good, lie) = (handoff("completed", &["greet.txt"]), handoff("completed", &["welcome.txt"]));
    let text = beside.stop("claude", "s1", &format!("{good}\n{lie}")).expect("one of them lies");
    assert!(text.contains("BT1001") && text.contains("welcome.txt"), "{text}");
    assert_eq!(beside.stop("claude", "s1", &format!("{good}\n{good}")), None);
    assert!(beside.told(&["status"]).contains("done-unverified"), "{}", beside.told(&["log"]));
}

#[test]
fn a_clarification_request_is_asked_and_not_taken_for_work() {
    let beside = Beside::new();
    beside.prompt("codex", "s1");
    beside.place.write("greet.txt", "hello\n");
    let asks = "I need to know.\n\n```yaml\nid: clarification-1\ntask_id: codex-1\ntype: clarification-request\nstatus: open\nowner: builder\ntimestamp: 2026-01-01T00:00:00Z\nblocking_question: Who is greeted?\ndecision_context: {stage: work}\nconfidence: low\nrequested_options: [all, the harbour]\n```\n";
    let sent_back = beside.stop("codex", "s1", asks);
    let (inbox, status) = (beside.told(&["inbox"]), beside.told(&["status"]));
    assert!(!status.contains("done"), "{status}");
    assert!(inbox.contains("Who is greeted?") || sent_back.is_some(), "{inbox}");
}

#[test]
fn a_handoff_that_cannot_be_read_comes_back_with_the_reason() {
    let beside = Beside::new();
    beside.prompt("gemini", "s1");
    beside.place.write("greet.txt", "hello\n");
    std::fs::create_dir_all(beside.place.file(".baton")).expect("a folder");
    beside.place.write(".baton/handoff.md", b"\xff\xfe not text");
    let text = beside.stop("gemini", "s1", "See the file.").expect("it cannot be read");
    assert!(text.contains("Attempt 1 of 3") && text.contains("UTF-8"), "{text}");
}
