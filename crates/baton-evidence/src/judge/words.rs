//! A handoff's own words about the result of this turn, beside its claim that the work is completed.
//!
//! Words count only where they speak of the present result. A sentence about the past, about somebody else's tests or
//! about zero failures says nothing here, and neither does one that is only unclear.

use baton_handoff::outcome::Outcome;
use baton_handoff::rule::audit;

use super::Case;
use crate::claims::sentence::{is_elsewhere, is_negated, sentences, words};
use crate::finding::{Finding, Provenance};

/// Most words of a sentence that is only a count.
const COUNT_WORDS_MAX: usize = 3;
const FAILED: &[&str] = &["failed", "failing", "fail", "fails", "failure", "failures", "errors", "errored"];
const PASSED: &[&str] = &["passed", "passing", "pass", "passes", "green"];
const DEFECTS: &[&str] = &[
    "bug",
    "bugs",
    "issue",
    "issues",
    "defect",
    "defects",
    "error",
    "errors",
    "vulnerability",
    "regression",
];
const TESTS: &[&str] = &["test", "tests", "suite", "check", "checks", "build"];

pub(super) fn judge(case: &Case<'_>, findings: &mut Vec<Finding>) {
    let claims = case.claims;
    if claims.outcome == Outcome::Completed {
        for said in &claims.own_words {
            if let Some(reason) = sentences(&said.text).find_map(denies_completion) {
                let finding = Finding::finding(&audit::OWN_WORDS, "own-words", said, reason);
                findings.push(finding.contradicted().from(Provenance::Asserted).fix(
                    "Finish what these words say is open, or hand over as `partial`, `blocked` or `failed`.",
                ));
            }
        }
    }
    if claims.outcome == Outcome::Completed && !claims.is_report {
        for unmet in claims.criteria.iter().filter(|criterion| criterion.fails) {
            let Some(status) = &unmet.status else { continue };
            let reason = "it says that the work is completed, and lists a criterion as not met";
            let finding = Finding::finding(&audit::OWN_WORDS, "own-words", status, reason);
            findings.push(
                finding
                    .contradicted()
                    .from(Provenance::Asserted)
                    .fix("Meet the criterion, or hand over as `partial` and say what is left."),
            );
        }
    }
    let judged = claims.checkpoints.iter().chain(&claims.criteria).filter(|judged| judged.passes);
    for judged in judged {
        let Some(message) = &judged.message else { continue };
        if let Some(reason) = sentences(&message.text).find_map(denies_pass) {
            let finding = Finding::finding(&audit::OWN_WORDS, "own-words", message, reason);
            let fix = format!("Make `{}` hold, or report it as it is.", judged.name.text.trim());
            findings.push(finding.contradicted().from(Provenance::Asserted).fix(fix));
        }
    }
}

/// Returns why a sentence denies that the work is completed.
fn denies_completion(sentence: &str) -> Option<String> {
    let words = words(sentence);
    if words.is_empty() || is_elsewhere(sentence, &words) {
        return None;
    }
    failures(&words)
        .or_else(|| still_failing(&words))
        .or_else(|| critical(&words))
        .or_else(|| unmet(&words))
        .map(|what| format!("it says that the work is completed, and {what}"))
}

/// Returns why a message denies the pass that it stands beside.
fn denies_pass(sentence: &str) -> Option<String> {
    let words = words(sentence);
    if words.is_empty() || is_elsewhere(sentence, &words) {
        return None;
    }
    failures(&words)
        .or_else(|| still_failing(&words))
        .or_else(|| critical(&words))
        .or_else(|| unmet(&words))
        .or_else(|| missing(&words))
        .map(|what| format!("it passes, and its own words say otherwise: {what}"))
}

/// "That part is missing", "not implemented yet".
fn missing(words: &[String]) -> Option<String> {
    let is_one = |word: &String| {
        matches!(word.as_str(), "missing" | "unfinished" | "incomplete" | "todo" | "stub" | "stubbed")
    };
    if let Some(at) = words.iter().position(is_one) {
        return (!is_negated(words, at)).then(|| format!("something is {}", words[at]));
    }
    let text = words.join(" ");
    let open = [
        "not implemented",
        "isn't implemented",
        "not yet implemented",
        "not done",
        "not written",
        "not finished",
    ];
    open.iter().find(|phrase| text.contains(**phrase)).map(|phrase| format!("something is {phrase}"))
}

/// Counts of failures above zero, and fewer passes than tests.
fn failures(words: &[String]) -> Option<String> {
    for (at, word) in words.iter().enumerate() {
        let next = |offset: usize| words.get(at + offset).map_or("", String::as_str);
        let after_tests = if TESTS.contains(&next(1)) { next(2) } else { next(1) };
        let after_still = if after_tests == "still" { next(3) } else { after_tests };
        if let Ok(number) = word.parse::<u64>() {
            let is_count = TESTS.contains(&next(1)) || speaks_of_tests(words);
            if number > 0 && FAILED.contains(&after_still) && is_count && !is_noun_for_code(words, at) {
                return Some(format!("{number} failed"));
            }
            let whole = match (next(1), next(2)) {
                ("out", "of") => Some(3),
                ("of", _) => Some(2),
                _ => None,
            };
            let whole = whole.and_then(|offset| Some((offset, next(offset).parse::<u64>().ok()?)));
            if let Some((offset, whole)) = whole {
                let is_of_tests = TESTS.contains(&next(offset + 1));
                let state = if is_of_tests { next(offset + 2) } else { next(offset + 1) };
                if let Some(what) = partly(words, number, whole, state) {
                    return Some(what);
                }
            }
        }
        if let Some((part, whole)) = word.split_once('/')
            && let (Ok(part), Ok(whole)) = (part.parse::<u64>(), whole.parse::<u64>())
        {
            let is_of_tests =
                TESTS.contains(&next(1)) || words.iter().any(|word| TESTS.contains(&word.as_str()));
            if let Some(what) = partly(words, part, whole, after_tests).filter(|_| is_of_tests) {
                return Some(what);
            }
        }
    }
    None
}

