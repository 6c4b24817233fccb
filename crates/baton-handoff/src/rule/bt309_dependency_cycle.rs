//! Tasks of one document wait for each other.

use super::{Check, Code, Level, Rule, cycle, task_graph};
use crate::diagnostic::{Diagnostic, Severity};
use crate::handoff::Handoff;
use crate::report::Report;

pub(crate) const CODE: Code = Code(309);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "dependency-cycle",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT309.md"),
    check: Check::Document(check),
};

fn check(handoffs: &[Handoff<'_>], report: &mut Report) {
    if handoffs.len() < 2 {
        return;
    }
    let edges = task_graph::edges(handoffs);
    let targets: Vec<Vec<usize>> =
        edges.iter().map(|edges| edges.iter().map(|(to, _)| *to).collect()).collect();
    for circle in cycle::cycles(&targets) {
        let next = circle.get(1).copied().unwrap_or(circle[0]);
        let Some((_, text)) = edges[circle[0]].iter().find(|(to, _)| *to == next) else { continue };
        let names: Vec<_> =
            circle.iter().filter_map(|at| task_graph::names(&handoffs[*at]).first().copied()).collect();
        report.push(
            Diagnostic::new(
                CODE,
                text.span,
                format!("these tasks wait for each other: {}", cycle::shown(&names)),
            )
            .label("the circle begins here")
            .help("take one dependency out: none of these tasks can start"),
        );
    }
}
