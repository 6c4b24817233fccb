//! What a person is told of an escalated task: why it lies with them, what came last, and what they can do.

use baton_engine::fact::{Hindrance, Reason};
use baton_engine::state::{Attempt, Escalation, Task};
use baton_engine::verdict::Verdict;

use super::reason::reason_words;
use crate::agent::Driver;
use crate::desk::failure::left;
use crate::desk::look::seen_last;

pub(super) fn escalated(task: &Task, escalation: &Escalation, now: i64) -> Vec<String> {
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
    lines.extend(hindered(task));
    let question = task.open_clarifications().next();
    lines.extend(question.map(|(question, asked)| {
        format!("next: `baton answer {id} {question} TEXT` answers \"{}\"; then:", asked.question)
    }));
    lines.push(format!("next: {}", next(task, escalation.reason)));
    lines
}

/// What they can do about it.
fn next(task: &Task, reason: Reason) -> String {
    let id = &task.id;
    let others = if task.snapshot_good.is_some() { "rollback|fail" } else { "fail" };
    match reason {
        Reason::CheckUnavailable => {
            format!(
                "mend that, then `baton resolve {id} again WORDS` and `baton run`: only the checks are run again"
            )
        }
        Reason::FailedBefore => format!(
            "{} and then `baton resolve {id} again WORDS` lets it pass; without the waiver an agent works on it again",
            waivers(task)
        ),
        Reason::RollbackFailed => {
            format!("do that, then `baton rollback {id} --by-hand WORDS`; or `baton resolve {id} fail WORDS`")
        }
        Reason::AccessRefused => {
            format!("{}, then `baton resolve {id} again WORDS` and `baton run`", log_in(task))
        }
        Reason::VerificationExhausted => format!(
            "`baton resolve {id} again WORDS` asks a verifier again, for the work stands; or `baton resolve {id} {others} WORDS`"
        ),
        _ => format!("`baton resolve {id} again|{others} WORDS`"),
    }
}

/// Names the commands that let pass what failed before anybody worked.
fn waivers(task: &Task) -> String {
    let checks = task.run.receipt.iter().flat_map(|receipt| &receipt.checks);
    let failed = checks.filter(|check| check.hindrance == Some(Hindrance::FailedBefore));
    let commands = failed.map(|check| {
        format!("`baton waive {} checkpoint:{} REASON --until DATE`", task.id, check.checkpoint)
    });
    commands.collect::<Vec<_>>().join(", ")
}

/// Says with which program somebody logs in for the agent that was not let in.
fn log_in(task: &Task) -> String {
    let Some(refused) = task.history.last() else { return "log in".to_owned() };
    let driver = refused.program.as_ref().and_then(|program| Driver::named(&program.driver));
    match driver.and_then(|driver| driver.programs.first()) {
        Some(program) => format!("log in with `{program}`, the own program of @{}", refused.agent),
        None => format!("log in with the own program of @{}", refused.agent),
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
fn hindered(task: &Task) -> Vec<String> {
    let checks = task.run.receipt.iter().flat_map(|receipt| &receipt.checks);
    let hindered = checks.filter_map(|check| {
        let (name, first) = (&check.checkpoint, check.detail.lines().next().unwrap_or_default());
        match check.hindrance? {
            Hindrance::NotStarted => Some(format!(
                "to do: {first}; install it, or change `[checks.{name}]` in `baton.toml` and say `baton trust`"
            )),
            Hindrance::FailedBefore => Some(format!("{name}: {first}")),
        }
    });
    hindered.collect()
}
