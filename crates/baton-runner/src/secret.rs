//! Keeps secrets out of everything that is shown or stored: what looks like one, and what is known to be one because it stands
//! in the environment.

use std::borrow::Cow;
use std::env;
use std::path::Path;
use std::sync::LazyLock;

use baton_handoff::secret::{self, Known, is_name_of_secret, looks_made};

/// Shorter than this a word is no secret, whatever its variable is called: masked, it would be missing in paths and names.
const WORD_BYTES_MAX: usize = 16;

/// What this process knows by the names of its variables. It is read once: every program that is started needs it.
static OWN: LazyLock<Known> = LazyLock::new(|| in_environment(&[]));

/// Returns the text with a star for every byte of a secret.
pub(crate) fn mask(text: &str) -> Cow<'_, str> {
    match OWN.mask(text) {
        Cow::Borrowed(text) => secret::mask(text),
        Cow::Owned(text) => Cow::Owned(secret::mask(&text).into_owned()),
    }
}

/// Does the same for a document that stays as it was written, but for the secrets that are known.
pub(crate) fn mask_known(bytes: Vec<u8>) -> Vec<u8> {
    OWN.masked(&bytes).unwrap_or(bytes)
}

/// Returns the secrets in the environment: by the names of variables, and of those that a person gives to an agent by name also
/// by what their values look like.
pub(crate) fn known(named: &[String]) -> Known {
    match named {
        [] => OWN.clone(),
        named => in_environment(named),
    }
}

fn in_environment(named: &[String]) -> Known {
    let variables = env::vars_os().filter_map(|(name, value)| {
        let (name, value) = (name.to_str()?, value.into_string().ok()?);
        is_secret(name, &value, named).then_some(value)
    });
    Known::new(variables)
}

fn is_secret(name: &str, value: &str, named: &[String]) -> bool {
    let is_named = named.iter().any(|named| named == name);
    let is_known = is_name_of_secret(name) && !is_plain_word(value);
    let is_told = is_named && (looks_made(value) || value.len() >= WORD_BYTES_MAX);
    (is_known || is_told) && !is_place(value)
}

/// Says whether a value is a word of people, such as the `postgres` that is the password of many a test.
fn is_plain_word(value: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_');
    value.len() < WORD_BYTES_MAX && value.bytes().all(is_plain)
}

/// Says whether a value only leads to where a secret is kept. Secrets may begin with a slash, too.
fn is_place(value: &str) -> bool {
    value.contains("://") || Path::new(value).is_absolute() && Path::new(value).exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_of_people_is_no_secret_and_stays_in_paths() {
        for word in ["postgres", "change-me", "my_password", "development"] {
            assert!(!is_secret("POSTGRES_PASSWORD", word, &[]), "{word}");
        }
        for secret in ["postgres1", "hunter2!", "correct-horse-battery", "tür-und-tor"] {
            assert!(is_secret("POSTGRES_PASSWORD", secret, &[]), "{secret}");
        }
        for place in ["https://vault.example/key", "/"] {
            assert!(!is_secret("API_KEY", place, &[]), "{place}");
        }
    }

    #[test]
    fn what_a_person_gives_by_name_is_a_secret_where_it_is_long_or_looks_made() {
        let named = ["MY_LICENCE".to_owned()];
        for secret in ["q7Rk2ZpW9sLx", "wJalrXUtnFEMI/K7MDENG/bPxRfiCY"] {
            assert!(is_secret("MY_LICENCE", secret, &named), "{secret}");
            assert!(!is_secret("OTHER", secret, &named), "{secret}");
        }
        for other in ["production", "postgres://db.example/tides", env!("CARGO_MANIFEST_DIR")] {
            assert!(!is_secret("MY_LICENCE", other, &named), "{other}");
        }
    }
}
