//! `baton audit` in a repository that means harm: nothing runs, nothing outside is read, memory stays bounded.

use std::fs::{self, File};

use baton_testkit::project;

use crate::support::Place;

/// A file of 1 GB takes no room on disk, and would take it in memory.
const HUGE: u64 = 1 << 30;
/// What the binary may take beside the pages of its own code, in KiB.
const MEMORY_MAX: u64 = 512 * 1024;

fn hostile() -> (Place, Place) {
    let (place, beside) = (Place::new(), Place::new());
    project::lying(place.path()).expect("the project is made");
    (place, beside)
}

#[cfg(unix)]
#[test]
fn no_setting_of_the_repository_runs_anything() {
    let (place, beside) = hostile();
    let canary = beside.file("canary");
    beside.write("trap.sh", format!("#!/bin/sh\necho \"$0 $@\" >> '{}'\n", canary.display()));
    let trap = beside.file("trap.sh").display().to_string();
    std::process::Command::new("chmod").args(["+x", &trap]).status().expect("chmod");
    for (key, value) in [
        ("core.fsmonitor", trap.as_str()),
        ("core.hooksPath", &beside.path().display().to_string()),
        ("core.sshCommand", &trap),
        ("core.pager", &trap),
        ("core.editor", &trap),
        ("diff.external", &trap),
        ("diff.trap.textconv", &trap),
        ("filter.trap.clean", &trap),
        ("filter.trap.smudge", &trap),
        ("filter.trap.process", &trap),
        ("alias.log", &format!("!{trap}")),
        ("gpg.program", &trap),
        ("log.showSignature", "true"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.url", &format!("ext::{trap}")),
        ("protocol.ext.allow", "always"),
        ("extensions.partialClone", "origin"),
    ] {
        place.git(&["config", key, value]);
    }
    place.write(".gitattributes", "* diff=trap filter=trap\n");
    fs::copy(&trap, place.file(".git/hooks/post-checkout")).expect("a hook");
    place.baton(&["audit"]).ends_with(1);
    place.baton(&["audit", "--since", "2000-01-01", "--json"]).ends_with(1);
    place.baton(&["check", "--evidence", "handoffs"]).ends_with(1);
    assert!(!canary.exists(), "{}", fs::read_to_string(&canary).unwrap_or_default());
    // The trap works: plain git steps into it.
    let _ = std::process::Command::new("git").args(["status"]).current_dir(place.path()).output();
    assert!(canary.exists(), "the trap would never have sprung");
}

#[cfg(unix)]
#[test]
fn links_out_of_the_tree_are_not_followed() {
    let (place, beside) = hostile();
    beside.write(
        "secret.log",
        "test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out\n",
    );
    let log = place.file("handoffs/F001/evidence/qa-tests_passing.log");
    fs::remove_file(&log).expect("the log is there");
    std::os::unix::fs::symlink(beside.file("secret.log"), &log).expect("a link");
    let answer = place.baton(&["audit", "--task", "F001", "--json"]).ends_with(0).out();
    assert!(!answer.contains("1 failed"), "{answer}");
}

#[cfg(unix)]
#[test]
fn a_folder_of_objects_elsewhere_is_not_read() {
    let (place, beside) = hostile();
    beside.write("private.md", "nobody may know\n");
    beside.commit("private");
    let id = beside.git(&["rev-parse", "HEAD"]);
    let objects = beside.file(".git/objects").display().to_string();
    place.write(".git/objects/info/alternates", format!("{objects}\n"));
    let document = place.read("handoffs/F001/implementation.md");
    let line = document.lines().find(|line| line.starts_with("commit: ")).expect("it names a commit");
    place.write("handoffs/F001/implementation.md", document.replace(line, &format!("commit: {id}")));
    let answer = place.baton(&["audit", "--task", "F001", "--json"]).json();
    let claims = answer["tasks"][0]["handoffs"].as_array().expect("handoffs");
    let claims = claims.iter().flat_map(|handoff| handoff["claims"].as_array().expect("claims"));
    let commit = claims.into_iter().find(|claim| claim["claim"] == id).expect("the claim");
    assert_eq!(commit["verdict"], "not checkable", "{commit}");
    assert!(answer["audit"]["notes"].to_string().contains("borrows objects"), "{answer}");
}

#[cfg(target_os = "linux")]
#[test]
fn huge_files_and_many_branches_take_little_memory() {
    let (place, _) = hostile();
    for path in ["src/huge.rs", "handoffs/F001/evidence/qa-lint.log", "handoffs/huge.md"] {
        let file = File::create(place.file(path)).expect("a file");
        file.set_len(HUGE).expect("a hole");
    }
    let head = place.git(&["rev-parse", "HEAD"]);
    let branches: String = (0..10_000).map(|number| format!("{head} refs/heads/b{number}\n")).collect();
    place.write(".git/packed-refs", format!("# pack-refs with: peeled fully-peeled sorted \n{branches}"));
    let script = format!("ulimit -v {MEMORY_MAX}; exec \"$0\" audit --threads 1");
    let mut command = std::process::Command::new("sh");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_baton")]);
    let run = place.run(&mut command, b"").ends_with(1);
    assert!(run.out().contains("344 handoffs of 89 tasks"), "{}", run.out());
}
