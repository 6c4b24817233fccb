//! Projects with a real git history and the handoffs of their tasks: honest ones, lying ones, messy ones, large ones.
//!
//! An honest task is a `kind`: a table of commits whose texts are the files under `templates/`. A lying task is the
//! same table with a few edits, and the places at which it must be caught. See `lie` for how to add one.

mod git;
mod history;
mod kind;
mod large;
mod lie;
mod mess;
mod moment;
mod person;
mod subject;
mod task;
mod template;
mod writer;

use std::io;
use std::path::{Path, PathBuf};

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    pub root: PathBuf,
    pub tasks: usize,
    pub handoffs: usize,
    pub commits: usize,
    /// The handoff files of the work tree, from the root, with forward slashes, sorted.
    pub documents: Vec<String>,
}

/// One claim that the project's history, evidence or other handoffs contradict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lie {
    /// What is claimed and what is so, in one sentence.
    pub name: &'static str,
    pub code: u16,
    /// The handoff file, from the root, with forward slashes.
    pub path: String,
    /// The line, from 1, to which the finding must point.
    pub line: usize,
}

/// Writes a small project whose every handoff is true.
pub fn honest(folder: &Path) -> io::Result<Project> {
    let mut writer = writer::Writer::begin(folder)?;
    for (kind, subject) in honest_tasks() {
        writer.add(task::Task::honest(kind, subject))?;
    }
    writer.finish().map(|written| written.project)
}

/// Writes the same project with further tasks, each of which lies; returns every lie.
pub fn lying(folder: &Path) -> io::Result<(Project, Vec<Lie>)> {
    let mut writer = writer::Writer::begin(folder)?;
    let mut next_subject = 0;
    for (kind, subject) in honest_tasks() {
        writer.add(task::Task::honest(kind, subject))?;
        next_subject = subject + 1;
    }
    for (number, plan) in lie::plans().enumerate() {
        writer.add(task::Task::lying(plan, next_subject + number)?)?;
    }
    let written = writer.finish()?;
    let lies = written.lies;
    Ok((written.project, lies))
}

/// Writes honest chains with the mess of ordinary work: renames, squashes, rebases, other zones, other machines.
///
/// Nothing in it is a contradiction. Hashes that a rebase took away are named, and cannot be told from invented ones.
pub fn messy_honest(folder: &Path, seed: u64, chains: usize) -> io::Result<Project> {
    mess::write(folder, seed, chains)
}

/// Writes honest chains at scale over a long history.
pub fn large(folder: &Path, handoffs: usize, chains: usize, commits: usize) -> io::Result<Project> {
    large::write(folder, &large::Size { handoffs, chains, commits })
}

/// The kinds of the honest project's tasks; the position is the subject.
fn honest_tasks() -> impl Iterator<Item = (&'static kind::Kind, usize)> {
    kind::HONEST.iter().copied().zip(0..)
}

#[cfg(test)]
mod tests;
