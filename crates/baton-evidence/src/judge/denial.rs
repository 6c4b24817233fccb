//! Words by which a sentence denies that the work is done, or that what it stands beside holds.

mod doubt;
mod left;
mod state;

pub(super) use doubt::qualifies_verdict;

use crate::claims::sentence::{Sentence, is_negated};

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
    "vulnerabilities",
    "regression",
    "flaw",
    "hole",
    "leak",
    "crash",
    "problem",
    "problems",
    "finding",
    "findings",
    "loss",
    "injection",
    "deadlock",
    "corruption",
    "regressions",
    "crashes",
    "leaks",
];
const TESTS: &[&str] = &["test", "tests", "suite", "check", "checks", "build"];
/// What can end badly besides tests.
const RUNS: &[&str] = &["it", "run", "command", "script", "compilation", "validation", "lint", "everything"];
/// What is there as a whole, and doesn't fail on purpose.
const PROGRAMS: &[&str] = &[
    "importing",
    "import",
    "module",
    "package",
    "app",
    "server",
    "startup",
    "installation",
    "migration",
    "deploy",
];
/// Verbs of something that ended badly.
const BROKE: &[&str] = &["failed", "crashed", "crashes", "errored", "broke", "breaks", "hangs", "aborted"];
/// Words that may follow such a verb, and never a noun that it would only describe.
const AFTER_VERB: &[&str] = &[
    "with", "on", "in", "at", "to", "because", "due", "again", "for", "after", "and", "by", "twice", "when",
];
/// Verbs of doing the work, as they follow "could not be".
const DOING: &[&str] = &["built", "implemented", "finished", "completed", "done", "added", "written", "made"];
/// Phrases that say that work is left, whatever it is.
const UNFINISHED: &[&str] = &[
    "ran out of time",
    "still to do",
    "still to be done",
    "remains to be done",
    "only half",
    "i am blocked",
    "i'm blocked",
    "did not get to",
    "didn't get to",
    "work in progress",
    "left to do",
    "left undone",
    "remains to do",
    "remain to be",
    "remains open",
    "still missing",
    "has yet to be",
    "have yet to be",
    "yet to be done",
    "needs more work",
    "still needs to be",
    "still has to be",
    "still have to be",
    "could not finish",
    "did not finish",
    "didn't finish",
    "not finish it",
    "still needs a fix",
    "still need a fix",
];
/// What follows a test or a suite that fails.
const RED: &[&str] = &["red", "failing", "broken", "failed"];
/// Degrees of a defect that nobody may hand over as done.
const CRITICAL: &[&str] =
    &["critical", "blocking", "severe", "showstopper", "serious", "p0", "sev1", "high-severity"];
/// Words of a checkpoint's message that wait for somebody.
const WAITING: &[&str] = &["blocked", "pending", "waiting", "awaiting"];

fn is_defect(word: &str) -> bool {
    DEFECTS.contains(&word)
}

/// Words that deny a claim: where they stand, and what they say.
type Denial = (usize, String);

/// Returns what a sentence says that denies that the work is completed.
pub(super) fn denies_completion(text: &str) -> Option<String> {
    let sentence = Sentence::read(text);
    let denials = [failures, still_failing, red, not_all, critical, unmet];
    let said =
        denials.iter().filter_map(|denies| denies(&sentence)).find(|(at, _)| !sentence.is_elsewhere(*at));
    said.or_else(|| broke(&sentence, false).filter(|(at, _)| !sentence.is_elsewhere(*at)))
        .or_else(|| still(&sentence))
        .or_else(|| unfinished(&sentence))
        .or_else(|| state::denies(&sentence))
        .map(|(_, what)| what)
}

/// Returns what a message says that denies the pass that it stands beside.
pub(super) fn denies_pass(text: &str) -> Option<String> {
    let sentence = Sentence::read(text);
    let denials = [failures, still_failing, red, not_all, critical, unmet, missing];
    let said =
        denials.iter().filter_map(|denies| denies(&sentence)).find(|(at, _)| !sentence.is_elsewhere(*at));
    said.or_else(|| broke(&sentence, true).filter(|(at, _)| !sentence.is_elsewhere(*at)))
        .or_else(|| still(&sentence))
        .or_else(|| unfinished(&sentence))
        .or_else(|| waiting(&sentence))
        .or_else(|| state::denies(&sentence))
        .or_else(|| doubt::doubts(&sentence))
        .map(|(_, what)| what)
}

/// "That part is missing", "not implemented yet".
fn missing(sentence: &Sentence) -> Option<Denial> {
    let words = &sentence.words;
    let is_one = |word: &String| {
        matches!(word.as_str(), "missing" | "unfinished" | "incomplete" | "todo" | "stub" | "stubbed")
    };
    if let Some(at) = words.iter().position(is_one) {
        return (!is_negated(words, at)).then(|| (at, format!("something is {}", words[at])));
    }
    phrase(words, &["not implemented", "isn't implemented", "not done", "not written"])
        .map(|(at, phrase)| (at, format!("something is {phrase}")))
}

