//! What one workspace does: it is made, measured, kept, compared, put back, copied, removed.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Command, Stdio};

use baton_runner::workspace::{FileChange, Removed, Workspaces};

use super::rig::{Rig, id, same, tree};
use crate::git::project::Project;

#[test]
fn a_workspace_has_the_files_of_the_branch_and_a_clean_repository() {
    let rig = Rig::new();
    rig.project
        .write("run.sh", "#!/bin/sh\n")
        .write("crlf.txt", "x\r\n")
        .write(".gitattributes", "*.txt text eol=crlf\n");
    fs::set_permissions(rig.project.path("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    symlink("a.txt", rig.project.path("link")).unwrap();
    rig.project.commit("second");
    let workspace = rig.prepare("F1");
    assert_eq!(workspace.base(), rig.project.id("HEAD"));
    assert_eq!(fs::read(workspace.root().join("a.txt")).unwrap(), b"one\n");
    assert_eq!(fs::read_link(workspace.root().join("link")).unwrap().to_str(), Some("a.txt"));
    let mode = fs::metadata(workspace.root().join("run.sh")).unwrap().permissions().mode();
    assert_eq!(mode & 0o100, 0o100);
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).current_dir(workspace.root()).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(git(&["status", "--porcelain"]), "");
    assert_eq!(git(&["branch", "--show-current"]), "baton/F1\n");
    assert_eq!(git(&["log", "--format=%s"]), "second\nfirst\n");
    // An agent may commit as it likes: nothing of it reaches the person's repository.
    fs::write(workspace.root().join("new.txt"), "new\n").unwrap();
    git(&["add", "--all"]);
    git(&["commit", "--quiet", "-m", "mine"]);
    assert!(rig.project.try_git(&["rev-parse", "--verify", "baton/F1"], b"").stdout.is_empty());
    assert!(!workspace.root().starts_with(&rig.project.root));
}

#[test]
fn a_workspace_is_found_again_as_it_was_left() {
    let rig = Rig::new();
    let first = rig.prepare("F1");
    fs::write(first.root().join("a.txt"), "two\n").unwrap();
    let hash = first.measure().unwrap();
    rig.project.write("a.txt", "later\n").commit("later");
    let again = rig.prepare("F1");
    assert_eq!((again.root(), again.base()), (first.root(), first.base()));
    assert_eq!(again.measure().unwrap(), hash);
}

/// Whoever wants to hide a change keeps the size and sets the time back, at once or after files have settled.
#[test]
fn no_change_hides_behind_its_size_and_time() {
    let rig = Rig::new();
    let workspace = rig.prepare("F1");
    let path = workspace.root().join("a.txt");
    let write = |text: &str, time: std::time::SystemTime| {
        fs::write(&path, text).unwrap();
        fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
    };
    let time = fs::metadata(&path).unwrap().modified().unwrap();
    let first = workspace.keep().unwrap();
    for pause_ms in [0, 0, 1, 3, 250, 0] {
        std::thread::sleep(std::time::Duration::from_millis(pause_ms));
        assert_eq!(workspace.measure().unwrap(), first);
        write("two\n", time);
        let second = workspace.measure().unwrap();
        assert_ne!(second, first, "after {pause_ms} ms");
        assert_eq!(workspace.keep().unwrap(), second);
        write("one\n", time);
    }
    assert_eq!(workspace.keep().unwrap(), first);
    // Another file in its place, of the same size and time.
    let other = workspace.root().join("b-new.txt");
    fs::write(&other, "two\n").unwrap();
    fs::File::options().write(true).open(&other).unwrap().set_modified(time).unwrap();
    fs::rename(&other, &path).unwrap();
    assert_ne!(workspace.measure().unwrap(), first);
}

/// A commit may hold files that its own rules ignore: they count, wherever they are hidden.
#[test]
fn files_of_the_commit_count_though_it_ignores_them() {
    let rig = Rig::new();
    rig.project.write("logs/kept.log", "kept\n").write("kept.log", "kept\n");
    rig.project.write(".gitignore", "*.log\nlogs/\n").git(&["add", "--all", "--force"]);
    rig.project.commit("ignored and there");
    let workspace = rig.prepare("F1");
    let before = workspace.keep().unwrap();
    for path in ["kept.log", "logs/kept.log"] {
        fs::write(workspace.root().join(path), "changed\n").unwrap();
        let after = workspace.keep().unwrap();
        let changed = workspace.changes(&before, &after).unwrap();
        assert_eq!(changed.iter().map(|change| change.path.as_str()).collect::<Vec<_>>(), [path]);
        fs::write(workspace.root().join(path), "kept\n").unwrap();
        assert_eq!(workspace.measure().unwrap(), before);
    }
    fs::write(workspace.root().join("logs/new.log"), "new\n").unwrap();
    fs::write(workspace.root().join("new.log"), "new\n").unwrap();
    assert_eq!(workspace.measure().unwrap(), before);
}

#[test]
fn changes_name_every_file_that_differs() {
    let rig = Rig::new();
    let workspace = rig.prepare("F1");
    let before = workspace.keep().unwrap();
    assert_eq!(before, workspace.measure().unwrap());
    fs::write(workspace.root().join("a.txt"), "two\n").unwrap();
    fs::remove_file(workspace.root().join("src/b.txt")).unwrap();
    fs::write(workspace.root().join("c.txt"), "c\n").unwrap();
    fs::write(workspace.root().join("x.log"), "ignored\n").unwrap();
    let after = workspace.keep().unwrap();
    let changes = workspace.changes(&before, &after).unwrap();
    let told = |path: &str, before: Option<&str>, after: Option<&str>| FileChange {
        path: path.to_owned(),
        before: before.map(|text| text.as_bytes().to_vec()),
        after: after.map(|text| text.as_bytes().to_vec()),
        is_whole: true,
        loses_program: false,
    };
    let expected = [
        told("a.txt", Some("one\n"), Some("two\n")),
        told("c.txt", None, Some("c\n")),
        told("src/b.txt", Some("b\n"), None),
    ];
    assert_eq!(changes, expected);
    assert_eq!(workspace.changes(&after, &after).unwrap(), []);
}

#[test]
fn no_place_that_says_what_is_ignored_hides_a_file_of_the_project() {
    let tricks: &[(&str, &str)] = &[
        (".gitignore", "*\n"),
        (".ignore", "*\n"),
        (".git/info/exclude", "*\n"),
        ("src/.gitignore", "b.txt\n"),
    ];
    for (place, text) in tricks {
        let rig = Rig::new();
        let workspace = rig.prepare("F1");
        let before = workspace.keep().unwrap();
        fs::write(workspace.root().join("src/b.txt"), "changed\n").unwrap();
        fs::create_dir_all(workspace.root().join(place).parent().unwrap()).unwrap();
        fs::write(workspace.root().join(place), text).unwrap();
        let after = workspace.keep().unwrap();
        let changes = workspace.changes(&before, &after).unwrap();
        assert!(changes.iter().any(|change| change.path == "src/b.txt" && change.after.is_some()), "{place}");
        if *place == ".ignore" || *place == ".git/info/exclude" {
            fs::write(workspace.root().join("new.txt"), "new\n").unwrap();
            let later = workspace.keep().unwrap();
            let changes = workspace.changes(&after, &later).unwrap();
            assert_eq!(changes.len(), 1, "{place}");
        }
    }
}

#[test]
fn restore_puts_back_and_saves_what_was_there() {
    let rig = Rig::new();
    let workspaces = rig.open();
    let workspace = rig.prepare("F1");
    let good = workspace.keep().unwrap();
    let was = tree(workspace.root());
    // The ignored file of a changed `.gitignore`, a folder where a file was, and a file where a folder was.
    fs::write(workspace.root().join(".gitignore"), "*.log\nbuilt/\nsecret\n").unwrap();
    fs::write(workspace.root().join("secret"), "only here\n").unwrap();
    fs::remove_file(workspace.root().join("a.txt")).unwrap();
    fs::create_dir(workspace.root().join("a.txt")).unwrap();
    fs::write(workspace.root().join("a.txt/x.log"), "ignored, in the way\n").unwrap();
    fs::remove_dir_all(workspace.root().join("src")).unwrap();
    fs::write(workspace.root().join("src"), "no folder\n").unwrap();
    workspace.restore(&good).unwrap();
    assert_eq!(workspace.measure().unwrap(), good);
    same(&tree(workspace.root()), &was, "restored");
    let mut saved = Vec::new();
    for (number, rescue) in workspaces.rescued(&id("F1")).unwrap().iter().enumerate() {
        let into = rig.project.beside(&format!("back-{number}"));
        workspace.clean_copy(&rescue.tree, &into).unwrap();
        saved.extend(tree(&into).into_values().map(|(_, bytes)| bytes));
    }
    for lost in ["only here\n", "ignored, in the way\n", "no folder\n"] {
        assert!(saved.iter().any(|bytes| bytes == lost.as_bytes()), "{lost:?}");
    }
}

#[test]
fn a_workspace_somebody_works_in_is_not_removed() {
    let rig = Rig::new();
    let workspace = rig.prepare("F1");
    let mut child = Command::new("sleep")
        .arg("60")
        .current_dir(workspace.root().join("src"))
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    let refusal = rig.open().remove(&id("F1")).unwrap_err();
    assert!(refusal.to_string().contains(&child.id().to_string()), "{refusal}");
    assert!(workspace.root().join("a.txt").exists());
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(matches!(rig.open().remove(&id("F1")).unwrap(), Removed::Gone { .. }));
    assert!(!workspace.root().exists());
    assert_eq!(rig.open().remove(&id("F1")).unwrap(), Removed::Nothing);
}

#[test]
fn a_folder_without_the_mark_is_left_alone() {
    let rig = Rig::new();
    let workspaces = rig.open();
    let foreign = rig.state.join("work/F1");
    fs::create_dir_all(foreign.join("files")).unwrap();
    fs::write(foreign.join("files/mine.txt"), "mine\n").unwrap();
    assert!(workspaces.remove(&id("F1")).is_err());
    assert!(workspaces.prepare(&id("F1")).is_err());
    for mark in ["", "{}", "null", r#"{"version":2,"task":"F1","base":"x","rescued":null}"#] {
        fs::write(foreign.join("workspace.json"), mark).unwrap();
        assert!(workspaces.remove(&id("F1")).is_err(), "{mark}");
    }
    let whose = format!(r#"{{"version":1,"task":"f1","base":"{}","rescued":null}}"#, rig.project.id("HEAD"));
    fs::write(foreign.join("workspace.json"), whose).unwrap();
    assert!(workspaces.remove(&id("F1")).unwrap_err().to_string().contains("of f1"));
    assert_eq!(fs::read(foreign.join("files/mine.txt")).unwrap(), b"mine\n");
}

#[test]
fn what_cannot_be_saved_is_not_removed() {
    let rig = Rig::new();
    let workspace = rig.prepare("F1");
    let large = fs::File::create(workspace.root().join("large.log")).unwrap();
    large.set_len(256 * 1024 * 1024 + 1).unwrap();
    let refusal = rig.open().remove(&id("F1")).unwrap_err();
    assert!(refusal.to_string().contains("large.log"), "{refusal}");
    let next = refusal.next();
    assert!(next.contains("what is too large in") && !next.contains(".gitignore"), "{next}");
    assert!(workspace.root().join("large.log").exists());
    assert!(workspace.root().join("a.txt").exists());
}

#[test]
fn what_a_killed_process_left_half_made_is_swept_away() {
    let rig = Rig::new();
    rig.open();
    let half = rig.state.join("work/.new-abc");
    fs::create_dir_all(half.join("files")).unwrap();
    fs::write(half.join("files/a.txt"), "half\n").unwrap();
    let workspace = rig.prepare("F1");
    assert!(!half.exists());
    assert_eq!(fs::read(workspace.root().join("a.txt")).unwrap(), b"one\n");
}

#[test]
fn where_there_is_nothing_to_copy_from_it_says_so() {
    let refusal = |project: &Project| {
        let state = project.beside("state");
        let opened = Workspaces::open(&project.root, &state, "baton/accepted");
        opened.and_then(|workspaces| workspaces.prepare(&id("F1")).map(|_| ())).unwrap_err()
    };
    let project = Project::empty();
    assert!(refusal(&project).next().contains("git init"));
    let project = Project::new();
    assert!(refusal(&project).next().contains("first commit"));
    project.write("sub/a.txt", "a\n").commit("first");
    let opened = Workspaces::open(&project.path("sub"), &project.beside("state"), "baton/accepted");
    assert!(opened.unwrap_err().to_string().contains("larger repository"));
    let opened = Workspaces::open(&project.root, &project.path("state"), "baton/accepted");
    assert!(opened.unwrap_err().next().contains("--store"));
}
