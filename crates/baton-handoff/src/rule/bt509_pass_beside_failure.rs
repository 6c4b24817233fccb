//! A build that claims success beside a command that failed.

use super::show::shown;
use super::{Check, Code, Level, Rule, Subject};
use crate::diagnostic::{Diagnostic, Severity};
use crate::dialect::Dialect;
use crate::field::Field;
use crate::outcome::{self, Outcome};
use crate::record::Record;
use crate::report::Report;
use crate::span::Span;
use crate::tree::{Kind, Node};

pub(crate) const CODE: Code = Code(509);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "pass-beside-failure",
    severity: Severity::Warning,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT509.md"),
    check: Check::Handoff(check),
};

fn check(subject: &Subject<'_, '_>, report: &mut Report) {
    if subject.handoff.dialect != Dialect::Artifact || subject.handoff.variant.name != "build-artifact" {
        return;
    }
    let record = &subject.handoff.record;
    let commands = record.records(Field::Commands);
    let mut claim = None;
    for (at, command) in commands.iter().enumerate() {
        let (Some(words), Some(exit_code)) = (command.str(Field::Command), command.text(Field::ExitCode))
        else {
            continue;
        };
        let failed = exit_code.as_str().trim().parse::<i64>().is_ok_and(|code| code != 0);
        // A command that was run again is judged by its last run.
        if !failed || commands[at + 1..].iter().any(|later| later.str(Field::Command) == Some(words)) {
            continue;
        }
        let Some(claim) = *claim.get_or_insert_with(|| success_claim(record)) else { return };
        let message = format!(
            "{} ended with {}, and the build claims success",
            shown(words),
            exit_code.as_str().trim()
        );
        report.push(
            Diagnostic::new(CODE, exit_code.span, message)
                .label("this failed")
                .other(claim, "claimed here")
                .help("withdraw the claim, or run the command again and record that it succeeds"),
        );
    }
}

/// Returns the place of a claim that the work is complete or that a criterion is met.
fn success_claim(record: &Record<'_>) -> Option<Span> {
    let claims = record.records(Field::Criteria).iter().filter_map(|claim| claim.text(Field::Status));
    let met = claims
        .filter(|claim| outcome::from_verdict(claim.as_str()) == Some(Outcome::Completed))
        .map(|claim| claim.span)
        .next();
    met.or_else(|| record.tree(Field::CompletionClaim).and_then(completion))
}

fn completion(node: &Node<'_>) -> Option<Span> {
    match &node.kind {
        Kind::Scalar { text, .. } => {
            let claims =
                text.contains("<waypoint-complete>") || outcome::from_words(text) == Some(Outcome::Completed);
            claims.then_some(node.span)
        }
        Kind::List(items) => items.iter().find_map(completion),
        Kind::Map(pairs) => pairs.iter().find_map(|pair| completion(&pair.value)),
    }
}
