//! What the predicates of a sentence say of the present: that something is wrong, doesn't work, or isn't done.

use super::{Denial, is_defect, left};
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
pub(super) const LINKING: &[&str] =
    &["is", "are", "remains", "remain", "stays", "stay", "looks", "look", "still"];
pub(super) const GIVING: &[&str] = &[
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
const STATES: &[&str] = &["failed", "failing", "red", "broken"];
/// What such a state is of, as the label before it says.
const OF_RUNS: &[&str] = &[
    "test",
    "tests",
    "unit",
    "integration",
    "e2e",
    "lint",
    "build",
    "types",
    "typecheck",
    "suite",
    "ci",
    "smoke",
    "checks",
    "compile",
    "status",
    "result",
];
/// How many words a description may stand behind its verb.
pub(super) const REACH: usize = 4;

/// Every reading of this file, with the first that denies that the work is done.
pub(super) fn denies(sentence: &Sentence) -> Option<Denial> {
    let readings = [
        status,
        doesnt_work,
        is_bad,
        trouble,
        left::unable,
        left::not_done,
        left::made_up,
        left::partly,
        left::labelled,
        left::to_come,
        conceded,
    ];
    readings.iter().find_map(|read| read(sentence))
}

/// "FAILED (2 of 5)": a state alone, as it stands beside the name of a check.
fn status(sentence: &Sentence) -> Option<Denial> {
    let words = &sentence.words;
    // "Integration: failing (timeouts)"
    let labelled = (1..words.len().min(REACH)).find(|at| {
        STATES.contains(&words[*at].as_str())
            && sentence.ends_clause(at - 1)
            && sentence.ends_clause(*at)
            && words[..*at].iter().any(|word| OF_RUNS.contains(&word.as_str()))
    });
    if let Some(at) = labelled {
        return Some((at, format!("something is {}", words[at])));
    }
    let first = words.first().filter(|first| STATES.contains(&first.as_str()))?;
    let is_none = words.get(1).is_some_and(|next| matches!(next.as_str(), "0" | "none" | "no"));
    let is_count = words[1..]
        .iter()
        .all(|word| matches!(word.as_str(), "of" | "tests" | "test") || word.parse::<u64>().is_ok());
    (is_count && !is_none).then(|| (0, format!("something is {first}")))
}

/// Returns the place of the word that a negation denies: "not", "doesn't", "can't be", "no longer".
pub(super) fn denied_after(words: &[String], at: usize) -> Option<usize> {
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

/// "One caveat: it throws an exception on every second call."
fn conceded(sentence: &Sentence) -> Option<Denial> {
    let words = &sentence.words;
    let at = words.iter().position(|word| CONCEDING.contains(&word.as_str()))?;
    let breaks = (at..words.len()).find(|at| BREAKING.contains(&words[*at].as_str()))?;
    (!is_negated(words, at) && !is_negated(words, breaks) && !sentence.is_elsewhere(breaks))
        .then(|| (breaks, "it concedes that something breaks".to_owned()))
}
