//! Handoffs of one document route their failures in a circle.

use super::{Check, Code, Level, Rule, agent, cycle};
use crate::diagnostic::{Diagnostic, Severity};
use crate::dialect::Dialect;
use crate::field::Field;
use crate::handoff::Handoff;
use crate::report::Report;
use std::collections::BTreeMap;

pub(crate) const CODE: Code = Code(308);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "route-ping-pong",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT308.md"),
    check: Check::Document(check),
};

fn check(handoffs: &[Handoff<'_>], report: &mut Report) {
    if handoffs.len() < 2 {
        return;
    }
    let mut senders: BTreeMap<String, usize> = BTreeMap::new();
    let summaries = || handoffs.iter().enumerate().filter(|(_, handoff)| handoff.dialect == Dialect::Summary);
    for (at, handoff) in summaries() {
        if let Some(from) = handoff.record.str(Field::From) {
            senders.entry(agent::bare(from)).or_insert(at);
        }
    }
    let mut edges = vec![Vec::new(); handoffs.len()];
    for (_, handoff) in summaries() {
        let from = handoff.record.str(Field::From).and_then(|from| senders.get(&agent::bare(from)));
        let route = handoff.record.record(Field::OnFailure).and_then(|policy| policy.str(Field::RouteTo));
        let to = route.and_then(|route| senders.get(&agent::bare(route)));
        if let (Some(&from), Some(&to)) = (from, to) {
            // A loop of one is told where it stands.
            edges[from].extend((from != to).then_some(to));
        }
    }
    for circle in cycle::cycles(&edges) {
        let names: Vec<_> = circle.iter().filter_map(|at| handoffs[*at].record.str(Field::From)).collect();
        let policy = handoffs[circle[0]].record.record(Field::OnFailure);
        let Some(policy) = policy else { continue };
        report.push(
            Diagnostic::new(
                CODE,
                policy.place(Field::RouteTo),
                format!("failures go round in a circle: {}", cycle::shown(&names)),
            )
            .help("let one of them route to a person, or to an agent outside of the circle"),
        );
    }
}
