//! Traps in the person's repository and in the one that the agent can write. None of them may run for anything Baton does.
//!
//! The controls run plain git in the same places: there the traps do run.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use baton_runner::workspace::{Integrated, Removed};

use super::rig::{Rig, id, integrate, same, tree};

const HOOKS: &[&str] = &[
    "applypatch-msg",
    "commit-msg",
    "post-applypatch",
    "post-checkout",
    "post-commit",
    "post-index-change",
    "post-merge",
    "post-rewrite",
    "pre-applypatch",
    "pre-auto-gc",
    "pre-commit",
    "pre-merge-commit",
    "pre-push",
    "pre-rebase",
    "prepare-commit-msg",
    "push-to-checkout",
    "reference-transaction",
    "update",
];

struct Canary {
    program: PathBuf,
    trace: PathBuf,
}

impl Canary {
    fn new(rig: &Rig) -> Self {
        let (program, trace) = (rig.project.beside("canary.sh"), rig.project.beside("trace"));
        fs::write(&program, format!("#!/bin/sh\necho \"$0 $*\" >> '{}'\n", trace.display())).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        Self { program, trace }
    }

    /// Sets every trap we know in a repository.
    fn trap(&self, root: &Path) {
        let program = self.program.to_str().unwrap();
        let hooks = root.join(".git/hooks");
        fs::create_dir_all(&hooks).unwrap();
        for hook in HOOKS {
            fs::copy(&self.program, hooks.join(hook)).unwrap();
        }
        let config = format!(
            "[core]\n\tfsmonitor = {program}\n\thooksPath = {hooks}\n\tpager = {program}\n\teditor = {program}\n\
             \taskPass = {program}\n\tsshCommand = {program}\n\tgitProxy = {program}\n\
             \talternateRefsCommand = {program}\n\
             [diff]\n\texternal = {program}\n[diff \"nasty\"]\n\ttextconv = {program}\n\tcommand = {program}\n\
             [filter \"nasty\"]\n\tclean = {program}\n\tsmudge = {program}\n\tprocess = {program}\n\trequired = true\n\
             [merge \"nasty\"]\n\tdriver = {program}\n[gpg]\n\tprogram = {program}\n[commit]\n\tgpgSign = true\n\
             [alias]\n\tstatus = !{program}\n\tmerge-tree = !{program}\n[credential]\n\thelper = {program}\n\
             [uploadpack]\n\tpackObjectsHook = {program}\n[gc]\n\tauto = 1\n\
             [remote \"origin\"]\n\turl = ext::{program}\n\tpromisor = true\n",
            hooks = hooks.display()
        );
        let path = root.join(".git/config");
        let known = fs::read_to_string(&path).unwrap();
        fs::write(&path, known + &config).unwrap();
        fs::create_dir_all(root.join(".git/info")).unwrap();
        fs::write(root.join(".git/info/attributes"), "* filter=nasty diff=nasty merge=nasty\n").unwrap();
    }

    fn has_run(&self) -> Option<String> {
        let text = fs::read_to_string(&self.trace).ok();
        let _ = fs::remove_file(&self.trace);
        text
    }
}

#[test]
fn no_trap_runs_for_anything_that_baton_does() {
    let rig = Rig::new();
    rig.project.write(".gitattributes", "* filter=nasty diff=nasty merge=nasty\n").commit("attributes");
    let canary = Canary::new(&rig);
    canary.trap(&rig.project.root);
    let workspaces = rig.open();
    let workspace = workspaces.prepare(&id("F1")).unwrap();
    let other = workspaces.prepare(&id("F2")).unwrap();
    canary.trap(workspace.root());
    fs::create_dir(workspace.root().join("nested")).unwrap();
    fs::create_dir(workspace.root().join("nested/.git")).unwrap();
    fs::write(workspace.root().join("nested/.git/config"), "").unwrap();
    fs::write(workspace.root().join("nested/.git/HEAD"), "ref: refs/heads/x\n").unwrap();
    canary.trap(&workspace.root().join("nested"));
    let before = workspace.keep().unwrap();
    fs::write(workspace.root().join("a.txt"), "one\nmore\n").unwrap();
    let after = workspace.keep().unwrap();
    workspace.measure().unwrap();
    assert_eq!(workspace.changes(&before, &after).unwrap().len(), 1);
    workspace.restore(&before).unwrap();
    workspace.restore(&after).unwrap();
    workspace.clean_copy(&after, &rig.project.beside("copy")).unwrap();
    fs::write(other.root().join("a.txt"), "zero\none\n").unwrap();
    let others = other.keep().unwrap();
    let integrated = integrate(&workspaces, "F1", &after, "one").unwrap();
    assert!(matches!(integrated, Integrated::Merged { .. }), "{integrated:?}");
    let integrated = integrate(&workspaces, "F2", &others, "two").unwrap();
    assert!(matches!(integrated, Integrated::Conflict { .. } | Integrated::Merged { .. }), "{integrated:?}");
    let removed = workspaces.remove(&id("F1")).unwrap();
    assert!(matches!(removed, Removed::Gone { .. }));
    drop(rig.open().prepare(&id("F3")).unwrap());
    assert_eq!(canary.has_run(), None);

    for root in [&rig.project.root, &rig.project.beside("copy")] {
        let _ = Command::new("git").args(["init", "--quiet"]).current_dir(root).output().unwrap();
    }
    canary.trap(&rig.project.beside("copy"));
    for root in [&rig.project.root, &rig.project.beside("copy")] {
        canary.has_run();
        let _ = Command::new("git").args(["add", "--all"]).current_dir(root).output().unwrap();
        assert!(canary.has_run().is_some(), "the control ran nothing in {}", root.display());
    }
}

