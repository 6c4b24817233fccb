use baton_runner::drive::summary::{Spending, Standing};

use super::*;

#[test]
fn who_stops_a_run_of_a_paused_project_is_not_sent_into_another_one() {
    let task = Standing {
        informed: Vec::new(),
        task: Id::new("T1").expect("an id"),
        title: "Do it".to_owned(),
        status: "ready".to_owned(),
        spent: Spending::default(),
        task_spent_tokens: 0,
        end: None,
        waits_for_person: false,
        is_waived: false,
        is_unchanged: false,
        because: Vec::new(),
        next: None,
    };
    let stopped =
        |is_paused| Summary { tasks: vec![task.clone()], was_stopped: true, is_paused, ..Summary::default() };
    assert_eq!(told_next(&stopped(false)), "stopped; next: `baton run` goes on\n");
    assert_eq!(
        told_next(&stopped(true)),
        "stopped, and the project is paused; next: `baton pause` without a reason lets it go on, then `baton run`\n"
    );
}
