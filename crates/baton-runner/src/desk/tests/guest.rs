use baton_engine::fact::Performer;
use baton_engine::word::SessionId;

use super::*;

fn session(name: &str) -> SessionId {
    SessionId::new(name).unwrap()
}

fn guest(project: &Project, name: &str, now: i64) -> Desk {
    project.visit("ida", now).for_guest(session(name))
}

fn words() -> baton_handoff::project::Project {
    baton_handoff::project::Project::default()
}

#[test]
fn a_guest_takes_a_turn_hands_over_and_is_known_by_its_session() {
    let project = Project::new();
    project.visit("ida", NOON).add_task(new_task("single")).unwrap();
    let mut desk = guest(&project, "claude-1", NOON);
    let received = desk.receive(&id()).unwrap();
    assert_eq!((received.turn.performer, received.turn.session.as_str()), (Performer::Guest, "claude-1"));
    assert!(received.context.contains("tool `submit`") && received.context.contains("tool `ask`"));
    assert_eq!(desk.receive(&id()).unwrap().turn.id, received.turn.id, "whoever asks again is told again");
    project.write("tides.txt", "06:12 low\n");
    desk.submit(&id(), HANDOFF.as_bytes(), &words()).unwrap();
    checked(&mut desk);
    let judged = desk.judge(&id()).unwrap();
    assert_eq!(judged.decided.unwrap().disposition.name(), "accept");
    assert_eq!(desk.replay().unwrap().violations, Vec::<String>::new());
}

#[test]
fn a_session_that_brings_the_same_handoff_again_is_answered_with_its_decision() {
    let project = Project::new();
    project.visit("ida", NOON).add_task(new_task("single")).unwrap();
    let mut desk = guest(&project, "claude-1", NOON);
    let bytes = HANDOFF.as_bytes();
    let taken = |desk: &Desk, name: &str| desk.taken_in_session(&session(name), bytes).unwrap();
    desk.receive(&id()).unwrap();
    assert!(taken(&desk, "claude-1").is_none(), "it was not handed over yet");
    desk.submit(&id(), bytes, &words()).unwrap();
    assert!(!taken(&desk, "claude-1").unwrap().is_settled());
    checked(&mut desk);
    desk.judge(&id()).unwrap();
    let answer = taken(&desk, "claude-1").unwrap();
    assert!(answer.is_settled() && answer.words().contains("accept because of self_checked"), "{answer:?}");
    assert!(taken(&desk, "claude-2").is_none(), "it is another session's");
    assert!(desk.taken_in_session(&session("claude-1"), b"other words").unwrap().is_none());
}

#[test]
fn a_guest_that_tries_again_and_again_is_counted() {
    let project = Project::new();
    project.visit("ida", NOON).add_task(new_task("single")).unwrap();
    let mut desk = guest(&project, "claude-1", NOON);
    desk.receive(&id()).unwrap();
    let before = desk.log.head().unwrap().sequence;
    for _ in 0..50 {
        assert_eq!(code(desk.cancel(&id(), "no")), "not_allowed");
    }
    assert_eq!(desk.log.head().unwrap().sequence, before + 1, "fifty refusals are one event");
    desk.submit(&id(), HANDOFF.as_bytes(), &words()).unwrap();
    let entries = desk.entries(Some(&id())).unwrap();
    let again = entries.iter().filter_map(|(_, entry)| match &entry.event {
        Event::CommandRefused { command, repeats, .. } if command == "cancel" => Some(*repeats),
        _ => None,
    });
    assert_eq!(again.collect::<Vec<_>>(), [None, Some(49)]);
    let why = desk.why(&id()).unwrap().record.join("\n");
    assert!(why.contains("refused cancel to agent claude-1: not_allowed, 50 times"), "{why}");
    assert!(desk.replay().unwrap().violations.is_empty());
}

#[test]
fn what_is_a_persons_to_do_is_refused_to_a_guest_and_remembered() {
    let project = Project::new();
    let mut person = project.visit("ida", NOON);
    person.add_task(new_task("gated")).unwrap();
    let mut desk = guest(&project, "claude-1", NOON);
    desk.receive(&id()).unwrap();
    let asked = desk.clarify(&id(), "Which tide?", &[]).unwrap();
    let before = desk.log.head().unwrap().sequence;
    let refused = [
        code(desk.answer(&id(), &asked, "low")),
        code(desk.cancel(&id(), "no")),
        code(desk.waive(
            &id(),
            Waivable::Checkpoint(CheckpointName::new("validation").unwrap()),
            "x",
            NOON + HOUR,
        )),
        code(desk.resolve(&id(), Resolution::Again, "x")),
        code(desk.pause(Some("x"))),
        code(desk.add_task(NewTask { id: TaskId::new("T2").unwrap(), ..new_task("single") })),
    ];
    assert_eq!(refused, ["not_allowed"; 6]);
    let written = desk.log.read_all(before, 20).unwrap();
    assert_eq!(written.len(), refused.len(), "each is in the log, and nothing else is");
    assert!(
        written
            .iter()
            .all(|event| (event.actor.kind, event.actor.name.as_str()) == (ActorKind::Agent, "claude-1"))
    );
    assert!(desk.task(&id()).unwrap().open_clarifications().next().is_some());
}

