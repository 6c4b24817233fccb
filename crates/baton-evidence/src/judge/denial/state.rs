//! What the predicates of a sentence say of the present: that something is wrong, doesn't work, or isn't done.

use super::{Denial, is_defect};
use crate::claims::sentence::{Sentence, is_negated};
use crate::claims::small_number;

/// Verbs of something that does what it should.
const WORKING: &[&str] = &[
    "work",
    "function",
    "compile",
    "build",
    "start",
    "load",
    "run",
    "succeed",
    "finish",
    "terminate",
    "render",
    "respond",
    "connect",
    "import",
    "imported",
    "used",
    "opened",
    "started",
    "built",
    "loaded",
];
/// Helping verbs that "not" may follow when something doesn't work.
const HELPING: &[&str] = &["do", "does", "can", "will", "could", "longer"];
/// What may follow a verb that has no object.
const WITHOUT_OBJECT: &[&str] = &[
    "on",
    "at",
    "because",
    "anymore",
    "any",
    "again",
    "correctly",
    "properly",
    "reliably",
    "yet",
    "after",
    "under",
    "for",
    "since",
    "here",
    "now",
    "as",
    "due",
    "either",
];
/// Words that can stand between a negation and what it denies.
const BETWEEN: &[&str] = &[
    "be",
    "been",
    "really",
    "even",
    "quite",
    "fully",
    "always",
    "have",
    "get",
    "yet",
    "correctly",
    "properly",
    "reliably",
    "entirely",
    "completely",
    "all",
    "to",
];
const WRONG: &[&str] = &["wrong", "incorrect", "inaccurate"];
const BAD: &[&str] = &[
    "broken",
    "buggy",
    "flawed",
    "unusable",
    "unstable",
    "unfinished",
    "incomplete",
    "unresolved",
    "unfixed",
    "undone",
    "unimplemented",
    "untested",
    "nonfunctional",
];
const LINKING: &[&str] = &["is", "are", "remains", "remain", "stays", "stay", "looks", "look", "still"];
const GIVING: &[&str] = &[
    "returns", "return", "gives", "give", "yields", "yield", "produces", "produce", "shows", "show",
    "computes", "compute", "prints", "print",
];
/// Words between such a verb and how it is.
const FILLING: &[&str] = &[
    "the",
    "a",
    "an",
    "still",
    "now",
    "currently",
    "completely",
    "partly",
    "often",
    "sometimes",
    "very",
    "just",
    "simply",
    "slightly",
    "totally",
];
/// Words after which a clause describes something, and claims nothing.
const RELATIVE: &[&str] = &["that", "which", "who", "whose", "where", "whether", "what"];
const PRESENT: &[&str] =
    &["left", "remains", "remain", "still", "there", "persists", "known", "open", "has", "have"];
const REPORTING: &[&str] = &["reports", "report", "shows", "show", "finds", "lists"];
const OF_DEFECT: &[&str] = &["known", "unresolved", "unfixed", "remaining", "outstanding", "open"];
const ONE: &[&str] = &["a", "an", "another", "some", "several", "many"];
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
/// Words that concede something.
const CONCEDING: &[&str] =
    &["caveat", "unfortunately", "sadly", "heads-up", "downside", "regrettably", "alas"];
const BREAKING: &[&str] = &[
    "throws",
    "exception",
    "crashes",
    "hangs",
    "breaks",
    "fails",
    "wrong",
    "corrupts",
    "leaks",
    "loses",
    "panics",
];
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
/// How many words a description may stand behind its verb.
const REACH: usize = 4;

/// Every reading of this file, with the first that denies that the work is done.
pub(super) fn denies(sentence: &Sentence) -> Option<Denial> {
    let readings = [
        status,
        doesnt_work,
        is_bad,
        trouble,
        unable,
        not_done,
        made_up,
        partly,
        labelled,
        to_come,
        conceded,
    ];
    readings.iter().find_map(|read| read(sentence))
}

/// "FAILED (2 of 5)": a state alone, as it stands beside the name of a check.
fn status(sentence: &Sentence) -> Option<Denial> {
    let words = &sentence.words;
    let first =
        words.first().filter(|first| matches!(first.as_str(), "failed" | "failing" | "red" | "broken"))?;
    let is_none = words.get(1).is_some_and(|next| matches!(next.as_str(), "0" | "none" | "no"));
    let is_count = words[1..]
        .iter()
        .all(|word| matches!(word.as_str(), "of" | "tests" | "test") || word.parse::<u64>().is_ok());
    (is_count && !is_none).then(|| (0, format!("something is {first}")))
}

