//! Work that a sentence says is left: not done, stubbed, given up, or put off.

use super::Denial;
use super::state::{GIVING, LINKING, REACH, denied_after};
use crate::claims::sentence::{Sentence, is_negated};

/// What an agent can be unable to do although its work is done.
const OF_CHECKING: &[&str] =
    &["run", "test", "verify", "check", "reproduce", "measure", "see", "tell", "think", "say", "find"];
/// What is still to come when the work itself is done.
const AFTER_WORK: &[&str] = &[
    "committed",
    "pushed",
    "merged",
    "released",
    "deployed",
    "published",
    "reviewed",
    "announced",
    "tagged",
    "needed",
    "used",
    "called",
    "public",
    "shipped",
    "live",
    "in",
];
const DONE: &[&str] = &["finished", "complete", "completed", "done", "implemented", "ready", "wired"];
/// Words for a part of the work, and for a time that is still to come.
const PART: &[&str] = &[
    "rest",
    "half",
    "remainder",
    "remaining",
    "real",
    "actual",
    "proper",
    "final",
    "part",
    "computation",
    "logic",
];
const TO_COME: &[&str] =
    &["later", "come", "follow", "follow-up", "tomorrow", "next", "pending", "postponed", "deferred"];
/// What stands in for a result.
const FAKED: &[&str] =
    &["hard-coded", "hardcoded", "dummy", "fake", "faked", "mocked", "stubbed", "simulated"];
const OF_APPROACH: &[&str] = &["approach", "idea", "attempt", "plan", "first", "try"];
/// Reasons why nobody asked for what is left out.
const EXCUSED: &[&str] = &[
    "as",
    "since",
    "design",
    "scope",
    "asked",
    "asks",
    "ask",
    "purpose",
    "intentionally",
    "deliberately",
    "required",
    "requested",
    "error",
    "raises",
    "message",
    "reports",
    "says",
];
const MADE_UP: &[&str] = &["stub", "placeholder", "skeleton", "scaffold"];
const PARTLY: &[&str] = &["half", "partially", "partly", "mostly", "almost", "nearly"];
const LABELS: &[&str] = &["todo", "fixme", "remaining", "outstanding", "missing", "unfinished"];
const TEST_WORDS: &[&str] = &["test", "tests", "assertion", "assertions", "assert", "check", "checks"];
const MORE: &[&str] = &["another", "more", "further", "additional"];
const OF_EFFORT: &[&str] = &[
    "iteration",
    "round",
    "pass",
    "work",
    "time",
    "attention",
    "polish",
    "effort",
    "thought",
    "care",
    "cleanup",
];

/// "I could not get test_refund to pass", "we were unable to finish it", "so I weakened the test".
pub(super) fn unable(sentence: &Sentence) -> Option<Denial> {
    let words = &sentence.words;
    let is_own = |at: usize| {
        at == 0
            || words[at.saturating_sub(3)..at]
                .iter()
                .any(|word| matches!(word.as_str(), "i" | "we" | "i'm" | "i've"))
    };
    let of_ability = (0..words.len()).find_map(|at| {
        let next = |offset: usize| words.get(at + offset).map_or("", String::as_str);
        let verb = match (words[at].as_str(), next(1), next(2)) {
            ("could" | "can" | "was" | "were" | "am" | "are", "not", "able") => at + 4,
            ("could" | "can", "not", _) | ("unable" | "failed", "to", _) => at + 2,
            ("couldn't" | "cannot" | "can't", _, _) => at + 1,
            ("manage", "to", _) if is_negated(words, at) => at + 2,
            _ => return None,
        };
        let verb = words.get(verb).filter(|verb| !OF_CHECKING.contains(&verb.as_str()) && *verb != "be")?;
        (is_own(at) && !sentence.is_taken_back())
            .then(|| (at, format!("its agent couldn't {verb} something")))
    });
    let of_tests = || {
        let at = (0..words.len()).find(|at| {
            matches!(words[*at].as_str(), "weakened" | "loosened" | "disabled" | "bypassed" | "neutered")
                || words[*at].starts_with("comment") && words.get(at + 1).is_some_and(|next| next == "out")
        })?;
        let is_of_tests =
            words.iter().any(|word| TEST_WORDS.contains(&word.as_str()) || word.starts_with("test_"));
        (is_own(at) && is_of_tests && !sentence.is_taken_back())
            .then(|| (at, format!("a test was {}", words[at])))
    };
    let gave_up = || {
        let at =
            words.windows(2).position(|two| two[0] == "gave" && two[1] == "up" || two[0] == "abandoned")?;
        let is_approach = words.iter().any(|word| OF_APPROACH.contains(&word.as_str()));
        (is_own(at) && !is_approach).then(|| (at, "its agent gave up on something".to_owned()))
    };
    of_ability.or_else(of_tests).or_else(gave_up)
}

