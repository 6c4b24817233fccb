//! One task of a project: a kind about a subject, with or without lies.

use std::io;

use super::kind::{Change, Kind};
use super::lie::{Claim, Edit, Plan};

#[derive(Debug)]
pub(crate) struct Task {
    pub(crate) kind: &'static Kind,
    pub(crate) subject: usize,
    pub(crate) steps: Vec<TaskStep>,
    pub(crate) claims: &'static [Claim],
}

/// A commit of a task, before its holes are filled.
#[derive(Debug)]
pub(crate) struct TaskStep {
    pub(crate) name: &'static str,
    pub(crate) minute: i64,
    pub(crate) person: usize,
    pub(crate) message: &'static str,
    pub(crate) changes: Vec<TaskChange>,
}

#[derive(Clone, Debug)]
pub(crate) struct TaskChange {
    pub(crate) path: String,
    pub(crate) action: Action,
}

#[derive(Clone, Debug)]
pub(crate) enum Action {
    Handoff(String),
    Write(String),
    Append(String),
    Delete,
}

impl Task {
    pub(crate) fn honest(kind: &'static Kind, subject: usize) -> Self {
        let steps = kind.steps.iter().map(|step| TaskStep {
            name: step.name,
            minute: step.minute,
            person: step.person,
            message: step.message,
            changes: step.changes.iter().map(|change| task_change(kind, change)).collect(),
        });
        Task { kind, subject, steps: steps.collect(), claims: &[] }
    }

    pub(crate) fn lying(plan: &'static Plan, subject: usize) -> io::Result<Self> {
        let mut task = Task::honest(plan.kind, subject);
        task.claims = plan.claims;
        for edit in plan.edits {
            task.edit(edit)?;
        }
        Ok(task)
    }

    pub(crate) fn id(&self) -> String {
        let number = self.subject + 1;
        let digits = if self.kind.id.starts_with('F') { format!("{number:03}") } else { number.to_string() };
        self.kind.id.replace('#', &digits)
    }

    /// Returns the path of a file of the task's folder, with holes.
    pub(crate) fn file(&self, file: &str) -> String {
        format!("{}/{file}", self.kind.folder)
    }

    fn edit(&mut self, edit: &Edit) -> io::Result<()> {
        match *edit {
            Edit::Replace { file, old, new } => self.replace(file, old, new),
            Edit::Text { file, text } => {
                let path = self.file(file);
                let action = &mut self.find(&path)?.action;
                *action = Action::Write(text.to_owned());
                Ok(())
            }
            Edit::Remove { file } => {
                let path = self.file(file);
                self.find(&path)?;
                self.steps.iter_mut().for_each(|step| step.changes.retain(|change| change.path != path));
                Ok(())
            }
            Edit::Change { step, change } => {
                let change = task_change(self.kind, &change);
                self.step(step)?.changes.push(change);
                Ok(())
            }
            Edit::Drop { step } => {
                self.step(step)?.changes.clear();
                Ok(())
            }
        }
    }

    fn replace(&mut self, file: &str, old: &str, new: &str) -> io::Result<()> {
        let path = self.file(file);
        match &mut self.find(&path)?.action {
            Action::Handoff(text) | Action::Write(text) | Action::Append(text) => {
                if text.matches(old).count() != 1 {
                    return Err(io::Error::other(format!("{path} does not have this text once: {old}")));
                }
                *text = text.replace(old, new);
                Ok(())
            }
            Action::Delete => Err(io::Error::other(format!("{path} is deleted"))),
        }
    }

    fn find(&mut self, path: &str) -> io::Result<&mut TaskChange> {
        let mut changes = self.steps.iter_mut().flat_map(|step| &mut step.changes);
        let found = changes.find(|change| change.path == path);
        found.ok_or_else(|| io::Error::other(format!("the task has no {path}")))
    }

    fn step(&mut self, name: &str) -> io::Result<&mut TaskStep> {
        let found = self.steps.iter_mut().find(|step| step.name == name);
        found.ok_or_else(|| io::Error::other(format!("the task has no step {name}")))
    }
}

pub(crate) fn task_change(kind: &Kind, change: &Change) -> TaskChange {
    let inside = |file: &str| format!("{}/{file}", kind.folder);
    let (path, action) = match *change {
        Change::Handoff { file, text } => (inside(file), Action::Handoff(text.to_owned())),
        Change::Evidence { file, text } => (inside(file), Action::Write(text.to_owned())),
        Change::Write { path, text } => (path.to_owned(), Action::Write(text.to_owned())),
        Change::Append { path, text } => (path.to_owned(), Action::Append(text.to_owned())),
        Change::Delete { path } => (path.to_owned(), Action::Delete),
    };
    TaskChange { path, action }
}
