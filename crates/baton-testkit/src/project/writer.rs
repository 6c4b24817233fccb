//! Puts the commits of all tasks into one history, in the order of their times.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::history::{Commit, FileChange, History};
use super::kind::{self, ARTIFACT};
use super::moment::{BEGIN, Moment};
use super::person::PEOPLE;
use super::task::{Action, Task, TaskChange, TaskStep, task_change};
use super::template::{self, Values};
use super::{Lie, Project};

pub(crate) struct Writer {
    root: PathBuf,
    history: History,
    tasks: Vec<(Task, Values)>,
    /// The files as the last commit left them.
    tree: BTreeMap<String, String>,
    documents: BTreeSet<String>,
}

pub(crate) struct Written {
    pub(crate) project: Project,
    pub(crate) lies: Vec<Lie>,
}

impl Writer {
    pub(crate) fn begin(folder: &Path) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        let history = History::begin(folder)?;
        let root = folder.to_path_buf();
        Ok(Writer { root, history, tasks: Vec::new(), tree: BTreeMap::new(), documents: BTreeSet::new() })
    }

    pub(crate) fn add(&mut self, task: Task) -> io::Result<()> {
        let begin = begin_of(&task, self.tasks.len() as i64);
        let values = Values { id: task.id(), subject: task.subject, begin, commits: BTreeMap::new() };
        self.tasks.push((task, values));
        Ok(())
    }

    pub(crate) fn finish(mut self) -> io::Result<Written> {
        self.write_base()?;
        let mut order: Vec<(Moment, usize, usize)> = Vec::new();
        for (number, (task, values)) in self.tasks.iter().enumerate() {
            let times = task.steps.iter().map(|step| values.begin.plus_minutes(step.minute));
            order.extend(times.enumerate().map(|(step, at)| (at, number, step)));
        }
        order.sort();
        for (at, number, step) in order {
            self.write_step(at, number, step)?;
        }
        let lies = self.lies()?;
        let commits = self.history.finish(&self.root)?;
        let documents: Vec<String> = self.documents.into_iter().collect();
        let project = Project {
            root: self.root,
            tasks: self.tasks.len(),
            handoffs: documents.len(),
            commits,
            documents,
        };
        Ok(Written { project, lies })
    }

    fn write_base(&mut self) -> io::Result<()> {
        let mut files: Vec<(String, String)> =
            kind::BASE.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        for (task, values) in &self.tasks {
            for change in task.kind.before {
                let change = task_change(task.kind, change);
                if let Action::Write(text) = &change.action {
                    files.push((template::fill(&change.path, values)?, template::fill(text, values)?));
                }
            }
        }
        let changes: Vec<FileChange<'_>> =
            files.iter().map(|(path, text)| FileChange::Put { path, bytes: text.as_bytes() }).collect();
        let at = BEGIN.plus_days(-3);
        self.history.commit(&Commit::plain(&PEOPLE[0], at, "Begin the project\n", &changes))?;
        self.tree.extend(files);
        Ok(())
    }

    fn write_step(&mut self, at: Moment, number: usize, step: usize) -> io::Result<()> {
        let (task, values) = &mut self.tasks[number];
        let step = &task.steps[step];
        if step.changes.is_empty() {
            return Ok(());
        }
        let touched = apply(step, values, &mut self.tree, &mut self.documents)?;
        let changes: Vec<FileChange<'_>> = touched
            .iter()
            .map(|path| match self.tree.get(path) {
                Some(text) => FileChange::Put { path, bytes: text.as_bytes() },
                None => FileChange::Delete { path },
            })
            .collect();
        let message = template::fill(step.message, values)? + "\n";
        let person = &PEOPLE[step.person % PEOPLE.len()];
        let mark = self.history.commit(&Commit::plain(person, at, &message, &changes))?;
        values.commits.insert(step.name, self.history.id(mark)?);
        Ok(())
    }

    fn lies(&self) -> io::Result<Vec<Lie>> {
        let mut lies = Vec::new();
        for (task, values) in &self.tasks {
            for claim in task.claims {
                let path = template::fill(&task.file(claim.file), values)?;
                let text = template::fill(claim.text, values)?;
                let line = self.line(&path, &text)?;
                lies.push(Lie { name: claim.name, code: claim.code, path, line });
            }
        }
        Ok(lies)
    }

    /// Returns the line on which a text ends that stands in the file once.
    fn line(&self, path: &str, text: &str) -> io::Result<usize> {
        let missing = || io::Error::other(format!("{path} does not have this text once: {text}"));
        let source = self.tree.get(path).ok_or_else(missing)?;
        let mut places = source.match_indices(text);
        let (Some((place, _)), None) = (places.next(), places.next()) else { return Err(missing()) };
        Ok(source[..place + text.len()].matches('\n').count() + 1)
    }
}

/// Applies a step to the tree and returns the paths it touched.
fn apply(
    step: &TaskStep,
    values: &Values,
    tree: &mut BTreeMap<String, String>,
    documents: &mut BTreeSet<String>,
) -> io::Result<Vec<String>> {
    let mut touched = Vec::new();
    for TaskChange { path, action } in &step.changes {
        let path = template::fill(path, values)?;
        match action {
            Action::Handoff(text) => {
                documents.insert(path.clone());
                tree.insert(path.clone(), template::fill(text, values)?);
            }
            Action::Write(text) => {
                tree.insert(path.clone(), template::fill(text, values)?);
            }
            Action::Append(text) => {
                tree.entry(path.clone()).or_default().push_str(&template::fill(text, values)?)
            }
            Action::Delete => {
                tree.remove(&path);
            }
        }
        touched.push(path);
    }
    Ok(touched)
}

/// A day for each task; the importers work beside the task before them, on files of their own.
fn begin_of(task: &Task, position: i64) -> Moment {
    match task.kind.name == ARTIFACT.name {
        true => BEGIN.plus_days(position - 1).plus_minutes(37),
        false => BEGIN.plus_days(position),
    }
}
