//! Who commits: the user, by the words of their own configuration of git.

use std::io::Read;

use super::child::Git;
use super::{GitError, Repository, program};

/// Longest name or address.
const NAME_CHARS_MAX: usize = 256;
/// Longest setting that is read: a path.
const SETTING_BYTES_MAX: u64 = 4096;

/// A name and an address, as they stand in a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    pub name: String,
    pub email: String,
}

impl Repository {
    /// Returns the user, or Baton itself where the user has told git nothing. The repository is not asked.
    pub fn person(&self) -> Result<Person, GitError> {
        let name = self.setting(&["--get", "user.name"])?.and_then(|name| plain(&name));
        let email = self.setting(&["--get", "user.email"])?.and_then(|email| plain(&email));
        Ok(Person {
            name: name.unwrap_or_else(|| "Baton".to_owned()),
            email: email.unwrap_or_else(|| "baton@localhost".to_owned()),
        })
    }

    /// Returns what the configuration of the user says.
    pub(super) fn setting(&self, wanted: &[&str]) -> Result<Option<String>, GitError> {
        let mut command = program::of_the_user(&self.workshop.program, &self.workshop.own);
        command.args(["config", "--global", "--includes"]).args(wanted);
        let mut git = Git::start(command)?;
        git.close_stdin();
        let mut text = Vec::new();
        let read = git.stdout.by_ref().take(SETTING_BYTES_MAX).read_to_end(&mut text).map(|_| ());
        read.map_err(|error| git.error(&error))?;
        // A key that is not set ends git with an error, and so does a home without a configuration.
        let is_set = git.finish()?.is_ok();
        let text = String::from_utf8_lossy(&text).trim_end_matches('\n').to_owned();
        Ok(Some(text).filter(|text| is_set && !text.is_empty()))
    }
}

/// Returns what of a name may stand in a commit.
fn plain(name: &str) -> Option<String> {
    let may_stand = |one: &char| !one.is_control() && !"<>".contains(*one);
    let plain: String = name.chars().take(NAME_CHARS_MAX).filter(may_stand).collect();
    Some(plain.trim().to_owned()).filter(|plain| !plain.is_empty())
}
