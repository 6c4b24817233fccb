//! Parses the cases of `specs/claims/*.md`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::Door;

/// What a case must come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A claim is false: no door accepts it.
    Lie,
    /// Everything is true and done: every door accepts it.
    Honest,
    /// Everything is true, and work or an answer is missing: nothing is contradicted, nothing is accepted.
    Open,
}

/// What the agent does to one file.
#[derive(Clone, Debug)]
pub(super) enum Change {
    /// Writes the whole file.
    Write(String),
    Append(String),
    Delete,
    Rename(String),
    /// Brings back the content of the base commit.
    Restore,
}

/// One turn of an agent and what its handoff says of it.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) kind: Kind,
    /// Codes that every door must name.
    pub(super) codes: BTreeSet<String>,
    pub(super) workflow: String,
    /// More words for `baton task add`.
    pub(super) task: Vec<String>,
    pub(super) doors: Vec<Door>,
    pub(super) work: Vec<(String, Change)>,
    pub(super) handoff: String,
    /// The document is a verifier's report. Its builder did the work and told the truth.
    pub(super) is_report: bool,
    /// A first attempt came back.
    pub(super) is_second_attempt: bool,
}

/// Reads every case, in the order of the files: of this project, or of the folder that `BATON_CLAIMS_FROM` names.
pub(super) fn all() -> Vec<Case> {
    let own = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs/claims");
    let folder = std::env::var_os("BATON_CLAIMS_FROM").map_or_else(own, PathBuf::from);
    let entries = fs::read_dir(folder).expect("the folder is there");
    let pages = entries.map(|entry| entry.expect("readable").path());
    let mut pages: Vec<PathBuf> =
        pages.filter(|page| page.extension().is_some_and(|ending| ending == "md")).collect();
    pages.sort();
    pages.iter().flat_map(|page| read(page)).collect()
}

fn read(page: &Path) -> Vec<Case> {
    let stem = page.file_stem().expect("a name").to_string_lossy().into_owned();
    let text = fs::read_to_string(page).expect("readable");
    let mut sections: Vec<(String, String)> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        inside ^= line.starts_with("~~~~");
        match line.strip_prefix("## ").filter(|_| !inside) {
            Some(title) => sections.push((title.to_owned(), String::new())),
            None => {
                if let Some((_, body)) = sections.last_mut() {
                    body.push_str(line);
                    body.push('\n');
                }
            }
        }
    }
    let numbered = sections.iter().enumerate();
    numbered.map(|(at, (title, body))| case(&format!("{stem}-{:02}", at + 1), title, body)).collect()
}

fn case(id: &str, title: &str, body: &str) -> Case {
    let (mut work, mut document, mut expected) = (None, None, None);
    for block in blocks(body) {
        let (name, options) = block.0.split_once(' ').unwrap_or((&block.0, ""));
        match name {
            "work" => work = Some((options.to_owned(), block.1)),
            "handoff" | "report" => document = Some((name == "report", block.1)),
            "expect" => expected = Some(block.1),
            other => panic!("{id}: a block `{other}`"),
        }
    }
    let (options, work) = work.unwrap_or_else(|| panic!("{id} has a block `work`"));
    let (is_report, handoff) = document.unwrap_or_else(|| panic!("{id} has a handoff or a report"));
    let expected = expected.unwrap_or_else(|| panic!("{id} expects something"));
    let (kind, codes) = expectation(id, &expected);
    let workflow = if is_report { "judged" } else { "single" };
    let mut case = Case {
        id: id.to_owned(),
        title: title.to_owned(),
        kind,
        codes,
        workflow: workflow.to_owned(),
        task: Vec::new(),
        doors: if is_report { Door::OF_REPORTS.to_vec() } else { Door::ALL.to_vec() },
        work: changes(id, &work),
        handoff,
        is_report,
        is_second_attempt: false,
    };
    options.split_whitespace().for_each(|option| case.apply(option));
    case
}

impl Case {
    /// Returns how many turns its agents take.
    pub(super) fn turns(&self) -> usize {
        if self.is_report || self.is_second_attempt { 2 } else { 1 }
    }

    fn apply(&mut self, option: &str) {
        let (key, value) = option.split_once('=').unwrap_or_else(|| panic!("{}: `{option}`", self.id));
        match key {
            "workflow" => value.clone_into(&mut self.workflow),
            "criterion" | "target" => self.task.extend([format!("--{key}"), value.to_owned()]),
            "attempt" => self.is_second_attempt = value == "2",
            "doors" => self.doors = value.split(',').map(Door::named).collect(),
            other => panic!("{}: no option `{other}`", self.id),
        }
    }
}

fn expectation(id: &str, text: &str) -> (Kind, BTreeSet<String>) {
    let mut words = text.split_whitespace();
    let kind = match words.next() {
        Some("lie") => Kind::Lie,
        Some("honest") => Kind::Honest,
        Some("open") => Kind::Open,
        other => panic!("{id}: {other:?} is neither lie, honest nor open"),
    };
    let codes: BTreeSet<String> = words.map(str::to_owned).collect();
    assert!(kind == Kind::Lie || codes.is_empty(), "{id}: only a lie has codes");
    (kind, codes)
}

fn blocks(body: &str) -> Vec<(String, String)> {
    let mut blocks: Vec<(String, String)> = Vec::new();
    let mut inside = false;
    for line in body.lines() {
        match line.strip_prefix("~~~~") {
            Some(_) if inside => inside = false,
            Some(info) => {
                blocks.push((info.to_owned(), String::new()));
                inside = true;
            }
            None if inside => {
                let body = &mut blocks.last_mut().expect("a block is open").1;
                body.push_str(line);
                body.push('\n');
            }
            None => {}
        }
    }
    assert!(!inside, "a block has no end");
    blocks
}

/// Reads one change a line. Indented lines below it are the content.
fn changes(id: &str, text: &str) -> Vec<(String, Change)> {
    let mut changes: Vec<(String, Change)> = Vec::new();
    for line in text.lines() {
        let content = line.strip_prefix("    ").or_else(|| line.is_empty().then_some(""));
        if let Some(content) = content {
            match changes.last_mut() {
                Some((_, Change::Write(text) | Change::Append(text))) => {
                    text.push_str(content);
                    text.push('\n');
                    continue;
                }
                _ => panic!("{id}: content without a file"),
            }
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let (path, change) = match words.as_slice() {
            ["create" | "write", path] => (path, Change::Write(String::new())),
            ["append", path] => (path, Change::Append(String::new())),
            ["delete", path] => (path, Change::Delete),
            ["restore", path] => (path, Change::Restore),
            ["rename", path, to] => (path, Change::Rename((*to).to_owned())),
            _ => panic!("{id}: `{line}`"),
        };
        changes.push(((*path).to_owned(), change));
    }
    changes
}
