//! `baton demo`: see it work.

mod repository;
#[cfg(unix)]
mod run;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use baton_handoff::diagnostic::Severity;
use baton_runner::Service;
use baton_runner::agent::Driver;
use baton_runner::audit::report::Audit;
use baton_runner::check::{FileReport, Verdict};

use super::Done;
use crate::exit;
use crate::failure::Failure;
use crate::format::audit::{self, Extent};
use crate::format::{Detail, Format, formatter};
use crate::output::{self, printable};

/// See Baton judge handoffs, and agents at work
///
/// A small project with the handoffs of one task is written to a new folder, and each is judged as `baton check` would. Then
/// a repository with real commits is made beside them, and its handoffs are held against it as `baton audit` would. At the
/// end two scripted agents take a task through a workflow with `baton run`; with `--agent` a real one does, on your account.
/// The folder stays, for you to try more.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The folder to make; a new one among the temporary files when not given
    #[arg(long, value_name = "FOLDER")]
    into: Option<PathBuf>,
    /// Who does the task instead of the scripted agents: claude, codex, gemini, opencode, acp
    #[arg(long, value_name = "DRIVER", value_parser = super::run::driver)]
    agent: Option<&'static Driver>,
}

/// A document of the demonstration: where it goes, what it says, what to look at.
struct Scene {
    path: &'static str,
    text: &'static str,
    about: &'static str,
}

const SCENES: &[Scene] = &[
    Scene {
        path: "handoffs/1-requirements.md",
        text: include_str!("demo/good.md"),
        about: "An honest stage document. There is nothing to say about it.",
    },
    Scene {
        path: "handoffs/2-architecture.md",
        text: include_str!("demo/broken.md"),
        about: "A report with a broken block: YAML refuses it, a phase is misspelt, a failure would run in circles.",
    },
    Scene {
        path: "handoffs/3-implementation.md",
        text: include_str!("demo/lying.md"),
        about: "A stage that says it is complete. Read what its own checkpoints say.",
    },
    Scene {
        path: "tasks/F007-3.md",
        text: include_str!("demo/blocked.md"),
        about: "A blocked task that does not say what blocks it.",
    },
    Scene {
        path: "notes/HANDOFF.md",
        text: include_str!("demo/note.md"),
        about: "A note without any data. It is read by its sections.",
    },
];

pub(crate) fn run(args: &Args) -> Done {
    let folder = match &args.into {
        Some(folder) => folder.clone(),
        None => std::env::temp_dir().join(format!("baton-demo-{}", std::process::id())),
    };
    write_project(&folder)?;
    let service = Service::open(&folder, None).map_err(Failure::config)?;
    let place = folder.join("repository");
    let has_git = repository::write(&place).map_err(|error| Failure::io(&place, "made", &error))?.is_some();
    let audit = match has_git {
        true => Some(super::audit::findings_of(&service, (&[place], None), 1)?),
        false => None,
    };
    let mut out = output::data();
    let shown = show(&service, &folder, &mut out)
        .and_then(|()| show_audit(audit.as_ref(), &mut out))
        .and_then(|()| show_run((&folder, has_git), args.agent, &mut out))
        .and_then(|()| show_next(&folder, &mut out));
    Ok(output::written(shown).err().unwrap_or(exit::Code::Fine))
}

/// Writes the project into a folder that is not there yet: nothing of anybody's is ever overwritten.
fn write_project(folder: &Path) -> Result<(), Failure> {
    fs::create_dir(folder).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => Failure::usage(
            &format!("{} is there already", printable(&folder.display().to_string())),
            "name a folder that is not there yet; nothing of yours is overwritten",
        ),
        _ => Failure::io(folder, "made", &error),
    })?;
    for scene in SCENES {
        let path = folder.join(scene.path);
        let parent = path.parent().unwrap_or(folder);
        let written = fs::create_dir_all(parent).and_then(|()| fs::write(&path, scene.text));
        written.map_err(|error| Failure::io(&path, "written", &error))?;
    }
    Ok(())
}

fn show(service: &Service, folder: &Path, out: &mut impl Write) -> std::io::Result<()> {
    let place = printable(&folder.display().to_string());
    writeln!(out, "Five handoffs of one task are in {place}\n")?;
    let (mut errors, mut warnings) = (0, 0);
    for (number, scene) in SCENES.iter().enumerate() {
        let verdict = service.check_text(scene.text.as_bytes());
        writeln!(out, "── {} of {}: {}\n   {}\n", number + 1, SCENES.len(), scene.path, scene.about)?;
        if let Verdict::Judged { handoffs, diagnostics, .. } = &verdict {
            for brief in handoffs {
                let (dialect, outcome) = (brief.dialect.name(), brief.outcome.name());
                writeln!(out, "   read as {dialect}; claims to be {outcome}: {}\n", brief.because)?;
            }
            errors += diagnostics.iter().filter(|found| found.severity == Severity::Error).count();
            warnings += diagnostics.iter().filter(|found| found.severity == Severity::Warning).count();
        }
        let report = FileReport { path: PathBuf::from(scene.path), named: true, verdict };
        formatter(Format::Human, Detail::WithoutNotes).file(out, &report)?;
    }
    writeln!(out, "{errors} errors and {warnings} warnings. Every one has a page: baton explain BT705\n")
}

fn show_audit(audit: Option<&Audit>, out: &mut impl Write) -> std::io::Result<()> {
    match audit {
        Some(audit) => {
            writeln!(out, "── A repository: two tasks with real commits, in the folder `repository`")?;
            writeln!(
                out,
                "   Every document in it passes `baton check`. This is what git and a stored log know:\n"
            )?;
            audit::write(out, audit, super::audit::Format::Human, Extent::Screen, false)?;
        }
        None => writeln!(out, "git is not installed, so there is no repository to hold handoffs against")?,
    }
    Ok(())
}

/// The check is a shell script, so there is nothing to show where there is no shell.
fn show_run(
    (folder, has_git): (&Path, bool),
    agent: Option<&'static Driver>,
    out: &mut impl Write,
) -> std::io::Result<()> {
    #[cfg(unix)]
    if has_git {
        return run::play(folder, agent, out).or_else(|error| match error.kind() {
            std::io::ErrorKind::BrokenPipe => Err(error),
            _ => writeln!(out, "the agents could not be shown at work: {error}"),
        });
    }
    let _ = (folder, has_git, agent);
    writeln!(out, "without git and a shell no agents can be shown at work")
}

fn show_next(folder: &Path, out: &mut impl Write) -> std::io::Result<()> {
    writeln!(out, "Try next, in {}:\n", printable(&folder.display().to_string()))?;
    for (command, what) in [
        ("baton audit repository --task F008", "every claim of a task, and what came of it"),
        ("baton check --fix --diff handoffs", "see what can be fixed safely"),
        ("baton convert handoffs/1-requirements.md --to summary", "the same handoff in another form"),
        ("baton migrate notes/HANDOFF.md", "the note as structured data"),
        ("baton check --format sarif .", "for code scanning; also junit, github, json"),
        ("cd run/project && git diff HEAD...baton/accepted", "what the agents did; `main` is as it was"),
        ("XDG_STATE_HOME=$PWD/../state baton log", "then, in that project: its log is not among yours"),
    ] {
        writeln!(out, "  {command:<56} {what}")?;
    }
    out.flush()
}
