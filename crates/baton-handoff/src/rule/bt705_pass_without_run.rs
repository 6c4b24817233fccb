//! A checkpoint passes although its own message says that nothing was run.

use super::show::shown;
use super::standing;
use super::wording;
use super::{Check, Code, Level, Rule, Subject};
use crate::diagnostic::{Diagnostic, Severity};
use crate::field::Field;
use crate::record::Confidence;
use crate::report::Report;

pub(crate) const CODE: Code = Code(705);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "pass-without-run",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT705.md"),
    check: Check::Handoff(check),
};

/// Runs of words that say that nothing was run.
const NOT_RUN: &[&[&str]] = &[
    &["not", "run"],
    &["not", "ran"],
    &["not", "executed"],
    &["not", "configured"],
    &["not", "tested"],
    &["not", "verified"],
    &["not", "checked"],
    &["not", "implemented"],
    &["not", "applicable"],
    &["not", "set", "up"],
    &["never", "run"],
    &["didn't", "run"],
    &["wasn't", "run"],
    &["weren't", "run"],
    &["couldn't", "run"],
    &["to", "be", "run"],
    &["to", "be", "done"],
    &["no", "test", "suite"],
    &["no", "test", "framework"],
    &["no", "test", "runner"],
    &["no", "testing", "framework"],
    &["no", "framework"],
    &["no", "linter"],
    &["manual", "only"],
    &["manually", "only"],
    &["n/a"],
    &["skipped"],
    &["skipping"],
    &["tbd"],
    &["todo"],
    &["untested"],
    &["deferred"],
];
/// The letters that those runs begin with, as bits: most words begin with another.
const NOT_RUN_LETTERS: u32 = {
    let mut letters = 0;
    let mut run = 0;
    while run < NOT_RUN.len() {
        letters |= letter(NOT_RUN[run][0]);
        run += 1;
    }
    letters
};
/// What may follow "no tests" when it means that there are none.
const AFTER_NO_TESTS: &[&str] = &[
    "applicable",
    "available",
    "configured",
    "defined",
    "exist",
    "for",
    "found",
    "in",
    "needed",
    "present",
    "required",
    "run",
    "to",
    "were",
    "written",
    "yet",
];

fn check(subject: &Subject<'_, '_>, report: &mut Report) {
    for checkpoint in subject.handoff.record.records(Field::Checkpoints) {
        let (Some(status), Some(message)) = (checkpoint.text(Field::Status), checkpoint.text(Field::Message))
        else {
            continue;
        };
        if message.is_blank() || status.confidence != Confidence::Stated || !standing::passes(status.as_str())
        {
            continue;
        }
        if !says_not_run(message.as_str()) {
            continue;
        }
        let name = checkpoint.str(Field::Name).unwrap_or("checkpoint");
        let diagnostic = Diagnostic::new(
            CODE,
            message.span,
            format!("{} passes, and its message says that nothing was run", shown(name)),
        )
        .label("nothing was run")
        .other(status.span, "passes")
        .help("run the check and say what it showed, or let the checkpoint skip");
        report.push(if subject.handoff.dialect.is_strict() { diagnostic } else { diagnostic.as_warning() });
    }
}

fn says_not_run(message: &str) -> bool {
    let words: Vec<&str> = wording::words(message).collect();
    let denies = |at: usize| at > 0 && wording::is_one_of(words[at - 1], &["no", "none", "nothing", "0", "zero"]);
    !counts_runs(&words) && (0..words.len()).any(|at| begins_not_run(&words[at..]) && !denies(at))
}

/// Returns the first letter of a word as a bit, whatever its case.
const fn letter(word: &str) -> u32 {
    match word.as_bytes() {
        [first, ..] => 1 << (*first & 31),
        [] => 0,
    }
}

fn begins_not_run(words: &[&str]) -> bool {
    if words.first().is_none_or(|first| letter(first) & NOT_RUN_LETTERS == 0) {
        return false;
    }
    let begins = |run: &&[&str]| {
        words.len() >= run.len()
            && run.iter().zip(words).all(|(known, word)| known.eq_ignore_ascii_case(word))
    };
    let no_tests = match words {
        [no, tests, rest @ ..]
            if no.eq_ignore_ascii_case("no") && wording::is_one_of(tests, &["test", "tests"]) =>
        {
            rest.first().is_none_or(|next| wording::is_one_of(next, AFTER_NO_TESTS))
        }
        _ => false,
    };
    no_tests || NOT_RUN.iter().any(begins)
}

/// Says whether something was run all the same, as in "45 passed, 2 skipped".
fn counts_runs(words: &[&str]) -> bool {
    words.windows(2).any(|pair| {
        let counts = pair[0].starts_with(|first: char| first.is_ascii_digit()) && pair[0] != "0";
        counts
            && wording::is_one_of(
                pair[1],
                &["passed", "passing", "pass", "green", "tests", "checks", "scenarios", "specs"],
            )
    })
}
