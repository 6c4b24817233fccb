mod check;
mod clarify;
mod delegate;
mod gate;
mod graph;
mod project;
mod sample;
mod settle;
mod submit;
mod turn;

use super::*;
use crate::desk::{Desk, host, orchestrator, person};
use crate::envelope::{Actor, ActorKind};

/// Every command to every actor: whoever is not on the list is refused before anything else is looked at.
#[test]
fn every_command_is_refused_to_whoever_may_not_ask() {
    let mut desk = Desk::with("single");
    desk.launch();
    let acts = sample::one_of_each(&mut desk);
    let kinds: Vec<ActKind> = acts.iter().map(Act::kind).collect();
    assert_eq!(kinds, ActKind::ALL);
    let (mut refused, mut possible) = (0, 0);
    for act in acts {
        for kind in ActorKind::ALL {
            let command = Command { at: 1, actor: Actor::new(kind, "x"), key: None, act: act.clone() };
            let answer = decide(&desk.state, &command, &desk.context);
            if act.kind().allowed().contains(&kind) {
                possible += 1;
                continue;
            }
            let rejection = answer.unwrap_err();
            assert_eq!(rejection.refusal, Refusal::NotAllowed, "{} by {kind:?}", act.kind().name());
            assert!(rejection.is_recorded());
            refused += 1;
        }
    }
    assert_eq!(refused + possible, ActKind::ALL.len() * ActorKind::ALL.len());
}

/// A command that belongs to an agent is worth nothing without the token of the turn that is being taken.
#[test]
fn an_agent_without_its_turn_moves_nothing() {
    let mut desk = Desk::with("single");
    desk.launch();
    for act in sample::one_of_each(&mut desk) {
        if !act.kind().allowed().contains(&ActorKind::Agent) {
            continue;
        }
        let actor = Actor::new(ActorKind::Agent, "builder");
        let command = Command { at: desk.now, actor, key: None, act };
        assert!(decide(&desk.state, &command, &desk.context).is_err(), "{}", command.act.kind().name());
    }
}

#[test]
fn nothing_is_decided_on_what_a_newer_baton_wrote() {
    let mut desk = Desk::with("single");
    desk.record(host(), Event::Unknown { kind: "teleported".to_owned(), schema: 1, body: b"{}".to_vec() });
    assert_eq!(desk.refused(person(), Act::Cancel { reason: "x".to_owned() }), "newer_log");
    let mut desk = Desk::with("single");
    desk.context.project_is_newer = true;
    assert_eq!(desk.refused(person(), Act::Cancel { reason: "x".to_owned() }), "newer_log");
}

#[test]
fn an_ended_task_takes_nothing_more() {
    let mut desk = Desk::with("single");
    desk.go(person(), Act::Cancel { reason: "enough".to_owned() });
    assert_eq!(desk.refused(person(), Act::Cancel { reason: "again".to_owned() }), "not_now");
    assert_eq!(desk.refused(orchestrator(), Act::Expire {}), "not_now");
}
