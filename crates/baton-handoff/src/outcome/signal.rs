//! Which signals a text gives about how the work stands, and what they add up to.

use std::borrow::Cow;

use super::Outcome;
use super::vocabulary::{self, Class};

/// Longest text that is looked at, in bytes.
const WINDOW_BYTES_MAX: usize = 2_000;
/// A claim of completion further in than this many words is a remark, not the status.
const CLAIM_WORDS_MAX: usize = 40;
/// Texts up to this many words are taken as a value, longer ones as prose.
const VALUE_WORDS_MAX: usize = 6;
/// Words and bytes that open a text; in prose, the status is said here or not at all.
const OPENING_WORDS_MAX: usize = 14;
const OPENING_BYTES_MAX: usize = 120;
/// Words before a claim that can turn it round.
const REACH: usize = 4;

/// In what manner a text speaks, which decides what its words mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    Status,
    Verdict,
    Title,
}

/// What a text says, all at once: texts about work are often of two minds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Signals {
    completed: bool,
    failed: bool,
    blocked: bool,
    partial: bool,
    running: bool,
    not_started: bool,
    unknown: bool,
    ready: bool,
    reserved: bool,
    /// Something else is said further in, which spoils a claim of completion.
    spoiled: bool,
    /// A word claims completion, so that a reservation counts.
    claimed: bool,
    /// It lists values to choose from, as templates do.
    alternatives: bool,
}

#[derive(Debug)]
pub(super) struct Word<'t> {
    /// In lower case and without apostrophes; nearly always as it was written.
    pub(super) text: Cow<'t, str>,
    /// Whether punctuation stands before it.
    clause: bool,
}

impl Signals {
    pub(super) fn of(text: &str, manner: Manner) -> Self {
        let text = window(text);
        let words = words(text);
        let value = words.len() <= VALUE_WORDS_MAX;
        let mut signals = Self::default();
        signals.read_words(&words, manner, value);
        signals.partial |= signals.claimed && has_reservation(&words);
        if !text.is_ascii() {
            signals.read_script(text);
            signals.read_marks(text, manner, &words);
        }
        if manner != Manner::Title || signals.completed {
            signals.read_numbers(text, value);
        }
        signals.alternatives = words.len() <= 8 && has_alternatives(text) && signals.classes() > 1;
        signals
    }

    pub(super) fn outcome(self) -> Option<Outcome> {
        if self.alternatives {
            return None;
        }
        let mixed = |outcome| if self.completed || self.partial { Outcome::Partial } else { outcome };
        let found = [
            (self.failed, mixed(Outcome::Failed)),
            (self.blocked, mixed(Outcome::Blocked)),
            (self.unknown, Outcome::Unknown),
            (self.partial || (self.completed && (self.reserved || self.spoiled)), Outcome::Partial),
            (self.running, Outcome::InProgress),
            (self.not_started, mixed(Outcome::NotStarted)),
            (self.completed, Outcome::Completed),
            (self.ready, Outcome::InProgress),
        ];
        found.into_iter().find(|(said, _)| *said).map(|(_, outcome)| outcome)
    }

    fn classes(self) -> usize {
        let said = [self.completed, self.failed, self.blocked, self.partial, self.running, self.not_started];
        said.into_iter().filter(|said| *said).count()
    }

