//! Times: against each other along the chain, against the clock, and against the commit that brought the handoff.

use baton_handoff::outcome::Outcome;
use baton_handoff::rule::{self, audit};

use super::{Case, Rows};
use crate::audit::dossier::Dossier;
use crate::audit::moment::{Moment, Precision, spoken};
use crate::audit::row::{Against, Provenance, Row};

/// Clocks of two machines may differ by this much.
const CLOCK_SLACK: i64 = 3600;
/// A stated duration may be longer than the time between start and end by this much.
const DURATION_SLACK: i64 = 120;

pub(super) fn inspect(case: &Case<'_>, rows: &mut Rows) {
    for (at, dossier) in case.members() {
        future(case, at, dossier, rows);
        duration(at, dossier, rows);
    }
    order(case, rows);
    zones(case, rows);
}

fn times(dossier: &Dossier) -> impl Iterator<Item = &Moment> {
    [&dossier.started, &dossier.completed, &dossier.at].into_iter().flatten()
}

fn future(case: &Case<'_>, at: usize, dossier: &Dossier, rows: &mut Rows) {
    let brought = case.world.brought(at);
    for moment in times(dossier) {
        if moment.earliest > case.world.now + CLOCK_SLACK {
            let reason = format!("this time is still {} ahead", spoken(moment.earliest - case.world.now));
            let row = Row::finding(&audit::IN_THE_FUTURE, "time", &moment.said, reason);
            rows.push(at, row.from(Provenance::Observed));
            continue;
        }
        let Some(commit) = brought else { continue };
        let committed = commit.author_time.max(commit.committer_time);
        if moment.earliest > committed + CLOCK_SLACK {
            let late = spoken(moment.earliest - committed);
            let reason = format!("the handoff was committed {late} before this time");
            let row = Row::finding(&audit::IN_THE_FUTURE, "time", &moment.said, reason);
            rows.push(at, row.against(Against::commit(commit.id.short(), case.world.told(commit))));
        } else {
            rows.push(
                at,
                Row::holds("time", &moment.said, "it lies before the commit that brought the handoff"),
            );
        }
    }
}

fn duration(at: usize, dossier: &Dossier, rows: &mut Rows) {
    let (Some(started), Some(completed)) = (&dossier.started, &dossier.completed) else { return };
    // The judgement of stage documents has said so already.
    let is_told = dossier.contradictions.iter().any(|(code, ..)| *code == rule::ENDS_BEFORE_IT_BEGAN);
    if completed.is_before(started) && !is_told {
        let gap = spoken(started.earliest - completed.latest);
        let reason = format!("it ended {gap} before it began");
        let row = Row::finding(rule::ENDS_BEFORE_IT_BEGAN.rule(), "time", &completed.said, reason);
        let against = Against::file(dossier.shown_path(), Some(started.said.place.line), &started.said.text);
        rows.push(at, row.against(against).from(Provenance::Asserted));
    }
    if !started.is_exact() || !completed.is_exact() {
        return;
    }
    let elapsed = completed.latest - started.earliest;
    if elapsed == 0 && dossier.outcome == Outcome::Completed && dossier.has_work() {
        let reason = "the stage began and ended in the same second, and reports work";
        let row = Row::finding(&audit::IMPOSSIBLE_DURATION, "duration", &completed.said, reason);
        rows.push(at, row.from(Provenance::Asserted));
    }
    for stated in &dossier.durations {
        if elapsed >= 0 && stated.seconds > elapsed + elapsed / 10 + DURATION_SLACK {
            let reason = format!("only {} lie between start and end", spoken(elapsed));
            let row = Row::finding(&audit::IMPOSSIBLE_DURATION, "duration", &stated.said, reason);
            rows.push(at, row.from(Provenance::Asserted));
        }
    }
}

/// Holds each stage against the one before it. Of a stage that was tried again the first attempt counts: what came
/// after a step back is no longer in the order of the stages.
fn order(case: &Case<'_>, rows: &mut Rows) {
    let mut first: Vec<(usize, usize, &Dossier)> = Vec::new();
    for (rank, at, dossier) in case.ranked() {
        match first.iter_mut().find(|(known, _, _)| *known == rank) {
            None => first.push((rank, at, dossier)),
            Some(known) => {
                let earlier = ends_before(dossier, known.2);
                if earlier {
                    *known = (rank, at, dossier);
                }
            }
        }
    }
    for pair in first.windows(2) {
        let [(_, _, before), (_, at, after)] = pair else { continue };
        compare(before, *at, after, rows);
    }
}

fn ends_before(one: &Dossier, other: &Dossier) -> bool {
    one.ended().zip(other.ended()).is_some_and(|(one, other)| one.is_before(other))
}

fn compare(before: &Dossier, at: usize, after: &Dossier, rows: &mut Rows) {
    let Some(ended) = before.ended() else { return };
    let name = before.stage.as_ref().map_or(before.variant, |stage| stage.text.as_str());
    let against = || Against::file(before.shown_path(), Some(ended.said.place.line), &ended.said.text);
    if let Some(own) = after.ended().filter(|own| own.is_before(ended)) {
        let gap = spoken(ended.earliest - own.latest);
        let reason = format!("it ended {gap} before {name}, on which it rests, had ended");
        let row = Row::finding(&audit::BEFORE_PREDECESSOR, "time", &own.said, reason);
        rows.push(at, row.against(against()).from(Provenance::Asserted));
        return;
    }
    if let Some(own) = after.started.as_ref().filter(|own| own.is_before(ended)) {
        let gap = spoken(ended.earliest - own.latest);
        let reason = format!("it began {gap} before {name} had ended");
        let row = Row::finding(&audit::OVERLAP, "time", &own.said, reason);
        rows.push(at, row.against(against()).from(Provenance::Asserted));
    }
}

/// Times without an offset in a chain that has them elsewhere: the one is as good as the other, and they do not compare.
fn zones(case: &Case<'_>, rows: &mut Rows) {
    let others_have_one = case.members().flat_map(|(_, dossier)| times(dossier)).any(Moment::is_exact);
    for (at, dossier) in case.members() {
        for moment in times(dossier).filter(|moment| moment.precision == Precision::WithoutZone) {
            if others_have_one {
                let reason = "it has no offset, and other times of this task have one";
                let row = Row::finding(&audit::TIME_WITHOUT_ZONE, "time", &moment.said, reason);
                rows.push(at, row.from(Provenance::Asserted));
            }
        }
    }
}
