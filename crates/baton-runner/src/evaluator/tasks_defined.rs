//! There is a list of tasks, and it names every criterion.

use super::topic::Topic;
use super::{Case, Evaluator, Finding, known, named, words};

pub(super) static EVALUATOR: Evaluator = Evaluator {
    checkpoint: "tasks_defined",
    rule: "the document has a list of tasks, and the list names every criterion",
    asserted: "",
    evaluate,
};

fn evaluate(case: &Case<'_>) -> Option<Finding> {
    let tasks = case.page.about(Topic::Task).filter(|item| item.is_thing() && !words::is_nothing(&item.text));
    let count = tasks.count();
    if count == 0 {
        return Finding::fail(
            "the document lists no task. List each one under a heading `Tasks`, with the criteria that it serves, such as \
             `- T1: read the table (AC-1)`",
        );
    }
    let missing = known::missing(&case.known_criteria(), &case.page.text(Some(Topic::Task)));
    match missing.is_empty() {
        true => Finding::pass(format!("{count} tasks are listed, and every criterion is in one")),
        false => Finding::fail(format!(
            "no task in the list names {}. Name the criteria that each task serves, such as `- T1: read the table ({})`",
            named(missing.iter().map(String::as_str)),
            missing[0]
        )),
    }
}
