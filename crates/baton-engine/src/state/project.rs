//! What belongs to no task: guidance, workflows, the completion graph, the pause, lessons.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::knowledge::lesson::Decree;
use crate::word::{BlobId, LessonId, TaskId, WorkflowName};
use crate::workflow::Workflow;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Project {
    pub covenant: Option<Covenant>,
    pub workflows: BTreeMap<WorkflowName, Workflow>,
    /// For each task, those that must be done before it.
    pub edges: BTreeMap<TaskId, BTreeSet<TaskId>>,
    pub paused: Option<String>,
    /// What people said of lessons, the last word on each.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub lessons: BTreeMap<LessonId, Decree>,
}

/// The guidance in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Covenant {
    pub version: u32,
    pub policy_hash: BlobId,
}

impl Project {
    /// Returns a workflow by its name: the project's own before the built-in one.
    pub fn workflow(&self, name: &WorkflowName) -> Option<Workflow> {
        self.workflows.get(name).cloned().or_else(|| Workflow::built_in(name.as_str()))
    }

    pub fn has_edge(&self, task: &TaskId, on: &TaskId) -> bool {
        self.edges.get(task).is_some_and(|needed| needed.contains(on))
    }

    /// Returns the way from one task to another along what they need, both included.
    ///
    /// Walks without recursion: a graph of many thousand tasks must not end the process.
    pub fn path(&self, from: &TaskId, to: &TaskId) -> Option<Vec<TaskId>> {
        let mut reached_from: BTreeMap<&TaskId, &TaskId> = BTreeMap::new();
        let mut open = vec![from];
        while let Some(task) = open.pop() {
            if task == to {
                let mut path = vec![task.clone()];
                let mut at = task;
                while let Some(before) = reached_from.get(at) {
                    path.push((*before).clone());
                    at = before;
                }
                path.reverse();
                return Some(path);
            }
            for needed in self.edges.get(task).into_iter().flatten() {
                if needed != from && !reached_from.contains_key(needed) {
                    reached_from.insert(needed, task);
                    open.push(needed);
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(name: &str) -> TaskId {
        TaskId::new(name).unwrap()
    }

    #[test]
    fn the_way_is_found_and_long_chains_do_not_hurt() {
        let mut project = Project::default();
        for number in 0..50_000 {
            let needed = BTreeSet::from([task(&format!("t{}", number + 1))]);
            project.edges.insert(task(&format!("t{number}")), needed);
        }
        assert_eq!(project.path(&task("t0"), &task("t50000")).unwrap().len(), 50_001);
        assert_eq!(project.path(&task("t50000"), &task("t0")), None);
    }
}
