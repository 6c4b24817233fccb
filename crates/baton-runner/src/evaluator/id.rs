//! Ids of requirements, criteria and tasks, however they are written: `AC-1`, `AC1`, `ac_01` and `AC 1` are the same.

use std::collections::BTreeSet;

/// Most letters in a row that an id has.
const LETTERS_MAX: usize = 6;
/// Longest id, in bytes.
const ID_BYTES_MAX: usize = 24;
/// Most ids that a range such as `AC-1 to AC-12` stands for.
const RANGE_MAX: u32 = 200;
/// Letters that begin an id even where nothing but a space follows it.
const PREFIXES: &[&str] = &["AC", "FR", "NFR", "REQ", "R", "US", "UC", "SC", "CR", "BUG", "TASK", "T"];
/// What stands between the first and the last id of a range.
const RANGE_MARKS: &[&str] = &["through", "to", "until", "-", "–", "—", "..", "...", "…"];

/// An id as written, and in the form in which ids are compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Id {
    pub(super) key: String,
    pub(super) shown: String,
}

impl Id {
    /// Reads a word that is an id and nothing else.
    pub(super) fn read(word: &str) -> Option<Self> {
        let shown = word.trim_matches(|mark: char| !mark.is_ascii_alphanumeric());
        let fits =
            shown.len() <= ID_BYTES_MAX && shown.starts_with(|first: char| first.is_ascii_alphabetic());
        let key = key_of(shown).filter(|_| fits)?;
        Some(Self { key, shown: shown.to_owned() })
    }

    /// Reads the id at the start of a text, and returns what follows it.
    pub(super) fn leading(text: &str) -> Option<(Self, &str)> {
        let end = text.find(|letter: char| !is_part(letter)).unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        // `AC 1: …` and `Criterion 1: …`.
        let (id, rest) = match Self::read(word) {
            Some(id) => (id, rest),
            None => {
                let number = rest.trim_start();
                let end = number.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(number.len());
                let (digits, rest) = number.split_at(end);
                (Self::read(&format!("{}-{digits}", word.to_uppercase())).filter(|_| end > 0)?, rest)
            }
        };
        let is_upper = id.shown.bytes().all(|byte| !byte.is_ascii_lowercase());
        let follows = rest.trim_start_matches(['*', '_', '`', ']', ')']);
        let is_label =
            follows.is_empty() || follows.trim_start().starts_with([':', '|', '–', '—', '.', '-', '(']);
        let is_known = PREFIXES.contains(&id.prefix());
        (is_upper && (is_label || is_known)).then(|| {
            let marks = |mark: char| mark.is_whitespace() || ":|–—.-*_`])".contains(mark);
            (id, rest.trim_start_matches(marks))
        })
    }

    /// Returns the letters in front of the number.
    pub(super) fn prefix(&self) -> &str {
        self.key.split('-').next().unwrap_or_default()
    }
}

/// Returns the parts of an id in capital letters and without leading zeros; nothing where a word is no id.
fn key_of(word: &str) -> Option<String> {
    let mut parts: Vec<String> = Vec::new();
    for segment in word.split(['-', '_']) {
        let digits_from = segment.find(|letter: char| letter.is_ascii_digit()).unwrap_or(segment.len());
        let (letters, digits) = segment.split_at(digits_from);
        let are_letters =
            letters.len() <= LETTERS_MAX && letters.bytes().all(|byte| byte.is_ascii_alphabetic());
        let is_number = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        if segment.is_empty() || !are_letters || !is_number {
            return None;
        }
        if !letters.is_empty() {
            parts.push(letters.to_ascii_uppercase());
        }
        if !digits.is_empty() {
            let digits = digits.trim_start_matches('0');
            parts.push(if digits.is_empty() { "0".to_owned() } else { digits.to_owned() });
        }
    }
    let ends_in_number =
        parts.last().is_some_and(|last| last.starts_with(|letter: char| letter.is_ascii_digit()));
    (parts.len() > 1 && ends_in_number).then(|| parts.join("-"))
}

