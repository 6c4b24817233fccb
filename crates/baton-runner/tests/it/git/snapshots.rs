//! Snapshots are objects of git though no git wrote them: they are held against those that git writes of the same files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use baton_runner::git::{Blob, FileKind, SNAPSHOT_FILE_BYTES_MAX, Snapshots};
use baton_testkit::random::Random;

use super::project::Project;

const SEED: u64 = 0x0b47_9ac4;
const SNAPSHOTS: usize = 24;
const NAMES: &[&str] = &["a", "a.b", "a-b", "a0", "b", "lib", "lib.rs", "z"];

type Files = BTreeMap<String, Vec<u8>>;

#[test]
fn whatever_changes_the_tree_is_the_one_that_git_writes() {
    for options in [&["--object-format=sha1"][..], &["--object-format=sha256"]] {
        let project = Project::with(options);
        let state = project.beside("state");
        let snapshots = Snapshots::open(&state, &project.root).unwrap();
        let mut random = Random::numbered(SEED, options[0].len());
        let (mut files, mut last) = (Files::new(), None);
        for number in 0..SNAPSHOTS {
            let name = format!("{number:064x}");
            let before = files;
            files = edited(&before, &mut random);
            keep(&snapshots, &name, (last.as_deref(), &before), &files);
            assert_eq!(
                of(&state, &["rev-parse", &tree(&name)]),
                by_git(&project, &files),
                "{options:?} {name}"
            );
            differences(&snapshots, last.as_deref(), &name, (&before, &files));
            last = Some(name);
        }
        let told = of(&state, &["fsck", "--strict", "--full", "--no-dangling"]);
        assert_eq!(told, "", "{options:?}");
        for (path, bytes) in &files {
            let listed = snapshots.files(last.as_deref().unwrap()).unwrap();
            let file = listed.iter().find(|file| file.path == path.as_bytes()).unwrap();
            let kept = snapshots.objects().blob(file.id, SNAPSHOT_FILE_BYTES_MAX).unwrap();
            assert!(kept == Blob::Bytes(bytes.clone()), "{path}");
        }
    }
}

#[test]
fn what_was_kept_is_not_kept_twice_and_nothing_half_stays() {
    let project = Project::new();
    let state = project.beside("state");
    let files = Files::from([("one.txt".to_owned(), b"one".to_vec())]);
    let count = || fs::read_dir(state.join("git/objects/pack")).unwrap().count();
    // Another process knows what the first one wrote.
    for (name, packs) in [("1", 2), ("1", 2), ("2", 4), ("2", 4)] {
        let snapshots = Snapshots::open(&state, &project.root).unwrap();
        keep(&snapshots, &name.repeat(64), (None, &Files::new()), &files);
        assert_eq!(count(), packs, "{name}");
        let mut begun = snapshots.keep(&"3".repeat(64), None).unwrap();
        begun.file(b"half.txt", FileKind::File, b"half").unwrap();
    }
    assert_eq!(count(), 4);
    assert!(!Snapshots::open(&state, &project.root).unwrap().has(&"3".repeat(64)));
    let packed = of(&state, &["cat-file", "--batch-all-objects", "--batch-check=%(objecttype)"]);
    let mut packed: Vec<&str> = packed.lines().collect();
    packed.sort_unstable();
    // One file, one folder, and a commit for each of the two names.
    assert_eq!(packed, ["blob", "commit", "commit", "tree"]);
    assert_eq!(fs::read_dir(&state).unwrap().count(), 1, "something was left beside what is kept");
}

#[test]
fn paths_that_lead_elsewhere_are_refused() {
    let project = Project::new();
    let snapshots = Snapshots::open(&project.beside("state"), &project.root).unwrap();
    let deep = vec!["d"; 300].join("/");
    for path in ["", "/a", "a/", "a//b", ".", "..", "a/../b", "a\0b", deep.as_str()] {
        let mut import = snapshots.keep(&"1".repeat(64), None).unwrap();
        assert!(import.file(path.as_bytes(), FileKind::File, b"").is_err(), "{path:?}");
    }
}

/// Changes, adds and removes files; a folder may come to stand where a file was, and the other way round.
fn edited(files: &Files, random: &mut Random) -> Files {
    let mut files = files.clone();
    for _ in 0..random.between(1, 6) {
        let depth = random.between(1, 4);
        let path = (0..depth).map(|_| *random.pick(NAMES)).collect::<Vec<_>>().join("/");
        let is_in_the_way =
            |other: &String| other.starts_with(&format!("{path}/")) || path.starts_with(&format!("{other}/"));
        files.retain(|other, _| !is_in_the_way(other));
        if random.chance(30) {
            files.remove(&path);
        } else {
            let size = *random.pick(&[0, 1, 15, 16, 2_047, 2_048, 70_000]);
            let bytes = (0..size).map(|_| *random.pick(b"abc\n\0")).collect();
            files.insert(path, bytes);
        }
    }
    files
}

fn keep(snapshots: &Snapshots, name: &str, (from, before): (Option<&str>, &Files), files: &Files) {
    let mut import = snapshots.keep(name, from).unwrap();
    for path in before.keys().filter(|path| !files.contains_key(*path)) {
        import.remove(path.as_bytes()).unwrap();
    }
    for (path, bytes) in files.iter().filter(|(path, bytes)| before.get(*path) != Some(bytes)) {
        import.file(path.as_bytes(), FileKind::File, bytes).unwrap();
    }
    import.finish().unwrap();
}

fn differences(snapshots: &Snapshots, from: Option<&str>, to: &str, (before, after): (&Files, &Files)) {
    let Some(from) = from else { return };
    let found = snapshots.differing(from, to).unwrap();
    let told = |file: &Option<baton_runner::git::TreeFile>| {
        file.as_ref().map(|file| String::from_utf8(file.path.clone()).unwrap())
    };
    let told: BTreeSet<_> = found.iter().map(|found| (told(&found.before), told(&found.after))).collect();
    let paths: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let expected = paths.into_iter().filter(|path| before.get(*path) != after.get(*path)).map(|path| {
        let is_in = |files: &Files| files.contains_key(path).then(|| path.clone());
        (is_in(before), is_in(after))
    });
    assert_eq!(told, expected.collect());
}

fn tree(name: &str) -> String {
    format!("refs/baton/trees/{name}^{{tree}}")
}

/// Runs git on what is kept.
fn of(state: &Path, arguments: &[&str]) -> String {
    let git = Command::new("git").arg("--git-dir").arg(state.join("git")).args(arguments).output().unwrap();
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    assert!(git.status.success(), "{}", said(&git.stderr));
    said(&git.stdout)
}

/// Lets git write the tree of these files.
fn by_git(project: &Project, files: &Files) -> String {
    for entry in fs::read_dir(&project.root).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true if path.ends_with(".git") => {}
            true => fs::remove_dir_all(path).unwrap(),
            false => fs::remove_file(path).unwrap(),
        }
    }
    files.iter().for_each(|(path, bytes)| {
        project.write(path, bytes);
    });
    project.git(&["add", "--all", "--force"]);
    project.git(&["write-tree"]).trim().to_owned()
}
