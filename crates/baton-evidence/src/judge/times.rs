//! Times and retry counts against the clock, the commit that brought the handoff, and the log of its turn.

use baton_handoff::outcome::Outcome;
use baton_handoff::rule::{self, audit};

use super::Case;
use crate::finding::{Against, Finding, Provenance, Said};
use crate::moment::{Moment, spoken};

/// Clocks of two machines may differ by this much.
const CLOCK_SLACK: i64 = 3600;
/// A stated duration may be longer than the time between start and end by this much.
const DURATION_SLACK: i64 = 120;

pub(super) fn judge(case: &Case<'_>, findings: &mut Vec<Finding>) {
    case.claims.times().for_each(|moment| future(case, moment, findings));
    duration(case, findings);
    let Some(turn) = &case.facts.turn else { return without_turn(case, findings) };
    if let (Some(began), Some(ended)) = (turn.began, case.claims.ended()) {
        findings.push(within_turn(began, ended));
    }
    findings.extend(case.claims.retry_count.map(|(count, place)| {
        retry_count(count, i64::from(turn.failures), &Said::new(format!("retry_count: {count}"), place))
    }));
}

/// Without its turn nobody can tell when a report was written.
fn without_turn(case: &Case<'_>, findings: &mut Vec<Finding>) {
    if !case.claims.is_report {
        return;
    }
    let reason = "the turn in which it was written isn't known here";
    let unknown = |ended: &Moment| Finding::not_checkable(&audit::BEFORE_TURN, "time", &ended.said, reason);
    findings.extend(case.claims.ended().map(unknown));
}

fn future(case: &Case<'_>, moment: &Moment, findings: &mut Vec<Finding>) {
    let Some(now) = case.facts.now else { return };
    if moment.earliest > now + CLOCK_SLACK {
        let reason = format!("this time is still {} ahead", spoken(moment.earliest - now));
        let finding = Finding::of_rule(&audit::IN_THE_FUTURE, "time", &moment.said, reason);
        return findings
            .push(finding.from(Provenance::Observed).fix("Give the time at which you finished, in UTC."));
    }
    let Some((committed, commit)) = &case.facts.committed else { return };
    findings.push(if moment.earliest > committed + CLOCK_SLACK {
        let late = spoken(moment.earliest - committed);
        let reason = format!("the handoff was committed {late} before this time");
        Finding::of_rule(&audit::IN_THE_FUTURE, "time", &moment.said, reason).against(commit.clone())
    } else {
        Finding::holds("time", &moment.said, "it lies before the commit that brought the handoff")
    });
}

fn duration(case: &Case<'_>, findings: &mut Vec<Finding>) {
    let claims = case.claims;
    let (Some(started), Some(completed)) = (&claims.started, &claims.completed) else { return };
    // The rules of stage documents have said so already.
    let is_known = claims.contradictions.iter().any(|(code, ..)| *code == rule::ENDS_BEFORE_IT_BEGAN);
    if completed.is_before(started) && !is_known {
        let gap = spoken(started.earliest - completed.latest);
        let reason = format!("it ended {gap} before it began");
        let finding = Finding::of_rule(rule::ENDS_BEFORE_IT_BEGAN.rule(), "time", &completed.said, reason);
        let against =
            Against::file(claims.source.as_str(), Some(started.said.place.line), &started.said.text);
        findings.push(finding.against(against).from(Provenance::Asserted));
    }
    if !started.is_exact() || !completed.is_exact() {
        return;
    }
    let elapsed = completed.latest - started.earliest;
    if elapsed == 0 && claims.outcome == Outcome::Completed && claims.has_work() {
        let reason = "the stage began and ended in the same second, and reports work";
        let finding = Finding::of_rule(&audit::IMPOSSIBLE_DURATION, "duration", &completed.said, reason);
        findings.push(finding.from(Provenance::Asserted));
    }
    for stated in &claims.durations {
        if elapsed >= 0 && stated.seconds > elapsed + elapsed / 10 + DURATION_SLACK {
            let reason = format!("only {} lie between start and end", spoken(elapsed));
            let finding = Finding::of_rule(&audit::IMPOSSIBLE_DURATION, "duration", &stated.said, reason);
            findings.push(finding.from(Provenance::Asserted));
        }
    }
}

/// Work can't have been completed before its turn began.
fn within_turn(began: i64, ended: &Moment) -> Finding {
    if ended.latest >= began - CLOCK_SLACK {
        return Finding::holds("time", &ended.said, "it lies in the turn").from(Provenance::Observed);
    }
    let reason = format!("the turn began {} after this time", spoken(began - ended.latest));
    Finding::of_rule(&audit::BEFORE_TURN, "time", &ended.said, reason)
        .contradicted()
        .from(Provenance::Observed)
        .fix("Give the time at which you finished this turn, in UTC.")
}

/// Compares a count of retries with the attempts in the log. Whoever counts this attempt too has one more; fewer hides one.
fn retry_count(count: i64, failures: i64, said: &Said) -> Finding {
    let finding = |reason: String| {
        Finding::of_rule(&audit::RETRIES_AGAINST_LOG, "retry-count", said, reason)
            .from(Provenance::Observed)
            .fix(format!("Write `retry_count: {failures}`."))
    };
    let reason = format!("the log has {failures} failed attempts before this one");
    match count - failures {
        0 => Finding::holds("retry-count", said, reason).from(Provenance::Observed),
        1 => finding(reason).unsupported(),
        _ => finding(reason).contradicted(),
    }
}
