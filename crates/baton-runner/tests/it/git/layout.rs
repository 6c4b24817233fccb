//! The shapes in which an honest repository comes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use baton_runner::git::{GitErrorKind, Incomplete, Repository};

use super::history::check;
use super::project::{Project, read_everything};

#[test]
fn no_repository() {
    let project = Project::empty();
    assert!(Repository::open(&project.root).unwrap().is_none());
    // Git passes over a folder that only has the name.
    std::fs::create_dir(project.path(".git")).unwrap();
    assert!(Repository::open(&project.root).unwrap().is_none());
    assert_eq!(Repository::open(&project.path("missing")).unwrap_err().kind, GitErrorKind::Failed);
}

#[test]
fn an_empty_repository() {
    let project = Project::new();
    let repository = project.open();
    assert_eq!(repository.head(), None);
    let history = repository.history(&mut |_| {}).unwrap();
    assert!(history.is_empty() && history.is_complete());
}

#[test]
fn from_a_folder_below() {
    let project = Project::new();
    project.write("a/b/c.txt", "c").commit("first");
    let repository = Repository::open(&project.path("a/b")).unwrap().unwrap();
    assert_eq!(repository.root(), project.root);
    assert_eq!(repository.relative(&project.path("a/b/c.txt")).unwrap(), b"a/b/c.txt");
    assert_eq!(repository.relative(&project.path("a/../a/new")).unwrap(), b"a/new");
    assert_eq!(repository.relative(&project.beside("elsewhere")), None);
    assert_eq!(repository.relative(&project.path("../elsewhere")), None);
    assert_eq!(repository.relative(&project.root), None);
}

#[test]
fn a_repository_that_is_opened_again_is_seen_as_it_is_now() {
    let project = Project::new();
    project.write("a", "a").commit("first");
    let first = project.open();
    let seen = |repository: &Repository| {
        let head = repository.head().unwrap();
        let paths = repository.files(head).unwrap().into_iter().map(|file| file.path);
        paths.map(|path| String::from_utf8(path).unwrap()).collect::<Vec<_>>()
    };
    // New objects lie in folders that were not there.
    let mut names: Vec<String> = (10..60).map(|number| format!("b{number}")).collect();
    for name in &names {
        project.write(name, name).commit(name);
    }
    names.insert(0, "a".to_owned());
    let second = first.reopened().unwrap().unwrap();
    assert_eq!(seen(&second), names);
    assert_eq!(seen(&first), ["a"]);
    drop(first);
    // Loose objects go into a pack, and their folders are gone.
    project.git(&["gc", "--quiet", "--prune=now"]);
    assert_eq!(seen(&second.reopened().unwrap().unwrap()), names);
    // Another repository at the same place, with other hashes; then none.
    std::fs::remove_dir_all(project.path(".git")).unwrap();
    assert!(second.reopened().unwrap().is_none());
    project.git(&["init", "--quiet", "--object-format=sha256"]);
    project.commit("anew");
    let third = second.reopened().unwrap().unwrap();
    assert_eq!((seen(&third), third.head().unwrap().to_string().len()), (names, 64));
}

#[test]
fn a_linked_worktree() {
    let project = Project::new();
    project.write("a", "a").commit("first");
    let worktree = project.beside("worktree");
    project.git(&["worktree", "add", "--quiet", "-b", "other", worktree.to_str().unwrap()]);
    std::fs::write(worktree.join("b"), "b").unwrap();
    let inside = |arguments: &[&str]| {
        project.git(&[&["-C", worktree.to_str().unwrap()], arguments].concat()).trim().to_owned()
    };
    inside(&["add", "b"]);
    inside(&["commit", "--quiet", "-m", "in the worktree"]);

    let repository = Repository::open(&worktree).unwrap().unwrap();
    assert_eq!(repository.root(), std::fs::canonicalize(&worktree).unwrap());
    assert_eq!(repository.head().unwrap().to_string(), inside(&["rev-parse", "HEAD"]));
    let history = repository.history(&mut |_| {}).unwrap();
    assert_eq!((history.len(), history.is_complete()), (2, true));
    assert_eq!(history.changes_of(b"b").len(), 1);
    // The main one sees the same branches, and has another head.
    assert_ne!(project.open().head(), repository.head());
    check(&project);
}

