//! Pairs of letters that a few words begin or end with: a quick look that spares comparing most texts with all of them.

/// A set of pairs of ASCII letters, whatever their case. It may hold a little more than was put in, never less.
#[derive(Debug)]
pub(crate) struct Letters([u32; 32]);

impl Letters {
    pub(crate) const NONE: Self = Self([0; 32]);

    /// Adds the first two letters of each word.
    pub(crate) const fn beginnings(mut self, words: &[&str]) -> Self {
        let mut at = 0;
        while at < words.len() {
            let word = words[at].as_bytes();
            self.0[slot(word[0])] |= bit(word[1]);
            at += 1;
        }
        self
    }

    /// Adds the last two letters of each word.
    pub(crate) const fn endings(mut self, words: &[&str]) -> Self {
        let mut at = 0;
        while at < words.len() {
            let word = words[at].as_bytes();
            self.0[slot(word[word.len() - 2])] |= bit(word[word.len() - 1]);
            at += 1;
        }
        self
    }

    pub(crate) fn may_hold(&self, first: u8, second: u8) -> bool {
        self.0[slot(first)] & bit(second) != 0
    }
}

/// The low bits of a letter are its place in the alphabet.
const fn slot(letter: u8) -> usize {
    (letter & 31) as usize
}

const fn bit(letter: u8) -> u32 {
    1 << (letter & 31)
}

#[cfg(test)]
mod tests {
    use super::Letters;

    #[test]
    fn pairs_are_held_in_any_case() {
        let letters = Letters::NONE.beginnings(&["todo"]).endings(&["token"]);
        assert!(letters.may_hold(b't', b'o') && letters.may_hold(b'T', b'O') && letters.may_hold(b'e', b'N'));
        assert!(!letters.may_hold(b'o', b't') && !letters.may_hold(b't', b'n'));
    }
}
