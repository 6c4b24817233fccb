//! Which programs a run starts: never one that the repository brought, however the PATH leads to it.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use crate::support::Run;
use crate::team::{Team, works};

/// The program that the repository brings, in two places.
const BROUGHT: &[&str] = &["bin/brought", "node_modules/.bin/brought"];

fn program(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, text).expect("a program");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("a program");
}

/// A project with programs in it that leave a mark, and every way into it that a PATH can have.
fn with_brought(team: &Team) -> Vec<PathBuf> {
    let mark = team.home().join("mark");
    for path in BROUGHT {
        program(&team.place.file(path), &format!("#!/bin/sh\ntouch {}\nexit 0\n", mark.display()));
    }
    let (alias, outside) = (team.home().join("alias"), team.home().join("outside"));
    symlink(team.place.path(), &alias).expect("a link");
    fs::create_dir(&outside).expect("a folder");
    symlink(team.place.file("bin/brought"), outside.join("brought")).expect("a link");
    vec![
        team.place.file("bin"),
        team.place.file("node_modules/.bin"),
        team.home().join("alias/bin"),
        alias.join("bin/../bin"),
        outside,
    ]
}

fn run(team: &Team, folders: &[PathBuf]) -> Run {
    let path: OsString = env::var_os("PATH").expect("a PATH");
    let all = folders.iter().cloned().chain(env::split_paths(&path));
    let mut command = team.command(&["run"]);
    command.env("PATH", env::join_paths(all).expect("a PATH"));
    team.place.run_prepared(&mut command, b"")
}

#[test]
fn no_agent_is_started_that_the_repository_brought() {
    let team = Team::new().configured("[agents.builder]\ndriver = \"command\"\nprogram = \"brought\"\n");
    let folders = with_brought(&team);
    let team = team.ready();
    team.add("T1", "single", &[]);
    for folder in folders {
        let refused = run(&team, std::slice::from_ref(&folder)).ends_with(2).err();
        assert!(refused.contains("`builder` lies in the checkout"), "{}: {refused}", folder.display());
        assert!(refused.contains("[agents.builder]"), "{refused}");
        assert!(!team.home().join("mark").exists(), "{} led to it", folder.display());
    }
}

#[test]
fn no_check_is_run_that_the_repository_brought_and_no_path_of_a_child_leads_to_one() {
    let team = Team::new().only("[checks.validation]\nrun = [\"brought\"]\nconfined = false\n").agent(
        "builder",
        "command",
        &[works()],
    );
    let folders = with_brought(&team);
    let team = team.ready();
    team.add("T1", "single", &[]);
    run(&team, &folders).ends_with(9);
    let inbox = team.baton(&["inbox"]).ends_with(0).out();
    assert!(inbox.contains("`brought` lies in the checkout"), "{inbox}");
    assert!(inbox.contains("write its path"), "{inbox}");
    assert!(!team.home().join("mark").exists(), "the check of the repository was run");

    let seen = team.home().join("seen");
    let asks = format!("#!/bin/sh\necho \"$PATH\" > {}\nexit 0\n", seen.display());
    program(&team.place.file("check.sh"), &asks);
    let mut config = team.place.read("baton.toml");
    config = config.replace("\"brought\"", "\"./check.sh\"");
    team.place.write("baton.toml", config);
    team.place.commit("look at the PATH");
    team.baton(&["trust", "--yes"]).ends_with(0);
    team.add("T2", "single", &[]);
    // The first task still lies with a person.
    run(&team, &folders).ends_with(9);
    let seen = fs::read_to_string(seen).expect("the check was run");
    let inside: Vec<&PathBuf> =
        folders.iter().filter(|folder| seen.split(':').any(|one| Path::new(one.trim()) == *folder)).collect();
    assert_eq!(inside, [&team.home().join("outside")], "only the folder that lies outside: {seen}");
}
