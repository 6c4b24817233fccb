use crate::command::Act;
use crate::desk::{Desk, host, orchestrator, person, tree};
use crate::fact::{GateChoice, Shown};
use crate::policy::{NotYet, consider};
use crate::state::StatusKind;
use crate::verdict::Verdict;
use crate::word::GateName;
use crate::workflow::{GateRule, GateWeight};

const GATE: &str = "specification-approved";

/// A first step that passes its checks, with its gate asked.
fn asked() -> Desk {
    let mut desk = Desk::with("steps");
    desk.build(1);
    let ask = asking(&mut desk);
    assert_eq!(desk.go(orchestrator(), ask), ["gate_asked"]);
    desk
}

fn asking(desk: &mut Desk) -> Act {
    let shown = desk.task().shown().unwrap();
    let document = desk.document();
    let gate = GateName::new(GATE).unwrap();
    Act::AskGate { gate, weight: GateWeight::Blocking, items: Vec::new(), shown, document, lease: None }
}

fn answering(shown: Shown, choice: GateChoice) -> Act {
    Act::AnswerGate { gate: GateName::new(GATE).unwrap(), choice, shown, words: "words".to_owned() }
}

#[test]
fn a_gate_waits_for_a_person_and_opens_the_next_step() {
    let mut desk = asked();
    assert_eq!(desk.task().status().kind(), StatusKind::Waiting);
    let approve = answering(desk.task().shown().unwrap(), GateChoice::Approve);
    let agent = crate::envelope::Actor::new(crate::envelope::ActorKind::Agent, "specification");
    assert_eq!(desk.refused(agent, approve.clone()), "not_allowed");
    assert_eq!(desk.refused(orchestrator(), approve.clone()), "not_allowed");
    assert_eq!(desk.go(person(), approve.clone()), ["gate_answered"]);
    assert_eq!(desk.refused(person(), approve), "gate_answered");
    assert_eq!(desk.settle_by_policy(), ("accept", "stage_checks_pass"));
}

#[test]
fn an_answer_holds_for_exactly_what_was_shown() {
    let mut desk = asked();
    let shown = desk.task().shown().unwrap();
    let other = Shown { tree: tree(9), ..shown.clone() };
    assert_eq!(desk.refused(person(), answering(other, GateChoice::Approve)), "gate_version_changed");
    desk.go(host(), Act::ObserveTree { tree: tree(2), definition: None });
    assert_eq!(desk.refused(person(), answering(shown, GateChoice::Approve)), "gate_version_changed");
}

#[test]
fn an_approval_is_void_when_the_tree_changes_after_it() {
    let mut desk = asked();
    let approve = answering(desk.task().shown().unwrap(), GateChoice::Approve);
    desk.go(person(), approve);
    desk.go(host(), Act::ObserveTree { tree: tree(2), definition: None });
    desk.check(Verdict::Pass);
    let again = asking(&mut desk);
    assert_eq!(desk.go(orchestrator(), again), ["gate_asked"]);
}

#[test]
fn a_rejection_is_rework_and_a_question_burns_no_attempt() {
    let mut desk = asked();
    let reject = answering(desk.task().shown().unwrap(), GateChoice::Reject);
    desk.go(person(), reject);
    assert_eq!(desk.settle_by_policy(), ("rework", "gate_rejected"));
    assert_eq!(desk.task().attempt().0, 2);
    let mut desk = asked();
    let question = answering(desk.task().shown().unwrap(), GateChoice::Question);
    desk.go(person(), question);
    assert_eq!(desk.settle_by_policy(), ("rework", "gate_questioned"));
    assert_eq!(desk.task().attempt().0, 1);
}

#[test]
fn a_gate_is_asked_when_it_is_due_and_not_before() {
    let mut desk = Desk::with("steps");
    desk.launch();
    desk.submit(tree(1));
    let early = asking(&mut desk);
    assert_eq!(desk.refused(orchestrator(), early), "not_now");
}

#[test]
fn an_agent_asks_in_its_turn_under_a_name_of_its_own() {
    let mut desk = Desk::with("steps");
    desk.launch();
    let document = desk.document();
    let shown = Shown { tree: tree(0), handoff: document.blob.clone() };
    let ask = |gate: &str, desk: &Desk| Act::AskGate {
        gate: GateName::new(gate).unwrap(),
        weight: GateWeight::Blocking,
        items: vec!["may I?".to_owned()],
        shown: shown.clone(),
        document: document.clone(),
        lease: Some(desk.lease()),
    };
    let taken = ask(GATE, &desk);
    assert_eq!(desk.refused(desk.agent(), taken), "unknown_gate");
    let own = ask("mine", &desk);
    assert_eq!(desk.go(desk.agent(), own), ["gate_asked"]);
    assert!(desk.task().status().waits_for_person());
    let submission = desk.submission(tree(1));
    assert_eq!(desk.refused(desk.agent(), Act::Submit { lease: desk.lease(), submission }), "not_now");
}

/// Hands over checked work that asks for a gate, with this name and weight.
fn hand_over_gated(desk: &mut Desk, name: &str, weight: GateWeight) {
    desk.launch();
    let mut submission = desk.submission(tree(1));
    let gate = GateName::new(name).unwrap();
    let items = vec!["is the tone right?".to_owned()];
    submission.gate = Some(Box::new(GateRule { name: gate, weight, items }));
    desk.go(desk.agent(), Act::Submit { lease: desk.lease(), submission });
    desk.settle();
    desk.check(Verdict::Pass);
}

#[test]
fn a_gate_that_a_handoff_asks_for_holds_its_work_until_a_person_approves_it() {
    let mut desk = Desk::with("single");
    hand_over_gated(&mut desk, "tone", GateWeight::Blocking);
    let gate = GateName::new("tone").unwrap();
    assert_eq!(consider(desk.task(), desk.now), Err(NotYet::Gate(gate.clone())));
    let (shown, document) = (desk.task().shown().unwrap(), desk.document());
    let ask = Act::AskGate {
        gate: gate.clone(),
        weight: GateWeight::Informing,
        items: Vec::new(),
        shown: shown.clone(),
        document,
        lease: None,
    };
    desk.go(orchestrator(), ask);
    assert_eq!(desk.task().gates[&gate].weight, GateWeight::Blocking);
    assert_eq!(consider(desk.task(), desk.now), Err(NotYet::GateAnswer(gate.clone())));
    desk.go(person(), Act::AnswerGate { gate, choice: GateChoice::Approve, shown, words: String::new() });
    assert_eq!(desk.settle_by_policy(), ("accept", "self_checked"));
}

#[test]
fn a_handoff_makes_no_gate_of_the_stage_lighter() {
    let mut desk = Desk::with("steps");
    hand_over_gated(&mut desk, GATE, GateWeight::Informing);
    let rules = desk.task().gate_rules();
    assert_eq!((rules.len(), rules[0].weight), (1, GateWeight::Blocking));
    assert_eq!(rules[0].items.last().unwrap(), "is the tone right?");
}
