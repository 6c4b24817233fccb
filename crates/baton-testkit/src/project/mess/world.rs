//! Writes the events of all chains into one repository.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::chain::Chain;
use super::event::{Edit, Event, Place};
use crate::project::Project;
use crate::project::history::{Commit, FileChange, History};
use crate::project::kind;
use crate::project::moment::BEGIN;
use crate::project::person::PEOPLE;
use crate::random::Random;

type Tree = BTreeMap<String, String>;

pub(super) struct World {
    root: PathBuf,
    history: History,
    trees: BTreeMap<String, Tree>,
    /// The last commit of each chain's code, or the id it had before it was rewritten.
    commits: BTreeMap<usize, String>,
    keeps_commits: Vec<bool>,
    documents: BTreeSet<String>,
    uncommitted: BTreeSet<String>,
    ignored: Tree,
}

impl World {
    pub(super) fn begin(folder: &Path, chains: &[Chain]) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        let mut history = History::begin(folder)?;
        let mut tree: Tree =
            kind::BASE.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        tree.insert(".gitignore".to_owned(), "/target\n/dist/\n/generated/\n.env\n".to_owned());
        tree.insert("Cargo.lock".to_owned(), "version = 4\n".to_owned());
        for chain in chains {
            tree.insert(format!("src/old/{}.rs", chain.slug), format!("//! {}, once.\n", chain.title));
        }
        let paths: Vec<String> = tree.keys().cloned().collect();
        let changes = changes(&tree, &paths);
        let first = Commit::plain(&PEOPLE[0], BEGIN.plus_days(-3), "Begin the project\n", &changes);
        history.commit(&first)?;
        Ok(World {
            root: folder.to_path_buf(),
            history,
            trees: [("main".to_owned(), tree)].into(),
            commits: BTreeMap::new(),
            keeps_commits: chains.iter().map(|chain| chain.integration.keeps_commits()).collect(),
            documents: BTreeSet::new(),
            uncommitted: BTreeSet::new(),
            ignored: Tree::new(),
        })
    }

    pub(super) fn write(&mut self, mut events: Vec<Event>) -> io::Result<()> {
        // What is not committed comes last: it stands on whatever the main branch has by then.
        events.sort_by_key(|event| (event.place == Place::WorkTree, event.committed, event.chain));
        events.iter().try_for_each(|event| self.write_event(event))
    }

    fn write_event(&mut self, event: &Event) -> io::Result<()> {
        let (branch, merged) = match &event.place {
            Place::Main => ("main", None),
            Place::Branch(name) => (name.as_str(), None),
            Place::Merge(name) => ("main", self.history.tip(name)),
            Place::WorkTree => return self.write_work_tree(event),
        };
        let is_new = !self.trees.contains_key(branch);
        let from = if is_new { self.history.tip("main") } else { None };
        if is_new {
            let tree = self.trees.get("main").cloned().unwrap_or_default();
            self.trees.insert(branch.to_owned(), tree);
        }
        let touched = self.apply(branch, event)?;
        let changes = self.trees.get(branch).map(|tree| changes(tree, &touched)).unwrap_or_default();
        let person = &PEOPLE[event.person];
        let committer = if event.committed == event.at { person } else { &PEOPLE[0] };
        let mark = self.history.commit(&Commit {
            branch,
            from,
            merge: merged,
            author: person.stamp(event.at),
            committer: committer.stamp(event.committed),
            message: &event.message,
            changes: &changes,
        })?;
        if let Some(tag) = &event.tag {
            self.history.tag(tag, mark)?;
        }
        let is_code = !event.edits.iter().any(|edit| matches!(edit, Edit::Handoff { .. }));
        if is_code && self.keeps_commits[event.chain] {
            self.commits.insert(event.chain, self.history.id(mark)?);
        }
        Ok(())
    }

    /// Applies an event to the tree of a branch and returns the paths it touched.
    fn apply(&mut self, branch: &str, event: &Event) -> io::Result<Vec<String>> {
        let commit = self.commit_of(event.chain);
        let tree = self.trees.entry(branch.to_owned()).or_default();
        let mut touched = BTreeSet::new();
        for edit in &event.edits {
            match edit {
                Edit::Handoff { path, text } => {
                    tree.insert(path.clone(), text.replace("{{commit}}", &commit));
                    self.documents.insert(path.clone());
                    touched.insert(path.clone());
                }
                Edit::Put { path, text } => {
                    tree.insert(path.clone(), text.clone());
                    touched.insert(path.clone());
                }
                Edit::Append { path, text } => {
                    tree.entry(path.clone()).or_default().push_str(text);
                    touched.insert(path.clone());
                }
                Edit::Delete { path } => {
                    tree.remove(path);
                    touched.insert(path.clone());
                }
                Edit::Ignored { path, text } => {
                    self.ignored.insert(path.clone(), text.clone());
                }
                Edit::Move { from, to } => {
                    let moved: Vec<String> =
                        tree.keys().filter(|path| is_inside(path, from)).cloned().collect();
                    for old in moved {
                        let new = format!("{to}{}", &old[from.len()..]);
                        if let Some(text) = tree.remove(&old) {
                            tree.insert(new.clone(), text);
                        }
                        if self.documents.remove(&old) {
                            self.documents.insert(new.clone());
                        }
                        touched.extend([old, new]);
                    }
                }
            }
        }
        Ok(touched.into_iter().collect())
    }

    fn write_work_tree(&mut self, event: &Event) -> io::Result<()> {
        let touched = self.apply("main", event)?;
        self.uncommitted.extend(touched);
        Ok(())
    }

    /// Returns the commit that a chain's handoffs name.
    fn commit_of(&self, chain: usize) -> String {
        self.commits.get(&chain).cloned().unwrap_or_else(|| {
            let mut random = Random::numbered(0x5ee_d1e55, chain);
            (0..40).filter_map(|_| char::from_digit(random.below(16) as u32, 16)).collect()
        })
    }

    pub(super) fn finish(self, tasks: usize) -> io::Result<Project> {
        let commits = self.history.finish(&self.root)?;
        let tree = self.trees.get("main").cloned().unwrap_or_default();
        for path in &self.uncommitted {
            match tree.get(path) {
                Some(text) => put(&self.root, path, text)?,
                None => fs::remove_file(self.root.join(path))?,
            }
        }
        self.ignored.iter().try_for_each(|(path, text)| put(&self.root, path, text))?;
        let documents: Vec<String> = self.documents.into_iter().collect();
        Ok(Project { root: self.root, tasks, handoffs: documents.len(), commits, documents })
    }
}

fn put(root: &Path, path: &str, text: &str) -> io::Result<()> {
    let file = root.join(path);
    file.parent().map_or(Ok(()), fs::create_dir_all)?;
    fs::write(&file, text)
}

fn is_inside(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn changes<'a>(tree: &'a Tree, touched: &'a [String]) -> Vec<FileChange<'a>> {
    let change = |path: &'a String| match tree.get(path) {
        Some(text) => FileChange::Put { path, bytes: text.as_bytes() },
        None => FileChange::Delete { path },
    };
    touched.iter().map(change).collect()
}
