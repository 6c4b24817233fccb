use crate::command::Act;
use crate::desk::{Desk, orchestrator, person, tree};
use crate::fact::{AnswerSource, Charge, Question, Reason};
use crate::policy::{NotYet, consider};
use crate::state::StatusKind;
use crate::word::ClarificationId;
use crate::workflow::Role;

fn asking(desk: &mut Desk, id: &str) -> Act {
    let document = desk.document();
    Act::Ask {
        lease: desk.lease(),
        clarification: ClarificationId::new(id).unwrap(),
        document,
        question: "which?".to_owned(),
        options: vec!["this".to_owned(), "that".to_owned()],
    }
}

fn answering(desk: &mut Desk, id: &str, source: AnswerSource, place: Option<&str>) -> Act {
    let document = desk.document();
    Act::Answer {
        clarification: ClarificationId::new(id).unwrap(),
        document,
        answer: "that".to_owned(),
        source,
        covenant_place: place.map(str::to_owned),
    }
}

#[test]
fn a_question_waits_for_a_person_and_holds_the_lease() {
    let mut desk = Desk::with("single");
    desk.launch();
    let ask = asking(&mut desk, "q1");
    assert_eq!(desk.go(desk.agent(), ask), ["clarification_asked"]);
    assert_eq!(desk.task().status().kind(), StatusKind::Waiting);
    desk.now = desk.task().turn.as_ref().unwrap().expires_at + 1;
    assert_eq!(desk.refused(orchestrator(), Act::Expire {}), "lease_live");
    let answer = answering(&mut desk, "q1", AnswerSource::Person, None);
    assert_eq!(desk.go(person(), answer), ["clarification_answered"]);
    assert!(desk.task().turn.as_ref().unwrap().expires_at > desk.now);
    assert_eq!(desk.task().status().kind(), StatusKind::Working);
}

#[test]
fn nobody_but_a_person_or_the_covenant_answers() {
    let mut desk = Desk::with("single");
    desk.launch();
    let ask = asking(&mut desk, "q1");
    desk.go(desk.agent(), ask);
    let own = answering(&mut desk, "q1", AnswerSource::Person, None);
    assert_eq!(desk.refused(desk.agent(), own.clone()), "not_allowed");
    assert_eq!(desk.refused(orchestrator(), own), "answer_unfounded");
    let unfounded = answering(&mut desk, "q1", AnswerSource::Covenant, None);
    assert_eq!(desk.refused(orchestrator(), unfounded), "answer_unfounded");
    let founded = answering(&mut desk, "q1", AnswerSource::Covenant, Some("section 2"));
    assert_eq!(desk.go(orchestrator(), founded.clone()), ["clarification_answered"]);
    assert_eq!(desk.refused(orchestrator(), founded), "unknown_clarification");
}

#[test]
fn questions_are_bounded_and_the_next_one_escalates() {
    let mut desk = Desk::with("single");
    desk.launch();
    for id in ["q1", "q2"] {
        let ask = asking(&mut desk, id);
        desk.go(desk.agent(), ask);
        let answer = answering(&mut desk, id, AnswerSource::Person, None);
        desk.go(person(), answer);
    }
    let ask = asking(&mut desk, "q3");
    assert_eq!(desk.go(desk.agent(), ask), ["escalation_raised"]);
    desk.settle();
    assert_eq!(desk.settle_by_policy(), ("escalate", "clarification_exhausted"));
}

#[test]
fn work_over_an_open_question_is_not_accepted() {
    let mut desk = Desk::with("single");
    desk.launch();
    let ask = asking(&mut desk, "q1");
    desk.go(desk.agent(), ask);
    desk.submit(tree(1));
    assert_eq!(desk.settle_by_policy(), ("escalate", "clarification_unresolved"));
    let resolve = Act::Resolve { resolution: crate::fact::Resolution::Again, words: "go on".to_owned() };
    assert_eq!(desk.refused(person(), resolve.clone()), "resolution_not_possible");
    let answer = answering(&mut desk, "q1", AnswerSource::Person, None);
    desk.go(person(), answer);
    desk.go(person(), resolve);
    assert_eq!(desk.task().status().kind(), StatusKind::Ready);
}

#[test]
fn an_id_of_a_question_is_given_once() {
    let mut desk = Desk::with("single");
    desk.launch();
    let ask = asking(&mut desk, "q1");
    desk.go(desk.agent(), ask);
    let again = asking(&mut desk, "q1");
    assert_eq!(desk.refused(desk.agent(), again), "clarification_exists");
    let start = desk.starting(Role::Builder, "builder", "s");
    assert_eq!(desk.refused(orchestrator(), start), "not_now");
}

/// Hands over completed work that leaves a question open.
fn hand_over_asking(desk: &mut Desk, id: &str) -> Vec<String> {
    desk.launch();
    let mut submission = desk.submission(tree(1));
    let id = ClarificationId::new(id).unwrap();
    let question = "half up?".to_owned();
    submission.question = Some(Box::new(Question { id, question, options: Vec::new() }));
    let events = desk.go(desk.agent(), Act::Submit { lease: desk.lease(), submission });
    desk.settle();
    events
}

#[test]
fn work_with_a_blocking_question_waits_for_its_answer_and_goes_back_for_free() {
    let mut desk = Desk::with("single");
    assert_eq!(hand_over_asking(&mut desk, "q1"), ["handoff_received", "clarification_asked"]);
    assert_eq!(desk.task().status().kind(), StatusKind::Waiting);
    let open = NotYet::Clarification(ClarificationId::new("q1").unwrap());
    assert_eq!(consider(desk.task(), desk.now), Err(open), "not even the checks are run");
    let answer = answering(&mut desk, "q1", AnswerSource::Person, None);
    desk.go(person(), answer);
    let ruling = consider(desk.task(), desk.now).unwrap();
    assert_eq!((ruling.reason, ruling.charge), (Reason::ClarificationAnswered, Charge::Nothing));
    assert_eq!(desk.settle_by_policy(), ("rework", "clarification_answered"));
    desk.build(2);
    assert_eq!(desk.settle_by_policy(), ("accept", "self_checked"));
}

#[test]
fn one_question_too_many_beside_work_goes_to_a_person() {
    let mut desk = Desk::with("single");
    for id in ["q1", "q2"] {
        hand_over_asking(&mut desk, id);
        let answer = answering(&mut desk, id, AnswerSource::Person, None);
        desk.go(person(), answer);
        desk.settle_by_policy();
    }
    assert_eq!(hand_over_asking(&mut desk, "q3"), ["handoff_received", "escalation_raised"]);
    assert_eq!(desk.settle_by_policy(), ("escalate", "clarification_exhausted"));
}
