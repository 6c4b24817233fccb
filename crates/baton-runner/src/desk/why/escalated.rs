//! What a person is told of an escalated task: why it lies with them, what came last, and what they can do.

use std::collections::BTreeMap;
use std::path::PathBuf;

use baton_engine::fact::{CheckResult, GateChoice, Hindrance, Reason, Waivable};
use baton_engine::state::{Attempt, Escalation, Gate, Task};
use baton_engine::verdict::Verdict;
use baton_engine::word::GateName;

use super::reason::reason_words;
use crate::agent::{Driver, SETTING_TOLD};
use crate::desk::failure::left;
use crate::desk::look::seen_last;
use crate::desk::tell::first_line;

/// Where programs of checks lie that are files of the task itself, by their checkpoints.
type OwnPrograms = BTreeMap<String, PathBuf>;

pub(super) fn escalated(
    task: &Task,
    escalation: &Escalation,
    (now, own): (i64, &OwnPrograms),
) -> Vec<String> {
    let id = &task.id;
    let mut lines = vec![format!("a person has to act: {}", reason_words(escalation.reason))];
    match task.asks() {
        Some(asks) => lines.push(format!("asked: {asks}")),
        None => {
            lines.extend(last(task, escalation.reason).map(|last| format!("last: {last}")));
            lines.extend(seen_last(task, now));
        }
    }
    if escalation.reason == Reason::PolicyConflict {
        lines.push(format!("to let exactly this pass, in these files: `baton waive {id} violations WORDS`"));
    }
    lines.extend(escalation.remediation.iter().map(|step| format!("to do: {step}")));
    lines.extend(hindered(task, escalation.reason, (now, own)));
    let question = task.open_clarifications().next();
    lines.extend(question.map(|(question, asked)| {
        format!("next: `baton answer {id} {question} TEXT` answers \"{}\"; then:", asked.question)
    }));
    lines.push(format!("next: {}", next(task, escalation.reason, (now, own))));
    lines
}

/// Returns the checks that keep a task with a person, without those that they have let pass since.
fn hindering(task: &Task, now: i64) -> impl Iterator<Item = (&CheckResult, Hindrance)> {
    let checks = task.run.receipt.iter().flat_map(|receipt| &receipt.checks);
    let is_waived =
        move |check: &CheckResult| task.is_waived(&Waivable::Checkpoint(check.checkpoint.clone()), now);
    checks.filter(move |check| !is_waived(check)).filter_map(|check| Some((check, check.hindrance?)))
}

/// Returns where the program lies that could not be started, if it is a file of the task.
fn place_of<'o>(check: &CheckResult, by: Hindrance, own: &'o OwnPrograms) -> Option<&'o PathBuf> {
    own.get(check.checkpoint.as_str()).filter(|_| by == Hindrance::NotStarted)
}

/// What they can do about it.
fn next(task: &Task, reason: Reason, (now, own): (i64, &OwnPrograms)) -> String {
    let id = &task.id;
    let mut hindering_still = hindering(task, now).map(|(_, by)| by);
    let is_let_pass = match reason {
        Reason::FailedBefore => !hindering_still.any(|by| by == Hindrance::FailedBefore),
        _ => hindering_still.next().is_none(),
    };
    let others = if task.snapshot_good.is_some() { "rollback|fail" } else { "fail" };
    // Work that a person carries in the checkout is checked by them.
    let check = if task.lies_apart { "`baton run`".to_owned() } else { format!("`baton task check {id}`") };
    let again = format!("`baton resolve {id} again WORDS` and {check}: only the checks are run again");
    match reason {
        Reason::CheckUnavailable | Reason::FailedBefore if is_let_pass => again,
        Reason::CheckUnavailable
            if hindering(task, now).any(|(check, by)| place_of(check, by, own).is_some()) =>
        {
            format!(
                "mend that, then {again}; then `baton waive {id} violations WORDS` lets the changed check pass, and \
                 {check} goes on"
            )
        }
        Reason::CheckUnavailable => format!("mend that, then {again}"),
        Reason::FailedBefore => format!(
            "{} and then `baton resolve {id} again WORDS` lets it pass; without the waiver an agent works on it again",
            waivers(task, now)
        ),
        Reason::RollbackFailed => {
            format!("do that, then `baton rollback {id} --by-hand WORDS`; or `baton resolve {id} fail WORDS`")
        }
        Reason::AccessRefused => {
            format!("{}, then `baton resolve {id} again WORDS` and `baton run`", let_in(task))
        }
        Reason::VerificationExhausted => format!(
            "`baton resolve {id} again WORDS` asks a verifier again, for the work stands; or `baton resolve {id} {others} WORDS`"
        ),
        _ => format!("`baton resolve {id} again|{others} WORDS`"),
    }
}