/// Finds the first of several phrases, with the place of its first word.
fn phrase(words: &[String], phrases: &'static [&'static str]) -> Option<(usize, &'static str)> {
    phrases.iter().find_map(|phrase| {
        let parts: Vec<&str> = phrase.split(' ').collect();
        let at =
            words.windows(parts.len()).position(|window| window.iter().zip(&parts).all(|(a, b)| a == b))?;
        Some((at, *phrase))
    })
}

/// "The task isn't finished", "TODO: the computation", "the payment could not be built".
fn unfinished(sentence: &Sentence) -> Option<Denial> {
    let words = &sentence.words;
    if sentence.is_taken_back() || words.iter().any(|word| matches!(word.as_str(), "if" | "unless" | "would"))
    {
        return None;
    }
    if let Some((at, phrase)) = phrase(words, UNFINISHED).filter(|(at, _)| !is_negated(words, *at)) {
        return Some((at, format!("something is {phrase}")));
    }
    let could_not = words.windows(3).position(|three| {
        matches!(three[0].as_str(), "not" | "couldn't" | "can't" | "cannot")
            && (three[1] == "be" && DOING.contains(&three[2].as_str()))
    });
    could_not.map(|at| (at, format!("something couldn't be {}", words[at + 2])))
}

/// "Blocked until the lawyers answer", beside a pass.
fn waiting(sentence: &Sentence) -> Option<Denial> {
    let words = &sentence.words;
    let at = words.iter().position(|word| WAITING.contains(&word.as_str()))?;
    (!is_negated(words, at) && !sentence.is_taken_back()).then(|| (at, format!("something is {}", words[at])))
}