/// A sentence counts tests when it names them, counts passes too, or is only the count.
fn speaks_of_tests(words: &[String]) -> bool {
    let is_about = |word: &String| {
        TESTS.contains(&word.as_str()) || PASSED.contains(&word.as_str()) || word.starts_with("skip")
    };
    words.len() <= COUNT_WORDS_MAX || words.iter().any(is_about)
}

fn partly(words: &[String], part: u64, whole: u64, state: &str) -> Option<String> {
    let has_skips = words.iter().any(|word| word.starts_with("skip") || word == "ignored");
    let fails = FAILED.contains(&state) && part > 0;
    let passes = PASSED.contains(&state) && part < whole && !has_skips;
    (fails || passes).then(|| format!("{part} of {whole} {state}"))
}

/// "3 failing cases are covered" speaks of code, not of a result.
fn is_noun_for_code(words: &[String], at: usize) -> bool {
    let nouns =
        ["case", "cases", "path", "paths", "mode", "modes", "scenario", "scenarios", "input", "inputs"];
    words.iter().skip(at).take(5).any(|word| nouns.contains(&word.as_str()))
}

/// "The tests still fail", "the build fails".
fn still_failing(words: &[String]) -> Option<String> {
    let at = words.iter().position(|word| ["fail", "fails", "failing", "broken"].contains(&word.as_str()))?;
    if is_negated(words, at) || is_noun_for_code(words, at) {
        return None;
    }
    let before = &words[..at];
    let is_still = before.last().is_some_and(|word| word == "still" || word == "currently");
    let is_of_tests = before.iter().rev().take(3).any(|word| TESTS.contains(&word.as_str()));
    (is_still || is_of_tests && words[at] != "failing").then(|| "something still fails".to_owned())
}

/// "A critical bug remains".
fn critical(words: &[String]) -> Option<String> {
    let at = words
        .iter()
        .position(|word| ["critical", "blocking", "severe", "showstopper"].contains(&word.as_str()))?;
    let names_defect = words.iter().skip(at + 1).take(2).any(|word| DEFECTS.contains(&word.as_str()));
    (names_defect && !is_negated(words, at)).then(|| format!("it names a {} defect", words[at]))
}

/// "The criterion is not met", "AC-2 is unmet", "not implemented yet".
fn unmet(words: &[String]) -> Option<String> {
    let text = words.join(" ");
    let not = |verb: &str| {
        ["not ", "not yet ", "isn't ", "aren't ", "wasn't ", "isn't yet "]
            .iter()
            .any(|no| text.contains(&format!("{no}{verb}")))
    };
    let is_unmet =
        not("met") || not("satisfied") || not("fulfilled") || words.iter().any(|word| word == "unmet");
    let is_of_criterion = words.iter().any(|word| {
        word.starts_with("criteri")
            || word.starts_with("requirement")
            || word.starts_with("ac-")
            || word == "goal"
    });
    if is_unmet && is_of_criterion {
        return Some("a criterion isn't met".to_owned());
    }
    let fails_to = [
        "doesn't work",
        "does not work",
        "doesn't compile",
        "does not compile",
        "doesn't build",
        "does not build",
    ];
    fails_to.iter().find(|one| text.contains(**one)).map(|one| format!("something {one}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn denies(text: &str) -> bool {
        sentences(text).any(|sentence| denies_completion(sentence).is_some())
    }

    #[test]
    fn words_about_the_present_result_count() {
        for text in [
            "2 failed, 2 passed",
            "Test run: 2 passed, 1 failed.",
            "All done. 3 of 5 tests pass.",
            "Result: 4/6 tests passing",
            "I wired it up but test_refund still fails",
            "A critical bug remains in the parser.",
            "Known critical issue: totals are wrong",
            "AC-2 is not met yet",
            "The build fails with a type error",
            "Export does not work.",
            "I was unable to fix 2 failing tests: 2 tests still failing",
        ] {
            assert!(denies(text), "{text}");
        }
    }

    #[test]
    fn words_about_the_past_others_or_nothing_do_not_count() {
        for text in [
            "Earlier 2 failed, now all 4 pass",
            "0 failed, 4 passed",
            "No test failed.",
            "12 passed, 0 failures, 3 skipped",
            "Fixed 2 failing tests",
            "Before the change 3 tests failed",
            "No critical bugs found",
            "4/4 tests passing",
            "9/10 tests passed, 1 skipped",
            "The upstream suite has 3 failing tests",
            "A percentage over 100 fails with ValueError",
            "Added 2 failing cases to the table of inputs",
            "Critical path is covered by tests",
            "without the work 2 tests fail",
        ] {
            assert!(!denies(text), "{text}");
        }
    }
}
