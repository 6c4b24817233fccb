//! Where the host looks at work, and where nobody else may write.

use std::fs;

use baton_testkit::script::Step;
use serde_json::Value;

use crate::team::{Team, all, works};

fn sh(script: &str) -> Step {
    Step::Run { argv: ["sh", "-c", script].map(str::to_owned).to_vec() }
}

/// Says whether the kernel kept the agents of a run from writing elsewhere. Where nothing can, there is nothing to see.
fn was_fenced(events: &[Value]) -> bool {
    let label = all(events, "handed_over")[0]["confinement"].as_str().unwrap_or_default().to_owned();
    let is_fenced = label == "bubblewrap" || label == "landlock";
    if !is_fenced {
        println!("LEFT OUT: no fence can be had here, so that agents can write everywhere");
    }
    is_fenced
}

#[test]
fn nobody_writes_the_temporary_files_of_another() {
    let tries = sh("touch \"$TMPDIR/own\" && echo \"$TMPDIR\" > tmpdir.txt\n\
         for folder in \"$TMPDIR\"/../../*; do touch \"$folder/evil\" \"$folder/files/evil\" 2> /dev/null; done; true");
    let mut steps = vec![tries];
    steps.extend(works());
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
    steps.extend(works());
    let team = Team::new().agent("builder", "command", &[steps]).ready();
    let linked = team.home().join("linked");
    team.place.git(&["worktree", "add", "--quiet", &linked.to_string_lossy(), "-b", "other"]);
    let there = |words: &[&str]| {
        let mut command = team.command(words);
        team.place.run_prepared(command.current_dir(&linked), b"")
    };
    there(&["trust", "--yes"]).ends_with(0);
    there(&["task", "add", "T1", "Do it", "--workflow", "single"]).ends_with(0);
    let told = there(&["run", "--json"]).ends_with(0).out();
    let events: Vec<Value> =
        told.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect();
    if was_fenced(&events) {
        let config = fs::read_to_string(team.place.file(".git/config")).expect("a configuration");
        assert!(!config.contains("evil"), "{config}");
    }
}