#[test]
fn what_was_rescued_comes_back_without_its_teeth() {
    let rig = Rig::new();
    let workspaces = rig.open();
    let workspace = workspaces.prepare(&id("F1")).unwrap();
    fs::write(workspace.root().join(".git/hooks-of-mine"), "x\n").unwrap();
    let Removed::Gone { rescue } = workspaces.remove(&id("F1")).unwrap() else { panic!("nothing was there") };
    // It holds a folder of git, so it is no tree for a workspace or a clean copy.
    let again = workspaces.prepare(&id("F1")).unwrap();
    let was = tree(again.root());
    assert!(again.clean_copy(&rescue, &rig.project.beside("copy")).is_err());
    assert!(!rig.project.beside("copy").join(".git").exists());
    assert!(again.restore(&rescue).is_err());
    same(&tree(again.root()), &was, "refused");
    assert!(!again.root().join(".git/hooks-of-mine").exists());
}

#[test]
fn a_tree_that_leads_out_is_not_written() {
    let rig = Rig::new();
    let outside = rig.project.beside("outside");
    fs::create_dir(&outside).unwrap();
    let blob = rig.project.try_git(&["hash-object", "-w", "--stdin"], b"evil\n").stdout;
    let blob = String::from_utf8(blob).unwrap();
    let link =
        rig.project.try_git(&["hash-object", "-w", "--stdin"], outside.to_str().unwrap().as_bytes()).stdout;
    let link = String::from_utf8(link).unwrap();
    let make = |entries: &[(&str, &str, &str)]| {
        let mut tree = Vec::new();
        for (mode, name, id) in entries {
            tree.extend(format!("{mode} {name}\0").into_bytes());
            let id = id.trim();
            tree.extend((0..id.len()).step_by(2).map(|at| u8::from_str_radix(&id[at..at + 2], 16).unwrap()));
        }
        let made = rig.project.try_git(&["hash-object", "-w", "-t", "tree", "--stdin", "--literally"], &tree);
        String::from_utf8(made.stdout).unwrap().trim().to_owned()
    };
    let inner = make(&[("100644", "x", &blob)]);
    let trees = [
        make(&[("120000", "a", &link), ("40000", "a", &inner)]),
        make(&[("40000", "..", &inner)]),
        make(&[("40000", ".git", &inner)]),
        make(&[("40000", ".GIT", &inner)]),
        make(&[("100644", "../x", &blob)]),
    ];
    for (number, tree) in trees.iter().enumerate() {
        let commit = rig.project.git(&["commit-tree", tree, "-m", "evil"]);
        rig.project.git(&["update-ref", "refs/heads/baton/accepted", commit.trim()]);
        assert!(rig.open().prepare(&id("F1")).is_err(), "tree {number}");
        assert!(!rig.state.join("work/F1").exists());
        assert!(super::rig::tree(&outside).is_empty());
    }
    let left: Vec<_> =
        fs::read_dir(rig.state.join("work")).unwrap().flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(left, [".lock"]);
}

#[test]
fn links_in_the_place_of_references_and_packs_are_refused() {
    let rig = Rig::new();
    let workspaces = rig.open();
    let workspace = workspaces.prepare(&id("F1")).unwrap();
    fs::write(workspace.root().join("a.txt"), "two\n").unwrap();
    let accepted = workspace.keep().unwrap();
    let outside = rig.project.beside("outside");
    fs::create_dir(&outside).unwrap();
    symlink(&outside, rig.project.path(".git/refs/heads/baton")).unwrap();
    assert!(integrate(&workspaces, "F1", &accepted, "x").is_err());
    fs::remove_file(rig.project.path(".git/refs/heads/baton")).unwrap();
    let pack = rig.project.path(".git/objects/pack");
    fs::remove_dir(&pack).unwrap();
    symlink(&outside, &pack).unwrap();
    assert!(integrate(&workspaces, "F1", &accepted, "x").is_err());
    assert!(tree(&outside).is_empty());
}
