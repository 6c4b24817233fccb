//! Repositories that try to run something, or to show what lies elsewhere.
//!
//! Each test of a program has a control: plain git does run it, so the trap is a real one. The submodule has none.

use std::env;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use baton_runner::git::{Blob, Incomplete, Named, Repository, Seen};

use super::project::{Project, read_everything};

/// A program that leaves a file behind when it is run.
struct Canary {
    program: PathBuf,
    trace: PathBuf,
}

impl Canary {
    fn new(project: &Project) -> Self {
        let (program, trace) = (project.beside("canary.sh"), project.beside("trace"));
        fs::write(&program, format!("#!/bin/sh\n: > '{}'\n", trace.display())).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        Self { program, trace }
    }

    fn command(&self) -> &str {
        self.program.to_str().unwrap()
    }

    /// Says whether it was run since the last time.
    fn has_run(&self) -> bool {
        fs::remove_file(&self.trace).is_ok()
    }
}

/// Baton must not run the canary, and plain git must.
fn check(project: &Project, canary: &Canary, control: &[&str]) {
    canary.has_run();
    read_everything(&project.root);
    assert!(!canary.has_run(), "Baton ran the program");
    project.try_git(control, b"");
    assert!(canary.has_run(), "the control ran nothing: git {control:?}");
}

fn project() -> (Project, Canary) {
    let project = Project::new();
    project.write("a.txt", "one\n").commit("first");
    project.write("a.txt", "two\n").commit("second");
    let canary = Canary::new(&project);
    (project, canary)
}

#[test]
fn fsmonitor() {
    let (project, canary) = project();
    project.git(&["config", "core.fsmonitor", canary.command()]);
    check(&project, &canary, &["status"]);
}

#[test]
fn filters() {
    let (project, canary) = project();
    project.write(".gitattributes", "* filter=nasty\n").commit("attributes");
    for key in ["clean", "smudge", "process"] {
        project.git(&["config", &format!("filter.nasty.{key}"), canary.command()]);
        fs::remove_file(project.path("a.txt")).unwrap();
        let control: &[&str] = match key {
            "clean" => &["hash-object", "--path=a.txt", "--stdin"],
            _ => &["checkout", "--", "a.txt"],
        };
        check(&project, &canary, control);
        project.git(&["config", "--unset", &format!("filter.nasty.{key}")]);
        project.git(&["checkout", "--", "a.txt"]);
    }
}

#[test]
fn external_diff() {
    let (project, canary) = project();
    project.git(&["config", "diff.external", canary.command()]);
    check(&project, &canary, &["diff", "HEAD~1"]);
}

#[test]
fn text_conversion() {
    let (project, canary) = project();
    project.write(".gitattributes", "* diff=nasty\n").commit("attributes");
    project.git(&["config", "diff.nasty.textconv", canary.command()]);
    project.git(&["config", "diff.nasty.command", canary.command()]);
    check(&project, &canary, &["log", "-p"]);
}

#[test]
fn hooks() {
    let (project, canary) = project();
    let folder = project.beside("hooks");
    fs::create_dir(&folder).unwrap();
    for hook in ["post-checkout", "post-index-change", "reference-transaction", "pre-auto-gc"] {
        for place in [folder.clone(), project.path(".git/hooks")] {
            fs::create_dir_all(&place).unwrap();
            fs::copy(&canary.program, place.join(hook)).unwrap();
        }
    }
    check(&project, &canary, &["checkout", "--quiet", "-f", "HEAD"]);
    project.git(&["config", "core.hooksPath", folder.to_str().unwrap()]);
    check(&project, &canary, &["checkout", "--quiet", "-f", "HEAD"]);
}

#[test]
fn settings_that_name_a_program() {
    let (project, canary) = project();
    for key in
        ["core.pager", "pager.log", "core.editor", "core.askPass", "gpg.program", "core.alternateRefsCommand"]
    {
        project.git(&["config", key, canary.command()]);
    }
    project.git(&["config", "log.showSignature", "true"]);
    let tree = project.git(&["rev-parse", "HEAD^{tree}"]);
    let signed = format!(
        "tree {tree}author A <a> 1 +0000\ncommitter A <a> 1 +0000\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n \
         -----END PGP SIGNATURE-----\n\nsigned\n"
    );
    let id = project.try_git(&["hash-object", "-t", "commit", "-w", "--stdin"], signed.as_bytes()).stdout;
    project.git(&["update-ref", "refs/heads/signed", String::from_utf8(id).unwrap().trim()]);
    check(&project, &canary, &["log", "signed"]);
}