/// Counts of failures above zero, and fewer passes than tests.
fn failures(sentence: &Sentence) -> Option<Denial> {
    let words = &sentence.words;
    for (at, word) in words.iter().enumerate() {
        let next = |offset: usize| words.get(at + offset).map_or("", String::as_str);
        let after_tests = if TESTS.contains(&next(1)) { next(2) } else { next(1) };
        let after_still = if after_tests == "still" { next(3) } else { after_tests };
        if let Ok(number) = word.parse::<u64>() {
            let is_count = TESTS.contains(&next(1)) || speaks_of_tests(words);
            if number > 0 && FAILED.contains(&after_still) && is_count && !is_noun_for_code(words, at) {
                return Some((at, format!("{number} failed")));
            }
            let whole = match (next(1), next(2), next(3)) {
                ("out", "of", "the") | ("of", "all", "the") => Some(4),
                ("out", "of", _) | ("of", "the" | "all", _) => Some(3),
                ("of", _, _) => Some(2),
                _ => None,
            };
            let whole = whole.and_then(|offset| Some((offset, next(offset).parse::<u64>().ok()?)));
            if let Some((offset, whole)) = whole {
                let is_of_tests = TESTS.contains(&next(offset + 1));
                let state = if is_of_tests { next(offset + 2) } else { next(offset + 1) };
                if let Some(what) = partly(words, number, whole, state) {
                    return Some((at, what));
                }
            }
        }
        if let Some((part, whole)) = word.split_once('/')
            && let (Ok(part), Ok(whole)) = (part.parse::<u64>(), whole.parse::<u64>())
        {
            let is_of_tests =
                TESTS.contains(&next(1)) || words.iter().any(|word| TESTS.contains(&word.as_str()));
            if let Some(what) = partly(words, part, whole, after_tests).filter(|_| is_of_tests) {
                return Some((at, what));
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

/// "The tests still fail", "the build fails", "test_refund fails".
fn still_failing(sentence: &Sentence) -> Option<Denial> {
    let words = &sentence.words;
    let at = words.iter().position(|word| ["fail", "fails", "failing", "broken"].contains(&word.as_str()))?;
    if is_negated(words, at) || is_noun_for_code(words, at) {
        return None;
    }
    let before = &words[..at];
    let is_still = before.last().is_some_and(|word| word == "still" || word == "currently");
    let is_of_tests = before.iter().rev().take(3).any(|word| is_test(word));
    (is_still || is_of_tests && words[at] != "failing").then(|| (at, "something still fails".to_owned()))
}

fn is_test(word: &str) -> bool {
    TESTS.contains(&word) || word.starts_with("test_") || word.contains("::test")
}

/// "Two tests are red", "the suite stays red".
fn red(sentence: &Sentence) -> Option<Denial> {
    let words = &sentence.words;
    let is_red = |at: &usize| {
        let verb = at.checked_sub(1).map_or("", |before| words[before].as_str());
        RED.contains(&words[*at].as_str())
            && matches!(verb, "is" | "are" | "stays" | "stay" | "remains" | "remain" | "still")
            && words[..*at].iter().any(|word| is_test(word))
            && !is_negated(words, *at)
            && !is_noun_for_code(words, *at)
    };
    (0..words.len()).find(is_red).map(|at| (at, format!("tests are {}", words[at])))
}

/// "Not all tests pass", "one test doesn't pass".
fn not_all(sentence: &Sentence) -> Option<Denial> {
    let words = &sentence.words;
    let passes = words.iter().position(|word| PASSED.contains(&word.as_str()))?;
    let before = &words[..passes];
    let is_of_tests = before.iter().any(|word| is_test(word));
    let has = |two: [&str; 2]| before.windows(2).any(|own| own[0] == two[0] && own[1] == two[1]);
    let denied = has(["not", "all"]) || has(["not", "every"]) || has(["except", "for"]);
    let last = before.last().map_or("", String::as_str);
    let doesnt = matches!(last, "doesn't" | "don't")
        || has(["does", "not"]) && last == "not"
        || has(["do", "not"]) && last == "not";
    (is_of_tests && (denied || doesnt)).then(|| (passes, "not every test passes".to_owned()))
}

/// "It crashed with a KeyError", "validation failed: 1 error". Beside a pass, whatever failed counts.
fn broke(sentence: &Sentence, beside_pass: bool) -> Option<Denial> {
    let words = &sentence.words;
    let is_verb = |at: usize| {
        let follows = words.get(at + 1).is_none_or(|next| AFTER_VERB.contains(&next.as_str()));
        let before = at.checked_sub(1).map_or("", |before| words[before].as_str());
        let is_adjective = matches!(before, "a" | "an" | "the" | "as" | "each" | "every" | "that" | "which");
        BROKE.contains(&words[at].as_str())
            && (follows || sentence.ends_clause(at))
            && !is_adjective
            && !is_negated(words, at)
            && before.parse::<u64>().is_err()
    };
    let is_of_run = |at: usize| {
        let subject = &words[at.saturating_sub(3)..at];
        subject.iter().any(|word| TESTS.contains(&word.as_str()) || RUNS.contains(&word.as_str()))
    };
    // "Importing the module fails": a feature is that a call fails, not that the program does.
    let is_program = |at: usize| {
        words[at] == "fails"
            && words[at.saturating_sub(3)..at].iter().any(|word| PROGRAMS.contains(&word.as_str()))
            && words.get(at + 1).is_none_or(|next| AFTER_VERB.contains(&next.as_str()))
            && !is_negated(words, at)
    };
    let at =
        (0..words.len()).find(|at| is_program(*at) || is_verb(*at) && (beside_pass || is_of_run(*at)))?;
    Some((at, format!("something {}", words[at])))
}

/// "… and it still does", after a failure.
fn still(sentence: &Sentence) -> Option<Denial> {
    let words = &sentence.words;
    let at =
        words.windows(2).position(|two| two[0] == "still" && matches!(two[1].as_str(), "does" | "do"))?;
    let fails = |word: &String| {
        let stems = ["fail", "crash", "break", "broke", "hang", "error", "wrong"];
        stems.iter().any(|stem| word.starts_with(stem))
    };
    (words[..at].iter().any(fails) && !sentence.is_taken_back())
        .then(|| (at, "something still fails".to_owned()))
}

/// "A critical bug remains", "Critical: totals are wrong", "bugs: 1 critical".
fn critical(sentence: &Sentence) -> Option<Denial> {
    let words = &sentence.words;
    let at = words.iter().position(|word| CRITICAL.contains(&word.as_str()))?;
    let is_defect = |word: &String| is_defect(word);
    let names_defect = words.iter().skip(at + 1).take(3).any(is_defect);
    let before = at.checked_sub(1).map_or("", |before| words[before].as_str());
    let is_counted = before.parse::<u64>().is_ok_and(|number| number > 0) && words.iter().any(is_defect);
    let is_label = at == 0 && sentence.ends_clause(0) && words.len() > COUNT_WORDS_MAX;
    let is_nothing =
        words.get(at + 1).is_some_and(|word| matches!(word.as_str(), "none" | "no" | "0" | "nothing"));
    ((names_defect || is_label || is_counted) && !is_nothing && !is_negated(words, at))
        .then(|| (at, format!("it names a {} defect", words[at])))
}

/// "The criterion is not met", "AC-2 is unmet".
fn unmet(sentence: &Sentence) -> Option<Denial> {
    const NOT: &[&str] = &["not", "yet", "isn't", "aren't", "wasn't", "doesn't"];
    let words = &sentence.words;
    let is_unmet = |at: usize| match words[at].as_str() {
        "unmet" | "unsatisfied" | "unfulfilled" => true,
        "met" | "satisfied" | "fulfilled" | "covered" | "done" | "hold" | "pass" | "implemented" => {
            at > 0 && NOT.contains(&words[at - 1].as_str())
        }
        "open" | "missing" | "fails" | "failing" => {
            at > 0 && matches!(words[at - 1].as_str(), "is" | "are" | "stays" | "remains" | "still")
                || words[at] == "fails"
        }
        _ => false,
    };
    let is_of_criterion = words.iter().any(|word| {
        word.starts_with("criteri")
            || word.starts_with("requirement")
            || word.starts_with("ac-")
            || word == "goal"
    });
    if let Some(at) = (0..words.len()).find(|at| is_unmet(*at)).filter(|_| is_of_criterion) {
        return Some((at, "a criterion isn't met".to_owned()));
    }
    None
}

#[cfg(test)]
mod tests;
