//! What git follows, as its index says, held against what git itself lists.

use std::fs;
use std::path::Path;

use baton_runner::git::{GitErrorKind, each_tracked};

use super::project::Project;

fn tracked(folder: &Path) -> Vec<Vec<u8>> {
    let mut paths = Vec::new();
    each_tracked(folder, |path| paths.push(path.to_vec())).unwrap();
    paths
}

fn listed_by_git(project: &Project) -> Vec<Vec<u8>> {
    let listed = project.git_bytes(&["ls-files", "-z"]);
    listed.split(|byte| *byte == 0).filter(|path| !path.is_empty()).map(<[u8]>::to_vec).collect()
}

fn with_files(project: Project) -> Project {
    for name in ["a", "a.b", "a-/b", "deep/er/one.txt", "deep/er/two.txt", "ünï", &"z".repeat(200)] {
        project.write(name, name);
    }
    project.write_bytes(b"no \xff text", "bytes").write(".gitignore", "*.log\n").write("x.log", "ignored");
    // Names of every length up to sixteen: entries are filled up to a multiple of eight.
    for length in 1..=16 {
        project.write(format!("pad/{}", "n".repeat(length)), "n");
    }
    project.git(&["add", "--all"]);
    project.git(&["add", "--force", "x.log"]);
    project.commit("files");
    project
}

#[test]
fn every_version_of_the_index_is_read() {
    for project in [Project::new(), Project::with(&["--object-format=sha256"])] {
        let project = with_files(project);
        for version in ["2", "4", "3"] {
            // Git writes version 3 where an entry needs it, as one does that is only meant to be added.
            if version == "3" {
                project.git(&["update-index", "--index-version", "2"]);
                project.write("later", "").git(&["add", "--intent-to-add", "later"]);
            } else {
                project.git(&["update-index", "--index-version", version]);
            }
            let written = fs::read(project.path(".git/index")).unwrap()[7];
            assert_eq!(written.to_string(), version);
            let found = tracked(&project.path(""));
            assert_eq!(found, listed_by_git(&project), "version {version}");
            assert!(found.contains(&b"x.log".to_vec()));
        }
    }
}

#[test]
fn a_folder_below_the_root_has_its_own_files() {
    let project = with_files(Project::new());
    assert_eq!(tracked(&project.path("deep")), [b"er/one.txt".to_vec(), b"er/two.txt".to_vec()]);
}

#[test]
fn an_index_that_goes_on_from_another_has_the_files_of_both() {
    let project = with_files(Project::new());
    project.git(&["config", "splitIndex.maxPercentChange", "100"]);
    project.git(&["update-index", "--split-index"]);
    project.write("new", "new").write("a.b", "changed").git(&["add", "new", "a.b"]);
    let bytes = fs::read(project.path(".git/index")).unwrap();
    assert!(bytes.windows(4).any(|piece| piece == b"link"));
    let mut found = tracked(&project.path(""));
    found.sort();
    found.dedup();
    assert_eq!(found, listed_by_git(&project));
}

#[test]
fn files_that_are_not_checked_out_on_purpose_are_not_named() {
    let project = with_files(Project::new());
    project.git(&["sparse-checkout", "set", "--cone", "--sparse-index", "pad"]);
    let found = tracked(&project.path(""));
    assert!(!found.iter().any(|path| path.starts_with(b"deep")), "{found:?}");
    assert!(found.contains(&b"pad/n".to_vec()) && found.contains(&b"x.log".to_vec()));
}

#[test]
fn a_path_that_leads_out_of_the_work_tree_is_not_named() {
    let project = with_files(Project::new());
    let path = project.path(".git/index");
    let whole = fs::read(&path).unwrap();
    let named = b"deep/er/one.txt";
    let at = whole.windows(named.len()).position(|piece| piece == named).unwrap();
    for other in [b"../../../../out", b"/etc/hostname/x", b"deep/../../a.bc", b"./././././././a"] {
        let mut forged = whole.clone();
        forged[at..at + named.len()].copy_from_slice(other);
        fs::write(&path, forged).unwrap();
        let found = tracked(&project.path(""));
        assert!(!found.contains(&other.to_vec()), "{}", String::from_utf8_lossy(other));
        assert!(found.contains(&b"deep/er/two.txt".to_vec()));
    }
}

#[test]
fn an_index_that_git_cannot_have_written_is_an_error() {
    let project = with_files(Project::new());
    let path = project.path(".git/index");
    let whole = fs::read(&path).unwrap();
    let entries = whole.len() - 20;
    for cut in [0, 3, 11, 13, 90, entries / 2] {
        fs::write(&path, &whole[..cut]).unwrap();
        let error = each_tracked(&project.path(""), |_| {}).unwrap_err();
        assert_eq!(error.kind, GitErrorKind::Unsupported, "cut at {cut}");
        assert!(error.message.contains(".git/index"), "{error}");
    }
    let mut newer = whole;
    newer[7] = 9;
    fs::write(&path, newer).unwrap();
    assert!(each_tracked(&project.path(""), |_| {}).is_err());
    // Before the first `git add` there is none.
    fs::remove_file(&path).unwrap();
    assert!(tracked(&project.path("")).is_empty());
}

#[test]
fn where_there_is_no_repository_nothing_is_followed() {
    assert!(tracked(tempfile::tempdir().unwrap().path()).is_empty());
}
