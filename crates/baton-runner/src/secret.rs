//! Keeps secrets out of everything that is shown or stored: what looks like one, and what is known to be one because it stands
//! in the environment.

use std::borrow::Cow;
use std::env;
use std::path::Path;
use std::sync::LazyLock;

use baton_handoff::secret::{self, Known, is_name_of_secret, looks_made};

/// What this process knows by the names of its variables.
static OWN: LazyLock<Known> = LazyLock::new(|| known(&[]));

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
    let is_secret = |name: &str, value: &str| {
        is_name_of_secret(name) && !is_place(value)
            || named.iter().any(|named| named == name) && looks_made(value)
    };
    let variables = env::vars_os().filter_map(|(name, value)| {
        let value = value.into_string().ok()?;
        is_secret(name.to_str()?, &value).then_some(value)
    });
    Known::new(variables)
}

/// Says whether a value only leads to where a secret is kept. Secrets may begin with a slash, too.
fn is_place(value: &str) -> bool {
    value.contains("://") || Path::new(value).is_absolute() && Path::new(value).exists()
}
