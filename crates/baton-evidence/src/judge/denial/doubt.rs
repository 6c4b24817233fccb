//! What a note says against the pass or the verdict that it stands beside.

use super::Denial;
use super::state::{GIVING, REACH, denied_after};
use crate::claims::sentence::{Sentence, is_negated};

const CHECKED: &[&str] = &["checked", "verified", "inspected", "confirmed", "examined", "reviewed", "looked"];

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
        let word = words[at].as_str();
        let is_unchecked =
            denied_after(words, at).is_some_and(|what| CHECKED.contains(&words[what].as_str()));
        let neutral = if is_unchecked { &["was", "were"][..] } else { GIVING };
        let is_now = !sentence.is_elsewhere_but(at, neutral);
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
            _ if is_unchecked => "nothing was checked",
            _ if GIVING.contains(&word) && (next(at, 1), next(at, 2)) == ("something", "else") => {
                "something else comes out"
            }
            _ => return None,
        };
        let is_denied = at > 0 && is_negated(words, at) && !word.ends_with("n't") && word != "not";
        (is_now && !is_denied).then(|| (at, what.to_owned()))
    })
}
