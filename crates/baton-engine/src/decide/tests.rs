mod check;
mod clarify;
mod delegate;
mod gate;
mod graph;
mod project;
mod settle;
mod submit;
mod turn;

use super::*;
use crate::desk::{Desk, host, orchestrator, person};

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
