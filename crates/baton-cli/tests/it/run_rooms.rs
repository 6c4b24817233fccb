//! Where the host looks at work, and where nobody else may write.

use std::fs;

use serde_json::Value;

use crate::scripted::sh;
use crate::support::announce;
use crate::team::{HANDOFF, Team, all, says, works, works_also, write};

/// Says whether the kernel kept the agents of a run from writing elsewhere. Where nothing can, there is nothing to see.
fn was_fenced(events: &[Value]) -> bool {
    let label = all(events, "handed_over")[0]["confinement"].as_str().unwrap_or_default().to_owned();
    let is_fenced = label == "bubblewrap" || label == "landlock";
    if !is_fenced {
        announce("LEFT OUT: no fence can be had here, so that agents can write everywhere");
    }
    is_fenced
}

#[test]
fn nobody_writes_the_temporary_files_of_another() {
    let tries = sh("touch \"$TMPDIR/own\" && echo \"$TMPDIR\" > tmpdir.txt\n\
         for folder in \"$TMPDIR\"/../../*; do touch \"$folder/evil\" \"$folder/files/evil\" 2> /dev/null; done; true");
    let mut steps = vec![tries];
    steps.extend(works_also("tmpdir.txt"));
    let team = Team::new().agent("builder", "command", &[steps]).ready();
    let other = team.state().join("baton/tmp/new-other/files");
    fs::create_dir_all(&other).expect("a folder");
    team.add("T1", "single", &[]);
    let events = team.run(0, &[]);
    assert!(
        team.accepted("tmpdir.txt").starts_with(&*team.state().join("baton/tmp").to_string_lossy()),
        "what is temporary lies among what Baton keeps"
    );
    if was_fenced(&events) {
        assert!(!other.join("evil").exists() && !other.with_file_name("evil").exists());
    }
    let left: Vec<_> = fs::read_dir(team.state().join("baton/tmp")).expect("a folder").flatten().collect();
    assert_eq!(left.len(), 1, "what was needed for a moment is gone: {left:?}");
}

#[test]
fn the_repository_of_a_linked_worktree_is_no_agents_to_write() {
    let tries = sh("git -C \"$BATON_PROJECT\" config core.fsmonitor evil; true");
    let mut steps = vec![tries];
    steps.extend(works_also("tmpdir.txt"));
    let team = Team::new().agent("builder", "command", &[steps]).ready();
    let linked = team.home().join("linked");
    team.place.git(&["worktree", "add", "--quiet", &linked.to_string_lossy(), "-b", "other"]);
    let there = |words: &[&str]| {
        let mut command = team.command(words);
        team.place.run_prepared(command.current_dir(&linked), b"")
    };
    there(&["trust", "--yes"]).ends_with(0);
    there(&["task", "add", "T1", "Do it", "--workflow", "single"]).ends_with(0);
    let events = there(&["run", "--json"]).ends_with(0).events();
    if was_fenced(&events) {
        let config = fs::read_to_string(team.place.file(".git/config")).expect("a configuration");
        assert!(!config.contains("evil"), "{config}");
    }
}

#[test]
fn no_cache_lets_anybody_into_the_checkout() {
    // Each says that it was there, and that it was kept out.
    let tries = |project: &str, then: &str| {
        format!(
            "for mine in \"{project}/.cache/mine\" \"{project}/tools/registry/mine\"; do\n\
             [ -f \"$mine\" ] && ! echo evil > \"$mine\" && {then}; done"
        )
    };
    let builder = sh(&tries("$BATON_PROJECT", "echo tried >> tried"));
    let check = tries("$(cat where)", "kept_out=\"$kept_out.\"");
    let team = checked_by(&format!("{check}\n[ \"$kept_out\" = .. ] && grep -q done work.txt"));
    team.place.write("where", team.place.path().to_string_lossy().as_bytes());
    let team = team.agent("builder", "command", &[[vec![builder], works_also("tried")].concat()]).ready();
    team.place.write(".git/info/exclude", ".cache\ntools\n.local\n");
    for folder in [".cache", "tools/registry"] {
        team.place.write(&format!("{folder}/mine"), "mine\n");
    }
    team.add("T1", "single", &[]);
    let mut command = team.command(&["run", "--json"]);
    command.env("HOME", "").env("CARGO_HOME", team.place.file("tools"));
    let run = team.place.run_prepared(&mut command, b"");
    if was_fenced(&run.events()) {
        run.ends_with(0);
        assert_eq!(team.accepted("tried"), "tried\ntried", "the agent was kept out of both");
        for folder in [".cache", "tools/registry"] {
            let mine = fs::read_to_string(team.place.file(&format!("{folder}/mine"))).expect("a file");
            assert_eq!(mine, "mine\n", "{folder}");
        }
    }
}

/// A team whose work is checked by this script.
fn checked_by(script: &str) -> Team {
    let team = Team::new();
    team.place.write("check.sh", format!("#!/bin/sh\n{script}\n"));
    team
}

