//! What is not committed is told, and nothing of the person's is touched for it.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::process::Command;
use std::time::{Duration, Instant, SystemTime};

use super::project::Project;

#[test]
fn the_index_stays_as_it_is_where_files_have_other_times() {
    let project = Project::new();
    project.write("same", "1\n").write("changed", "1\n").commit("first");
    project.write("changed", "2\n").write("new/file", "new\n");
    for name in ["same", "changed"] {
        let file = File::options().write(true).open(project.path(name)).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(3_600)).unwrap();
    }
    let index = project.path(".git/index");
    let seen = || (fs::read(&index).unwrap(), fs::metadata(&index).unwrap().ino());
    let before = seen();
    assert_eq!(project.open().uncommitted().unwrap(), ["changed", "new/"]);
    assert!(seen() == before, "the index was written");
}

#[test]
fn a_file_that_was_written_just_after_the_index_is_told() {
    let project = Project::new();
    project.write("racy", "1\n").commit("first");
    let indexed = fs::metadata(project.path(".git/index")).unwrap().modified().unwrap();
    // The same size and the same time as the index knows: only the time of the index says that it has to be read.
    project.git(&["update-index", "--refresh"]);
    let file = File::options().write(true).open(project.path("racy")).unwrap();
    file.set_modified(indexed).unwrap();
    drop(file);
    project.git(&["update-index", "--really-refresh"]);
    project.write("racy", "2\n");
    for place in ["racy", ".git/index"] {
        File::options().write(true).open(project.path(place)).unwrap().set_modified(indexed).unwrap();
    }
    assert_eq!(project.open().uncommitted().unwrap(), ["racy"]);
}

#[test]
fn a_pipe_in_place_of_rules_is_waited_for_only_a_moment() {
    let project = Project::new();
    project.write("a/file", "1\n").commit("first");
    project.write("b/file", "new\n");
    assert!(Command::new("mkfifo").arg(project.path("b/.gitignore")).status().unwrap().success());
    let begun = Instant::now();
    assert!(project.open().uncommitted().is_err());
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
}
