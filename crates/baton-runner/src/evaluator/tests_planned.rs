//! There is a planned test or check for every criterion.

use super::topic::Topic;
use super::{Case, Evaluator, Finding, known, named, words};

pub(super) static EVALUATOR: Evaluator = Evaluator {
    checkpoint: "tests_planned",
    rule: "the document lists tests or checks, and they name every criterion",
    asserted: "",
    evaluate,
};

fn evaluate(case: &Case<'_>) -> Option<Finding> {
    let said = |item: &&super::page::Item| {
        item.text.split_whitespace().count() > 0 && !words::is_nothing(&item.text)
    };
    let count = case
        .page
        .about(Topic::Test)
        .filter(|item| item.form != super::page::Form::Heading || item.id.is_some())
        .filter(said)
        .count();
    if count == 0 {
        return Finding::fail(
            "the document plans no test. List the tests or checks under a heading `Tests`, with the criterion that each \
             one shows, such as `- AC-1: run tides.py and compare its output`",
        );
    }
    let missing = known::missing(&case.known_criteria(), &case.page.text(Some(Topic::Test)));
    match missing.is_empty() {
        true => Finding::pass("tests or checks are planned for every criterion"),
        false => Finding::fail(format!(
            "no planned test names {}. Plan a test or check for each one, such as `- {}: run it and compare its output`",
            named(missing.iter().map(String::as_str)),
            missing[0]
        )),
    }
}