/// Returns the place of the word that a negation denies: "not", "doesn't", "can't be", "no longer".
fn denied_after(words: &[String], at: usize) -> Option<usize> {
    let word = words[at].as_str();
    let next = match word {
        "longer" if at > 0 && words[at - 1] == "no" => at + 1,
        "not" | "never" | "cannot" => at + 1,
        _ if word.ends_with("n't") => at + 1,
        _ => return None,
    };
    (next..words.len()).find(|at| !BETWEEN.contains(&words[*at].as_str()))
}

/// "It doesn't compile", "discounts do not work for fractions", "the module can't be imported".
fn doesnt_work(sentence: &Sentence) -> Option<Denial> {
    let words = &sentence.words;
    (0..words.len()).find_map(|at| {
        let verb = denied_after(words, at)?;
        let plain = words[verb].trim_end_matches('s');
        let helps =
            words[at] != "not" && words[at] != "never" || at > 0 && HELPING.contains(&words[at - 1].as_str());
        let is_past =
            matches!(words[at].as_str(), "wasn't" | "weren't" | "didn't" | "hadn't" | "isn't" | "aren't");
        let follows = words.get(verb + 1).is_some_and(|next| WITHOUT_OBJECT.contains(&next.as_str()));
        let is_one = WORKING.contains(&plain) || WORKING.contains(&words[verb].as_str());
        (is_one && helps && !is_past && (follows || sentence.ends_clause(verb)) && !sentence.is_elsewhere(at))
            .then(|| (at, format!("something doesn't {plain}")))
    })
}

/// "Totals are wrong", "it still returns the wrong price", "rounding is off by a cent".
fn is_bad(sentence: &Sentence) -> Option<Denial> {
    let words = &sentence.words;
    (0..words.len()).find_map(|at| {
        let word = words[at].as_str();
        let is_wrong = WRONG.contains(&word);
        let is_off = word == "off" && words.get(at + 1).is_some_and(|next| next == "by");
        if !is_wrong && !is_off && !BAD.contains(&word) {
            return None;
        }
        let from = at.saturating_sub(REACH);
        let verb = (from..at).rev().find(|at| !FILLING.contains(&words[*at].as_str()));
        let verb = verb.filter(|verb| {
            let link = words[*verb].as_str();
            LINKING.contains(&link) || is_wrong && GIVING.contains(&link)
        });
        let still = (from..at).find(|at| words[*at] == "still");
        let verb = verb.or(still)?;
        let is_described =
            words[verb.saturating_sub(REACH)..verb].iter().any(|word| RELATIVE.contains(&word.as_str()));
        let is_now = !sentence.is_elsewhere_but(at, GIVING);
        (is_now && !is_described && !is_negated(words, at)).then(|| (at, format!("something is {word}")))
    })
}

/// "One error left in cart.py", "known regression: …", "the type checker reports 3 errors".
fn trouble(sentence: &Sentence) -> Option<Denial> {
    let words = &sentence.words;
    let at = (0..words.len())
        .find(|at| is_defect(&words[*at]) && words[*at] != "issue" && words[*at] != "issues")?;
    let before = &words[at.saturating_sub(3)..at];
    let is_one = |some: &[&str]| before.iter().any(|word| some.contains(&word.as_str()));
    let number = before.iter().find_map(|word| small_number(word));
    let is_some = number.is_some_and(|number| number > 0) || number.is_none() && is_one(ONE);
    let is_known = is_one(OF_DEFECT);
    let has = |some: &[&str]| words.iter().any(|word| some.contains(&word.as_str()));
    let is_there = is_known || is_some && has(PRESENT) || number.is_some() && is_some && has(REPORTING);
    // "Two error codes" are a feature.
    // "Open bugs: none", "known bugs: 0 critical"
    let is_answered = words.get(at + 1).is_some_and(|next| next == "none" || small_number(next).is_some());
    let is_noun = sentence.ends_clause(at) && !is_answered
        || words.get(at + 1).is_some_and(|next| {
            PRESENT.contains(&next.as_str())
                || matches!(next.as_str(), "in" | "on" | "at" | "with" | "and" | "is" | "are")
        });
    (is_there && is_noun && !is_negated(words, at) && !sentence.is_elsewhere(at))
        .then(|| (at, format!("it names a {}", words[at])))
}

