//! Pipes, sockets, devices and links where Baton looks for a file: none of them is waited for, and the task beside goes on.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;

use baton_testkit::script::Step;
use serde_json::Value;
use tempfile::TempDir;

use crate::scripted::sh;
use crate::team::{BLOCKED, HANDOFF, Team, all, of, says, works, write};

/// What can be put where a file is looked for, as a shell makes it.
const KINDS: &[&str] = &["mkfifo", "mkdir", "ln -s /dev/zero", "mkfifo pipe; ln -s pipe"];
/// Where an agent can put it: the folder to make before, and the place.
const PLACES: &[(&str, &str)] = &[
    ("sub/dist", "sub/.gitignore"),
    (".", "handoff.md"),
    ("docs/skills", "docs/skills/tide.md"),
    ("sub", "sub/dist"),
];

/// Runs within the patience of one command, and returns the events.
#[track_caller]
fn ran(team: &Team, code: i32, more: &[&str]) -> Vec<Value> {
    let mut words = vec!["run", "--json"];
    words.extend(more);
    team.baton(&words).ends_with(code).events()
}

#[test]
fn nothing_that_an_agent_puts_where_a_file_is_looked_for_is_waited_for() {
    let team = Team::new()
        .configured(
            "[checks.good]\nrun = [\"grep\", \"-q\", \"good\", \"good.txt\"]\n[workflows.good]\n\
             [[workflows.good.stages]]\nname = \"build\"\nagent = \"builder\"\ncheckpoints = [\"good\"]\n\
             [workflows.twice]\n[[workflows.twice.stages]]\nname = \"build\"\nagent = \"builder\"\n\
             checkpoints = [\"validation\"]\nlimits = { retries_max = 1 }\n",
        )
        .agent("builder", "command", &[])
        .configured("handoff_file = \"handoff.md\"\n");
    let mut tasks = Vec::new();
    for kind in KINDS {
        for (folder, place) in PLACES {
            let task = format!("T{}", tasks.len() + 1);
            let put = sh(&format!("mkdir -p {folder}; rm -rf {place}; {kind} {place}"));
            // In the second turn it is there from the beginning.
            team.script("builder", &format!("{task}/always"), &[put, says(HANDOFF)]);
            tasks.push((task, kind, place));
        }
    }
    team.script("builder", "G1/always", &[write("good.txt", "good\n"), says(HANDOFF)]);
    let team = team.ready();
    tasks.iter().for_each(|(task, ..)| team.add(task, "twice", &[]));
    team.add("G1", "good", &[]);
    let events = ran(&team, 9, &["--jobs", "4"]);
    for (task, kind, place) in &tasks {
        let own = of(&events, task);
        let count = |name: &str| own.iter().filter(|event| event["event"] == name).count();
        let told = format!("{kind} {place}: {own:#?}");
        assert!(count("handed_over") >= 2, "{told}");
        assert_eq!((count("checked"), count("turn_ended")), (count("handed_over"), 0), "{told}");
    }
    assert!(of(&events, "G1").iter().any(|event| event["event"] == "integrated"), "{events:#?}");
}

/// A team whose work is looked at by two checks, one after the other.
fn checked_twice(first: &str, second: &str) -> Team {
    let checks = "[checks.validation]\nrun = [\"./check.sh\"]\n[checks.second]\nrun = [\"./second.sh\"]\n\
                  [workflows.twice]\n[[workflows.twice.stages]]\nname = \"build\"\nagent = \"builder\"\n\
                  checkpoints = [\"validation\", \"second\"]\n";
    let team = Team::new().only(checks);
    for (name, script) in [("check.sh", first), ("second.sh", second)] {
        team.place.write(name, format!("#!/bin/sh\n{script}\n"));
        let program = fs::Permissions::from_mode(0o755);
        fs::set_permissions(team.place.file(name), program).expect("a program");
    }
    team
}

#[test]
fn nothing_that_a_check_leaves_in_its_room_is_there_for_the_next() {
    let leaves = "for kind in 'mkfifo' 'mkdir' 'ln -s /dev/zero'; do rm -rf .git; $kind .git; done\n\
                  rm -rf .git; mkfifo .git left-over; mkdir deep; mkfifo deep/down; grep -q done work.txt";
    let looks =
        "test ! -e left-over && test ! -e deep && test -f .git && git rev-parse HEAD && test ! -e socket";
    let team = checked_twice(leaves, looks).agent("builder", "command", &[lies_first(), works()]).ready();
    team.add("T1", "twice", &[]);
    assert_eq!(verdicts(&ran(&team, 9, &["--once"])), ["fail", "pass"]);
    let room = team.store().join("rooms/T1/files");
    // The path of a socket has a bound that folders for temporary files can come near to.
    let short = TempDir::with_prefix_in("s", "/tmp").expect("a folder");
    symlink(&room, short.path().join("room")).expect("a link");
    let _socket = UnixListener::bind(short.path().join("room/socket")).expect("a socket");
    assert_eq!(verdicts(&ran(&team, 0, &[])), ["pass", "pass"]);
}

/// Returns what the checks said that were run last.
fn verdicts(events: &[Value]) -> Vec<&str> {
    let checked = all(events, "checked");
    let checks = checked.last().and_then(|event| event["checks"].as_array()).expect("checks");
    checks.iter().filter_map(|check| check["verdict"].as_str()).collect()
}