fn is_part(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.')
}

/// Every id that a text names, with those inside of ranges.
#[derive(Debug, Default)]
pub(super) struct Mentions(BTreeSet<String>);

impl Mentions {
    pub(super) fn of(text: &str) -> Self {
        let mut all = BTreeSet::new();
        // The id before this word, and whether a mark of a range came after it.
        let (mut last, mut is_range, mut before) = (None::<String>, false, "");
        let apart = text.replace("..", " .. ");
        for word in apart.split(|letter: char| !is_part(letter) && !"–—…".contains(letter)).flat_map(dashes)
        {
            if RANGE_MARKS.contains(&word) {
                is_range = last.is_some();
                continue;
            }
            let word = word.trim_matches(['.', '-', '_']);
            if word.is_empty() {
                continue;
            }
            let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
            let own = match (is_number, &last) {
                (true, Some(first)) if is_range => {
                    first.rsplit_once('-').map(|(stem, _)| format!("{stem}-{word}"))
                }
                (true, _) => key_of(&format!("{}-{word}", before.trim_end_matches('s'))),
                (false, _) => key_of(word),
            };
            if let Some(own) = &own {
                if let Some(first) = last.as_deref().filter(|_| is_range) {
                    all.extend(between(first, own));
                }
                all.insert(own.clone());
            }
            (last, is_range, before) = (own, false, word);
        }
        Self(all)
    }

    pub(super) fn has(&self, id: &Id) -> bool {
        self.0.contains(&id.key)
    }
}

/// Cuts a word at dashes that join two ids or two numbers, and keeps the dash.
fn dashes(word: &str) -> impl Iterator<Item = &str> {
    let joins = match word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') {
        true => ['–', '—', '…', '-'],
        false => ['–', '—', '…', '…'],
    };
    word.split_inclusive(joins).flat_map(move |part| {
        let end = part.trim_end_matches(joins).len();
        let (word, mark) = part.split_at(end);
        [word, mark].into_iter().filter(|part| !part.is_empty())
    })
}

fn between(first: &str, last: &str) -> Vec<String> {
    let (Some((stem, from)), Some((other, to))) = (first.rsplit_once('-'), last.rsplit_once('-')) else {
        return Vec::new();
    };
    let (Ok(from), Ok(to)) = (from.parse::<u32>(), to.parse::<u32>()) else { return Vec::new() };
    if stem != other || to.saturating_sub(from) > RANGE_MAX {
        return Vec::new();
    }
    (from..to).map(|number| format!("{stem}-{number}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_the_same_however_they_are_written() {
        for text in ["AC-1", "AC1", "AC_01", "AC 1", "(AC-1)", "`AC-1`,", "ACs 1-3", "ac-1"] {
            assert!(Mentions::of(text).has(&Id::read("AC-1").expect("an id")), "{text}");
        }
        for text in ["AC-11", "AC-1.2", "BAC-1", "1", "AC"] {
            assert!(!Mentions::of(text).has(&Id::read("AC-1").expect("an id")), "{text}");
        }
    }

    #[test]
    fn a_range_names_what_is_in_it() {
        for text in ["AC-1 through AC-3", "AC-1 to AC-3", "AC-1–AC-3", "AC-1..AC-3", "AC-1 – 3", "AC-1 to 3"]
        {
            assert!(Mentions::of(text).has(&Id::read("AC-2").expect("an id")), "{text}");
        }
        assert!(!Mentions::of("AC-1 and AC-3").has(&Id::read("AC-2").expect("an id")));
    }

    #[test]
    fn a_word_with_a_number_is_an_id_only_where_a_label_stands() {
        assert_eq!(
            Id::leading("AC-1: it prints").map(|(id, rest)| (id.key, rest)),
            Some(("AC-1".into(), "it prints"))
        );
        assert!(Id::leading("AC-1 it prints").is_some());
        assert!(Id::leading("UTF-8 files are read").is_none());
        assert!(Id::leading("python3 is used").is_none());
    }
}
