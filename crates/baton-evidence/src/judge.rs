//! The one judgement: every claim of a handoff against the facts about its work.
//!
//! A claim that the facts deny is contradicted. One that lacks the evidence it should have is unsupported. One for which
//! a fact is missing is not checkable, and the finding says which fact. Only then does it hold.

mod commits;
mod criteria;
mod denial;
mod files;
mod identity;
mod lines;
mod listing;
mod questions;
mod report;
mod runs;
mod stored;
mod times;
mod words;
mod work;

use crate::claims::Claims;
use crate::facts::Facts;
use crate::finding::{Finding, Provenance, Verdict};

/// One handoff under judgement.
#[derive(Clone, Copy, Debug)]
struct Case<'a> {
    claims: &'a Claims,
    facts: &'a Facts,
}

impl Case<'_> {
    /// Says whether the work itself is known, before and after.
    fn has_work(&self) -> bool {
        self.facts.turn.is_some()
    }
}

type Judge = fn(&Case<'_>, &mut Vec<Finding>);

const JUDGES: &[Judge] = &[
    document,
    identity::judge,
    report::judge,
    files::judge,
    lines::judge,
    listing::judge,
    work::judge,
    commits::judge,
    runs::judge,
    stored::judge,
    criteria::judge,
    words::judge,
    questions::judge,
    times::judge,
];

/// Judges every claim of a handoff.
pub fn judge(claims: &Claims, facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    JUDGES.iter().for_each(|judge| judge(&Case { claims, facts }, &mut findings));
    findings
}

/// Contradictions that the document shows by itself.
fn document(case: &Case<'_>, findings: &mut Vec<Finding>) {
    for (code, severity, said) in &case.claims.contradictions {
        let finding = Finding::of_rule(code.rule(), "document", said, said.text.as_str());
        let verdict = Verdict::of_severity(*severity);
        findings.push(Finding { verdict, ..finding.from(Provenance::Asserted) });
    }
}