#[test]
fn a_shallow_clone() {
    let project = Project::new();
    for number in 0..5 {
        project.write("a", number.to_string()).commit("more");
    }
    let url = format!("file://{}", project.root.display());
    project.git(&["clone", "--quiet", "--depth=2", &url, "../shallow"]);
    let repository = Repository::open(&project.beside("shallow")).unwrap().unwrap();
    let history = repository.history(&mut |_| {}).unwrap();
    assert!(repository.is_shallow());
    assert_eq!(history.len(), 2);
    assert_eq!(history.why_incomplete(), [Incomplete::Shallow]);
}

#[test]
fn a_reftable_repository_is_not_supported_yet() {
    let project = Project::with(&["--ref-format=reftable"]);
    let error = Repository::open(&project.root).unwrap_err();
    assert_eq!(error.kind, GitErrorKind::Unsupported);
    assert!(error.message.contains("reftable") && error.hint.contains("migrate"), "{error:?}");
}

#[test]
fn a_submodule_is_not_read_on_its_own() {
    let inner = Project::new();
    inner.write("inner.txt", "inner").commit("inner");
    let project = Project::new();
    let url = inner.root.to_str().unwrap();
    project.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", url, "module"]);
    project.commit("with a submodule");
    let history = check(&project);
    assert!(history.changes_of(b"module")[0].is_submodule);
    let error = Repository::open(&project.path("module")).unwrap_err();
    assert_eq!(error.kind, GitErrorKind::Refused);
    assert!(error.message.contains("submodules are not read"), "{error:?}");
}

#[test]
fn a_reference_to_nothing_leaves_doubt() {
    let project = Project::new();
    project.write("a", "a").commit("first");
    let lost = "1234567890123456789012345678901234567890\n";
    project.write(".git/refs/heads/lost", lost);
    let history = project.history();
    assert_eq!((history.len(), history.why_incomplete()), (1, [Incomplete::BrokenReference].as_slice()));
    project.write(".git/refs/heads/lost", "");
    assert_eq!(project.history().why_incomplete(), [Incomplete::BrokenReference]);
    std::fs::remove_file(project.path(".git/refs/heads/lost")).unwrap();
    assert!(project.history().is_complete());
}

#[test]
fn a_damaged_history_is_read_as_far_as_it_goes() {
    let project = Project::new();
    let first = project.write("a", "a").commit("first").to_string();
    project.write("a", "b").commit("second");
    project.write("a", "c").commit("third");
    let (folder, file) = first.split_at(2);
    std::fs::remove_file(project.path(format!(".git/objects/{folder}/{file}"))).unwrap();
    let history = project.history();
    assert!(matches!(history.why_incomplete(), [Incomplete::Broken(_)]), "{:?}", history.why_incomplete());
}

#[test]
fn replacements_grafts_and_notes_are_not_used() {
    let project = Project::new();
    let first = project.write("a", "a").commit("first").to_string();
    project.write("a", "b").commit("second");
    let third = project.write("a", "c").commit("third").to_string();
    project.git(&["replace", "--graft", &third]);
    project.git(&["notes", "add", "-m", "a note", &first]);
    project.write(".git/info/grafts", format!("{third}\n"));
    assert_eq!(project.git(&["rev-list", "--count", "main"]).trim(), "1");
    let history = project.history();
    assert_eq!((history.len(), history.is_complete()), (3, true));
    assert!(history.commits().all(|index| history.commit(index).on_head));
}

fn files(folder: &Path, into: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files(&path, into),
            false => drop(into.insert(path.clone(), std::fs::read(&path).unwrap())),
        }
    }
}

/// Our folder links to the repository's objects, so it matters that its end is not theirs.
#[test]
fn the_repository_is_left_as_it_was() {
    let project = Project::new();
    project.write("a", "a").commit("packed");
    project.git(&["gc", "--quiet"]);
    project.write("a", "b").commit("loose");
    let (mut before, mut after) = (BTreeMap::new(), BTreeMap::new());
    files(&project.root, &mut before);
    read_everything(&project.root);
    files(&project.root, &mut after);
    assert!(before.len() > 10 && before == after);
}
