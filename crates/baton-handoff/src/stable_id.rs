//! Ids for what was learned: the same words always get the same id.

use std::fmt::Write;

use sha2::{Digest, Sha256};

/// Bytes of the hash that an id shows.
const SHOWN_BYTES: usize = 4;

/// Returns the id of a text, such as `gotcha-1f9a03c4`. Case, spacing and a full stop at the end do not matter.
pub fn of(kind: &str, text: &str) -> String {
    let mut hasher = Sha256::new();
    let text = text.trim().trim_end_matches('.');
    for (at, word) in text.split_whitespace().enumerate() {
        if at > 0 {
            hasher.update(b" ");
        }
        hasher.update(word.to_lowercase().as_bytes());
    }
    let mut id = format!("{kind}-");
    for byte in hasher.finalize().iter().take(SHOWN_BYTES) {
        let _ = write!(id, "{byte:02x}");
    }
    id
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn an_id_depends_on_the_words_alone() {
        let id = of("gotcha", "The queue drops messages over 256 kB");
        assert_eq!(id, "gotcha-c6bc2fa9");
        assert_eq!(id, of("gotcha", "  the queue drops\n  messages over 256 kB. "));
        assert_ne!(id, of("gotcha", "The queue drops messages over 128 kB"));
        assert!(of("pattern", "").starts_with("pattern-"));
    }
}
