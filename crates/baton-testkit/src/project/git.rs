//! Runs git without anybody's settings.

use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

/// Returns git for a folder: no configuration of the machine or the person, UTC, no background work.
pub(crate) fn command(folder: &Path) -> Command {
    let mut git = Command::new("git");
    git.current_dir(folder).env_clear();
    if let Some(path) = std::env::var_os("PATH") {
        git.env("PATH", path);
    }
    git.env("HOME", folder)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("TZ", "UTC")
        .env("LC_ALL", "C");
    for setting in [
        "init.defaultBranch=main",
        "core.autocrlf=false",
        "core.fsync=none",
        "gc.auto=0",
        "maintenance.auto=false",
        "advice.detachedHead=false",
    ] {
        git.args(["-c", setting]);
    }
    git
}

/// Runs git and returns what it wrote; fails with its complaint.
pub(crate) fn run<I: AsRef<OsStr>>(folder: &Path, arguments: &[I]) -> io::Result<String> {
    let output = command(folder).args(arguments).stdin(Stdio::null()).output()?;
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(io::Error::other(complaint));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
