use super::*;

/// A task before a gate: handed over, checked, and put before a person.
fn at_the_gate(project: &Project) -> Desk {
    let mut desk = project.visit("ann", NOON);
    desk.add_task(new_task("gated")).unwrap();
    desk.receive(&id()).unwrap();
    project.write("tides.txt", "06:12 low\n");
    desk.submit(&id(), HANDOFF.as_bytes(), &baton_handoff::project::Project::default()).unwrap();
    checked(&mut desk);
    assert_eq!(code(desk.decide(&id())), "decision_not_possible", "the gate is asked, and not answered");
    desk
}

#[test]
fn an_approval_holds_for_exactly_what_was_shown() {
    let project = Project::new();
    let mut desk = at_the_gate(&project);
    project.write("tides.txt", "06:12 high\n");
    let answer = desk.answer_gate(&id(), "release", GateChoice::Approve, "");
    assert_eq!(code(answer), "gate_version_changed");
    assert_eq!(code(desk.decide(&id())), "decision_not_possible", "the new tree is not checked");
    checked(&mut desk);
    assert_eq!(code(desk.decide(&id())), "decision_not_possible", "the gate is asked again");
    desk.answer_gate(&id(), "release", GateChoice::Approve, "").unwrap();
    desk.decide(&id()).unwrap();
    assert!(desk.task(&id()).unwrap().end.is_some());
}

#[test]
fn an_approval_is_void_when_the_tree_changes_after_it() {
    let project = Project::new();
    let mut desk = at_the_gate(&project);
    desk.answer_gate(&id(), "release", GateChoice::Approve, "").unwrap();
    project.write("tides.txt", "06:12 high\n");
    assert_eq!(code(desk.decide(&id())), "decision_not_possible");
    checked(&mut desk);
    assert_eq!(code(desk.decide(&id())), "decision_not_possible", "the approval was for another tree");
    assert!(desk.task(&id()).unwrap().end.is_none());
}

/// Work that changes after its check is not what was checked.
#[test]
fn nothing_is_accepted_that_changed_after_its_check() {
    let project = Project::new();
    let mut desk = project.visit("ann", NOON);
    desk.add_task(new_task("single")).unwrap();
    desk.receive(&id()).unwrap();
    project.write("tides.txt", "06:12 low\n");
    desk.submit(&id(), HANDOFF.as_bytes(), &baton_handoff::project::Project::default()).unwrap();
    checked(&mut desk);
    project.write("tides.txt", "rm -rf\n");
    assert_eq!(code(desk.decide(&id())), "decision_not_possible");
    project.write("tides.txt", "06:12 low\n");
    desk.decide(&id()).unwrap();
    assert!(desk.task(&id()).unwrap().end.is_some(), "as it was checked it is accepted");
}

#[test]
fn a_gate_that_asks_is_answered_though_another_stage_informed_by_the_same_name() {
    let project = Project::new();
    let mut desk = project.visit("ann", NOON);
    desk.add_task(new_task("twice")).unwrap();
    for (number, text) in ["06:12 low\n", "18:30 low\n"].into_iter().enumerate() {
        desk.receive(&id()).unwrap();
        if number > 0 {
            desk.acknowledge(&id(), &[]).unwrap();
        }
        project.write("tides.txt", text);
        let handoff = HANDOFF.replace("id: T1", &format!("id: T1\nround: {number}"));
        desk.submit(&id(), handoff.as_bytes(), &baton_handoff::project::Project::default()).unwrap();
        checked(&mut desk);
        if number == 0 {
            desk.decide(&id()).unwrap();
            let answer = desk.answer_gate(&id(), "release", GateChoice::Approve, "");
            assert!(matches!(answer, Err(DeskError::Document { .. })), "it informs: {answer:?}");
        }
    }
    assert_eq!(code(desk.decide(&id())), "decision_not_possible", "the gate is asked, and not answered");
    desk.answer_gate(&id(), "release", GateChoice::Approve, "").unwrap();
    desk.decide(&id()).unwrap();
    assert!(desk.task(&id()).unwrap().end.is_some());
}
