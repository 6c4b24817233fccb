//! Every generated project is what it says it is.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use baton_handoff::diagnostic::{Diagnostic, Severity};
use baton_handoff::document;
use baton_handoff::judge::judge;
use baton_handoff::project::Project as Settings;

use super::*;

fn text(project: &Project, path: &str) -> String {
    fs::read_to_string(project.root.join(path)).unwrap()
}

/// The findings above note of one handoff file, which must hold at least one handoff.
fn findings(project: &Project, path: &str) -> Vec<Diagnostic> {
    let source = text(project, path);
    let mut read = document::read(&source);
    assert!(!read.handoffs.is_empty(), "{path} is no handoff");
    let mut found = judge(&mut read, &Settings::default());
    found.retain(|diagnostic| diagnostic.severity > Severity::Note);
    found
}

fn assert_clean(project: &Project, paths: &[String]) {
    for path in paths {
        let found = findings(project, path);
        assert!(found.is_empty(), "{path}: {found:?}");
    }
}

fn head(root: &Path) -> String {
    git::run(root, &["rev-parse", "HEAD"]).unwrap()
}

fn assert_sound(project: &Project) {
    let complaints = git::run(&project.root, &["fsck", "--full", "--strict"]).unwrap();
    assert_eq!(complaints, "");
    let count = git::run(&project.root, &["rev-list", "--count", "--all"]).unwrap();
    assert!(count.trim().parse::<usize>().unwrap() <= project.commits);
}

#[test]
fn honest_handoffs_are_clean() {
    let folder = tempfile::tempdir().unwrap();
    let project = honest(folder.path()).unwrap();
    assert!(project.tasks >= 8);
    assert_clean(&project, &project.documents);
    assert_sound(&project);
    assert_eq!(git::run(folder.path(), &["status", "--porcelain"]).unwrap(), "");
}

#[test]
fn twice_gives_the_same_history() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    assert_eq!(honest(one.path()).unwrap().commits, honest(two.path()).unwrap().commits);
    assert_eq!(head(one.path()), head(two.path()));
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    assert_eq!(lying(one.path()).unwrap().1, lying(two.path()).unwrap().1);
    assert_eq!(head(one.path()), head(two.path()));
}

/// The codes of lies that the document contradicts by itself.
const OF_DOCUMENTS: [u16; 6] = [207, 703, 704, 705, 706, 711];

/// What the document alone shows of a lie: a stage without an offset is incomplete on its own.
fn of_document(path: &str, code: u16) -> Option<u16> {
    match code {
        1114 if path.starts_with("handoffs/") => Some(108),
        _ => OF_DOCUMENTS.contains(&code).then_some(code),
    }
}

#[test]
fn lies_have_places_in_documents_that_are_well_formed() {
    let folder = tempfile::tempdir().unwrap();
    let (project, lies) = lying(folder.path()).unwrap();
    assert_sound(&project);
    for lie in &lies {
        let source = text(&project, &lie.path);
        assert!((1..=source.lines().count()).contains(&lie.line), "{lie:?}");
    }
    for path in &project.documents {
        let source = text(&project, path);
        let mut found: Vec<(u16, usize)> = findings(&project, path)
            .iter()
            .map(|found| {
                (found.code.0, source[..found.primary.span.start as usize].matches('\n').count() + 1)
            })
            .collect();
        let mut expected: Vec<(u16, usize)> = lies
            .iter()
            .filter(|lie| lie.path == *path)
            .filter_map(|lie| Some((of_document(path, lie.code)?, lie.line)))
            .collect();
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "{path}");
    }
}

#[test]
fn every_code_has_a_lie() {
    let folder = tempfile::tempdir().unwrap();
    let (_, lies) = lying(folder.path()).unwrap();
    let told: BTreeSet<u16> = lies.iter().map(|lie| lie.code).collect();
    let evidence = (1001..=1013).filter(|code| *code != 1012).chain([1015]);
    let codes: BTreeSet<u16> = evidence.chain(1101..=1114).chain(OF_DOCUMENTS).collect();
    assert_eq!(told, codes);
    assert!(lies.len() >= 40);
}