    fn read_words(&mut self, words: &[Word<'_>], manner: Manner, value: bool) {
        let mut at = 0;
        while at < words.len() {
            let (class, len) = match class_at(words, at, manner, value) {
                Some(found) => found,
                None => {
                    at += 1;
                    continue;
                }
            };
            let before = clause_before(words, at);
            let negated = before.iter().any(|word| vocabulary::is_negation(&word.text));
            // What prose names further in is a detail of the story; it still spoils a claim of completion.
            let early = value || at < OPENING_WORDS_MAX;
            match class {
                Class::Completed if negated => self.say(Class::Partial, early),
                // That the tests pass is said of unfinished work every day.
                Class::Completed
                    if words[at].text.starts_with("pass")
                        && before.iter().any(|word| vocabulary::is_check(&word.text)) => {}
                Class::Completed => self.read_claim(words, at, len),
                Class::Partial | Class::Running | Class::Unknown if negated => {}
                Class::Failed | Class::Blocked | Class::Reserved
                    if negated || is_zero(before) || is_answered_none(words, at + len) => {}
                class => self.say(class, early),
            }
            at += len;
        }
    }

    fn say(&mut self, class: Class, early: bool) {
        match class {
            Class::Ready => self.ready = true,
            Class::Reserved => self.reserved = true,
            _ if !early => self.spoiled = true,
            Class::Completed => self.completed = true,
            Class::Failed => self.failed = true,
            Class::Blocked => self.blocked = true,
            Class::Partial => self.partial = true,
            Class::Running => self.running = true,
            Class::NotStarted => self.not_started = true,
            Class::Unknown => self.unknown = true,
        }
    }

    fn read_claim(&mut self, words: &[Word<'_>], at: usize, len: usize) {
        let before = clause_before(words, at);
        let all = before.iter().any(|word| word.text == "all");
        if !all && before.iter().any(|word| vocabulary::is_nearly(&word.text)) {
            self.partial = true;
            return;
        }
        let intended = before.iter().any(|word| vocabulary::is_intention(&word.text));
        let next = words.get(at + len).filter(|word| !word.clause);
        let verb = words[at].text == "complete" && next.is_some_and(|word| vocabulary::is_object(&word.text));
        if intended || verb || at > CLAIM_WORDS_MAX {
            return;
        }
        self.completed = true;
        self.claimed = true;
    }

    /// Reads the scripts that put no spaces between words.
    fn read_script(&mut self, text: &str) {
        let mut rest = text.to_string();
        // Longer phrases come first and are cut out, so that "not completed" does not also say "completed".
        for (phrase, class) in vocabulary::SCRIPT_PHRASES {
            if !rest.contains(phrase) {
                continue;
            }
            let early = rest.find(phrase).is_some_and(|at| at < OPENING_BYTES_MAX);
            rest = rest.replace(phrase, " ");
            let passing = text.len() > OPENING_BYTES_MAX && vocabulary::PASSING_CLAIMS.contains(phrase);
            if !passing {
                self.say(*class, early);
            }
        }
    }

    /// Reads emoji. A tick decorates anything, so it claims completion only alone, or beside a verdict.
    fn read_marks(&mut self, text: &str, manner: Manner, words: &[Word<'_>]) {
        let short = words.len() <= 2 * VALUE_WORDS_MAX;
        self.failed |= short && text.contains(['❌', '✗', '✘', '🔴']);
        self.blocked |= short && text.contains(['⛔', '🛑', '🚫']);
        self.partial |= short && text.contains(['⚠', '🟡', '🟠']);
        self.running |= short && text.contains(['🚧', '🔄', '⏳', '⏸', '🔵']);
        self.not_started |= short && text.contains(['⬜', '🔲', '⏭']);
        self.spoiled |= text.contains(['❌', '⏳', '🚧', '🔲', '⬜', '⛔']);
        let ticked = text.contains(['✅', '✔', '☑', '🟢']);
        self.completed |= ticked && (words.is_empty() || (manner == Manner::Verdict && short));
    }

    /// Reads shares of the whole: "80 %", "3/5", "2 of 7".
    fn read_numbers(&mut self, text: &str, value: bool) {
        // In prose, only a share at the very start speaks of the whole.
        let text =
            if value || self.completed || self.ready { text } else { &text[..text.floor_char_boundary(40)] };
        match vocabulary::share(text) {
            Some(share) if share == 0.0 && !self.completed => self.not_started = true,
            Some(share) if share < 1.0 && (self.blocked || !self.running) => self.partial = true,
            // "100 %" and "5/5" with nothing else say that all is done; "100 % coverage" does not.
            Some(1.0) if !text.contains(char::is_alphabetic) => self.completed = true,
            Some(_) | None => {}
        }
    }
}

/// Returns what follows "verdict:" or "the verdict is", when a text says that first.
pub(super) fn after_verdict_word(text: &str) -> Option<&str> {
    let text = window(text);
    // Nearly every status is a word or two, and has none of the letters that these words begin with.
    if text.is_ascii() && !text.bytes().any(|byte| matches!(byte, b'v' | b'V' | b'U')) {
        return None;
    }
    let start =
        ["verdict", "Verdict", "VERDICT", "Urteil", "veredicto", "Veredicto", "结论：", "вердикт", "Вердикт"]
            .iter()
            .filter_map(|word| text.find(word).map(|at| at + word.len()))
            .min()?;
    let rest = text[start..].trim_start_matches(|char: char| !char.is_alphanumeric());
    let rest =
        ["is ", "lautet ", "es ", "remains "].iter().find_map(|verb| rest.strip_prefix(verb)).unwrap_or(rest);
    (!rest.is_empty()).then_some(rest)
}

/// Says whether a text begins by saying that the matter is settled.
pub(super) fn is_resolved(text: &str) -> bool {
    let text = window(text).trim_start_matches(['-', '*', '[', '(', ' ', '`']);
    if text.starts_with("~~") || text.starts_with('✅') || text.starts_with("x]") {
        return true;
    }
    let words = words(text);
    let settled = |word: &Word<'_>| {
        matches!(&*word.text, "resolved" | "fixed" | "cleared" | "unblocked" | "已解决" | "解決済み")
    };
    words.first().is_some_and(settled) || (words.len() <= 3 && words.last().is_some_and(settled))
}

/// Says whether a title claims completion with its last word, or with its first and a stop after it.
pub(super) fn frames_completion(title: &str) -> bool {
    let words = words(window(title));
    let claims = |word: &Word| vocabulary::single(&word.text) == Some(Class::Completed);
    let first = words.first().is_some_and(claims) && words.get(1).is_some_and(|next| next.clause);
    first || words.last().is_some_and(claims)
}

fn window(text: &str) -> &str {
    &text[..text.floor_char_boundary(WINDOW_BYTES_MAX)]
}

pub(super) fn words(text: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut start = None;
    let mut clause = false;
    for (at, char) in text.char_indices() {
        match (char, start) {
            ('\'' | '’', Some(_)) => {}
            _ if char.is_alphanumeric() => start = start.or(Some(at)),
            _ => {
                if let Some(start) = start.take() {
                    words.push(Word { text: folded(&text[start..at]), clause });
                    clause = false;
                }
                clause |= matches!(
                    char,
                    '.' | ',' | ';' | ':' | '!' | '?' | '—' | '–' | '(' | ')' | '\n' | '|' | '。' | '，'
                );
            }
        }
    }
    if let Some(start) = start {
        words.push(Word { text: folded(&text[start..]), clause });
    }
    words
}

/// Says whether a text has the strokes between values to choose from; "3/5" is a share.
fn has_alternatives(text: &str) -> bool {
    let bytes = text.as_bytes();
    let digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
    let share = |at: usize| digit(at.checked_sub(1)) && digit(Some(at + 1));
    text.contains('|') || text.match_indices('/').any(|(at, _)| !share(at))
}

/// Returns a word in lower case and without apostrophes.
fn folded(word: &str) -> Cow<'_, str> {
    match word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()) {
        true => Cow::Borrowed(word),
        false => {
            let letters = word.chars().filter(|char| !matches!(char, '\'' | '’'));
            Cow::Owned(letters.flat_map(char::to_lowercase).collect())
        }
    }
}

