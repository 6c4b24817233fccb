//! The files before and after a turn, and what they show of each path that a handoff names.

use std::collections::{BTreeMap, BTreeSet};

use baton_engine::state::{Attempt, Task};
use baton_engine::word::TreeHash;
use baton_evidence::claims::{Claims, FileClaim};
use baton_evidence::facts::{ChangedFile, Changes, Facts, FileFact, Presence, StoredRecord, WorkFile};
use baton_evidence::path::{self, Listed};
use baton_evidence::record::Record;

use crate::audit::history::looks_like_a_file;
use crate::desk::{Desk, DeskError};
use crate::ecosystem;
use crate::git::{Blob, Difference, ObjectKind, Seen, Snapshots, WorkTree};

/// Largest file whose lines are counted.
const COUNTED_BYTES_MAX: u64 = 8 * 1024 * 1024;
/// Two files with at least this part of their lines in common are one that moved.
const SIMILAR_PART: usize = 2;
/// A reference may name a line so many behind the end of the file.
const LINES_BEYOND_MAX: u64 = 5;
/// Most files of tests that are searched for the name of one.
const TESTS_MAX: usize = 500;
/// Longer than this a word can be the name of a test.
const TEST_NAME_MIN: usize = 6;
/// Endings of logs and reports that are read where a handoff cites them.
const LOG_ENDINGS: &[&str] = &["log", "txt", "out", "xml"];

/// The states of the files around a turn.
#[derive(Clone, Debug)]
pub(in crate::desk) struct Span<'a> {
    pub(super) task: &'a Task,
    pub(super) attempt: &'a Attempt,
    /// The files before the task, its stage and its turn, the oldest first; none twice.
    pub(super) before: Vec<TreeHash>,
    /// The files before the first turn of the stage.
    pub(in crate::desk) stage: TreeHash,
    /// The files before the turn itself.
    pub(in crate::desk) turn: TreeHash,
    pub(super) after: TreeHash,
}

/// The files before and after a turn, with everything that differs.
#[derive(Debug)]
pub(super) struct FilesOfTurn<'a> {
    pub(super) span: Span<'a>,
    snapshots: Snapshots,
    /// Where the files of the task are now.
    folder: WorkTree,
    project: String,
    /// What differs from each state before.
    differences: BTreeMap<TreeHash, Vec<Difference>>,
}

impl<'a> FilesOfTurn<'a> {
    pub(super) fn read(desk: &Desk, span: Span<'a>) -> Result<Self, DeskError> {
        let snapshots = desk.snapshots()?;
        let mut differences = BTreeMap::new();
        for before in span.before.iter().chain([&span.stage]) {
            if !differences.contains_key(before) {
                let found = match *before == span.after {
                    true => Vec::new(),
                    false => snapshots.differing(before.as_str(), span.after.as_str())?,
                };
                differences.insert(before.clone(), found);
            }
        }
        let folder = WorkTree::new(&desk.work_root(&span.task.id)?);
        let project = desk.root().to_string_lossy().into_owned();
        Ok(Self { span, snapshots, folder, project, differences })
    }

    fn since(&self, before: &TreeHash) -> impl Iterator<Item = &Difference> {
        self.differences.get(before).into_iter().flatten()
    }

    pub(super) fn changed_in_turn(&self) -> impl Iterator<Item = &str> {
        self.since(&self.span.turn).filter_map(path_of)
    }

    pub(super) fn has_changed_in_stage(&self) -> Result<bool, DeskError> {
        Ok(self.since(&self.span.stage).next().is_some())
    }

    pub(super) fn gather(&self, claims: &Claims, facts: &mut Facts) -> Result<(), DeskError> {
        for file in claims.files.iter().chain(&claims.prose_files) {
            let known = self.file(&file.path.text, file.claim)?;
            facts.files.entry(file.path.text.trim().to_owned()).or_insert(known);
        }
        for said in claims.references() {
            let text = without_place(&said.text);
            if looks_like_a_file(text) {
                let known = self.with_place(self.file(text, FileClaim::Exists)?, &said.text);
                self.read_record(&known, &said.text, &mut facts.records);
                facts.files.entry(said.text.trim().to_owned()).or_insert(known);
            } else if let Some(test) = test_name(&said.text)
                && !self.has_test(test)?
            {
                let known = WorkFile { path: test.to_owned(), ..absent() };
                facts.files.entry(said.text.trim().to_owned()).or_insert(FileFact::Work(known));
            }
        }
        facts.changes = Some(Changes { files: self.changed_files(), ..Changes::default() });
        Ok(())
    }

