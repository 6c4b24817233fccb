//! Secrets whose values are known. They are found as they are, and in the ways in which programs write them down.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::{self, Write as _};
use std::sync::Arc;

use memchr::memmem::Finder;

/// Shorter values stand in too many words to be masked there, in bytes.
pub const KNOWN_BYTES_MIN: usize = 8;
/// Shortest line of a secret of several lines that is masked by itself, in bytes.
const LINE_BYTES_MIN: usize = 16;
/// Most values that are looked for.
const VALUES_MAX: usize = 64;
/// How often a value may have been put in quotes: by the program that prints it, and by the agent whose message it is in.
const QUOTED_MAX: usize = 3;

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const BASE64_URL: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Words by which the name of a variable says that its value is a secret.
const NAME_WORDS: &[&str] = &["KEY", "AUTH", "CREDENTIAL", "CREDENTIALS", "PASS", "PAT", "PWD"];
/// The same, where a word may only end so, as in `PGPASSWORD`.
const NAME_ENDINGS: &[&str] = &["PASSWORD", "PASSWD", "PASSPHRASE", "TOKEN", "SECRET", "APIKEY"];
/// In it every shell says where it is.
const FOLDER: &str = "PWD";
/// Settings of git are given in pairs of variables, whose keys are no secrets.
const KEYS_OF_GIT: &str = "GIT_CONFIG_KEY_";

/// Values that are secrets, whatever they look like. They take as many passes over a text as there are ways to write them.
#[derive(Clone, Default)]
pub struct Known {
    written: Arc<[Finder<'static>]>,
}

impl fmt::Debug for Known {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Known({} ways to write secrets)", self.written.len())
    }
}

impl Known {
    pub fn new(values: impl IntoIterator<Item = String>) -> Self {
        let long: BTreeSet<String> =
            values.into_iter().filter(|value| value.len() >= KNOWN_BYTES_MIN).take(VALUES_MAX).collect();
        let written: BTreeSet<String> = long.iter().flat_map(|value| ways(value)).collect();
        let written = written.into_iter().filter(|way| way.len() >= KNOWN_BYTES_MIN);
        Self { written: written.map(|way| Finder::new(&way).into_owned()).collect() }
    }

    /// Returns the bytes with a star for every byte of a secret, so that all places stay the same; nothing where there is none.
    pub fn masked(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let mut masked: Option<Vec<u8>> = None;
        for way in self.written.iter() {
            for at in way.find_iter(bytes) {
                let masked = masked.get_or_insert_with(|| bytes.to_vec());
                let found = masked.iter_mut().skip(at).take(way.needle().len());
                found.filter(|byte| **byte != b'\n').for_each(|byte| *byte = b'*');
            }
        }
        masked
    }

    /// Does the same for a text.
    pub fn mask<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self.masked(text.as_bytes()).map(String::from_utf8) {
            Some(Ok(masked)) => Cow::Owned(masked),
            // Whole characters were replaced by stars, so it is a text again.
            Some(Err(_)) | None => Cow::Borrowed(text),
        }
    }
}

/// Says whether a variable has a secret for its value, by its name.
pub fn is_name_of_secret(variable: &str) -> bool {
    let name = variable.to_ascii_uppercase();
    let tells =
        |word: &str| NAME_WORDS.contains(&word) || NAME_ENDINGS.iter().any(|ending| word.ends_with(ending));
    !name.starts_with(KEYS_OF_GIT) && name != FOLDER && name.split('_').any(tells)
}

/// Returns how a value may be written.
fn ways(value: &str) -> Vec<String> {
    let mut ways = vec![hex(value, "", false), hex(value, "", true), hex(value, "%", true)];
    ways.extend([percent(value, false), percent(value, true)]);
    for alphabet in [BASE64, BASE64_URL] {
        ways.extend((0..3).filter_map(|shift| base64(value.as_bytes(), shift, alphabet)));
    }
    let mut quoted = value.to_owned();
    for _ in 0..QUOTED_MAX {
        let again = serde_json::Value::String(quoted.clone()).to_string();
        ways.push(quoted);
        quoted = again.get(1..again.len() - 1).unwrap_or_default().to_owned();
    }
    // What is read line by line holds no value of several.
    let lines = value.lines().filter(|line| line.len() >= LINE_BYTES_MIN && !line.contains(' '));
    ways.extend(lines.map(str::to_owned));
    ways
}

fn hex(value: &str, before: &str, is_upper: bool) -> String {
    value.bytes().fold(String::new(), |mut out, byte| {
        let _ = match is_upper {
            true => write!(out, "{before}{byte:02X}"),
            false => write!(out, "{before}{byte:02x}"),
        };
        out
    })
}

fn percent(value: &str, is_upper: bool) -> String {
    let is_plain = |byte: char| byte.is_ascii_alphanumeric() || matches!(byte, '-' | '.' | '_' | '~');
    let mut out = String::new();
    for letter in value.chars() {
        match is_plain(letter) {
            true => out.push(letter),
            false => out.push_str(&hex(letter.encode_utf8(&mut [0; 4]), "%", is_upper)),
        }
    }
    out
}