/// Names the commands that let pass what failed before anybody worked.
fn waivers(task: &Task, now: i64) -> String {
    let failed = hindering(task, now).filter(|(_, by)| *by == Hindrance::FailedBefore);
    let commands = failed.map(|(check, _)| {
        format!("`baton waive {} checkpoint:{} REASON --until DATE`", task.id, check.checkpoint)
    });
    commands.collect::<Vec<_>>().join(", ")
}

/// Says what lets an agent in that was not let in: other settings, or a login with its own program.
fn let_in(task: &Task) -> String {
    let Some(refused) = task.history.last() else { return "log in".to_owned() };
    let agent = &refused.agent;
    if refused.why.as_deref().is_some_and(|why| why.contains(SETTING_TOLD)) {
        return format!(
            "change that under `[agents.{agent}]` or `[agents.default]` in `baton.toml`, `baton trust`"
        );
    }
    let driver = refused.program.as_ref().and_then(|program| Driver::named(&program.driver));
    let key = driver.and_then(Driver::key_in_environment);
    let renew = key.map(|key| format!(", or renew the key in `{key}`")).unwrap_or_default();
    match driver.and_then(|driver| driver.programs.first()) {
        Some(program) => format!("log in with `{program}`, the own program of @{agent}{renew}"),
        None => format!("log in with the own program of @{agent}{renew}"),
    }
}

/// Says what came last of a task that was tried until nothing more was left to try.
fn last(task: &Task, reason: Reason) -> Option<String> {
    let is_told = matches!(
        reason,
        Reason::RetriesExhausted
            | Reason::NoProgress
            | Reason::VerificationExhausted
            | Reason::AccessRefused
            | Reason::ProviderUnavailable
    );
    let last = task.history.last().filter(|_| is_told)?;
    let turn = &last.turn;
    match (last.ending, last.why.as_deref()) {
        (Some(ending), Some(why)) => Some(format!("{turn} {}: {}: {why}", left(ending), ending.name())),
        (Some(ending), None) => Some(format!("{turn} {}: {}", left(ending), ending.name())),
        (None, Some(why)) => Some(format!("the report of {turn} counted for nothing: {why}")),
        (None, None) => judged(task, last),
    }
}

/// Says what was wrong with what was handed over last, where the checks of the host do not say it.
fn judged(task: &Task, last: &Attempt) -> Option<String> {
    let run = &task.run;
    if let Some(details) = &run.merge_conflict {
        return Some(format!("it was accepted and not merged: {}", first_line(details)));
    }
    let rejected =
        |(_, gate): &(&GateName, &Gate)| gate.answer == Some(GateChoice::Reject) && gate.turn.is_none();
    if let Some((name, gate)) = task.gates.iter().find(rejected) {
        return Some(format!("{} rejected it at the gate {name}: {}", gate.by, gate.words));
    }
    if let Some(report) = &run.report {
        let failed = report.criteria.iter().filter(|said| said.verdict != Verdict::Pass);
        let said = failed.map(|said| format!("{} {}", said.criterion, said.verdict.name()));
        let said: Vec<String> =
            said.chain(report.doubts.iter().map(|doubt| format!("doubt: {doubt}"))).collect();
        return (!said.is_empty()).then(|| format!("the verifier says: {}", said.join(", ")));
    }
    let submission = run.submission.as_ref().filter(|_| run.receipt.is_none())?;
    Some(match submission.problems.first() {
        Some(problem) => format!("the handoff of {} is wrong: {problem}", last.turn),
        None => format!("{} says {}", last.turn, submission.outcome.name()),
    })
}

/// Tells of the checks that an escalated task lies with a person for, and what helps.
fn hindered(task: &Task, reason: Reason, (now, own): (i64, &OwnPrograms)) -> Vec<String> {
    let hindered = hindering(task, now).map(|(check, by)| {
        let (name, first) = (&check.checkpoint, first_line(&check.detail));
        match (by, place_of(check, by, own)) {
            (Hindrance::NotStarted, Some(place)) => format!(
                "to do: {first}; the task keeps the files that it began with, so a commit does not reach it: mend {}, and \
                 the same in your checkout for later tasks",
                place.display()
            ),
            (Hindrance::NotStarted, None) => format!(
                "to do: {first}; install it, or change `[checks.{name}]` in `baton.toml` and say `baton trust`"
            ),
            (Hindrance::NotNamed, _) => format!(
                "to do: {first}; name a command under `[checks.{name}]` and say `baton trust`, or `baton waive {} \
                 checkpoint:{name} REASON --until DATE`",
                task.id
            ),
            // Where the task lies with a person for another check, this one took too long only once.
            (Hindrance::TimedOut, _) if reason == Reason::FailedBefore => format!("{name}: {first}"),
            (Hindrance::TimedOut, _) => format!(
                "to do: {first}, more than once; see why, or give it more time with `timeout_seconds` under \
                 `[checks.{name}]` and say `baton trust`"
            ),
            (Hindrance::FailedBefore, _) => format!("{name}: {first}"),
        }
    });
    hindered.collect()
}