/// "I could not get test_refund to pass", "we were unable to finish it", "so I weakened the test".
fn unable(sentence: &Sentence) -> Option<Denial> {
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
fn to_come(sentence: &Sentence) -> Option<Denial> {
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
    if is_excused || sentence.is_taken_back() {
        return None;
    }
    if let Some(at) = part.filter(|at| comes(*at) && !is_negated(words, *at)) {
        return Some((at, "a part of it is still to come".to_owned()));
    }
    faked
        .filter(|at| is_instead(*at) && !is_negated(words, *at))
        .map(|at| (at, format!("something is {}", words[at])))
}

/// "One caveat: it throws an exception on every second call."
fn conceded(sentence: &Sentence) -> Option<Denial> {
    let words = &sentence.words;
    let at = words.iter().position(|word| CONCEDING.contains(&word.as_str()))?;
    let breaks = (at..words.len()).find(|at| BREAKING.contains(&words[*at].as_str()))?;
    (!is_negated(words, at) && !is_negated(words, breaks) && !sentence.is_elsewhere(breaks))
        .then(|| (breaks, "it concedes that something breaks".to_owned()))
}

/// "Rounding isn't implemented", "AC-2 is not covered yet".
fn not_done(sentence: &Sentence) -> Option<Denial> {
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
fn made_up(sentence: &Sentence) -> Option<Denial> {
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
fn partly(sentence: &Sentence) -> Option<Denial> {
    let words = &sentence.words;
    let at = words.windows(2).position(|two| {
        PARTLY.contains(&two[0].as_str())
            && (DONE.contains(&two[1].as_str()) || matches!(two[1].as_str(), "works" | "working" | "there"))
    })?;
    (!is_negated(words, at) && !sentence.is_elsewhere(at))
        .then(|| (at, format!("something is {} {}", words[at], words[at + 1])))
}

/// "Remaining: the whole computation", "TODO: rounding".
fn labelled(sentence: &Sentence) -> Option<Denial> {
    let words = &sentence.words;
    let first = words.first().filter(|first| LABELS.contains(&first.as_str()))?;
    let marks = matches!(first.as_str(), "todo" | "fixme");
    let is_nothing =
        words.get(1).is_none_or(|next| matches!(next.as_str(), "none" | "nothing" | "no" | "n/a" | "0"));
    ((marks || sentence.ends_clause(0)) && !is_nothing).then(|| (0, "something is left to do".to_owned()))
}

const CHECKED: &[&str] = &["checked", "verified", "inspected", "confirmed", "examined", "reviewed"];

/// "Passing this although …", "the builder says it works": what a verifier's pass may not rest on.
pub(in crate::judge) fn qualifies_verdict(text: &str) -> Option<String> {
    let sentence = Sentence::read(text);
    let words = &sentence.words;
    let contrast = words.iter().find(|word| matches!(word.as_str(), "although" | "though" | "despite"));
    let is_hearsay = words.windows(2).any(|two| {
        matches!(two[0].as_str(), "builder" | "author" | "agent")
            && matches!(two[1].as_str(), "says" | "claims" | "said" | "claimed")
    });
    match contrast {
        Some(word) if !sentence.is_taken_back() => Some(format!("the pass is qualified with `{word}`")),
        _ => is_hearsay.then(|| "it rests on what the builder says".to_owned()),
    }
}

/// What denies the pass that a note stands beside, although it doesn't deny that work is done: "works only for whole numbers",
/// "prices are not rounded correctly", "I could not reproduce this", "it returns something else".
pub(super) fn doubts(sentence: &Sentence) -> Option<Denial> {
    let words = &sentence.words;
    if sentence.is_taken_back() {
        return None;
    }
    let next = |at: usize, offset: usize| words.get(at + offset).map_or("", String::as_str);
    (0..words.len()).find_map(|at| {
        let is_now = !sentence.is_elsewhere_but(at, GIVING);
        let word = words[at].as_str();
        let is_strong = || {
            let rest = words[at..].join(" ");
            ["at all", "correctly", "properly", "reliably", "fully", "always", "everywhere"]
                .iter()
                .any(|strong| rest.contains(strong))
        };
        let what = match word {
            _ if denied_after(words, at).is_some() && is_strong() => "something isn't as it should be",
            "could" | "couldn't" | "can" | "can't" | "cannot"
                if words[at..].iter().take(4).any(|word| {
                    matches!(
                        word.as_str(),
                        "reproduce"
                            | "confirm"
                            | "verify"
                            | "observe"
                            | "reproduced"
                            | "confirmed"
                            | "verified"
                    )
                }) && (word.ends_with("n't") || word == "cannot" || next(at, 1) == "not") =>
            {
                "it couldn't be confirmed"
            }
            "works" | "holds" | "passes" | "correct" | "true"
                if words[at..].iter().take(REACH + 1).any(|word| word == "only") =>
            {
                "it holds only in part"
            }
            "only" if matches!(next(at, 1), "works" | "holds" | "passes") => "it holds only in part",
            "complains" | "complain" => "a tool complains",
            _ if denied_after(words, at).is_some_and(|what| CHECKED.contains(&words[what].as_str())) => {
                "nothing was checked"
            }
            _ if GIVING.contains(&word) && (next(at, 1), next(at, 2)) == ("something", "else") => {
                "something else comes out"
            }
            _ => return None,
        };
        let is_denied = at > 0 && is_negated(words, at) && !word.ends_with("n't") && word != "not";
        (is_now && !is_denied).then(|| (at, what.to_owned()))
    })
}
