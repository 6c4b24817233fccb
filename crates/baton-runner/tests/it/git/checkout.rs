//! A clean checkout.

use std::fs;
use std::os::unix::fs::symlink;

use super::project::Project;

#[test]
fn the_files_of_a_commit_are_written() {
    let project = Project::new();
    let first = project.write("dir/a", "1").write_bytes(b"odd\nname\xff", "odd").commit("first");
    project.write("dir/a", "2").write("untracked", "u");
    let into = project.beside("out");
    let checkout = project.open().checkout(first, &into).unwrap();
    assert!(checkout.left_out.is_empty());
    assert_eq!(fs::read_to_string(into.join("dir/a")).unwrap(), "1");
    assert_eq!(fs::read_dir(&into).unwrap().count(), 2);
    // The repository itself is as it was.
    assert_eq!(fs::read_to_string(project.path("dir/a")).unwrap(), "2");
    let error = project.open().checkout(first, &into).unwrap_err();
    assert!(error.message.contains("not empty"), "{error}");
}

#[test]
fn links_that_lead_out_are_left_out() {
    let project = Project::new();
    let links = [
        ("good", "dir/file", true),
        ("dir/up", "../other", true),
        ("here", ".", true),
        ("dir/sub/top", "../..", true),
        ("absolute", "/etc/passwd", false),
        ("out", "../secret", false),
        ("dir/out", "../../secret", false),
        ("around", "here/..", false),
        ("dir/around", "sub/../../../secret", false),
    ];
    project.write("dir/file", "f").write("other", "o").write("dir/sub/x", "x");
    for (path, target, _) in links {
        symlink(target, project.path(path)).unwrap();
    }
    let commit = project.commit("links");
    let into = project.beside("out");
    let checkout = project.open().checkout(commit, &into).unwrap();
    for (path, _, is_made) in links {
        assert_eq!(fs::symlink_metadata(into.join(path)).is_ok(), is_made, "{path}");
        assert_eq!(!checkout.left_out.iter().any(|left| left.as_ref() == path.as_bytes()), is_made, "{path}");
    }
    assert_eq!(fs::read_to_string(into.join("dir/up")).unwrap(), "o");
}

#[test]
fn a_tree_that_would_write_into_a_git_folder_is_refused() {
    let project = Project::new();
    project.write("a", "a").commit("first");
    let blob = project.id("HEAD:a");
    for name in [".git", "..", ".GIT", "git~1"] {
        let tree = project.try_git(&["mktree"], format!("100644 blob {blob}\t{name}\n").as_bytes()).stdout;
        let tree = String::from_utf8(tree).unwrap();
        let commit = project.git(&["commit-tree", "-m", "nasty", tree.trim()]);
        let commit = baton_runner::git::ObjectId::from_hex(commit.trim().as_bytes()).unwrap();
        let into = project.beside("out").join("in");
        assert!(project.open().checkout(commit, &into).is_err(), "{name}");
        assert_eq!(fs::read_dir(&into).unwrap().count(), 0, "{name}");
    }
}
