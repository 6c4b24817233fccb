//! What a browser may do with the page: show it in our one style, and nothing else.

use sha2::{Digest, Sha256};

pub(super) const STYLE: &str = include_str!("page.css");

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Returns the content security policy. Even a style that slipped in would not be obeyed.
pub(super) fn policy() -> String {
    let hash = base64(&Sha256::digest(STYLE.as_bytes()));
    format!("default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'")
}

fn base64(bytes: &[u8]) -> String {
    let mut out = String::new();
    for group in bytes.chunks(3) {
        let bits = (0..3).fold(0, |bits, at| bits << 8 | u32::from(group.get(at).copied().unwrap_or(0)));
        for place in 0..4 {
            let digit = (bits >> (18 - 6 * place)) & 63;
            out.push(if place > group.len() { '=' } else { char::from(ALPHABET[digit as usize]) });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_pads_what_is_no_multiple_of_three() {
        let cases = [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")];
        for (text, expected) in cases {
            assert_eq!(base64(text.as_bytes()), expected);
        }
    }

    #[test]
    fn the_style_cannot_close_its_element() {
        assert!(!STYLE.contains('<'));
        assert_eq!(STYLE.matches("url(").count(), STYLE.matches("url(#").count(), "it loads nothing");
    }
}