#[test]
fn pasted_text_stands_in_the_later_of_two_files() {
    let folder = tempfile::tempdir().unwrap();
    let (project, lies) = lying(folder.path()).unwrap();
    for lie in lies.iter().filter(|lie| lie.code == 1109) {
        let source = text(&project, &lie.path);
        let line = source.lines().nth(lie.line - 1).unwrap().trim().trim_end_matches(',');
        let others = project.documents.iter().filter(|path| text(&project, path).contains(line));
        assert_eq!(others.max(), Some(&lie.path), "{line}");
        assert_eq!(project.documents.iter().filter(|path| text(&project, path).contains(line)).count(), 2);
    }
}

/// Where a document names a file of the project that is neither in any commit nor beside the document.
fn names_of_nothing(project: &Project) -> BTreeSet<(String, usize)> {
    let log = ["log", "--all", "--pretty=format:", "--name-only", "--no-renames"];
    let names = git::run(&project.root, &log).unwrap();
    let names: BTreeSet<&str> = names.lines().collect();
    let is_name = |word: &&str| word.contains('/') && word.contains('.') && !word.contains("::");
    let mut missing = BTreeSet::new();
    for path in &project.documents {
        let folder = path.rsplit_once('/').unwrap().0;
        for (number, line) in text(project, path).lines().enumerate() {
            let words = line.split(|letter: char| letter.is_whitespace() || "\"',[]`".contains(letter));
            for word in words.map(|word| word.trim_end_matches('.')).filter(is_name) {
                if !names.contains(word) && !names.contains(format!("{folder}/{word}").as_str()) {
                    missing.insert((path.clone(), number + 1));
                }
            }
        }
    }
    missing
}

#[test]
fn only_lies_name_files_that_were_never_there() {
    let folder = tempfile::tempdir().unwrap();
    let project = honest(folder.path()).unwrap();
    assert_eq!(names_of_nothing(&project), BTreeSet::new());
    let folder = tempfile::tempdir().unwrap();
    let (project, lies) = lying(folder.path()).unwrap();
    let lies = lies.into_iter().filter(|lie| [1001, 1011].contains(&lie.code));
    assert_eq!(names_of_nothing(&project), lies.map(|lie| (lie.path, lie.line)).collect());
}

/// Findings of a document that an audit takes for contradictions.
const CONTRADICTIONS: [u16; 13] = [202, 205, 207, 306, 504, 506, 509, 510, 703, 704, 705, 706, 711];

#[test]
fn mess_is_not_a_contradiction() {
    for seed in 0..20 {
        let folder = tempfile::tempdir().unwrap();
        let project = messy_honest(folder.path(), seed, 12).unwrap();
        assert_eq!(project.tasks, 12);
        for path in &project.documents {
            let found = findings(&project, path);
            assert!(!found.iter().any(|found| CONTRADICTIONS.contains(&found.code.0)), "{path}: {found:?}");
        }
        if seed == 0 {
            assert_sound(&project);
            let again = tempfile::tempdir().unwrap();
            assert_eq!(messy_honest(again.path(), seed, 12).unwrap().documents, project.documents);
            assert_eq!(head(again.path()), head(folder.path()));
        }
    }
}

#[test]
fn large_projects_have_the_size_that_was_asked_for() {
    for (handoffs, chains, commits) in [(100, 10, 260), (100, 10, 101), (47, 9, 95), (30, 2, 70)] {
        let folder = tempfile::tempdir().unwrap();
        let project = large(folder.path(), handoffs, chains, commits).unwrap();
        assert_eq!((project.handoffs, project.tasks, project.commits), (handoffs, chains, commits));
        let on_main = git::run(folder.path(), &["rev-list", "--count", "main"]).unwrap();
        assert_eq!(on_main.trim(), commits.to_string());
        assert_clean(&project, &project.documents);
        assert_sound(&project);
    }
}