#[test]
fn no_guest_approves_a_gate() {
    let project = Project::new();
    project.visit("ida", NOON).add_task(new_task("gated")).unwrap();
    let mut desk = guest(&project, "claude-1", NOON);
    desk.receive(&id()).unwrap();
    desk.submit(&id(), HANDOFF.as_bytes(), &words()).unwrap();
    checked(&mut desk);
    assert!(desk.judge(&id()).unwrap().waits_for.is_some_and(|what| what.contains("release")));
    assert_eq!(code(desk.answer_gate(&id(), "release", GateChoice::Approve, "")), "not_allowed");
    assert!(desk.judge(&id()).unwrap().decided.is_none(), "the gate is still shut");
    project.visit("ida", NOON).answer_gate(&id(), "release", GateChoice::Approve, "").unwrap();
    assert_eq!(desk.judge(&id()).unwrap().decided.unwrap().disposition.name(), "accept");
}

#[test]
fn nobody_hands_over_in_the_turn_of_a_guest() {
    let project = Project::new();
    project.visit("ida", NOON).add_task(new_task("single")).unwrap();
    guest(&project, "claude-1", NOON).receive(&id()).unwrap();
    for mut other in
        [guest(&project, "codex-2", NOON), project.visit("ida", NOON), project.visit("claude-1", NOON)]
    {
        assert_eq!(code(other.receive(&id())), "not_now");
        assert_eq!(code(other.submit(&id(), HANDOFF.as_bytes(), &words())), "not_allowed");
    }
    let late = NOON + 24 * HOUR;
    let mut next = guest(&project, "codex-2", late);
    assert_eq!(next.receive(&id()).unwrap().turn.session.as_str(), "codex-2", "its time was up");
    assert_eq!(
        code(guest(&project, "claude-1", late).submit(&id(), HANDOFF.as_bytes(), &words())),
        "not_allowed"
    );
}

#[test]
fn an_answer_from_a_form_holds_for_exactly_what_the_form_showed() {
    let project = Project::new();
    project.visit("ida", NOON).add_task(new_task("gated")).unwrap();
    let mut desk = guest(&project, "claude-1", NOON);
    desk.receive(&id()).unwrap();
    desk.submit(&id(), HANDOFF.as_bytes(), &words()).unwrap();
    checked(&mut desk);
    desk.judge(&id()).unwrap();
    let mut person = project.visit("ida", NOON);
    let form = person.gate_question(&id()).unwrap().unwrap();
    project.write("tides.txt", "06:12 high\n");
    desk.judge(&id()).unwrap();
    checked(&mut desk);
    desk.judge(&id()).unwrap();
    let again = person.gate_question(&id()).unwrap().unwrap();
    assert_ne!(form.version(), again.version(), "the gate is asked again for other files");
    assert_eq!(code(person.answer_gate_question(&form, GateChoice::Approve, "")), "gate_version_changed");
    person.answer_gate_question(&again, GateChoice::Approve, "").unwrap();
}

#[test]
fn whoever_comes_next_is_told_how_each_open_task_stands() {
    let project = Project::new();
    let mut desk = project.visit("ida", NOON);
    let named = |name: &str| TaskId::new(name).unwrap();
    for (name, after) in [("T1", None), ("T2", Some("T1")), ("T3", None), ("T4", None), ("T5", Some("T4"))] {
        let depends_on = after.map(named).into_iter().collect();
        desk.add_task(NewTask { id: named(name), depends_on, ..new_task("single") }).unwrap();
    }
    desk.receive(&named("T3")).unwrap();
    desk.clarify(&named("T3"), "Which tide?", &[]).unwrap();
    desk.cancel(&named("T4"), "nobody needs it").unwrap();
    let someone = crate::desk::guest::Guest {
        agent: AgentName::new("claude").unwrap(),
        session: session("claude-1"),
        title: "Tides".to_owned(),
    };
    let told = guest(&project, "claude-1", NOON).context_of_session(&someone).unwrap().unwrap();
    let folded: Vec<String> = desk
        .tasks()
        .unwrap()
        .iter()
        .filter(|task| task.end.is_none())
        .map(|task| format!("{} ({}): {}", task.id, tell::status(task), task.title))
        .collect();
    assert_eq!(told.open, folded, "lines say what the events say");
    for (line, words) in
        told.open.iter().zip(["ready", "pending on T1", "waiting on a person", "blocked: T4"])
    {
        assert!(line.contains(words), "{line}");
    }
    assert_eq!((told.open.len(), told.open_beyond), (4, 0));
}