fn verdicts(events: &[Value]) -> Vec<&str> {
    let checked = all(events, "checked");
    checked.iter().filter_map(|event| event["checks"][0]["verdict"].as_str()).collect()
}

#[test]
fn what_is_in_no_snapshot_decides_nothing() {
    // The check runs a tool in a folder that git ignores. The agent has made one that likes everything.
    let plants =
        sh("mkdir tools.log; printf '#!/bin/sh\\nexit 0\\n' > tools.log/judge; chmod +x tools.log/judge");
    let team = checked_by("exec tools.log/judge")
        .agent("builder", "command", &[vec![plants, write("work.txt", "nothing\n"), says(HANDOFF)]])
        .ready();
    team.add("T1", "single", &[]);
    let events = team.run(9, &["--once"]);
    assert_eq!(verdicts(&events), ["inconclusive"], "there is no such tool");
    assert!(team.files("T1").join("tools.log/judge").exists(), "it is there, and was not asked");
}

/// Returns what the check of each attempt said, where it did not pass.
fn details(events: &[Value]) -> Vec<&str> {
    let checked = all(events, "checked");
    checked.iter().filter_map(|event| event["checks"][0]["detail"].as_str()).collect()
}

#[test]
fn what_a_check_leaves_is_gone_before_the_next_but_for_what_is_kept() {
    let script = "ls -A; mkdir -p kept left/below .git/hooks 2> /dev/null\n\
                  for file in left/below/file report.xml ignored.log kept/more; do echo x > $file; done\n\
                  git status --short; grep -q done work.txt";
    let tries = |number: usize| vec![write("try.txt", &format!("{number}\n")), says(HANDOFF)];
    let team = checked_by(script)
        .configured("[run]\nkeep = [\"kept\"]\n")
        .agent("builder", "command", &[tries(1), tries(2), works()])
        .ready();
    team.add("T1", "single", &[]);
    let events = team.run(0, &[]);
    assert_eq!(verdicts(&events), ["fail", "fail", "pass"]);
    let files = ".git\n.gitignore\nbaton.toml\ncheck.sh\n";
    let told = details(&events);
    assert!(told[0].contains(&format!("{files}try.txt\nwork.txt\n")), "{}", told[0]);
    assert!(told[1].contains(&format!("{files}kept\ntry.txt\nwork.txt\n")), "{}", told[1]);
    assert!(told[1].contains("?? try.txt"), "git is there, and knows what the work began with: {}", told[1]);
    let merged = team.place.git(&["ls-tree", "-r", "--name-only", "baton/accepted"]);
    assert_eq!(merged, ".gitignore\nbaton.toml\ncheck.sh\ntry.txt\nwork.txt");
    assert!(!team.store().join("rooms/T1").exists(), "the room of a task that has ended is gone");
}

#[test]
fn checks_that_change_the_work_settle_nothing_and_come_to_an_end() {
    let team =
        checked_by("echo changed >> work.txt").agent("builder", "command", &[works(), works()]).ready();
    team.add("T1", "single", &[]);
    let events = team.run(9, &["--once"]);
    assert_eq!(verdicts(&events), ["inconclusive"]);
    assert!(details(&events)[0].contains("changed the work that it looked at: work.txt"), "{events:?}");
    assert_eq!(all(&events, "checked").len(), 1, "they are not run again and again");
    let files = fs::read_to_string(team.files("T1").join("work.txt")).expect("the work");
    assert_eq!(files, "done\n", "the work itself is as it was handed over");
}

#[test]
fn what_is_borrowed_of_the_checkout_can_be_read_and_not_written() {
    let team =
        checked_by("grep -q needed deps/it && ! touch deps/evil 2> /dev/null && grep -q done work.txt")
            .configured("[run]\nborrow = [\"deps\", \"absent\", \"work.txt\"]\n")
            .agent("builder", "command", &[works()])
            .ready();
    team.place.write("deps/it", "needed\n");
    team.place.write(".git/info/exclude", "deps\n");
    team.add("T1", "single", &[]);
    let events = team.run(0, &[]);
    assert_eq!(verdicts(&events), ["pass"]);
    if was_fenced(&events) {
        assert!(!team.place.file("deps/evil").exists());
    }
    let merged = team.place.git(&["ls-tree", "-r", "--name-only", "baton/accepted"]);
    assert!(!merged.contains("deps"), "{merged}");
}

#[test]
fn a_room_is_made_anew_for_work_that_begins_elsewhere_and_after_a_run_was_ended() {
    let team = checked_by("test ! -e stale && grep -q done work.txt")
        .agent("builder", "command", &[vec![write("try.txt", "1\n"), says(HANDOFF)], works()])
        .ready();
    team.add("T1", "single", &[]);
    assert_eq!(verdicts(&team.run(9, &["--once"])), ["fail"]);
    let room = team.store().join("rooms/T1/files");
    fs::write(room.join("stale"), "of an earlier day\n").expect("a file");
    fs::write(room.join("try.txt"), "another\n").expect("a file");
    assert_eq!(verdicts(&team.run(0, &[])), ["pass"]);
    assert_eq!(team.accepted("try.txt"), "1");
}