fn class_at(words: &[Word<'_>], at: usize, manner: Manner, value: bool) -> Option<(Class, usize)> {
    // A phrase has two words at least, and most values have one.
    let phrases = match words.get(at + 1) {
        Some(next) if !next.clause => vocabulary::PHRASES,
        Some(_) | None => &[],
    };
    for (phrase, class) in phrases {
        let matches = |(offset, part): (usize, &&str)| {
            words.get(at + offset).is_some_and(|word| word.text == *part && (offset == 0 || !word.clause))
        };
        if phrase.iter().enumerate().all(matches) {
            return Some((*class, phrase.len()));
        }
    }
    let word = &*words[at].text;
    let found = vocabulary::single(word)
        .or_else(|| (manner == Manner::Verdict).then(|| vocabulary::verdict(word)).flatten())
        .or_else(|| {
            (value && manner != Manner::Title).then(|| vocabulary::in_value(word, words.len())).flatten()
        });
    found.map(|class| (class, 1))
}

fn has_reservation(words: &[Word<'_>]) -> bool {
    words.iter().enumerate().any(|(at, word)| {
        let denied = || {
            let before = clause_before(words, at);
            is_zero(before) || before.iter().any(|word| vocabulary::is_negation(&word.text))
        };
        vocabulary::is_reservation(&word.text) || vocabulary::is_defect(&word.text) && !denied()
    })
}

/// Returns the words of the same clause that stand close before.
fn clause_before<'w, 't>(words: &'w [Word<'t>], at: usize) -> &'w [Word<'t>] {
    let mut start = at;
    while start > 0 && at - start < REACH && !words[start].clause {
        start -= 1;
    }
    &words[start..at]
}

/// Says whether a label is answered with nothing, as in "Blocked: none".
fn is_answered_none(words: &[Word<'_>], at: usize) -> bool {
    let ends = words.get(at + 1).is_none_or(|next| next.clause);
    ends && words
        .get(at)
        .is_some_and(|word| word.clause && matches!(&*word.text, "none" | "nil" | "nothing" | "nobody" | "0"))
}

fn is_zero(before: &[Word<'_>]) -> bool {
    before.last().is_some_and(|word| matches!(&*word.text, "0" | "zero" | "previously" | "formerly" | "was"))
}
