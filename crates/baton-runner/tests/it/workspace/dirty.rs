//! Random trees as agents leave them behind. Whatever Baton does with one, every byte of it can be had again.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use baton_engine::word::TreeHash;
use baton_runner::desk::turn::NewTask;
use baton_runner::desk::{Desk, Visit, WorkflowName};
use baton_runner::git::{Blob, FileKind, Snapshots};
use baton_runner::workspace::{Integrated, Removed};
use baton_testkit::random::Random;

use super::rig::{Rig, Tree, id, integrate, same, tree};

/// How many trees; the first of the long run are those of the short one.
const TREES_SHORT: usize = 16;
const TREES_LONG: usize = 200;
const SEED: u64 = 0x0b47_0000_d1e7;

const NAMES: &[&[u8]] = &[
    b"a.txt",
    b"src",
    b"b.txt",
    b"new.rs",
    b"A.txt",
    b"x.log",
    b"built",
    b"target",
    b".hidden",
    b".env",
    b"with space ",
    b"-rf",
    b"quote\"d",
    b"back\\slash",
    b"line\nbreak",
    b"tab\there",
    b"\xff\xfe",
    b"\xc3\xa9",
    b"e\xcc\x81",
    b"*",
    b"%.git",
    b"%%.git",
    b".gitmodules",
    b".gitattributes",
    b".gitkeep",
    b"git~1",
    b"con",
    b"a:b",
    b".git",
    b".GIT",
    b"$(id)",
    b"#",
];

const TEXTS: &[&[u8]] = &[
    b"",
    b"one\n",
    b"x\r\ny\r\n",
    b"no end",
    b"\0\x01\xff",
    b"gitdir: ../x\n",
    b"*\n",
    b"version https://git-lfs\n",
];

/// Leaves a tree behind as somebody would who works without care.
fn mess_up(root: &Path, random: &mut Random) {
    for _ in 0..random.between(3, 25) {
        let mut path = root.to_owned();
        for _ in 0..random.between(0, 3) {
            path.push(OsStr::from_bytes(random.pick::<&[u8]>(NAMES)));
        }
        path.push(OsStr::from_bytes(random.pick::<&[u8]>(NAMES)));
        let folder = path.parent().unwrap();
        // Some names are files already, or the repository itself; then there is nothing to do.
        if fs::create_dir_all(folder).is_err() || folder.join("HEAD").exists() {
            continue;
        }
        let _ = match random.below(10) {
            0 => symlink(OsStr::from_bytes(random.pick::<&[u8]>(NAMES)), &path),
            1 => symlink("/etc/passwd", &path),
            2 => fs::remove_file(&path),
            3 if path.exists() && path.parent() != Some(root) => {
                fs::rename(&path, path.with_extension("renamed"))
            }
            4 => fs::write(&path, random.pick::<&[u8]>(TEXTS))
                .and_then(|()| fs::set_permissions(&path, fs::Permissions::from_mode(0o755))),
            5 => fs::write(&path, vec![random.below(256) as u8; random.between(1, 70_000)]),
            _ => fs::write(&path, random.pick::<&[u8]>(TEXTS)),
        };
    }
    let git = |arguments: &[&str]| {
        Command::new("git")
            .args(arguments)
            .current_dir(root)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .output()
            .unwrap();
    };
    match random.below(8) {
        0 => git(&["add", "--all"]),
        1 => {
            git(&["add", "a.txt"]);
            git(&["commit", "--quiet", "--allow-empty", "-m", "mine"]);
        }
        2 => git(&["stash", "--include-untracked"]),
        3 => git(&["rm", "-r", "--quiet", "--cached", "."]),
        4 => git(&["init", "--quiet", "inner"]),
        5 => fs::write(root.join(".gitignore"), "*\n").unwrap(),
        6 => fs::write(root.join(".git/index.lock"), "").unwrap(),
        _ => {}
    }
}

/// Reads the files of a snapshot.
fn kept(rig: &Rig, hash: &TreeHash) -> Tree {
    let snapshots = Snapshots::open(&rig.state.join("snapshots"), &rig.project.root).unwrap();
    let mut objects = snapshots.objects();
    let mut found = Tree::new();
    for file in snapshots.files(hash.as_str()).unwrap() {
        let Blob::Bytes(bytes) = objects.blob(file.id, u64::MAX).unwrap() else { panic!("{file:?}") };
        let mode = if file.kind == FileKind::Program { 0o100 } else { 0 };
        found.insert(PathBuf::from(OsStr::from_bytes(&file.path)), (mode, bytes));
    }
    found
}

/// Everything that was there must be there still, or be in a rescue.
fn nothing_is_lost(rig: &Rig, root: &Path, before: &Tree, what: &str) {
    let mut places: Vec<Tree> =
        rig.open().rescued(&id("F1")).unwrap().iter().map(|one| kept(rig, &one.tree)).collect();
    if root.exists() {
        places.push(tree(root));
    }
    for (path, content) in before {
        let is_there = places.iter().any(|place| place.get(path) == Some(content));
        assert!(is_there, "{what}: {} is lost", path.display());
    }
}