#[test]
fn an_included_configuration() {
    let (project, canary) = project();
    fs::write(project.beside("more"), format!("[core]\n\tfsmonitor = {}\n", canary.command())).unwrap();
    project.git(&["config", "include.path", project.beside("more").to_str().unwrap()]);
    check(&project, &canary, &["status"]);
}

#[test]
fn objects_that_would_be_fetched() {
    let (project, canary) = project();
    let blob = project.id("HEAD:a.txt").to_string();
    fs::remove_file(project.path(format!(".git/objects/{}/{}", &blob[..2], &blob[2..]))).unwrap();
    for (key, value) in [
        ("core.repositoryFormatVersion", "1"),
        ("core.sshCommand", canary.command()),
        ("remote.origin.url", "ssh://nowhere.invalid/x"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.partialCloneFilter", "blob:none"),
        ("extensions.partialClone", "origin"),
    ] {
        project.git(&["config", key, value]);
    }
    check(&project, &canary, &["cat-file", "-p", &blob]);
    let repository = project.open();
    let id = repository.history(&mut |_| {}).unwrap().changes_of(b"a.txt")[1].blob;
    assert_eq!(repository.objects().unwrap().blob(id, 100).unwrap(), Blob::Missing);
}

/// Another repository of this machine, with something in it that is nobody's business.
fn secret() -> (Project, String) {
    let secret = Project::new();
    let commit = secret.write("secret.txt", "secret\n").commit("secret").to_string();
    (secret, commit)
}

fn assert_not_readable(folder: &Path, commit: &str) {
    let repository = Repository::open(folder).unwrap().unwrap();
    assert_eq!(repository.objects().unwrap().commit_kind(commit).unwrap(), Named::Nothing);
    assert!(!read_everything(folder).contains(&b"secret\n".to_vec()));
}

#[test]
fn alternates() {
    let (secret, commit) = secret();
    let (project, _) = project();
    let objects = secret.path(".git/objects");
    project.write(".git/objects/info/alternates", format!("{}\n", objects.display()));
    assert_eq!(project.git(&["cat-file", "-t", &commit]).trim(), "commit");
    assert!(project.open().borrows_objects());
    assert_not_readable(&project.root, &commit);
    assert_eq!(project.history().why_incomplete(), [Incomplete::BorrowsObjects]);
    // A branch that leads there does not hide the rest.
    project.write(".git/refs/heads/stolen", format!("{commit}\n"));
    assert_eq!(project.history().len(), 2);
}

#[test]
fn names_of_packs_that_lead_elsewhere() {
    let (secret, commit) = secret();
    secret.git(&["gc", "--quiet"]);
    let (project, _) = project();
    let packs = project.path(".git/objects/pack");
    let elsewhere = project.beside("p.idx");
    let entries = fs::read_dir(secret.path(".git/objects/pack")).unwrap().map(|entry| entry.unwrap().path());
    let pack = entries.filter(|path| path.extension().is_some_and(|end| end == "pack")).last().unwrap();
    let here = packs.join(pack.file_name().unwrap());
    for end in ["pack", "idx"] {
        fs::copy(pack.with_extension(end), elsewhere.with_extension(end)).unwrap();
        fs::copy(pack.with_extension(end), here.with_extension(end)).unwrap();
    }
    // The index of all packs is made while the pack is here, and then changed to name the one elsewhere.
    project.git(&["multi-pack-index", "write"]);
    let name = here.with_extension("idx").file_name().unwrap().to_string_lossy().into_owned();
    let path = "../../../../p.idx";
    let path = format!("{}{path}", "./".repeat((name.len() - path.len()) / 2));
    let index = packs.join("multi-pack-index");
    let mut bytes = fs::read(&index).unwrap();
    let place = bytes.windows(name.len()).position(|window| window == name.as_bytes()).unwrap();
    bytes[place..place + name.len()].copy_from_slice(path.as_bytes());
    for file in [&index, &here.with_extension("pack"), &here.with_extension("idx")] {
        fs::remove_file(file).unwrap();
    }
    fs::write(&index, bytes).unwrap();

    assert_eq!(project.git(&["cat-file", "-t", &commit]).trim(), "commit");
    assert_not_readable(&project.root, &commit);
}

#[test]
fn a_git_file_that_names_another_repository() {
    let (secret, _) = secret();
    let worktree = secret.beside("worktree");
    secret.git(&["worktree", "add", "--quiet", worktree.to_str().unwrap()]);
    let project = Project::empty();
    for target in [secret.path(".git"), secret.path(".git/worktrees/worktree")] {
        project.write(".git", format!("gitdir: {}\n", target.display()));
        assert_eq!(project.git(&["log", "-1", "--format=%s", "main"]).trim(), "secret");
        assert!(project.refusal().contains("does not point back"), "{}", project.refusal());
    }
    for nonsense in ["", "gitdir:", "gitdir: \0", "something else"] {
        project.write(".git", nonsense);
        assert!(project.refusal().contains("names no git folder"), "{}", project.refusal());
    }
}

#[test]
fn a_worktree_folder_of_its_own_making() {
    let (secret, _) = secret();
    let project = Project::empty();
    project.write(".git", "gitdir: inner/worktrees/x\n");
    project.write("inner/worktrees/x/gitdir", project.path(".git").to_str().unwrap());
    project.write("inner/worktrees/x/HEAD", "ref: refs/heads/main\n");
    project.write("inner/worktrees/x/commondir", secret.path(".git").to_str().unwrap());
    assert_eq!(project.git(&["log", "-1", "--format=%s"]).trim(), "secret");
    assert!(
        project.refusal().contains("does not lie in the repository that it names"),
        "{}",
        project.refusal()
    );
}

#[test]
fn links_in_place_of_git_files() {
    let (secret, _) = secret();
    secret.git(&["pack-refs", "--all"]);
    for name in
        ["", "/HEAD", "/refs", "/refs/heads", "/refs/heads/main", "/packed-refs", "/objects", "/objects/pack"]
    {
        let (project, _) = project();
        let path = project.path(format!(".git{name}"));
        match path.is_dir() {
            true => fs::remove_dir_all(&path).unwrap(),
            false => drop(fs::remove_file(&path)),
        }
        symlink(secret.path(format!(".git{name}")), &path).unwrap();
        assert!(project.refusal().contains("is a symbolic link"), "{name}: {}", project.refusal());
    }
}

#[test]
fn links_in_place_of_objects() {
    let (secret, commit) = secret();
    let (folder, file) = commit.split_at(2);
    let (project, _) = project();
    fs::create_dir_all(project.path(format!(".git/objects/{folder}"))).unwrap();
    let link = project.path(format!(".git/objects/{folder}/{file}"));
    symlink(secret.path(format!(".git/objects/{folder}/{file}")), &link).unwrap();
    assert_eq!(project.git(&["cat-file", "-t", &commit]).trim(), "commit");
    assert!(project.refusal().contains("is a symbolic link"), "{}", project.refusal());
    fs::remove_file(&link).unwrap();

    symlink(secret.path(".git/objects/pack"), project.path(".git/objects/pack/pack-x.pack")).unwrap();
    assert!(project.refusal().contains("is a symbolic link"), "{}", project.refusal());
}

#[test]
fn pipes_in_place_of_files() {
    for name in ["HEAD", "packed-refs", "refs/heads/pipe", "shallow"] {
        let (project, _) = project();
        let path = project.path(format!(".git/{name}"));
        let _ = fs::remove_file(&path);
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        assert!(project.refusal().contains("is n"), "{name}: {}", project.refusal());
    }
}

#[test]
fn a_nasty_submodule() {
    let (project, canary) = project();
    let (secret, _) = secret();
    let id = project.id("HEAD").to_string();
    project.write(
        ".gitmodules",
        format!(
            "[submodule \"x\"]\n\tpath = module\n\turl = ext::sh -c {}\n\tignore = all\n",
            canary.command(),
        ),
    );
    project.git(&["add", ".gitmodules"]);
    project.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{id},module")]);
    project.git(&["commit", "--quiet", "-m", "submodule"]);
    project.write("module/.git", format!("gitdir: {}\n", secret.path(".git").display()));
    project.git(&["config", "submodule.x.url", &format!("ext::{}", canary.command())]);
    project.git(&["config", "submodule.x.update", &format!("!{}", canary.command())]);
    project.git(&["config", "protocol.ext.allow", "always"]);
    read_everything(&project.root);
    assert!(!canary.has_run());
    assert!(project.history().changes_of(b"module")[0].is_submodule);
    assert!(Repository::open(&project.path("module")).is_err());
    let into = project.beside("out");
    project.open().checkout(project.id("HEAD"), &into).unwrap();
    assert_eq!(fs::read_dir(into.join("module")).unwrap().count(), 0);
}

#[test]
fn a_link_out_of_the_work_tree() {
    let (secret, _) = secret();
    let (project, _) = project();
    symlink(&secret.root, project.path("elsewhere")).unwrap();
    project.commit("a link");
    let tree = project.open().work_tree();
    assert_eq!(tree.look("elsewhere/secret.txt"), Seen::Link);
    assert_eq!(tree.look("a.txt"), Seen::File { bytes: 4 });
    assert!(!read_everything(&project.root).contains(&b"secret\n".to_vec()));
}

const CHILD: &str = "BATON_TEST_REPOSITORY";

/// Is nothing by itself: the tests below start it again in an environment of their making.
#[test]
fn in_an_environment() {
    let Some(root) = env::var_os(CHILD) else { return };
    assert_eq!(read_everything(Path::new(&root)), [b"one\n".to_vec(), b"two\n".to_vec()]);
}

fn run_in_environment(project: &Project, variables: &[(&str, &str)]) {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", "git::hostile::in_an_environment"]).current_dir(&project.root);
    let output = command.env(CHILD, &project.root).envs(variables.iter().copied()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

#[test]
fn an_environment_that_names_other_places() {
    let (project, canary) = project();
    let (secret, commit) = secret();
    let (secret_git, objects) = (secret.path(".git"), secret.path(".git/objects"));
    let trace = project.beside("git-trace");
    run_in_environment(
        &project,
        &[
            ("GIT_DIR", secret_git.to_str().unwrap()),
            ("GIT_COMMON_DIR", secret_git.to_str().unwrap()),
            ("GIT_WORK_TREE", secret.root.to_str().unwrap()),
            ("GIT_OBJECT_DIRECTORY", objects.to_str().unwrap()),
            ("GIT_ALTERNATE_OBJECT_DIRECTORIES", objects.to_str().unwrap()),
            ("GIT_INDEX_FILE", "/nonexistent/index"),
            ("GIT_NAMESPACE", &commit),
            ("GIT_CONFIG_COUNT", "2"),
            ("GIT_CONFIG_KEY_0", "core.fsmonitor"),
            ("GIT_CONFIG_VALUE_0", canary.command()),
            ("GIT_CONFIG_KEY_1", "core.bare"),
            ("GIT_CONFIG_VALUE_1", "nonsense"),
            ("GIT_EXTERNAL_DIFF", canary.command()),
            ("GIT_SSH_COMMAND", canary.command()),
            ("GIT_EXEC_PATH", project.home.path().to_str().unwrap()),
            ("GIT_TRACE", trace.to_str().unwrap()),
            ("LC_ALL", "de_DE.UTF-8"),
        ],
    );
    assert!(!canary.has_run());
    assert!(!trace.exists());
    // The control.
    let setting = format!("core.fsmonitor={}", canary.command());
    project.git(&["-c", &setting, "status"]);
    assert!(canary.has_run());
}

#[test]
fn a_git_of_the_repository_in_the_path() {
    let (project, canary) = project();
    for folder in ["", "bin"] {
        fs::create_dir_all(project.path(folder)).unwrap();
        fs::copy(&canary.program, project.path(folder).join("git")).unwrap();
    }
    let usual = env::var("PATH").unwrap();
    let path = format!(".::bin:{}:{usual}", project.path("bin").display());
    run_in_environment(&project, &[("PATH", &path)]);
    assert!(!canary.has_run());
    // The control: a shell takes the first it finds.
    let mut control = Command::new("/bin/sh");
    control.args(["-c", "git version </dev/null"]).current_dir(&project.root).env("PATH", &path);
    assert!(control.output().unwrap().status.success());
    assert!(canary.has_run());
}
