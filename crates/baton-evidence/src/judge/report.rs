//! Whether a verifier's report judges the criteria of its task, each once.

use std::collections::BTreeMap;

use baton_handoff::rule::audit;

use super::Case;
use crate::finding::{Finding, Provenance, Said};

pub(super) fn judge(case: &Case<'_>, findings: &mut Vec<Finding>) {
    let claims = case.claims;
    if !claims.is_report {
        return;
    }
    let place = Said::new("criterion_verdicts", claims.criteria_place);
    let Some(turn) = &case.facts.turn else {
        let reason = "the criteria of its task aren't known here";
        findings.push(Finding::not_checkable(&audit::CRITERIA_OF_TASK, "criteria", &place, reason));
        return;
    };
    let wrong = |said: &Said, reason: String, fix: String| {
        Finding::of_rule(&audit::CRITERIA_OF_TASK, "criteria", said, reason)
            .contradicted()
            .from(Provenance::Observed)
            .fix(fix)
    };
    let mut judged: BTreeMap<&str, usize> = BTreeMap::new();
    for criterion in &claims.criteria {
        let id = criterion.id.as_deref().unwrap_or(&criterion.name.text).trim();
        *judged.entry(id).or_default() += 1;
        if !turn.criteria.iter().any(|own| own == id) {
            let reason = format!("the task has no criterion {id}");
            findings.push(wrong(
                &criterion.name,
                reason,
                "Judge the criteria of the task, and no others.".to_owned(),
            ));
        }
    }
    for own in &turn.criteria {
        match judged.get(own.as_str()) {
            Some(1) => {}
            Some(_) => {
                let reason = format!("it judges {own} more than once");
                findings.push(wrong(&place, reason, format!("Give {own} one verdict.")));
            }
            None => {
                let reason = format!("it doesn't judge {own}");
                findings.push(wrong(&place, reason, format!("Give {own} a verdict.")));
            }
        }
    }
}
