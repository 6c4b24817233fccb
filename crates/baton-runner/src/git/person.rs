//! Who commits: the user, by the words of their own configuration of git.

use std::io::Read;

use super::child::Git;
use super::{GitError, Repository, program};

/// Longest name or address.
const BYTES_MAX: u64 = 256;

/// A name and an address, as they stand in a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    pub name: String,
    pub email: String,
}

impl Repository {
    /// Returns the user, or Baton itself where the user has told git nothing. The repository is not asked.
    pub fn person(&self) -> Result<Person, GitError> {
        let name = self.setting("user.name")?;
        let email = self.setting("user.email")?;
        Ok(Person {
            name: name.unwrap_or_else(|| "Baton".to_owned()),
            email: email.unwrap_or_else(|| "baton@localhost".to_owned()),
        })
    }

    fn setting(&self, key: &str) -> Result<Option<String>, GitError> {
        let mut command = program::of_the_user(&self.workshop.program, &self.workshop.own);
        command.args(["config", "--global", "--includes", "--get", key]);
        let mut git = Git::start(command)?;
        git.close_stdin();
        let mut text = Vec::new();
        let read = git.stdout.by_ref().take(BYTES_MAX).read_to_end(&mut text).map(|_| ());
        read.map_err(|error| git.error(&error))?;
        // A key that is not set ends git with an error, and so does a home without a configuration.
        let is_set = git.finish()?.is_ok();
        let text = String::from_utf8_lossy(&text);
        let plain: String = text.chars().filter(|one| !one.is_control() && !"<>".contains(*one)).collect();
        Ok(Some(plain.trim().to_owned()).filter(|plain| is_set && !plain.is_empty()))
    }
}
