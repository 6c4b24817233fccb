//! Work is accepted although the verification did not pass, or on the strength of nothing.

use super::show::shown;
use super::standing;
use super::{Check, Code, Level, Rule};
use crate::diagnostic::{Diagnostic, Severity};
use crate::dialect::Dialect;
use crate::field::Field;
use crate::handoff::Handoff;
use crate::outcome::{self, Outcome};
use crate::report::Report;
use crate::span::Span;

pub(crate) const CODE: Code = Code(506);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "accept-against-verdict",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT506.md"),
    check: Check::Document(check),
};

fn check(handoffs: &[Handoff<'_>], report: &mut Report) {
    for decision in handoffs.iter().filter(|handoff| is(handoff, "orchestrator-decision")) {
        let Some(disposition) = decision.record.text(Field::Verdict) else { continue };
        if outcome::from_verdict(disposition.as_str()) != Some(Outcome::Completed) {
            continue;
        }
        let word = shown(disposition.as_str());
        if let Some(entry) =
            decision.record.entry(Field::ReferencedArtifacts).filter(|entry| entry.value.is_blank())
        {
            report.push(
                Diagnostic::new(
                    CODE,
                    disposition.span,
                    format!("the decision is {word}, and rests on no artifact"),
                )
                .other(entry.key_span, "this names none")
                .help("name the verification report and the receipt that the decision rests on"),
            );
        }
        if let Some((span, why)) = reports(handoffs, decision).find_map(objection) {
            let message = format!("the decision is {word}, and the verification did not pass");
            report.push(
                Diagnostic::new(CODE, disposition.span, message)
                    .label("against the report")
                    .other(span, why)
                    .help("decide `rework`, `rollback` or `escalate`, or have the criterion verified again first"),
            );
        }
    }
}

fn is(handoff: &Handoff<'_>, variant: &str) -> bool {
    handoff.dialect == Dialect::Artifact && handoff.variant.name == variant
}

/// Returns the reports that a decision rests on: those it names, and the last one on its task.
fn reports<'d, 's>(
    handoffs: &'d [Handoff<'s>],
    decision: &'d Handoff<'s>,
) -> impl Iterator<Item = &'d Handoff<'s>> {
    let about_it = |report: &&Handoff<'_>| {
        is(report, "verification-report")
            && report.record.str(Field::Task) == decision.record.str(Field::Task)
    };
    let last = handoffs.iter().rfind(about_it).map(|report| report.span);
    let named =
        |id: &str| decision.record.texts(Field::ReferencedArtifacts).iter().any(|named| named.as_str() == id);
    handoffs.iter().filter(move |report| {
        let is_named = report.record.str(Field::Id).is_some_and(named);
        is(report, "verification-report") && (is_named || about_it(report) && last == Some(report.span))
    })
}

/// Returns what in a report speaks against accepting.
fn objection(report: &Handoff<'_>) -> Option<(Span, &'static str)> {
    let verdicts =
        report.record.records(Field::Criteria).iter().filter_map(|criterion| criterion.text(Field::Verdict));
    let mut against = verdicts.filter(|verdict| !verdict.is_blank() && !standing::passes(verdict.as_str()));
    let doubts = report.record.texts(Field::Doubts).iter();
    let mut open = doubts.filter(|doubt| !doubt.is_blank() && !outcome::is_none_word(doubt.as_str()));
    let failed = against.next().map(|verdict| (verdict.span, "this criterion did not pass"));
    failed.or_else(|| open.next().map(|doubt| (doubt.span, "this doubt is open")))
}
