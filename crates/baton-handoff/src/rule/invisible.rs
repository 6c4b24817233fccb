//! Characters that nobody sees and machines obey.

/// Returns what an invisible character is, or nothing for one that can be seen or has its place in ordinary text.
pub(super) fn name(character: char) -> Option<&'static str> {
    match character {
        '\t' | '\n' | '\r' => None,
        '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' => Some("a control character"),
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => Some("it turns the direction of the text"),
        '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{180e}' => Some("it has no width"),
        '\u{2028}' | '\u{2029}' => Some("a hidden line break"),
        '\u{3164}' | '\u{115f}' | '\u{1160}' | '\u{ffa0}' => Some("a letter without a shape"),
        '\u{e0000}'..='\u{e007f}' => Some("a tag character"),
        _ => None,
    }
}

/// Finds the first invisible character, with its offset.
///
/// Joiners between letters of other scripts and the tags of flags are ordinary text.
pub(super) fn first(text: &str) -> Option<(usize, char)> {
    let ordinary = |byte: u8| (b' '..0x7f).contains(&byte) || matches!(byte, b'\n' | b'\t' | b'\r');
    if text.bytes().fold(true, |all, byte| all & ordinary(byte)) {
        return None;
    }
    let mut in_flag = false;
    let mut previous = ' ';
    for (at, character) in text.char_indices() {
        let is_tag = ('\u{e0020}'..='\u{e007f}').contains(&character);
        in_flag = character == '\u{1f3f4}' || in_flag && is_tag;
        let splits_word = matches!(character, '\u{200c}' | '\u{200d}') && previous.is_ascii_alphanumeric();
        if splits_word || name(character).is_some() && !in_flag {
            return Some((at, character));
        }
        previous = character;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::first;

    #[test]
    fn ordinary_text_of_any_script_is_left_alone() {
        for text in [
            "line\nline\ttab",
            "👩\u{200d}💻 did it",
            "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
            "می\u{200c}خواهم",
            "naïve – “quotes”",
        ] {
            assert_eq!(first(text), None, "{text:?}");
        }
    }

    #[test]
    fn what_hides_is_found() {
        let hidden =
            ["a\u{202e}b", "a\u{200b}b", "a\u{200d}b", "a\u{e0041}b", "a\u{1b}[31m", "a\u{0}b", "a\u{85}b"];
        for text in hidden {
            assert_eq!(first(text).map(|(at, _)| at), Some(1), "{text:?}");
        }
    }
}