    /// Takes a reference to a line or a test that the file doesn't have for one to nothing.
    fn with_place(&self, known: FileFact, text: &str) -> FileFact {
        let FileFact::Work(file) = &known else { return known };
        let place = text
            .trim()
            .strip_prefix(without_place(text))
            .unwrap_or_default()
            .trim_start_matches([':', '#', 'L']);
        if place.is_empty() || file.after != Presence::File {
            return known;
        }
        let line = place.split(['-', ':', ',']).next().and_then(|line| line.trim().parse::<u64>().ok());
        let is_there = match line {
            Some(line) => file.lines.is_none_or(|lines| line <= lines + LINES_BEYOND_MAX),
            None => {
                let name = place.rsplit([':', '.', ' ']).next().unwrap_or(place);
                let name = name.split('[').next().unwrap_or(name);
                self.bytes(&self.span.after, &file.path)
                    .is_none_or(|bytes| String::from_utf8_lossy(&bytes).contains(name))
            }
        };
        match is_there {
            true => known,
            false => FileFact::Work(WorkFile { path: file.path.clone(), ..absent() }),
        }
    }

    /// Says whether any changed file, or any file of tests, has a test of this name.
    fn has_test(&self, name: &str) -> Result<bool, DeskError> {
        let has = |path: &str| {
            self.bytes(&self.span.after, path)
                .is_some_and(|bytes| String::from_utf8_lossy(&bytes).contains(name))
        };
        if self.span.before.iter().flat_map(|tree| self.since(tree)).filter_map(path_of).any(has) {
            return Ok(true);
        }
        let files = self.snapshots.files(self.span.after.as_str())?;
        let paths = files.iter().filter_map(|file| std::str::from_utf8(&file.path).ok());
        Ok(paths
            .filter(|path| path.to_lowercase().contains("test") || path.contains("spec"))
            .take(TESTS_MAX)
            .any(has))
    }

    fn changed_files(&self) -> Vec<ChangedFile> {
        let file = |difference: &Difference| {
            let path = path_of(difference)?.to_owned();
            Some(ChangedFile {
                is_added: difference.before.is_none(),
                is_removed: difference.after.is_none(),
                is_generated: ecosystem::is_generated(&path),
                path,
            })
        };
        // What a turn puts back as it was before the task is no change of the task.
        let first = self.span.before.first().unwrap_or(&self.span.turn);
        let of_task: BTreeSet<&str> = self.since(first).filter_map(path_of).collect();
        let changed = self.since(&self.span.turn).filter_map(file);
        changed.filter(|file| of_task.contains(file.path.as_str())).collect()
    }

    /// Reads a log or test report that the handoff cites.
    fn read_record(&self, known: &FileFact, cited: &str, records: &mut Vec<StoredRecord>) {
        let FileFact::Work(file) = known else { return };
        let is_log = file.path.rsplit_once('.').is_some_and(|(_, ending)| LOG_ENDINGS.contains(&ending));
        if let Some(bytes) = is_log.then(|| self.bytes(&self.span.after, &file.path)).flatten() {
            records.push(StoredRecord {
                record: Record::read(&file.path, &bytes),
                about: Vec::new(),
                cited_as: Some(cited.to_owned()),
                is_beside: false,
            });
        }
    }

    fn file(&self, text: &str, claim: FileClaim) -> Result<FileFact, DeskError> {
        let path = match self.resolve(text) {
            Ok(path) => path,
            Err(reason) => return Ok(FileFact::Unknown(reason)),
        };
        let after = self.presence(&self.span.after, &path)?;
        if after == Presence::Absent
            && self.folder.look(&path) != Seen::Missing
            && claim != FileClaim::Deleted
        {
            let reason = "it is there, and not among the files that Baton records; git ignores it, say";
            return Ok(FileFact::Unknown(reason.to_owned()));
        }
        let mut before = Vec::new();
        for tree in &self.span.before {
            before.push(self.presence(tree, &path)?);
        }
        let is_changed =
            |tree: &TreeHash| self.since(tree).filter_map(path_of).any(|other| is_at(other, &path));
        // What was made in any turn of the task counts as made.
        let was_absent = before.contains(&Presence::Absent);
        let before = match (claim, was_absent) {
            (FileClaim::Created, true) => Presence::Absent,
            _ => before.iter().copied().find(|presence| presence.is_there()).unwrap_or(Presence::Absent),
        };
        Ok(FileFact::Work(WorkFile {
            before,
            after,
            is_changed: self.span.before.iter().any(is_changed),
            moved_to: if after == Presence::Absent { self.moved_to(&path) } else { None },
            lines: self.lines(&path),
            path,
        }))
    }

    /// Returns the path from the root of the project that a handoff means.
    fn resolve(&self, text: &str) -> Result<String, String> {
        let mut parts = match path::read(text, &self.folder.root().to_string_lossy())? {
            Listed::Relative(path) => {
                let is_known = self.presence(&self.span.after, &path).is_ok_and(Presence::is_there)
                    || self
                        .span
                        .before
                        .iter()
                        .any(|tree| self.presence(tree, &path).is_ok_and(Presence::is_there));
                if is_known {
                    return Ok(path);
                }
                match self.by_end(&path.split('/').map(str::to_owned).collect::<Vec<_>>()) {
                    Some(found) => return Ok(found),
                    None => return Ok(path),
                }
            }
            Listed::Foreign(parts) => parts,
        };
        if let Ok(Listed::Relative(path)) = path::read(text, &self.project) {
            return Ok(path);
        }
        while parts.len() > 1 {
            if let Some(found) = self.by_end(&parts) {
                return Ok(found);
            }
            parts.remove(0);
        }
        Err("it is a path of another machine, and no changed file ends like it".to_owned())
    }

