//! Blocked work with a blocker that does not say which tasks wait for it.

use super::standing;
use super::{Check, Code, Level, Rule, Subject};
use crate::diagnostic::{Diagnostic, Severity};
use crate::field::Field;
use crate::outcome::Outcome;
use crate::report::Report;

pub(crate) const CODE: Code = Code(403);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "no-blocked-tasks",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT403.md"),
    check: Check::Handoff(check),
};

fn check(subject: &Subject<'_, '_>, report: &mut Report) {
    let Some((Outcome::Blocked, text)) = standing::of_task_file(subject) else { return };
    let record = &subject.handoff.record;
    if !standing::has_items(record, Field::Blockers) {
        return;
    }
    for blocker in record.records(Field::Blockers) {
        if !standing::has_texts(blocker, Field::BlockingTasks) {
            let span = blocker.text(Field::Blocker).map_or(blocker.span, |text| text.span);
            report.push(
                Diagnostic::new(
                    CODE,
                    span,
                    "the work is blocked, and this blocker does not say which tasks wait for it",
                )
                .label("needs `blocking_tasks`")
                .other(text.span, "the work is blocked")
                .help("add `blocking_tasks` with the ids of the tasks that cannot go on, at least this one"),
            );
        }
    }
}
