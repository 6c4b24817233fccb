//! Evidence that is stored beside a handoff: logs and JUnit files, and which claim each of them belongs to.

use std::collections::BTreeMap;

use baton_evidence::facts::StoredRecord;
use baton_evidence::finding::Said;
use baton_evidence::record::Record;

use super::chain::natural;
use super::dossier::Dossier;
use super::world::World;
use crate::git::{Contents, Seen, WorkTree};

/// Most files looked at in one folder of evidence.
const FILES_MAX: usize = 200;
/// Largest log that is read.
const LOG_BYTES_MAX: u64 = 8 * 1024 * 1024;
const LOG_ENDINGS: &[&str] = &["log", "txt", "out", "xml"];

/// Reads a log or a test report of the work tree.
pub(super) fn record_at(work_tree: &WorkTree, path: &str) -> Option<Record> {
    match work_tree.read(path, LOG_BYTES_MAX) {
        Contents::Bytes(bytes) => Some(Record::read(path, &bytes)),
        Contents::TooLarge(_) | Contents::NotAFile(_) => None,
    }
}

/// What a log is about, by the words of its name.
const TOPICS: &[(&[&str], &[&str])] = &[
    (
        &["test", "tests", "pytest", "jest", "vitest", "junit", "unit", "spec"],
        &["tests_passing", "criteria_verified"],
    ),
    (&["lint", "eslint", "clippy", "ruff"], &["no_lint_errors"]),
    (&["build", "tsc", "compile", "typecheck"], &["code_complete"]),
];

/// The stored records of one handoff.
#[derive(Debug)]
pub(super) struct Evidence<'w> {
    records: Vec<Record>,
    /// The names of all checkpoints of the project.
    checkpoints: &'w [String],
}

impl<'w> Evidence<'w> {
    /// Finds what is stored beside a handoff and belongs to it.
    pub(super) fn beside(dossier: &Dossier, world: &'w World<'_>) -> Self {
        let path = dossier.shown_path();
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", &path));
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let join =
            |below: &str| if folder.is_empty() { below.to_owned() } else { format!("{folder}/{below}") };
        let task = dossier.task.as_ref().map(|task| task.text.trim().to_lowercase());
        let mut paths = Vec::new();
        for shared in ["evidence", "logs"] {
            for file in files(&world.work_tree, &join(shared)) {
                let names_task = task.as_ref().is_some_and(|task| has_word(&file.to_lowercase(), task));
                if names_task || world.holds_one_task(folder) {
                    paths.push(file);
                }
            }
        }
        for own in [stem.to_owned(), format!("{stem}-evidence")] {
            paths.extend(files(&world.work_tree, &join(&own)));
        }
        paths.retain(|path| is_of_stage(path, dossier, world));
        let records = chosen(paths, stem, &dossier.evidence)
            .into_iter()
            .filter_map(|path| record_at(&world.work_tree, &path));
        Self { records: records.collect(), checkpoints: &world.checkpoints }
    }

    /// Returns the records with the checkpoints that each is about.
    pub(super) fn into_stored(self) -> Vec<StoredRecord> {
        let names: Vec<String> = self
            .checkpoints
            .iter()
            .map(String::as_str)
            .chain(TOPICS.iter().flat_map(|(_, names)| *names).copied())
            .map(str::to_owned)
            .collect();
        let about = |record: &Record| {
            let own = names.iter().filter(|name| is_about(&record.path, name, self.checkpoints));
            own.flat_map(|name| [name.clone(), name.replace('_', "-")]).collect()
        };
        let stored = |record: &Record| StoredRecord {
            about: about(record),
            record: record.clone(),
            cited_as: None,
            is_beside: true,
        };
        self.records.iter().map(stored).collect()
    }
}

fn stem_of(path: &str) -> String {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_lowercase()
}

fn words_of(stem: &str) -> impl Iterator<Item = &str> {
    stem.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty())
}

fn has_word(text: &str, wanted: &str) -> bool {
    let ends = |at: usize| !text[at..].starts_with(char::is_alphanumeric);
    let begins = |at: usize| !text[..at].ends_with(char::is_alphanumeric);
    text.match_indices(wanted).any(|(at, found)| begins(at) && ends(at + found.len()))
}

