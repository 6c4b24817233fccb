//! The third act of the demonstration: agents do a task, one of them lies, and Baton decides by what it saw.
//!
//! The agents are three small shell scripts; everything else is as with real ones: `baton` itself is called, with a state
//! folder of the demonstration's own, and nothing of the person's is touched.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::repository;
use crate::exit;

/// A line of the act: what is typed, and what to look at.
struct Line {
    words: &'static [&'static str],
    about: &'static str,
}

const LINES: &[Line] = &[
    Line {
        words: &[
            "task",
            "add",
            "F010",
            "Say when the tide is low",
            "--workflow",
            "tides",
            "--criterion",
            "says-low-tide",
        ],
        about: "A task, with one criterion that an independent verifier has to find met.",
    },
    Line {
        words: &["run"],
        about: "The builder says that all tests pass. They do not: it is told what was seen, and tries again.",
    },
    Line {
        words: &["gate", "approve", "F010", "release"],
        about: "Checked and verified, it waits for you: this workflow has a gate. The answer holds for exactly this tree.",
    },
    Line {
        words: &["run"],
        about: "Accepted work goes to a branch of its own; your checkout was not touched.",
    },
    Line { words: &["why", "F010"], about: "Every decision names what it rests on." },
    Line { words: &["audit-log", "verify"], about: "And the log that says so holds together." },
];

const FILES: &[(&str, &str)] = &[
    ("project/baton.toml", include_str!("run/baton.toml")),
    ("project/tides.sh", include_str!("run/tides.sh")),
    ("project/check.sh", include_str!("run/check.sh")),
    ("project/.gitignore", ".baton/\n"),
    ("agents/builder", include_str!("run/builder.sh")),
    ("agents/verifier", include_str!("run/verifier.sh")),
];

/// Writes the project and plays the act.
pub(super) fn play(folder: &Path, out: &mut impl Write) -> io::Result<()> {
    // Neither a program nor a state folder is looked for at a path that is relative.
    let place = folder.canonicalize()?.join("run");
    let stage =
        Stage { project: place.join("project"), state: place.join("state"), agents: place.join("agents") };
    stage.write(&place)?;
    writeln!(
        out,
        "\n── Agents at work: a project in the folder `run/project`, with a builder and a verifier\n"
    )?;
    stage.baton(&["trust", "--yes"])?;
    for line in LINES {
        writeln!(out, "   {}\n", line.about)?;
        writeln!(out, "   $ baton {}", shown(line.words))?;
        let text = stage.baton(line.words)?;
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            writeln!(out, "   {}", crate::output::printable(line))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn shown(words: &[&str]) -> String {
    let quoted =
        words.iter().map(|word| if word.contains(' ') { format!("{word:?}") } else { (*word).to_owned() });
    quoted.collect::<Vec<_>>().join(" ")
}

struct Stage {
    project: PathBuf,
    state: PathBuf,
    agents: PathBuf,
}

impl Stage {
    fn write(&self, place: &Path) -> io::Result<()> {
        for (path, text) in FILES {
            let path = place.join(path);
            fs::create_dir_all(path.parent().unwrap_or(place))?;
            let agents = self.agents.display().to_string();
            fs::write(&path, text.replace("AGENTS", &agents))?;
            #[cfg(unix)]
            if text.starts_with("#!") {
                use std::os::unix::fs::PermissionsExt;
                fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
            }
        }
        repository::commit(&self.project, "Tides")
    }

    /// Calls this very program, and returns what it says to people and to programs, in that order.
    fn baton(&self, words: &[&str]) -> io::Result<String> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(words).current_dir(&self.project).env("XDG_STATE_HOME", &self.state);
        let run = command.output()?;
        let said =
            format!("{}{}", String::from_utf8_lossy(&run.stderr), String::from_utf8_lossy(&run.stdout));
        match run.status.code() {
            Some(code) if code == exit::Code::Fine as i32 || code == exit::Code::Unfinished as i32 => {
                Ok(said)
            }
            Some(_) | None => Err(io::Error::other(said)),
        }
    }
}
