//! An agent hands over to itself.

use super::show::shown;
use super::{Check, Code, Level, Rule, Subject, agent};
use crate::diagnostic::{Diagnostic, Severity};
use crate::dialect::Dialect;
use crate::field::Field;
use crate::report::Report;

pub(crate) const CODE: Code = Code(303);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "route-loop",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT303.md"),
    check: Check::Handoff(check),
};

fn check(subject: &Subject<'_, '_>, report: &mut Report) {
    let record = &subject.handoff.record;
    if subject.handoff.dialect != Dialect::Summary {
        return;
    }
    let Some(from) = record.text(Field::From).filter(|from| !from.is_blank()) else { return };
    let route = record.record(Field::OnFailure).and_then(|policy| policy.text(Field::RouteTo));
    let targets = [(record.text(Field::To), "hands over to itself"), (route, "routes failures to itself")];
    for (target, deed) in targets {
        let Some(target) = target.filter(|target| agent::is_same(target.as_str(), from.as_str())) else {
            continue;
        };
        report.push(
            Diagnostic::new(CODE, target.span, format!("{} {deed}", shown(from.as_str())))
                .label("a loop")
                .other(from.span, "the sender")
                .help("name another agent, or a person who can decide"),
        );
    }
}
