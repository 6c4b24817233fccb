//! Knowledge as a graph: lessons, the files, tags, tasks and agents they hang together with.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{Fate, Finding, Lesson, LessonStanding};
use crate::fact::closed;
use crate::word::{LessonId, TaskId};

closed! {
    NodeKind {
        Pattern "pattern",
        Gotcha "gotcha",
        Decision "decision",
        File "file",
        Tag "tag",
        Task "task",
        Agent "agent",
    }

    EdgeKind {
        /// From a lesson to the task that says so.
        LearnedIn "learned_in",
        /// From a lesson to a file.
        About "about",
        /// From a lesson to a tag.
        Tagged "tagged",
        /// From a task to the agent that worked on it.
        WorkedOn "worked_on",
        /// From a task to a file.
        Touched "touched",
        /// From a task to one that must be done before it.
        DependsOn "depends_on",
        /// Between two lessons whose words are close. They are two all the same.
        CloseTo "close_to",
    }
}

/// Something, with a name that no other node has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Node {
    pub id: String,
    pub kind: NodeKind,
    pub label: String,
    pub standing: Option<LessonStanding>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Edge {
    pub from: String,
    pub to: String,
    pub kind: EdgeKind,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Graph {
    /// By kind and id.
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
    /// Nodes that had no room.
    pub left_out: usize,
}

/// What a graph is drawn from.
#[derive(Clone, Debug, Default)]
pub struct Material {
    /// The most important first.
    pub lessons: Vec<Lesson>,
    /// What tasks said of files.
    pub files: Vec<Finding>,
    pub needs: BTreeMap<TaskId, Vec<TaskId>>,
    pub close: Vec<(LessonId, LessonId)>,
}

/// Draws the graph. When it would have more than `nodes_max` nodes, lessons stay before what they hang on, and among
/// the rest those with the most edges.
pub fn graph(material: &Material, nodes_max: usize) -> Graph {
    let mut drawing = Drawing::default();
    material.lessons.iter().for_each(|lesson| drawing.lesson(lesson));
    material.files.iter().for_each(|finding| drawing.file(finding));
    for (task, needed) in &material.needs {
        for needed in needed {
            drawing.edge(task.as_str(), needed.as_str(), EdgeKind::DependsOn);
        }
    }
    for (one, other) in &material.close {
        drawing.edge(one.as_str(), other.as_str(), EdgeKind::CloseTo);
    }
    drawing.finish(nodes_max)
}

#[derive(Default)]
struct Drawing {
    nodes: BTreeMap<String, Node>,
    edges: BTreeSet<Edge>,
}

impl Drawing {
    fn node(&mut self, kind: NodeKind, id: &str, label: &str) -> String {
        let id = match kind {
            NodeKind::Pattern | NodeKind::Gotcha | NodeKind::Decision => id.to_owned(),
            NodeKind::File | NodeKind::Tag | NodeKind::Task | NodeKind::Agent => {
                format!("{}:{id}", kind.name())
            }
        };
        let node = Node { id: id.clone(), kind, label: label.to_owned(), standing: None };
        self.nodes.entry(id.clone()).or_insert(node);
        id
    }

    fn edge(&mut self, from: &str, to: &str, kind: EdgeKind) {
        let (from, to) = match kind {
            EdgeKind::DependsOn => (format!("task:{from}"), format!("task:{to}")),
            _ => (from.to_owned(), to.to_owned()),
        };
        self.edges.insert(Edge { from, to, kind });
    }

    fn lesson(&mut self, lesson: &Lesson) {
        use super::ItemKind;
        let kind = match lesson.kind {
            ItemKind::Pattern => NodeKind::Pattern,
            ItemKind::Gotcha => NodeKind::Gotcha,
            ItemKind::Decision => NodeKind::Decision,
            ItemKind::File
            | ItemKind::FileToRead
            | ItemKind::Question
            | ItemKind::Blocker
            | ItemKind::NextStep => {
                return;
            }
        };
        let id = self.node(kind, lesson.id.as_str(), &lesson.text);
        if let Some(node) = self.nodes.get_mut(&id) {
            node.standing = Some(lesson.standing);
        }
        for path in &lesson.paths {
            let file = self.node(NodeKind::File, path, path);
            self.edge(&id, &file, EdgeKind::About);
        }
        for tag in &lesson.tags {
            let tag = self.node(NodeKind::Tag, tag, tag);
            self.edge(&id, &tag, EdgeKind::Tagged);
        }
        for source in &lesson.sources {
            let (task, agent) = self.work(source.task.as_str(), source.agent.as_str());
            self.edge(&id, &task, EdgeKind::LearnedIn);
            self.edge(&task, &agent, EdgeKind::WorkedOn);
        }
    }

    fn file(&mut self, finding: &Finding) {
        let Some(path) = finding.item.path.as_deref().filter(|_| finding.source.fate != Fate::Returned)
        else {
            return;
        };
        let (task, agent) = self.work(finding.source.task.as_str(), finding.source.agent.as_str());
        let file = self.node(NodeKind::File, path, path);
        self.edge(&task, &file, EdgeKind::Touched);
        self.edge(&task, &agent, EdgeKind::WorkedOn);
    }

    fn work(&mut self, task: &str, agent: &str) -> (String, String) {
        (self.node(NodeKind::Task, task, task), self.node(NodeKind::Agent, agent, &format!("@{agent}")))
    }

    fn finish(self, nodes_max: usize) -> Graph {
        let mut degrees: BTreeMap<&str, usize> = BTreeMap::new();
        for edge in &self.edges {
            *degrees.entry(&edge.from).or_default() += 1;
            *degrees.entry(&edge.to).or_default() += 1;
        }
        let degree = |node: &Node| degrees.get(node.id.as_str()).copied().unwrap_or(0);
        let mut order: Vec<&Node> = self.nodes.values().collect();
        order.sort_by_key(|node| (node.standing.is_none(), std::cmp::Reverse(degree(node)), node.id.clone()));
        let left_out = order.len().saturating_sub(nodes_max);
        order.truncate(nodes_max);
        let kept: BTreeSet<&str> = order.iter().map(|node| node.id.as_str()).collect();
        let is_kept = |edge: &Edge| kept.contains(edge.from.as_str()) && kept.contains(edge.to.as_str());
        let edges = self.edges.iter().filter(|edge| is_kept(edge)).cloned().collect();
        let mut nodes: Vec<Node> = order.into_iter().cloned().collect();
        nodes.sort_by(|one, two| (one.kind, &one.id).cmp(&(two.kind, &two.id)));
        Graph { nodes, edges, left_out }
    }
}
