//! Who is let in. Loopback is no wall: every page in a browser and every program on this machine can knock.

use super::answer::{Answer, Status};
use super::head::Head;

/// The names under which this machine reaches itself.
const NAMES: &[&str] = &["127.0.0.1", "localhost"];

#[derive(Debug)]
pub(super) struct Door {
    /// The names with the port.
    hosts: Vec<String>,
    token: String,
}

impl Door {
    pub(super) fn new(port: u16, token: String) -> Self {
        Self { hosts: NAMES.iter().map(|name| format!("{name}:{port}")).collect(), token }
    }

    /// Lets in who names us, comes from no other site, and shows the token.
    pub(super) fn open(&self, head: &Head) -> Result<(), Answer> {
        if head.one("host").is_none_or(|host| !self.is_ours(host)) {
            return Err(Answer::told(Status::Forbidden, "Host is not ours"));
        }
        let is_foreign = |origin: &str| origin.strip_prefix("http://").is_none_or(|host| !self.is_ours(host));
        if head.all("origin").any(is_foreign) || head.all("sec-fetch-site").any(is_other_site) {
            return Err(Answer::told(Status::Forbidden, "Origin is not ours"));
        }
        let shown = head.one("authorization").and_then(|shown| shown.split_once(' '));
        let token =
            shown.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer")).map(|(_, token)| token.trim());
        match token.is_some_and(|token| is_same(token.as_bytes(), self.token.as_bytes())) {
            true => Ok(()),
            false => Err(Answer::told(
                Status::Unauthorized,
                "send `Authorization: Bearer TOKEN`; `baton mcp --http` says where the token is",
            )),
        }
    }

    fn is_ours(&self, host: &str) -> bool {
        self.hosts.iter().any(|known| known.eq_ignore_ascii_case(host))
    }
}

fn is_other_site(site: &str) -> bool {
    !matches!(site, "same-origin" | "none")
}

/// Compares in a time that does not depend on where two texts differ.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    let differ = one.iter().zip(other).fold(0, |differ, (one, other)| differ | (one ^ other));
    one.len() == other.len() && differ == 0 && !other.is_empty()
}