    /// Finds the one changed file whose path ends like this; a single name is too little.
    fn by_end(&self, parts: &[String]) -> Option<String> {
        let end = (parts.len() > 1).then(|| format!("/{}", parts.join("/")))?;
        let changed = self.span.before.iter().flat_map(|tree| self.since(tree)).filter_map(path_of);
        let found: BTreeSet<&str> = changed.filter(|path| path.ends_with(&end)).collect();
        match found.len() {
            1 => found.first().map(|path| (*path).to_owned()),
            _ => None,
        }
    }

    fn presence(&self, tree: &TreeHash, path: &str) -> Result<Presence, DeskError> {
        let found = self.snapshots.at(tree.as_str(), path)?;
        Ok(match found.map(|info| info.kind) {
            None => Presence::Absent,
            Some(ObjectKind::Tree) => Presence::Folder,
            Some(_) => Presence::File,
        })
    }

    /// Returns where the content of a file is that is gone.
    fn moved_to(&self, path: &str) -> Option<String> {
        let differences = || self.span.before.iter().flat_map(|tree| self.since(tree));
        let gone =
            differences().find(|one| one.after.is_none() && path_of(one) == Some(path))?.before.as_ref()?;
        let added: Vec<&Difference> = differences().filter(|one| one.before.is_none()).collect();
        let same = |one: &&&Difference| one.after.as_ref().is_some_and(|after| after.id == gone.id);
        let name = |path: &str| path.rsplit_once('/').map_or(path, |(_, name)| name).to_owned();
        let same_name = |one: &&&Difference| path_of(one).is_some_and(|other| name(other) == name(path));
        let similar = |one: &&&Difference| path_of(one).is_some_and(|other| self.is_similar(path, other));
        let found = added
            .iter()
            .find(same)
            .or_else(|| added.iter().find(same_name))
            .or_else(|| added.iter().find(similar));
        found.and_then(|one| path_of(one)).map(str::to_owned)
    }

    fn is_similar(&self, before: &str, after: &str) -> bool {
        let old = self.span.before.iter().find_map(|tree| self.bytes(tree, before));
        let (Some(old), Some(new)) = (old, self.bytes(&self.span.after, after)) else { return false };
        let (old, new) = (String::from_utf8_lossy(&old), String::from_utf8_lossy(&new));
        let lines: Vec<&str> = old.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let kept = lines.iter().filter(|line| new.contains(**line)).count();
        !lines.is_empty() && kept * SIMILAR_PART >= lines.len()
    }

    fn bytes(&self, tree: &TreeHash, path: &str) -> Option<Vec<u8>> {
        let info = self.snapshots.at(tree.as_str(), path).ok()??;
        match self.snapshots.objects().blob(info.id, COUNTED_BYTES_MAX) {
            Ok(Blob::Bytes(bytes)) => Some(bytes),
            Ok(Blob::TooLarge(_) | Blob::Missing | Blob::Unreadable) | Err(_) => None,
        }
    }

    /// Counts the lines before and after, and returns the larger number; nothing where it is no text.
    fn lines(&self, path: &str) -> Option<u64> {
        let trees = self.span.before.iter().chain([&self.span.after]);
        trees.filter_map(|tree| line_count(&self.bytes(tree, path)?)).max()
    }
}

fn absent() -> WorkFile {
    WorkFile {
        path: String::new(),
        before: Presence::Absent,
        after: Presence::Absent,
        is_changed: false,
        moved_to: None,
        lines: None,
    }
}

/// Returns the name of a test where a reference is nothing else.
fn test_name(text: &str) -> Option<&str> {
    let text = text.trim().trim_end_matches("()");
    let is_name = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    (is_name && text.len() > TEST_NAME_MIN && (text.starts_with("test_") || text.starts_with("Test")))
        .then_some(text)
}

fn path_of(difference: &Difference) -> Option<&str> {
    let file = difference.after.as_ref().or(difference.before.as_ref())?;
    std::str::from_utf8(&file.path).ok()
}

/// Says whether a changed file is the one at a path, or below it.
fn is_at(changed: &str, path: &str) -> bool {
    changed == path || changed.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'))
}

/// Takes `:12`, `::test_name` or `#L3` off the end of a reference.
fn without_place(text: &str) -> &str {
    let text = text.split('#').next().unwrap_or_default().trim();
    match text.split_once(':') {
        Some((file, rest)) if !rest.starts_with("//") => file,
        _ => text,
    }
}

fn line_count(bytes: &[u8]) -> Option<u64> {
    if bytes.contains(&0) {
        return None;
    }
    let ends = bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
    Some(ends + u64::from(!bytes.is_empty() && !bytes.ends_with(b"\n")))
}
