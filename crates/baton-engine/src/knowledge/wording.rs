//! When two texts mean the same, as far as that can be told without a model.
//!
//! The rule is careful: two lessons that differ must never become one, because the second would stand on the support of
//! the first. So only what cannot carry meaning is taken out: case, punctuation, articles, plurals, spelled-out short
//! forms, where a clause stands, and the order of a plain list. Numbers, negations, names of code and every other word
//! stay. What is merely close is linked, not merged.

mod token;

use std::collections::BTreeSet;
use std::fmt::Write;

use sha2::{Digest, Sha256};

use crate::word::LessonId;
use token::{COMMA, NEGATIONS, STOP, tokens};

/// Bytes of the hash in an id: so many that nobody can make a second text for the id of an approved one.
const ID_BYTES: usize = 16;
/// Words that begin a clause which may stand before or after the rest.
const CLAUSE_OPENERS: &[&str] = &[
    "when", "if", "for", "before", "after", "while", "until", "unless", "in", "on", "with", "during", "once",
];
/// Words after which the order of a list may be what the lesson is about.
const ORDER_WORDS: &[&str] = &[
    "after", "apply", "before", "between", "call", "deploy", "divide", "execute", "first", "followed",
    "from", "instead", "into", "last", "migrate", "minus", "next", "once", "order", "over", "precede",
    "replace", "run", "second", "sequence", "start", "step", "stop", "than", "then", "to", "until",
];
/// Openings that only say that a lesson follows.
const PREAMBLES: &[&[&str]] = &[
    &["note", "that"],
    &["note"],
    &["remember", "that"],
    &["remember", "to"],
    &["be", "aware", "that"],
    &["keep", "in", "mind", "that"],
    &["warning"],
    &["important"],
];
/// Two texts are close when this many of a hundred of their words and pairs of words are the same.
const CLOSE_PERCENT: usize = 60;
/// Signatures that are compared to find close texts among many: one equal is enough to look closer.
pub const BANDS: usize = 8;
/// Smallest hashes in a signature. More of them find fewer texts that are not close.
const ROWS_PER_BAND: usize = 2;

/// Returns the words of a text in the one form that all texts of its meaning share.
pub fn canonical(text: &str) -> String {
    let mut words = tokens(text);
    strip_preamble(&mut words);
    move_clause(&mut words);
    sort_lists(&mut words);
    drop_commas(&mut words);
    while words.last().is_some_and(|word| word == STOP) {
        words.pop();
    }
    words.join(" ")
}

/// Returns the id of what has these words.
pub fn id(kind: &str, canonical: &str) -> LessonId {
    let mut text = format!("{kind}-");
    for byte in Sha256::digest(canonical.as_bytes()).iter().take(ID_BYTES) {
        let _ = write!(text, "{byte:02x}");
    }
    LessonId::fixed(text)
}

/// Says whether two canonical texts are close: worth being shown together, and no more.
pub fn is_close(first: &str, second: &str) -> bool {
    let (first, second) = (shingles(first), shingles(second));
    let shared = first.intersection(&second).count();
    let all = first.len() + second.len() - shared;
    all > 0 && shared * 100 >= all * CLOSE_PERCENT
}

/// Returns the signatures of a canonical text: close texts very likely share one of them (MinHash).
pub fn bands(canonical: &str) -> [u64; BANDS] {
    let shingles = shingles(canonical);
    let row = |number: usize| shingles.iter().map(|shingle| hash(number, shingle)).min().unwrap_or(0);
    std::array::from_fn(|band| {
        let mut mixed = band as u64;
        for number in 0..ROWS_PER_BAND {
            mixed = mixed.rotate_left(31).wrapping_mul(0x9e37_79b9_7f4a_7c15)
                ^ row(band * ROWS_PER_BAND + number);
        }
        mixed
    })
}

/// Single words and pairs of neighbours.
fn shingles(canonical: &str) -> BTreeSet<String> {
    let words: Vec<&str> = canonical.split(' ').filter(|word| !word.is_empty()).collect();
    let pairs = words.windows(2).map(|pair| pair.join(" "));
    words.iter().map(|word| (*word).to_owned()).chain(pairs).collect()
}

/// FNV-1a with the number of the row as its salt: the same on every machine, and fast enough for short texts.
fn hash(number: usize, text: &str) -> u64 {
    let salt = 0xcbf2_9ce4_8422_2325_u64 ^ (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed =
        text.bytes().fold(salt, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    // The low bits of FNV are weak for short texts.
    (mixed ^ (mixed >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

fn strip_preamble(words: &mut Vec<String>) {
    let found = PREAMBLES.iter().find(|opening| {
        words.len() > opening.len() && opening.iter().zip(words.iter()).all(|(known, word)| known == word)
    });
    if let Some(opening) = found {
        words.drain(..opening.len());
    }
}

/// "When it fails, retry" is "retry when it fails". Only where one comma says where the clause ends.
fn move_clause(words: &mut Vec<String>) {
    let opens = words.first().is_some_and(|word| CLAUSE_OPENERS.contains(&word.as_str()));
    let mut commas = words.iter().enumerate().filter(|(_, word)| *word == COMMA).map(|(at, _)| at);
    let (Some(comma), None) = (commas.next(), commas.next()) else { return };
    let is_sentence = !words[..words.len().saturating_sub(1)].iter().any(|word| word == STOP);
    if opens && is_sentence && comma >= 2 && comma + 2 < words.len() {
        if words.last().is_some_and(|word| word == STOP) {
            words.pop();
        }
        let clause: Vec<String> = words.drain(..=comma).collect();
        words.extend(clause.into_iter().filter(|word| word != COMMA));
    }
}

/// Puts the members of plain lists in order: single words between commas and a last "and" or "or".
fn sort_lists(words: &mut [String]) {
    if words.iter().any(|word| ORDER_WORDS.contains(&word.as_str())) {
        return;
    }
    let is_member = |word: &String| {
        word != COMMA && word != STOP && !is_link(word) && !NEGATIONS.contains(&word.as_str())
    };
    let mut at = 0;
    while at < words.len() {
        let mut members = vec![at];
        let mut next = at;
        while let Some(found) = next_member(words, next) {
            if !is_member(&words[next]) || !is_member(&words[found]) {
                break;
            }
            members.push(found);
            next = found;
        }
        let has_link = members.windows(2).any(|pair| words[pair[0] + 1..pair[1]].iter().any(is_link));
        if members.len() >= 2 && (has_link || members.len() >= 3) {
            let mut sorted: Vec<String> = members.iter().map(|member| words[*member].clone()).collect();
            sorted.sort();
            for (member, word) in members.iter().zip(sorted) {
                words[*member] = word;
            }
        }
        at = next + 1;
    }
}

/// Returns where the next member of a list stands: after a comma, after "and", or after both.
fn next_member(words: &[String], at: usize) -> Option<usize> {
    let separators =
        words[at + 1..].iter().take(2).take_while(|word| *word == COMMA || is_link(word)).count();
    let found = at + 1 + separators;
    (separators > 0 && found < words.len()).then_some(found)
}

fn is_link(word: &String) -> bool {
    word == "and" || word == "or"
}

/// A comma says nothing, except after a word of denial: "no, it is safe" is not "no it is safe".
fn drop_commas(words: &mut Vec<String>) {
    let mut after_denial = false;
    words.retain(|word| {
        let keep = word != COMMA || after_denial;
        after_denial = NEGATIONS.contains(&word.as_str());
        keep
    });
}

#[cfg(test)]
mod tests;