fn is_about(path: &str, checkpoint: &str, checkpoints: &[String]) -> bool {
    let stem = stem_of(path).replace('-', "_");
    let name = checkpoint.trim().to_lowercase().replace('-', "_");
    if stem.contains(&name) {
        return true;
    }
    // A log that carries the name of one checkpoint says nothing about another.
    let names_another = checkpoints.iter().any(|known| stem.contains(known.as_str()));
    !names_another
        && TOPICS.iter().any(|(words, names)| {
            names.contains(&name.as_str()) && words_of(&stem).any(|word| words.contains(&word))
        })
}

/// A log whose name carries a stage belongs to that stage alone.
fn is_of_stage(path: &str, dossier: &Dossier, world: &World<'_>) -> bool {
    let stem = stem_of(path);
    let own = dossier.stage.as_ref().map(|stage| stage.text.trim().to_lowercase());
    let named = world.stages.iter().find(|stage| words_of(&stem).any(|word| word == stage.as_str()));
    named.is_none_or(|named| Some(named) == own.as_ref())
}

/// Of numbered records, keeps one of each series: the one with the number of the handoff itself, else the one that the
/// handoff gives as evidence, else the last.
fn chosen(paths: Vec<String>, stem: &str, cited: &[Said]) -> Vec<String> {
    let mut series: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in paths {
        let (front, ending) = path.rsplit_once('.').unwrap_or((&path, ""));
        let name = match number_at_end(front) {
            Some(_) => {
                front.trim_end_matches(|end: char| end.is_ascii_digit()).trim_end_matches(['-', '_', '.'])
            }
            None => front,
        };
        series.entry(format!("{name}.{ending}")).or_default().push(path);
    }
    let own = number_at_end(stem);
    let one = |mut paths: Vec<String>| {
        paths.sort_by_key(|path| natural(path));
        let number =
            |path: &String| number_at_end(path.rsplit_once('.').map_or(path.as_str(), |(front, _)| front));
        let numbered = own.and_then(|own| paths.iter().find(|path| number(path) == Some(own)));
        let is_cited =
            |path: &&String| cited.iter().any(|said| path.ends_with(said.text.trim_start_matches("./")));
        numbered.or_else(|| paths.iter().rfind(is_cited)).or(paths.last()).cloned()
    };
    series.into_values().filter_map(one).collect()
}

fn number_at_end(text: &str) -> Option<u64> {
    let start = text.trim_end_matches(|end: char| end.is_ascii_digit()).len();
    text[start..].parse().ok()
}

fn files(work_tree: &WorkTree, folder: &str) -> Vec<String> {
    if work_tree.look(folder) != Seen::Folder {
        return Vec::new();
    }
    let Ok(entries) = std::fs::read_dir(work_tree.root().join(folder)) else { return Vec::new() };
    let names = entries
        .filter_map(Result::ok)
        .take(FILES_MAX)
        .filter_map(|entry| entry.file_name().into_string().ok());
    let mut files: Vec<String> = names.map(|name| format!("{folder}/{name}")).collect();
    files.retain(|path| path.rsplit_once('.').is_some_and(|(_, ending)| LOG_ENDINGS.contains(&ending)));
    files.sort();
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_about_the_checkpoint_that_its_name_names() {
        let known = ["tests_passing", "tests_written", "no_lint_errors"].map(str::to_owned);
        let is_about = |path, checkpoint| is_about(path, checkpoint, &known);
        assert!(is_about("h/evidence/tests_passing.log", "tests_passing"));
        assert!(is_about("h/evidence/3-unit-tests.log", "tests_passing"));
        assert!(is_about("h/evidence/eslint.txt", "no_lint_errors"));
        assert!(!is_about("h/evidence/eslint.txt", "tests_passing"));
        assert!(!is_about("h/evidence/tests_written.log", "tests_passing"));
        assert!(!is_about("h/evidence/latest.log", "tests_passing"));
    }

    #[test]
    fn of_numbered_logs_the_one_of_the_attempt_counts_or_else_the_last() {
        let paths =
            || ["e/tests-2.log", "e/tests-10.log", "e/lint.log", "e/tests-1.log"].map(str::to_owned).to_vec();
        assert_eq!(chosen(paths(), "implementation", &[]), ["e/lint.log", "e/tests-10.log"]);
        assert_eq!(chosen(paths(), "implementation-1", &[]), ["e/lint.log", "e/tests-1.log"]);
        let cited = [Said::new("e/tests-2.log", Default::default())];
        assert_eq!(chosen(paths(), "implementation", &cited), ["e/lint.log", "e/tests-2.log"]);
    }
}