fn lies_first() -> Vec<Step> {
    vec![write("other.txt", "not yet\n"), says(HANDOFF)]
}

#[test]
fn no_mode_that_a_check_leaves_shuts_the_next_one_out() {
    let leaves = "mkdir -p cache/module\necho x > cache/module/file; chmod 555 cache/module cache\n\
                  chmod 000 sub/file; chmod 444 sub; grep -q done work.txt; ended=$?; chmod 000 .; exit $ended";
    let looks = "test ! -e cache && test -f sub/file && grep -q plain sub/file";
    let team = checked_twice(leaves, looks).agent("builder", "command", &[lies_first(), works()]);
    team.place.write("sub/file", "plain\n");
    let Some(team) = team.ready().of_no_root() else { return };
    team.add("T1", "twice", &[]);
    assert_eq!(verdicts(&ran(&team, 9, &["--once"])), ["fail", "pass"]);
    assert_eq!(verdicts(&ran(&team, 0, &[])), ["pass", "pass"]);
    assert!(!team.store().join("rooms/T1").exists(), "the room of a task that has ended is gone");
}

#[test]
fn no_mode_that_an_agent_leaves_keeps_its_work_from_being_seen() {
    let shuts = sh(
        "mkdir -p d/below; echo deep > d/below/x; echo mine > y; chmod 000 y d/below; chmod 400 d; chmod 000 .",
    );
    let Some(team) = Team::new()
        .agent(
            "builder",
            "command",
            &[[works().remove(0), shuts, says(&HANDOFF.replace("FILES", "work.txt, y and d/below/x"))]
                .to_vec()],
        )
        .ready()
        .of_no_root()
    else {
        return;
    };
    team.add("T1", "single", &[]);
    let events = ran(&team, 0, &[]);
    assert_eq!(all(&events, "turn_ended").len(), 0, "{events:#?}");
    assert_eq!((team.accepted("d/below/x"), team.accepted("y")), ("deep".to_owned(), "mine".to_owned()));
}

#[test]
fn a_workspace_is_taken_away_whatever_modes_are_in_it() {
    let keeps =
        sh("mkdir -p c.log/module; echo x > c.log/module/file; chmod 555 c.log/module; chmod 000 c.log");
    let team = Team::new().agent("builder", "command", &[]);
    team.script("builder", "T1/always", &[write("work.txt", "done 1\n"), says(HANDOFF)]);
    team.script("builder", "T2/turn-1", &[keeps, says(HANDOFF)]);
    team.script("builder", "T2/turn-2", &[write("work.txt", "done 2\n"), says(HANDOFF)]);
    team.script("builder", "T2/turn-3", &[write("work.txt", "done 1 2\n"), says(HANDOFF)]);
    let Some(team) = team.ready().of_no_root() else { return };
    team.add("T1", "single", &[]);
    team.add("T2", "single", &[]);
    ran(&team, 9, &["T2", "--once"]);
    ran(&team, 0, &["T1"]);
    ran(&team, 0, &["T2"]);
    assert_eq!(team.accepted("work.txt"), "done 1 2");
    assert_eq!(team.starts("builder", "T2"), 3, "the two did not go together");
    let work = fs::read_dir(team.store().join("work")).expect("workspaces").flatten();
    let left: Vec<_> = work.map(|entry| entry.file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().starts_with(".gone-")), "{left:?}");
}

#[test]
fn a_handoff_is_found_whatever_the_modes_on_the_way_to_it() {
    let shuts = sh("mkdir out; mv given out/handoff.md; chmod 000 out/handoff.md out; chmod 000 .");
    let given = HANDOFF.replace("FILES", "FILES and out/handoff.md");
    let turn = [works().remove(0), write("given", &given), shuts].to_vec();
    let team = Team::new().agent("builder", "command", &[turn]);
    let team = team.configured("handoff_file = \"out/handoff.md\"\n").ready();
    let Some(team) = team.of_no_root() else { return };
    team.add("T1", "single", &[]);
    let events = ran(&team, 0, &[]);
    assert_eq!(all(&events, "handed_over").len(), 1, "{events:#?}");
    assert_eq!(team.accepted("work.txt"), "done");
}

#[test]
fn files_are_put_back_where_folders_are_by_now_whatever_their_modes() {
    let turns = sh(
        "rm sub/file; mkdir -p sub/file/below cache.log; echo x > sub/file/below/x; echo x > cache.log/x; \
                    chmod 000 sub/file/below cache.log; chmod 555 sub/file",
    );
    let team = Team::new().agent("builder", "command", &[[turns, says(BLOCKED)].to_vec()]);
    team.place.write("sub/file", "plain\n");
    let Some(team) = team.ready().of_no_root() else { return };
    team.add("T1", "single", &[]);
    ran(&team, 9, &[]);
    team.baton(&["resolve", "T1", "rollback", "go back"]).ends_with(0);
    team.baton(&["rollback", "T1"]).ends_with(0);
    let back = fs::read_to_string(team.files("T1").join("sub/file"));
    assert_eq!(back.expect("the file is back"), "plain\n");
}