/// Returns the part that is the same whatever stands around the value: before it, so many bytes more than fill whole groups.
fn base64(value: &[u8], shift: usize, alphabet: &[u8; 64]) -> Option<String> {
    let bytes: Vec<u8> = std::iter::repeat_n(0, shift).chain(value.iter().copied()).collect();
    let bit = |at: usize| (bytes[at / 8] >> (7 - at % 8)) & 1;
    let letter = |at: usize| (at..at + 6).fold(0_u8, |sum, at| sum << 1 | bit(at));
    let (first, end) = ((shift * 8).div_ceil(6), bytes.len() * 8 / 6);
    let letters = (first..end).map(|at| alphabet[usize::from(letter(at * 6))]);
    String::from_utf8(letters.collect()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nothing of it looks like a secret, and every way to write it differs.
    const VALUE: &str = "w0rd / \"more\" & ü";

    #[test]
    fn a_value_is_found_in_every_way_in_which_it_is_written() {
        let known = Known::new([VALUE.to_owned()]);
        for (name, written) in [
            ("as it is", VALUE.to_owned()),
            ("in quotes", r#"w0rd / \"more\" & ü"#.to_owned()),
            ("in quotes twice", r#"w0rd / \\\"more\\\" & ü"#.to_owned()),
            ("percent", "w0rd%20%2F%20%22more%22%20%26%20%C3%BC".to_owned()),
            ("percent, small", "w0rd%20%2f%20%22more%22%20%26%20%c3%bc".to_owned()),
            ("hex", "77307264202f20226d6f72652220262020c3bc".replace("262020c3", "2620c3")),
            ("hex, large", "77307264202F20226D6F7265222026 20C3BC".replace(' ', "")),
        ] {
            let text = format!("before {written} after");
            let masked = known.mask(&text);
            let stars = "*".repeat(written.len());
            assert_eq!(masked, format!("before {stars} after"), "{name}");
        }
    }

    #[test]
    fn base64_is_found_with_anything_around_the_value() {
        // What `base64` prints of `key`, `:key`, `u:key`, and of the first with the other alphabet.
        let known = Known::new(["~key?>with~ends?".to_owned()]);
        for written in [
            "fmtleT8+d2l0aH5lbmRzPw==",
            "On5rZXk/PndpdGh+ZW5kcz8=",
            "dTp+a2V5Pz53aXRofmVuZHM/",
            "fmtleT8-d2l0aH5lbmRzPw",
        ] {
            let masked = known.mask(written).into_owned();
            assert!(masked.matches('*').count() >= written.len() - 5, "{written}: {masked}");
        }
        assert_eq!(base64(b"~key?>with~ends?", 0, BASE64).as_deref(), Some("fmtleT8+d2l0aH5lbmRzP"));
    }

    #[test]
    fn a_secret_of_several_lines_is_found_whole_and_line_by_line() {
        let lines = ["-----BEGIN-----", "q7Rk2ZpW9sLx4VnB8mTc3", "YdF6hJg1KaE5uQo7Rk2ZpW"];
        let known = Known::new([lines.join("\n")]);
        assert_eq!(known.mask(lines[1]), "*".repeat(lines[1].len()));
        let whole = format!("{}\n", lines.join("\n"));
        assert_eq!(known.mask(&whole).lines().count(), 3, "lines stay lines");
        assert!(known.mask(&whole).chars().all(|letter| matches!(letter, '*' | '\n')));
    }

    #[test]
    fn short_values_and_other_texts_stay_as_they_are() {
        let known = Known::new(["1234567".to_owned(), String::new()]);
        assert!(matches!(known.mask("1234567"), Cow::Borrowed(_)));
        assert_eq!(format!("{known:?}"), "Known(0 ways to write secrets)");
        let known = Known::new(["12345678".to_owned()]);
        assert!(matches!(known.mask("123 456 78"), Cow::Borrowed(_)));
        assert!(!format!("{known:?}").contains("12345678"));
    }

    #[test]
    fn names_say_what_is_a_secret() {
        for name in ["ANTHROPIC_API_KEY", "AWS_SECRET_ACCESS_KEY", "GH_TOKEN", "db_password", "AUTH"] {
            assert!(is_name_of_secret(name), "{name}");
        }
        for name in ["PGPASSWORD", "MYSQL_PWD", "DB_PASS", "GH_PAT", "OPENAI_APIKEY", "MYAPPTOKEN"] {
            assert!(is_name_of_secret(name), "{name}");
        }
        for name in ["PATH", "KEYBOARD", "CLAUDE_CODE_MAX_OUTPUT_TOKENS", "GIT_CONFIG_KEY_0", "CODEX_HOME"] {
            assert!(!is_name_of_secret(name), "{name}");
        }
        for name in ["PWD", "OLDPWD", "SSH_ASKPASS", "PATTERN", "PASSES", "SECRETARY"] {
            assert!(!is_name_of_secret(name), "{name}");
        }
    }

    #[test]
    fn hostile_text_takes_linear_time() {
        let known = Known::new((0..20).map(|number| format!("{}{number}", "ab".repeat(40))));
        let text = "ab".repeat(500_000);
        assert_eq!(known.mask(&text), text);
    }
}
