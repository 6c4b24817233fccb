//! A task depends on itself, or twice on the same.

use super::show::shown;
use super::{Check, Code, Level, Rule, Subject, twice, task_graph};
use crate::diagnostic::{Diagnostic, Severity};
use crate::report::Report;

pub(crate) const CODE: Code = Code(305);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "bad-dependency",
    severity: Severity::Warning,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT305.md"),
    check: Check::Handoff(check),
};

fn check(subject: &Subject<'_, '_>, report: &mut Report) {
    let dependencies = task_graph::dependencies(subject.handoff);
    if dependencies.clone().next().is_none() {
        return;
    }
    for (first, again) in twice::repeats(dependencies.clone().map(|name| (name.value.trim(), name))) {
        report.push(
            Diagnostic::new(
                CODE,
                again.span,
                format!("the dependency {} is listed twice", shown(again.as_str())),
            )
            .other(first.span, "first here")
            .help("keep one"),
        );
    }
    let names = task_graph::names(subject.handoff);
    for text in dependencies.filter(|text| names.contains(&text.value.trim())) {
        report.push(
            Diagnostic::new(CODE, text.span, format!("the task {} depends on itself", shown(text.as_str())))
                .label("this is the task itself")
                .help("take it out: a task that waits for itself never starts"),
        );
    }
}
