//! A workflow with a step both behind and ahead.

use super::show::shown;
use super::{Check, Code, Level, Rule, Subject};
use crate::diagnostic::{Diagnostic, Severity};
use crate::field::Field;
use crate::record::Text;
use crate::report::Report;

pub(crate) const CODE: Code = Code(610);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "workflow-state-torn",
    severity: Severity::Warning,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT610.md"),
    check: Check::Handoff(check),
};

fn check(subject: &Subject<'_, '_>, report: &mut Report) {
    let Some(state) = subject.handoff.record.record(Field::WorkflowState) else { return };
    let completed = state.texts(Field::CompletedSteps);
    let behind = |step: &Text<'_>| {
        completed.iter().find(|done| !done.is_blank() && done.as_str().trim() == step.as_str().trim())
    };
    for step in state.texts(Field::RemainingSteps) {
        if let Some(done) = behind(step) {
            report.push(
                Diagnostic::new(
                    CODE,
                    step.span,
                    format!("the step {} is both completed and remaining", shown(step.as_str())),
                )
                .label("ahead")
                .other(done.span, "behind")
                .help("keep it in one list"),
            );
        }
    }
    let current = state.text(Field::CurrentStep);
    if let Some((current, done)) = current.and_then(|current| Some((current, behind(current)?))) {
        report.push(
            Diagnostic::new(
                CODE,
                current.span,
                format!("the current step {} is among the completed ones", shown(current.as_str())),
            )
            .label("current")
            .other(done.span, "completed")
            .help("name the step that comes next, or take this one out of `completed_steps`"),
        );
    }
}
