//! Finds the `git` program, and says what it gets to know of this machine.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::GitError;
use super::own_dir::OwnDir;
use crate::search_path::{SYSTEM_FOLDERS, SearchPath};

const PROGRAM: &str = if cfg!(windows) { "git.exe" } else { "git" };
const NULL_DEVICE: &str = if cfg!(windows) { "NUL" } else { "/dev/null" };
/// Largest single piece of memory that git may ask for, so that a small pack cannot unfold without end.
const ALLOCATION_MAX: &str = "512m";

/// Finds git in the PATH of this process, outside of the repository, which could bring a `git` of its own.
pub(super) fn find(untrusted: &[&Path]) -> Result<PathBuf, GitError> {
    let search = SearchPath::outside(untrusted.iter().copied());
    search.find(OsStr::new(PROGRAM)).ok_or_else(GitError::no_program)
}

/// Prepares a call of git that sees our folder and nothing else.
pub(super) fn command(program: &Path, own: &OwnDir) -> Command {
    let mut command = Command::new(program);
    command.env_clear().envs(environment(program, own)).current_dir(own.folder());
    command
}

/// Prepares a call of git that reads the configuration of the user, and nothing of any repository.
pub(super) fn of_the_user(program: &Path, own: &OwnDir) -> Command {
    let mut command = command(program, own);
    command.env_remove("GIT_CONFIG_GLOBAL");
    for name in ["HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL"] {
        command.envs(env::var_os(name).map(|value| (name, value)));
    }
    command
}

/// All that git finds in its environment. Nothing is inherited but what Windows needs to start a program.
fn environment(program: &Path, own: &OwnDir) -> Vec<(&'static str, OsString)> {
    let folders = program.parent().into_iter().chain(SYSTEM_FOLDERS.iter().map(Path::new));
    let mut variables: Vec<(&'static str, OsString)> = vec![
        ("PATH", env::join_paths(folders).unwrap_or_default()),
        ("HOME", own.folder().into()),
        ("LC_ALL", "C".into()),
        ("GIT_DIR", own.git_dir().into()),
        ("GIT_CONFIG_NOSYSTEM", "1".into()),
        ("GIT_CONFIG_GLOBAL", NULL_DEVICE.into()),
        ("GIT_ATTR_NOSYSTEM", "1".into()),
        ("GIT_NO_REPLACE_OBJECTS", "1".into()),
        ("GIT_NO_LAZY_FETCH", "1".into()),
        ("GIT_ALLOW_PROTOCOL", "none".into()),
        ("GIT_OPTIONAL_LOCKS", "0".into()),
        ("GIT_TERMINAL_PROMPT", "0".into()),
        ("GIT_ALLOC_LIMIT", ALLOCATION_MAX.into()),
        // Told with the call, this counts before whatever stands in a file.
        ("GIT_CONFIG_COUNT", "1".into()),
        ("GIT_CONFIG_KEY_0", "core.hooksPath".into()),
        ("GIT_CONFIG_VALUE_0", NULL_DEVICE.into()),
    ];
    if cfg!(windows) {
        variables.extend(env::var_os("SystemRoot").map(|root| ("SystemRoot", root)));
    }
    variables
}