#[test]
fn no_byte_is_lost_by_anything() {
    let is_long = std::env::var_os("BATON_LONG").is_some_and(|value| value == "1");
    for number in 0..if is_long { TREES_LONG } else { TREES_SHORT } {
        let mut random = Random::numbered(SEED, number);
        let rig = Rig::new();
        let workspaces = rig.open();
        let workspace = workspaces.prepare(&id("F1")).unwrap();
        let clean = workspace.keep().unwrap();
        mess_up(workspace.root(), &mut random);
        let root = workspace.root().to_owned();
        let dirty = tree(&root);
        let what = format!("tree {number}");

        let hash = workspace.keep().unwrap();
        same(&tree(&root), &dirty, &format!("{what}: kept"));
        assert_eq!(workspace.measure().unwrap(), hash, "{what}");
        goes_in_whole(&rig, &hash, &what);
        same(&tree(&root), &dirty, &format!("{what}: integrated"));

        workspace.restore(&clean).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!(workspace.measure().unwrap(), clean, "{what}");
        nothing_is_lost(&rig, &root, &dirty, &format!("{what}: restored"));
        workspace.restore(&hash).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!(workspace.measure().unwrap(), hash, "{what}");

        let last = tree(&root);
        crash(&rig, &root, random.below(4));
        let removed = rig.open().remove(&id("F1")).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert!(!root.exists(), "{what}: {removed:?}");
        nothing_is_lost(&rig, &root, &dirty, &format!("{what}: removed"));
        nothing_is_lost(&rig, &root, &last, &format!("{what}: removed"));
        let left: Vec<_> =
            fs::read_dir(rig.state.join("work")).unwrap().flatten().map(|one| one.file_name()).collect();
        assert_eq!(left, [".lock"], "{what}");
    }
}

/// What was accepted is what the branch holds, byte for byte; or it is refused, and nothing has changed.
fn goes_in_whole(rig: &Rig, hash: &TreeHash, what: &str) {
    match integrate(&rig.open(), "F1", hash, "x") {
        Ok(Integrated::Merged { commit }) => {
            assert_eq!(rig.project.id("baton/accepted"), commit, "{what}");
            let repository = rig.project.open();
            let mut objects = repository.objects().unwrap();
            let mut found = Tree::new();
            for file in repository.files(commit).unwrap() {
                let Blob::Bytes(bytes) = objects.blob(file.id, u64::MAX).unwrap() else {
                    panic!("{what}: {file:?}")
                };
                let mode = if file.kind == FileKind::Program { 0o100 } else { 0 };
                found.insert(PathBuf::from(OsStr::from_bytes(&file.path)), (mode, bytes));
            }
            same(&found, &kept(rig, hash), what);
        }
        Ok(Integrated::AlreadyThere { .. }) => {}
        Ok(other) => panic!("{what}: {other:?}"),
        // Git takes no such name into a commit.
        Err(error) => {
            let names = kept(rig, hash);
            let is_odd = |path: &PathBuf| {
                let text = String::from_utf8_lossy(path.as_os_str().as_bytes()).to_lowercase();
                text.split('/').any(|part| part == ".git" || part == "git~1" || part == ".gitmodules")
            };
            assert!(names.keys().any(is_odd), "{what}: {error}");
            assert!(
                rig.project
                    .try_git(&["rev-parse", "--verify", "-q", "baton/accepted"], b"")
                    .stdout
                    .is_empty()
            );
        }
    }
}

/// Does the first steps of a removal, as a process would that is killed after them.
fn crash(rig: &Rig, root: &Path, steps: usize) {
    let folder = root.parent().unwrap();
    let gone = rig.state.join("work/.gone-F1-x");
    match steps {
        // Set aside, and nothing is known to be saved.
        1 => fs::rename(folder, &gone).unwrap(),
        // Saved, set aside, confirmed, and half deleted.
        2 => {
            let workspaces = rig.open();
            let copy = rig.project.beside("copy");
            Command::new("cp").arg("-a").arg(folder).arg(&copy).status().unwrap();
            let Removed::Gone { rescue } = workspaces.remove(&id("F1")).unwrap() else {
                panic!("nothing was there")
            };
            fs::rename(&copy, &gone).unwrap();
            let marker = fs::read_to_string(gone.join("workspace.json")).unwrap();
            fs::write(gone.join("workspace.json"), marker.replace("null", &format!("\"{rescue}\""))).unwrap();
            let _ = fs::remove_file(gone.join("files/a.txt"));
        }
        // The name was reserved, and that is all.
        3 => fs::create_dir(&gone).unwrap(),
        _ => {}
    }
}

#[test]
fn a_desk_lists_and_recovers_what_was_rescued() {
    let rig = Rig::new();
    let workspaces = rig.open();
    let workspace = workspaces.prepare(&id("F1")).unwrap();
    fs::write(workspace.root().join("x.log"), "ignored\n").unwrap();
    fs::write(workspace.root().join("a.txt"), "two\n").unwrap();
    let last = tree(workspace.root());
    workspaces.remove(&id("F1")).unwrap();
    let mut desk = Desk::open(Visit {
        root: rig.project.root.clone(),
        store: Some(rig.state.clone()),
        caller: baton_runner::desk::caller::Caller::Person("ada".to_owned()),
        now: 1,
        checks: Vec::new(),
        workflows: Vec::new(),
        files: baton_runner::config::Files::default(),
        budgets: Default::default(),
    })
    .unwrap();
    desk.add_task(NewTask {
        id: id("F1"),
        title: "x".to_owned(),
        workflow: WorkflowName::new("single").unwrap(),
        criteria: BTreeMap::new(),
        depends_on: BTreeSet::new(),
        targets: Vec::new(),
    })
    .unwrap();
    let saved = desk.saved(&id("F1")).unwrap();
    assert_eq!(
        saved.iter().map(|one| (one.name.as_str(), one.is_kept)).collect::<Vec<_>>(),
        [("removed-1", true)]
    );
    let into = rig.project.beside("back");
    desk.recover(&saved[0], &into).unwrap();
    let armed = |path: PathBuf| match path.strip_prefix(".git.saved") {
        Ok(inside) => Path::new(".git").join(inside),
        Err(_) => path,
    };
    let back: Tree = tree(&into).into_iter().map(|(path, content)| (armed(path), content)).collect();
    same(&back, &last, "recovered");
    assert!(!into.join(".git").exists());
}
