//! Criteria that a handoff calls met, against what Baton's own checks showed.

use baton_handoff::rule::audit;

use super::Case;
use crate::claims::Judged;
use crate::facts::Run;
use crate::finding::{Against, Finding, Provenance};

/// Shortest name of a test or check that is looked for in the words of a criterion.
const NAME_BYTES_MIN: usize = 3;

pub(super) fn judge(case: &Case<'_>, findings: &mut Vec<Finding>) {
    if !case.has_work() || case.claims.is_report {
        return;
    }
    let met: Vec<&Judged> = case.claims.criteria.iter().filter(|criterion| criterion.passes).collect();
    let Some(runs) = &case.facts.runs else {
        let reason = "Baton has no receipt of checks on this work";
        for status in met.iter().filter_map(|criterion| criterion.status.as_ref()) {
            findings.push(Finding::not_checkable(
                &audit::CRITERION_AGAINST_CHECK,
                "criterion",
                status,
                reason,
            ));
        }
        return;
    };
    findings.extend(met.into_iter().filter_map(|criterion| finding(criterion, runs)));
}

fn finding(criterion: &Judged, runs: &[Run]) -> Option<Finding> {
    let status = criterion.status.as_ref()?;
    let cited = criterion.evidence.iter().chain(&criterion.message);
    let cited: Vec<&str> = cited.map(|said| said.text.as_str()).collect();
    let name = criterion.id.as_deref().unwrap_or(criterion.name.text.trim());
    for run in runs.iter().filter(|run| run.passed == Some(false)) {
        let against = Against::file(run.source.as_str(), None, format!("`{}`", run.command));
        let wrong = |reason: String| {
            Finding::of_rule(&audit::CRITERION_AGAINST_CHECK, "criterion", status, reason)
                .contradicted()
                .from(Provenance::Observed)
                .against(against.clone())
                .fix(format!("Make `{}` pass before you call {name} met.", run.checkpoint))
        };
        if run.checkpoint.eq_ignore_ascii_case(name) {
            return Some(wrong(format!("the check `{}` fails", run.checkpoint)));
        }
        if let Some(test) = run.failing.iter().find(|test| is_cited(&cited, short(test))) {
            return Some(wrong(format!("its evidence names `{test}`, which fails")));
        }
        let is_about_run = is_cited(&cited, &run.checkpoint) || is_cited(&cited, &run.command);
        if is_about_run && run.failing.is_empty() {
            return Some(wrong(format!("its evidence is `{}`, which fails", run.checkpoint)));
        }
    }
    (cited.is_empty()).then(|| {
        let reason = "it gives no evidence, and no check of Baton settles it";
        Finding::of_rule(&audit::CRITERION_AGAINST_CHECK, "criterion", status, reason).unsupported()
    })
}

/// Returns the name of a test without its file or class.
fn short(test: &str) -> &str {
    test.rsplit(['.', ':', ' ', '/']).next().unwrap_or(test)
}

fn is_cited(cited: &[&str], name: &str) -> bool {
    name.len() >= NAME_BYTES_MIN && cited.iter().any(|text| text.contains(name))
}