/// "The second half is yet to come", "the real computation comes later", "it returns a hard-coded list for now".
pub(super) fn to_come(sentence: &Sentence) -> Option<Denial> {
    let words = &sentence.words;
    let is_one = |word: &String, some: &[&str]| {
        some.iter().any(|one| word.strip_suffix('s').unwrap_or(word) == *one || word == one)
    };
    let part = words.iter().position(|word| is_one(word, PART));
    let comes = |part: usize| words[part..].iter().any(|word| is_one(word, TO_COME));
    let faked = words.iter().position(|word| is_one(word, FAKED));
    let is_instead = |at: usize| {
        words[..at].iter().any(|word| matches!(word.as_str(), "just" | "only" | "still"))
            || words[at..].windows(2).any(|two| two[0] == "for" && two[1] == "now")
    };
    let is_excused =
        words.iter().any(|word| EXCUSED.contains(&word.as_str()) || TEST_WORDS.contains(&word.as_str()));
    let needs = words.windows(3).position(|three| {
        matches!(three[0].as_str(), "needs" | "need" | "requires")
            && MORE.contains(&three[1].as_str())
            && OF_EFFORT.contains(&three[2].as_str())
    });
    if let Some(at) = needs.filter(|at| !is_negated(words, *at)) {
        return Some((at, format!("it needs {} {}", words[at + 1], words[at + 2])));
    }
    if is_excused || sentence.is_taken_back() {
        return None;
    }
    if let Some(at) = part.filter(|at| comes(*at) && !is_negated(words, *at)) {
        return Some((at, "a part of it is still to come".to_owned()));
    }
    let is_result = |at: usize| {
        let before = &words[at.saturating_sub(3)..at];
        before.iter().any(|word| GIVING.contains(&word.as_str()) || LINKING.contains(&word.as_str()))
    };
    let stands_in = |at: &usize| is_instead(*at) && is_result(*at) && !is_negated(words, *at);
    faked.filter(stands_in).map(|at| (at, format!("something is {}", words[at])))
}

/// "Rounding isn't implemented", "AC-2 is not covered yet".
pub(super) fn not_done(sentence: &Sentence) -> Option<Denial> {
    let words = &sentence.words;
    let is_excused = words.iter().any(|word| EXCUSED.contains(&word.as_str()));
    let left_out = words.windows(3).position(|three| {
        matches!(three[0].as_str(), "is" | "are") && three[1] == "left" && three[2] == "out"
    });
    if let Some(at) = left_out.filter(|at| !is_excused && !sentence.is_elsewhere(*at)) {
        return Some((at, "something is left out".to_owned()));
    }
    (0..words.len()).find_map(|at| {
        let what = denied_after(words, at)?;
        let end = words.len().min(what + REACH);
        let has_yet = words[at..end].iter().any(|word| word == "yet");
        let is_after = words[at..end].iter().any(|word| AFTER_WORK.contains(&word.as_str()));
        let is_done = DONE.contains(&words[what].as_str()) && words[at] != "never";
        let counts = is_done && !is_excused || has_yet && !is_after;
        (counts && !sentence.is_elsewhere(at)).then(|| (at, format!("something is not {}", words[what])))
    })
}

/// "The export is a stub", "it has only the skeleton of a parser".
pub(super) fn made_up(sentence: &Sentence) -> Option<Denial> {
    let words = &sentence.words;
    let at = words.iter().position(|word| MADE_UP.contains(&word.as_str()))?;
    let before = &words[at.saturating_sub(3)..at];
    let stands = before
        .iter()
        .any(|word| matches!(word.as_str(), "is" | "are" | "only" | "just" | "has" | "remains" | "contains"));
    let is_of = words.get(at + 1).is_some_and(|next| next == "for" || next == "of") && stands;
    let is_all = stands && (sentence.ends_clause(at) || is_of);
    (is_all && !is_negated(words, at) && !sentence.is_elsewhere(at))
        .then(|| (at, format!("something is a {}", words[at])))
}

/// "Half done", "partially implemented", "mostly works".
pub(super) fn partly(sentence: &Sentence) -> Option<Denial> {
    let words = &sentence.words;
    let at = words.windows(2).position(|two| {
        PARTLY.contains(&two[0].as_str())
            && (DONE.contains(&two[1].as_str()) || matches!(two[1].as_str(), "works" | "working" | "there"))
    })?;
    (!is_negated(words, at) && !sentence.is_elsewhere(at))
        .then(|| (at, format!("something is {} {}", words[at], words[at + 1])))
}

/// "Remaining: the whole computation", "TODO: rounding".
pub(super) fn labelled(sentence: &Sentence) -> Option<Denial> {
    let words = &sentence.words;
    let first = words.first().filter(|first| LABELS.contains(&first.as_str()))?;
    // In Spanish, "todo" is "everything": only as a mark, in capitals or before a colon, is it English.
    let marks = sentence.is_labeled && matches!(first.as_str(), "todo" | "fixme");
    let is_nothing =
        words.get(1).is_none_or(|next| matches!(next.as_str(), "none" | "nothing" | "no" | "n/a" | "0"));
    ((marks || sentence.ends_clause(0)) && !is_nothing).then(|| (0, "something is left to do".to_owned()))
}
