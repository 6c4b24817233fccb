//! Which sort of character a character is, as far as the vocabulary cares.

/// What a character counts as where a text is cut into pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Upper and title case letters.
    Upper,
    /// Lower case letters.
    Lower,
    /// Letters without case.
    Letter,
    /// Combining marks. They can be part of a word, but are no letters.
    Mark,
    Number,
    /// The line feed and the carriage return.
    Newline,
    /// Other white space.
    Blank,
    Other,
}

impl Class {
    /// Says whether a word can begin with it before its lower case letters come.
    pub(super) fn is_head(self) -> bool {
        matches!(self, Self::Upper | Self::Letter | Self::Mark)
    }

    /// Says whether it can be in the lower part of a word.
    pub(super) fn is_tail(self) -> bool {
        matches!(self, Self::Lower | Self::Letter | Self::Mark)
    }

    pub(super) fn is_space(self) -> bool {
        matches!(self, Self::Newline | Self::Blank)
    }

    /// Says whether one of these may stand before a word and belong to it.
    pub(super) fn is_lead(self) -> bool {
        matches!(self, Self::Mark | Self::Blank | Self::Other)
    }

    /// Says whether it is neither white space nor letter nor number.
    pub(super) fn is_sign(self) -> bool {
        matches!(self, Self::Mark | Self::Other)
    }
}

/// Where each stretch of one class begins, and its class: `start << 3 | class`, in order, four bytes each.
const STRETCHES: &[u8] = include_bytes!("classes.bin");
const STRETCH_BYTES: usize = 4;

pub(super) fn class(character: char) -> Class {
    match character {
        '\n' | '\r' => Class::Newline,
        'a'..='z' => Class::Lower,
        'A'..='Z' => Class::Upper,
        '0'..='9' => Class::Number,
        character if character.is_whitespace() => Class::Blank,
        character if character.is_ascii() => Class::Other,
        character => listed(u32::from(character)),
    }
}

fn listed(code: u32) -> Class {
    let (mut low, mut high) = (0, STRETCHES.len() / STRETCH_BYTES);
    while low < high {
        let middle = low + (high - low) / 2;
        match stretch(middle) >> 3 <= code {
            true => low = middle + 1,
            false => high = middle,
        }
    }
    match low.checked_sub(1).map(|index| stretch(index) & 7) {
        Some(1) => Class::Upper,
        Some(2) => Class::Lower,
        Some(3) => Class::Letter,
        Some(4) => Class::Mark,
        Some(5) => Class::Number,
        Some(_) | None => Class::Other,
    }
}

fn stretch(index: usize) -> u32 {
    let at = index * STRETCH_BYTES;
    let bytes = STRETCHES.get(at..at + STRETCH_BYTES).and_then(|bytes| bytes.try_into().ok());
    u32::from_le_bytes(bytes.unwrap_or_default())
}
