//! The design names every requirement and criterion of the documents before it.

use super::{Case, Evaluator, Finding, known, named};

pub(super) static EVALUATOR: Evaluator = Evaluator {
    checkpoint: "requirements_addressed",
    rule: "the design names every requirement and every criterion of the task and its earlier documents, by its id or in its words",
    asserted: "no earlier document gives an id to a requirement or criterion",
    evaluate,
};

fn evaluate(case: &Case<'_>) -> Option<Finding> {
    let mut all = known::requirements(&case.earlier);
    all.extend(case.known_criteria());
    if all.is_empty() {
        return None;
    }
    let missing = known::missing(&all, &case.page.text(None));
    match missing.is_empty() {
        true => Finding::pass(format!("the design names all {} requirements and criteria", all.len())),
        false => Finding::fail(format!(
            "the design doesn't name {}. Say for each one which part of the design addresses it, such as a table with \
             the id and the part",
            named(missing.iter().map(String::as_str))
        )),
    }
}
