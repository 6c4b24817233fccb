//! The second act of the demonstration: a repository with real commits, and handoffs that do not agree with it.

use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

/// One commit: when it was made, and the files that it brings.
struct Step {
    at: &'static str,
    message: &'static str,
    files: &'static [(&'static str, &'static str)],
}

const STEPS: &[Step] = &[
    Step {
        at: "2026-03-02T08:00:00Z",
        message: "Upload in chunks",
        files: &[
            ("src/lib.rs", "pub mod session;\npub mod upload;\n"),
            ("src/session.rs", "pub struct Session;\n"),
            ("src/upload.rs", "pub fn upload() {}\n"),
        ],
    },
    Step {
        at: "2026-03-04T10:15:00Z",
        message: "F008: requirements",
        files: &[
            ("docs/signing.md", "# Signing\n\nEvery chunk is signed.\n"),
            ("handoffs/F008/1-requirements.md", include_str!("repository/requirements.md")),
        ],
    },
    Step {
        at: "2026-03-05T16:45:00Z",
        message: "F008: implementation",
        files: &[
            ("src/sign.rs", "pub fn sign() {}\n"),
            ("src/upload.rs", "use crate::sign::sign;\n\npub fn upload() {\n    sign();\n}\n"),
            ("handoffs/F008/3-implementation.md", include_str!("repository/implementation.md")),
            ("handoffs/F008/evidence/tests_passing.log", include_str!("repository/tests_passing.log")),
        ],
    },
    Step {
        at: "2026-03-06T11:05:00Z",
        message: "F009: progress",
        files: &[
            ("src/progress.rs", "pub fn progress() {}\n"),
            (
                "src/upload.rs",
                "use crate::progress::progress;\nuse crate::sign::sign;\n\npub fn upload() {\n    sign();\n    progress();\n}\n",
            ),
            ("tasks/F009.md", include_str!("repository/honest.md")),
        ],
    },
];

/// Writes the repository into a new folder; nothing when git is not installed.
pub(super) fn write(folder: &Path) -> io::Result<Option<()>> {
    fs::create_dir(folder)?;
    match git(folder, "2026-03-02T08:00:00Z", &["init", "--quiet", "--initial-branch=main"]) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        other => other?,
    }
    for step in STEPS {
        for (path, text) in step.files {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().unwrap_or(folder))?;
            fs::write(path, text)?;
        }
        git(folder, step.at, &["add", "--all"])?;
        git(folder, step.at, &["commit", "--quiet", "--message", step.message])?;
    }
    Ok(Some(()))
}

/// Makes a repository of a folder, with all that is in it.
pub(super) fn commit(folder: &Path, message: &str) -> io::Result<()> {
    let at = "2026-03-09T09:00:00Z";
    git(folder, at, &["init", "--quiet", "--initial-branch=main"])?;
    git(folder, at, &["add", "--all"])?;
    git(folder, at, &["commit", "--quiet", "--message", message])
}

/// Runs git with a person and a time of our own, and without anybody's configuration.
fn git(folder: &Path, at: &str, arguments: &[&str]) -> io::Result<()> {
    let mut command = Command::new("git");
    command.args([
        "-c",
        "user.name=Ada",
        "-c",
        "user.email=ada@upload.example",
        "-c",
        "commit.gpgSign=false",
    ]);
    command.args(arguments).current_dir(folder);
    command.env("GIT_AUTHOR_DATE", at).env("GIT_COMMITTER_DATE", at);
    command
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", if cfg!(windows) { "NUL" } else { "/dev/null" });
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        command.env_remove(name);
    }
    let run = command.output()?;
    match run.status.success() {
        true => Ok(()),
        false => {
            Err(io::Error::other(format!("git {}: {}", arguments[0], String::from_utf8_lossy(&run.stderr))))
        }
    }
}
