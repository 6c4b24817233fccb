use baton_engine::command::ActKind;
use baton_testkit::authority::{Seat, TASK, one_of_each, opening};

use super::*;

/// Every command that the engine refuses to somebody is refused at the desk with the same code, and is in the log under
/// their name.
#[test]
fn what_is_refused_to_a_seat_is_refused_at_the_desk_and_remembered() {
    let (mut refused, mut remembered) = (0, 0);
    for seat in Seat::ALL {
        let project = Project::new();
        let mut desk = project.visit("ida", 1);
        for (stream, actor, act) in opening(*seat) {
            desk.act(stream, &actor, &act, &[]).unwrap();
        }
        for act in one_of_each(*seat) {
            let stream = if act.kind().is_for_project() { PROJECT_STREAM } else { TASK };
            let is_theirs = act.kind().allowed().contains(&seat.kind());
            let command = Command { at: 1, actor: seat.actor(), key: None, act: act.clone() };
            let state = desk.state(stream).unwrap();
            let Err(expected) =
                decide(&state, &command, &desk.context(state.task.as_ref(), Some(&act)).unwrap())
            else {
                assert!(is_theirs, "{} by {}", act.kind().name(), seat.name());
                continue;
            };
            let before = desk.log.head().unwrap().sequence;
            let answer = code(desk.act(stream, &seat.actor(), &act, &[]));
            assert_eq!(answer, expected.refusal.name());
            let written = desk.log.read_all(before, 10).unwrap();
            refused += 1;
            assert!(
                is_theirs || expected.is_recorded(&seat.actor()),
                "{} by {}",
                act.kind().name(),
                seat.name()
            );
            if expected.is_recorded(&seat.actor()) {
                remembered += 1;
                check_memory(&written, stream, (act.kind(), answer, &seat.actor()));
            } else {
                assert!(written.is_empty(), "{} by {}", act.kind().name(), seat.name());
            }
        }
    }
    println!("{refused} refused, {remembered} of them for who asked, all in the log");
    assert!(refused > 150 && remembered > 120);
}

#[track_caller]
fn check_memory(written: &[Recorded], stream: &str, (act, refusal, actor): (ActKind, &str, &Actor)) {
    let [recorded] = written else { panic!("{} events for a refused {}", written.len(), act.name()) };
    assert_eq!((recorded.stream.as_str(), &recorded.actor), (stream, actor));
    let Event::CommandRefused { command, refusal: code, .. } = Entry::read(recorded).event else {
        panic!("{} for a refused {}", recorded.kind, act.name())
    };
    assert_eq!((command.as_str(), code.as_str()), (act.name(), refusal));
}

#[test]
fn a_refusal_without_a_task_is_remembered_at_the_project() {
    let project = Project::new();
    let mut desk = project.visit("ida", 1);
    let agent = Actor::new(ActorKind::Agent, "builder").with_turn("turn-1");
    let act = Act::Cancel { reason: "enough".to_owned() };
    assert_eq!(code(desk.act("T404", &agent, &act, &[])), "not_allowed");
    let entries = desk.entries(None).unwrap();
    assert!(matches!(&entries[..], [(recorded, entry)] if recorded.stream == PROJECT_STREAM
        && matches!(&entry.event, Event::CommandRefused { details, .. } if details.starts_with("T404: "))));
    // The id is still free.
    desk.add_task(new_task("single")).unwrap();
}

#[test]
fn the_turn_of_one_person_is_not_ended_by_another() {
    let project = Project::new();
    let mut ann = project.visit("ann", NOON);
    ann.add_task(new_task("single")).unwrap();
    ann.receive(&id()).unwrap();
    let mut bob = project.visit("bob", NOON);
    let rules = baton_handoff::project::Project::default();
    assert_eq!(code(bob.submit(&id(), HANDOFF.as_bytes(), &rules)), "not_allowed");
    assert_eq!(code(bob.clarify(&id(), "which?", &[])), "not_allowed");
    assert_eq!(code(bob.escalate(&id(), BlockReason::ScopeChange, "too large")), "not_allowed");
    let refusals = ann.entries(Some(&id())).unwrap();
    let by_bob = refusals.iter().filter(|(_, entry)| entry.actor.name == "bob").count();
    assert_eq!(by_bob, 3, "all are remembered under his name");
    ann.submit(&id(), HANDOFF.as_bytes(), &rules).unwrap();
}
