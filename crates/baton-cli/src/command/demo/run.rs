//! The third act of the demonstration: agents do a task, one of them lies, and Baton decides by what it saw.
//!
//! The agents are two small shell scripts, or a real one that the person names; everything else is the same: `baton` itself
//! is called, with a state folder of the demonstration's own, and nothing of the person's is touched.

use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use baton_runner::agent::Driver;

use super::repository;
use crate::exit;

/// A line of the act: what is typed, and what to look at.
struct Line {
    words: &'static [&'static str],
    about: &'static str,
    cast: Cast,
}

/// Whose act a line belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cast {
    Anybody,
    /// A real agent may do it right at once, and need not lie.
    Scripted,
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
        cast: Cast::Anybody,
    },
    Line {
        words: &["run", "--once"],
        about: "A builder works for one turn. It says that all tests pass; Baton runs them itself, and one fails.",
        cast: Cast::Scripted,
    },
    Line {
        words: &["why", "F010"],
        about: "Why it goes back. The lines behind `|` are the feedback that the builder gets, word for word.",
        cast: Cast::Scripted,
    },
    Line {
        words: &["run"],
        about: "The second try is a lie: it makes the check itself say yes. No green light helps it; you are asked.",
        cast: Cast::Scripted,
    },
    Line {
        words: &["resolve", "F010", "again", "Leave check.sh as it is, and say the low tide"],
        about: "You are the one who decides what becomes of it.",
        cast: Cast::Scripted,
    },
    Line {
        words: &["run"],
        about: "A builder works, the checks decide, and a verifier judges in a copy that it cannot change.",
        cast: Cast::Anybody,
    },
    Line {
        words: &["gate", "approve", "F010", "release"],
        about: "Checked and verified, it waits for you: this workflow has a gate. The answer holds for exactly this tree.",
        cast: Cast::Anybody,
    },
    Line {
        words: &["run"],
        about: "Accepted work goes to a branch of its own; your checkout was not touched.",
        cast: Cast::Anybody,
    },
    Line { words: &["why", "F010"], about: "Every decision names what it rests on.", cast: Cast::Anybody },
    Line {
        words: &["audit-log", "verify"],
        about: "And the log that says so holds together.",
        cast: Cast::Anybody,
    },
];

const FILES: &[(&str, &str)] = &[
    ("project/baton.toml", include_str!("run/baton.toml")),
    ("project/tides.sh", include_str!("run/tides.sh")),
    ("project/check.sh", include_str!("run/check.sh")),
    ("project/.gitignore", ".baton/\n"),
];
const SCRIPTED: &[(&str, &str)] = &[
    ("agents/builder", include_str!("run/builder.sh")),
    ("agents/verifier", include_str!("run/verifier.sh")),
];
const SCRIPTED_AGENTS: &str = include_str!("run/agents.toml");

/// Writes the project and plays the act.
pub(super) fn play(folder: &Path, agent: Option<&'static Driver>, out: &mut impl Write) -> io::Result<()> {
    // Neither a program nor a state folder is looked for at a path that is relative.
    let place = folder.canonicalize()?.join("run");
    let stage = Stage { project: place.join("project"), state: place.join("state"), agent };
    stage.write(&place)?;
    let who = agent
        .map_or("a scripted builder, which errs and then lies, and a scripted verifier", |agent| agent.name);
    writeln!(out, "\n── Agents at work: a project in the folder `run/project`, with {who}\n")?;
    stage.baton(&["trust", "--yes"], &mut io::sink())?;
    for line in LINES.iter().filter(|line| agent.is_none() || line.cast == Cast::Anybody) {
        writeln!(out, "   {}\n", line.about)?;
        writeln!(out, "   $ baton {}", shown(line.words))?;
        out.flush()?;
        stage.baton(line.words, out)?;
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
    agent: Option<&'static Driver>,
}

impl Stage {
    fn write(&self, place: &Path) -> io::Result<()> {
        let scripted = if self.agent.is_some() { &[] } else { SCRIPTED };
        for (path, text) in FILES.iter().chain(scripted) {
            let path = place.join(path);
            fs::create_dir_all(path.parent().unwrap_or(place))?;
            fs::write(&path, text)?;
            #[cfg(unix)]
            if text.starts_with("#!") {
                use std::os::unix::fs::PermissionsExt;
                fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
            }
        }
        let agents = match self.agent {
            Some(driver) => format!("[agents.default]\ndriver = \"{}\"\n", driver.name),
            None => SCRIPTED_AGENTS.replace("AGENTS", &place.join("agents").display().to_string()),
        };
        let mut config = fs::File::options().append(true).open(self.project.join("baton.toml"))?;
        config.write_all(agents.as_bytes())?;
        repository::commit(&self.project, "Tides")
    }

    /// Calls this very program, and shows what it says: to people while it says it, then to programs.
    fn baton(&self, words: &[&str], out: &mut impl Write) -> io::Result<()> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(words).current_dir(&self.project).env("XDG_STATE_HOME", &self.state);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let (data, talk) = (child.stdout.take(), child.stderr.take());
        let data = thread::spawn(move || {
            let mut text = Vec::new();
            data.map(|mut data| data.read_to_end(&mut text));
            text
        });
        let mut last = String::new();
        for line in talk.into_iter().flat_map(|talk| BufReader::new(talk).lines()) {
            last = show_line(&line?, out)?.unwrap_or(last);
        }
        let data = data.join().unwrap_or_default();
        for line in String::from_utf8_lossy(&data).lines() {
            show_line(line, out)?;
        }
        match child.wait()?.code() {
            Some(code) if code == exit::Code::Fine as i32 || code == exit::Code::Unfinished as i32 => Ok(()),
            Some(_) | None => Err(io::Error::other(last)),
        }
    }
}

/// Shows a line, and returns it, unless it is empty.
fn show_line(line: &str, out: &mut impl Write) -> io::Result<Option<String>> {
    if line.trim().is_empty() {
        return Ok(None);
    }
    writeln!(out, "   {}", crate::output::printable(line))?;
    out.flush()?;
    Ok(Some(line.to_owned()))
}
