//! Accepted work on its way into the target branch.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Barrier;
use std::thread;

use baton_engine::word::TreeHash;
use baton_runner::workspace::{Integrated, Workspaces};

use super::rig::{Rig, Tree, id, integrate, same, tree};

/// Lets a task write files, and returns what was accepted.
fn work(rig: &Rig, task: &str, files: &[(&str, &str)]) -> TreeHash {
    let workspace = rig.prepare(task);
    for (path, text) in files {
        let path = workspace.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    workspace.keep().unwrap()
}

#[test]
fn two_tasks_on_different_files_go_in_one_after_the_other() {
    let rig = Rig::new();
    let one = work(&rig, "F1", &[("a.txt", "from F1\n"), ("x.log", "ignored\n")]);
    let two = work(&rig, "F2", &[("src/new.txt", "from F2\n")]);
    let workspaces = rig.open();
    let first = integrate(&workspaces, "F1", &one, "Change a\n\nBaton-Handoff: h-1").unwrap();
    let Integrated::Merged { commit } = first else { panic!("{first:?}") };
    assert_eq!(rig.project.id("baton/accepted"), commit);
    let second = integrate(&workspaces, "F2", &two, "Add new").unwrap();
    assert!(matches!(second, Integrated::Merged { .. }), "{second:?}");
    assert_eq!(
        (rig.accepted("a.txt"), rig.accepted("src/new.txt")),
        ("from F1\n".into(), "from F2\n".into())
    );
    assert_eq!(rig.accepted("src/b.txt"), "b\n");
    assert_eq!(rig.project.git(&["log", "--format=%s", "baton/accepted"]), "Add new\nChange a\nfirst\n");
    let trailers = rig.project.git(&["log", "-1", "--format=%(trailers:only)", &commit.to_string()]);
    assert_eq!(trailers.trim(), "Baton-Handoff: h-1\nBaton-Task: F1");
    assert!(!rig.project.git(&["ls-tree", "-r", "--name-only", "baton/accepted"]).contains("x.log"));
    rig.project.git(&["fsck", "--strict", "--full"]);
    // A third one begins with what the two have made.
    assert_eq!(fs::read(rig.prepare("F3").root().join("a.txt")).unwrap(), b"from F1\n");
    // After a crash it is done again, and nothing happens.
    for (task, tree) in [("F1", &one), ("F2", &two)] {
        let again = integrate(&workspaces, task, tree, "again").unwrap();
        assert_eq!(again, Integrated::AlreadyThere { commit: rig.project.id("baton/accepted") });
    }
}

#[test]
fn a_conflict_names_the_files_and_changes_nothing() {
    let rig = Rig::new();
    let one = work(&rig, "F1", &[("a.txt", "from F1\n"), ("src/b.txt", "F1\n")]);
    let two = work(&rig, "F2", &[("a.txt", "from F2\n"), ("c.txt", "c\n")]);
    let workspaces = rig.open();
    integrate(&workspaces, "F1", &one, "one").unwrap();
    let before = tree(&rig.project.path(".git"));
    let second = integrate(&workspaces, "F2", &two, "two").unwrap();
    assert_eq!(second, Integrated::Conflict { files: vec!["a.txt".to_owned()] });
    same(&tree(&rig.project.path(".git")), &before, "conflict");
    assert_eq!(rig.prepare("F2").measure().unwrap(), two);
}

#[test]
fn after_a_conflict_the_work_goes_on_where_the_branch_is() {
    let rig = Rig::new();
    let one = work(&rig, "F1", &[("a.txt", "from F1\n"), ("d.txt", "F1\n")]);
    let two = work(
        &rig,
        "F2",
        &[("a.txt", "from F2\n"), ("src/b.txt", "F2\n"), ("c.txt", "c\n"), ("x.log", "x\n")],
    );
    let workspaces = rig.open();
    integrate(&workspaces, "F1", &one, "one").unwrap();
    assert!(matches!(integrate(&workspaces, "F2", &two, "two").unwrap(), Integrated::Conflict { .. }));
    let renewed = workspaces.renew(&id("F2"), &two, workspaces.base_of(&id("F2")).unwrap()).unwrap();
    assert_eq!(renewed.left, ["a.txt"]);
    let root = renewed.workspace.root();
    let texts =
        ["a.txt", "src/b.txt", "c.txt", "d.txt"].map(|path| fs::read_to_string(root.join(path)).unwrap());
    assert_eq!(texts, ["from F1\n", "F2\n", "c\n", "F1\n"]);
    assert_eq!(workspaces.rescued(&id("F2")).unwrap().len(), 1);
    fs::write(root.join("a.txt"), "from both\n").unwrap();
    let both = renewed.workspace.keep().unwrap();
    assert!(matches!(integrate(&workspaces, "F2", &both, "two").unwrap(), Integrated::Merged { .. }));
    assert_eq!((rig.accepted("a.txt"), rig.accepted("d.txt")), ("from both\n".into(), "F1\n".into()));
}

#[test]
fn what_a_task_put_in_place_of_a_folder_comes_along() {
    let rig = Rig::new();
    rig.project.write("x/deep/one", "1\n").write("x/two", "2\n").write("y", "y\n").commit("folders");
    let one = work(&rig, "F1", &[("a.txt", "from F1\n"), ("z/theirs", "F1\n")]);
    let root = rig.prepare("F2").root().to_owned();
    fs::remove_dir_all(root.join("x")).unwrap();
    fs::remove_file(root.join("y")).unwrap();
    let two = work(&rig, "F2", &[("a.txt", "from F2\n"), ("x", "a file\n"), ("y/in", "in\n"), ("z", "F2\n")]);
    let workspaces = rig.open();
    integrate(&workspaces, "F1", &one, "one").unwrap();
    let renewed = workspaces.renew(&id("F2"), &two, workspaces.base_of(&id("F2")).unwrap()).unwrap();
    assert_eq!(renewed.left, ["a.txt", "z"], "where a folder of others is, their work stays");
    let text = |path: &str| fs::read_to_string(renewed.workspace.root().join(path)).unwrap();
    assert_eq!([text("x"), text("y/in"), text("z/theirs")], ["a file\n", "in\n", "F1\n"]);
}

/// Reads the files of a snapshot.
fn kept(rig: &Rig, task: &str, of: &TreeHash, name: &str) -> Tree {
    let into = rig.project.beside(name);
    rig.prepare(task).clean_copy(of, &into).unwrap();
    tree(&into)
}

#[test]
fn what_the_branch_will_have_is_known_before_it_has_it() {
    let rig = Rig::new();
    let lines: Vec<String> = (1..20).map(|number| format!("{number}\n")).collect();
    let text = |first: &str, last: &str| format!("{first}{}{last}", lines.concat());
    rig.project.write("long.txt", text("a\n", "z\n")).write("gone.txt", "x\n").commit("long");
    fs::remove_file(rig.prepare("F1").root().join("gone.txt")).unwrap();
    let one = work(&rig, "F1", &[("long.txt", &text("A\n", "z\n")), ("one/new.txt", "1\n")]);
    let two = work(&rig, "F2", &[("long.txt", &text("a\n", "Z\n")), ("two.txt", "2\n")]);
    let workspaces = rig.open();
    let prospect = workspaces.prospect(&id("F1"), &one).unwrap();
    assert_eq!(prospect.tree, None, "nobody else has changed anything");
    integrate(&workspaces, "F1", &one, "one").unwrap();
    let prospect = workspaces.prospect(&id("F2"), &two).unwrap();
    let together = prospect.tree.clone().unwrap();
    let files = kept(&rig, "F2", &together, "together");
    assert_eq!(files[Path::new("long.txt")].1, text("A\n", "Z\n").into_bytes());
    assert!(files.contains_key(Path::new("one/new.txt")) && files.contains_key(Path::new("two.txt")));
    assert!(!files.contains_key(Path::new("gone.txt")), "{files:?}");
    assert_eq!(workspaces.prospect(&id("F2"), &two).unwrap(), prospect, "asked again");
    // Somebody moves the branch between the look and the merge.
    let other = rig.project.git(&["commit-tree", "-p", "baton/accepted", "-m", "x", "baton/accepted^{tree}"]);
    rig.project.git(&["update-ref", "refs/heads/baton/accepted", other.trim()]);
    let late = workspaces.integrate(&id("F2"), &two, (prospect.tip, "two")).unwrap();
    assert_eq!(late, Integrated::Moved);
    assert!(matches!(integrate(&workspaces, "F2", &two, "two").unwrap(), Integrated::Merged { .. }));
    assert_eq!(kept(&rig, "F2", &together, "again"), files);
    let names = rig.project.git(&["ls-tree", "-r", "--name-only", "baton/accepted"]);
    assert_eq!(
        names.lines().map(PathBuf::from).collect::<Vec<_>>(),
        files.keys().cloned().collect::<Vec<_>>()
    );
    assert_eq!(rig.accepted("long.txt"), text("A\n", "Z\n"));
    // What did not hold together is gone on with as it was joined, not only as the branch has it.
    let renewed = workspaces.renew(&id("F2"), &together, prospect.tip).unwrap();
    assert_eq!((renewed.left.len(), renewed.workspace.keep().unwrap()), (0, together));
}

#[test]
fn work_begins_with_what_is_checked_out_once_that_has_all_accepted_work() {
    let rig = Rig::new();
    let begins_with = |task: &str| rig.prepare(task).base();
    let one = work(&rig, "F1", &[("one.txt", "1\n")]);
    integrate(&rig.open(), "F1", &one, "one").unwrap();
    assert_eq!(begins_with("F2"), rig.project.id("baton/accepted"));
    // A person goes on without having taken it over: the two went apart.
    rig.project.write("mine.txt", "mine\n").commit("mine");
    assert_eq!(begins_with("F3"), rig.project.id("baton/accepted"));
    rig.project.git(&["merge", "--quiet", "--no-edit", "baton/accepted"]);
    rig.project.write("more.txt", "more\n").commit("more");
    assert_eq!(begins_with("F4"), rig.project.id("HEAD"));
    // What began before is merged with what the person has by now, and the branch has both.
    let three = work(&rig, "F3", &[("three.txt", "3\n")]);
    assert!(matches!(integrate(&rig.open(), "F3", &three, "three").unwrap(), Integrated::Merged { .. }));
    assert_eq!((rig.accepted("more.txt"), rig.accepted("three.txt")), ("more\n".into(), "3\n".into()));
    assert_eq!(rig.project.id("baton/accepted~1"), rig.project.id("HEAD"));
    // Whoever has another branch out in the meantime changes nothing of that.
    let four = work(&rig, "F4", &[("four.txt", "4\n")]);
    rig.project.git(&["checkout", "--quiet", "-b", "old", "HEAD~2"]);
    assert!(matches!(integrate(&rig.open(), "F4", &four, "four").unwrap(), Integrated::Merged { .. }));
    assert_eq!((rig.accepted("three.txt"), rig.accepted("four.txt")), ("3\n".into(), "4\n".into()));
    assert_eq!(begins_with("F5"), rig.project.id("baton/accepted"));
}

#[test]
fn the_branch_follows_a_person_who_has_the_work_already() {
    let rig = Rig::new();
    let one = work(&rig, "F1", &[("one.txt", "1\n")]);
    let two = work(&rig, "F2", &[("two.txt", "2\n")]);
    integrate(&rig.open(), "F1", &one, "one").unwrap();
    rig.project.git(&["merge", "--quiet", "--ff-only", "baton/accepted"]);
    rig.project.write("two.txt", "2\n").commit("by hand");
    let head = rig.project.id("HEAD");
    let there = integrate(&rig.open(), "F2", &two, "two").unwrap();
    assert_eq!((there, rig.project.id("baton/accepted")), (Integrated::AlreadyThere { commit: head }, head));
}

#[test]
fn the_persons_repository_gets_a_pack_and_a_branch_and_nothing_else() {
    let rig = Rig::new();
    rig.project.write("a.txt", "staged\n").git(&["add", "a.txt"]);
    rig.project.write("a.txt", "not staged\n").write("loose.txt", "untracked\n");
    rig.project.git(&["stash", "push", "--quiet", "--keep-index"]);
    rig.project.write("a.txt", "dirty\n");
    let before = tree(&rig.project.root);
    let accepted = work(&rig, "F1", &[("a.txt", "accepted\n"), ("new/file.txt", "new\n")]);
    let workspaces = rig.open();
    integrate(&workspaces, "F1", &accepted, "one").unwrap();
    workspaces.remove(&id("F1")).unwrap();
    let mut after = tree(&rig.project.root);
    for (path, content) in &before {
        assert_eq!(after.remove(path).as_ref(), Some(content), "{}", path.display());
    }
    let new: Vec<String> = after.into_keys().map(|path| path.display().to_string()).collect();
    assert_eq!(new.len(), 3, "{new:?}");
    assert!(new.iter().filter(|path| path.starts_with(".git/objects/pack/pack-")).count() == 2, "{new:?}");
    assert!(new.contains(&".git/refs/heads/baton/accepted".to_owned()), "{new:?}");
    rig.project.git(&["fsck", "--strict", "--full"]);
}

#[test]
fn of_two_at_once_one_wins_and_the_other_is_told() {
    for round in 0..8 {
        let rig = Rig::new();
        let (one, two) = (work(&rig, "F1", &[("one.txt", "1\n")]), work(&rig, "F2", &[("two.txt", "2\n")]));
        let (workspaces, barrier) = (rig.open(), Barrier::new(2));
        let race = |task: &str, tree| {
            barrier.wait();
            let mut lost = 0;
            loop {
                match integrate(&workspaces, task, tree, task).unwrap() {
                    Integrated::Merged { .. } => return lost,
                    Integrated::Moved => lost += 1,
                    other => panic!("{other:?}"),
                }
                assert!(lost < 5);
            }
        };
        thread::scope(|scope| {
            let first = scope.spawn(|| race("F1", &one));
            let second = scope.spawn(|| race("F2", &two));
            assert!(first.join().unwrap() + second.join().unwrap() <= 1, "round {round}");
        });
        assert_eq!((rig.accepted("one.txt"), rig.accepted("two.txt")), ("1\n".into(), "2\n".into()));
        assert_eq!(rig.project.git(&["rev-list", "--count", "baton/accepted"]), "3\n");
    }
}

#[test]
fn a_branch_that_moved_between_is_told_and_then_merged_with() {
    let rig = Rig::new();
    let accepted = work(&rig, "F1", &[("one.txt", "1\n")]);
    // What git does with a packed branch counts as much as with a loose one.
    rig.project.git(&["branch", "baton/accepted"]);
    rig.project.git(&["pack-refs", "--all"]);
    assert!(!rig.project.path(".git/refs/heads/baton/accepted").exists());
    rig.project.write("a.txt", "main moved\n").commit("second");
    let merged = integrate(&rig.open(), "F1", &accepted, "one").unwrap();
    assert!(matches!(merged, Integrated::Merged { .. }));
    assert_eq!(rig.accepted("a.txt"), "main moved\n", "what is checked out has all that was accepted");
    rig.project.git(&["pack-refs", "--all", "--prune"]);
    rig.project.git(&["checkout", "--quiet", "-b", "mine", "baton/accepted"]);
    rig.project.write("mine.txt", "mine\n").commit("mine");
    rig.project.git(&["branch", "--force", "baton/accepted", "mine"]);
    let two = work(&rig, "F2", &[("two.txt", "2\n")]);
    assert!(matches!(integrate(&rig.open(), "F2", &two, "two").unwrap(), Integrated::Merged { .. }));
    assert_eq!((rig.accepted("mine.txt"), rig.accepted("two.txt")), ("mine\n".into(), "2\n".into()));
}

#[test]
fn a_branch_that_is_in_use_is_refused() {
    let rig = Rig::new();
    let accepted = work(&rig, "F1", &[("one.txt", "1\n")]);
    let refusal = |target: &str| {
        let workspaces = Workspaces::open(&rig.project.root, &rig.state, target).unwrap();
        integrate(&workspaces, "F1", &accepted, "one").unwrap_err().to_string()
    };
    let before = rig.project.id("main");
    assert!(refusal("main").contains("checked out"));
    let other = rig.project.beside("other");
    rig.project.git(&["worktree", "add", "--quiet", "-b", "side", other.to_str().unwrap()]);
    assert!(refusal("side").contains("checked out"));
    rig.project.git(&["symbolic-ref", "refs/heads/alias", "refs/heads/main"]);
    assert!(refusal("alias").contains("another name"));
    rig.project.git(&["branch", "baton"]);
    assert!(refusal("baton/accepted").contains("named `baton`"));
    rig.project.git(&["pack-refs", "--all"]);
    assert!(refusal("baton/accepted").contains("named `baton`"));
    rig.project.git(&["branch", "deep/er"]);
    assert!(refusal("deep").contains("named `deep/er`"));
    rig.project.write(".git/refs/heads/free.lock", "");
    assert!(refusal("free").contains("free.lock"));
    assert!(rig.project.path(".git/refs/heads/free.lock").exists());
    assert_eq!((rig.project.id("main"), rig.project.id("side")), (before, before));
    for bad in ["../../x", "-x", "--upload-pack=touch x", "HEAD", "a..b", "x.lock", "@"] {
        assert!(Workspaces::open(&rig.project.root, &rig.state, bad).is_err(), "{bad}");
    }
}

#[test]
fn another_repository_inside_the_project_stays_named() {
    let rig = Rig::new();
    let inner = rig.project.id("HEAD");
    rig.project.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{inner},vendor/inner")]);
    rig.project.git(&["commit", "--quiet", "-m", "inner"]);
    let accepted = work(&rig, "F1", &[("one.txt", "1\n")]);
    assert!(matches!(integrate(&rig.open(), "F1", &accepted, "x").unwrap(), Integrated::Merged { .. }));
    let listed = rig.project.git(&["ls-tree", "-r", "baton/accepted", "vendor/inner"]);
    assert_eq!(listed, format!("160000 commit {inner}\tvendor/inner\n"));
}
