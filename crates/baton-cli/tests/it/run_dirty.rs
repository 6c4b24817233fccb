//! Whatever lies in the workspace of a task, every byte of it can be brought back after it was rolled back, cancelled, made
//! anew after a conflict, or cut short in the midst of that. The agent's own repository is part of it.

mod tree;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use baton_testkit::random::Random;
use baton_testkit::script::Step;
use serde_json::Value;

use crate::support::{has_strace, is_long};
use crate::team::{BLOCKED, HANDOFF, Team, says, write};
use crate::traced::{self, Point, Watch};
use tree::{Files, Found, dirty, dirty_beside_the_work, gathered};

const TREES: usize = 200;
const TREES_SAMPLE: usize = 4;
/// Draws where to kill.
const SEED: u64 = 4_712;
/// Calls that change the disk. Nothing that only looks is among them, for how often somebody looks is not fixed.
const CHANGES: &[&str] = &[
    "write",
    "unlink",
    "unlinkat",
    "rmdir",
    "mkdir",
    "mkdirat",
    "symlink",
    "symlinkat",
    "rename",
    "renameat",
    "renameat2",
    "fsync",
];
/// Accepted work goes to the branch once a person has had a look.
const JOINED: &str = "[workflows.joined]\nintegration = \"merge\"\n[[workflows.joined.stages]]\nname = \"build\"\n\
    agent = \"builder\"\ncheckpoints = [\"validation\"]\ngates = [{ name = \"release\", items = [\"read it\"] }]\n";

/// How a workspace loses its files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    RolledBack,
    Cancelled,
    /// The run that rolls it back is killed in the midst, and another one goes on.
    KilledRollback,
    /// So is the command that cancels the task.
    KilledCancel,
}

impl Way {
    /// What is cut short.
    fn watch<'f>(self, team: &Team, task: &str, files: impl Iterator<Item = &'f PathBuf>) -> Watch {
        match self {
            Self::RolledBack | Self::KilledRollback => watched(team, task, files),
            // The files stay where they are; what can be cut short is what is written of it.
            Self::Cancelled | Self::KilledCancel => {
                Watch { calls: &["fdatasync"], paths: vec![team.store().join("log.sqlite-wal")] }
            }
        }
    }

    /// The task has come to the end that this way leads to, and did so once.
    #[track_caller]
    fn has_ended(self, team: &Team, task: &str) {
        let end = match self {
            Self::RolledBack | Self::KilledRollback => "task ended: rolled_back",
            Self::Cancelled | Self::KilledCancel => "task ended: cancelled",
        };
        let log = team.log(task);
        assert_eq!(log.matches(end).count(), 1, "{task} {self:?}: {log}");
    }
}

/// Whoever is killed comes after the one that was not, for that one says where.
const WAYS: [Way; 4] = [Way::RolledBack, Way::KilledRollback, Way::Cancelled, Way::KilledCancel];

/// Returns everything that can be brought back for a task: what lies in its workspace, and what was saved.
fn reachable(team: &Team, task: &str) -> Vec<Files> {
    let mut found = vec![gathered(&team.files(task))];
    let listed: Value = team.baton(&["recover", task, "--json"]).ends_with(0).json();
    let saved = listed["saved"].as_array().or(listed.as_array()).expect("a list").clone();
    for (number, one) in saved.iter().enumerate() {
        let name = one["name"].as_str().expect("a name");
        let into = team.home().join(format!("back-{task}-{number}"));
        team.baton(&["recover", task, name, "--into", &into.display().to_string()]).ends_with(0);
        found.push(gathered(&into));
        fs::remove_dir_all(into).expect("our own folder");
    }
    found
}

/// Returns the files of which no copy is left.
fn lost(before: &Files, found: &[Files]) -> Vec<PathBuf> {
    let is_there = |path: &PathBuf, own: &Found| found.iter().any(|files| files.get(path) == Some(own));
    before.iter().filter(|(path, own)| !is_there(path, own)).map(|(path, _)| path.clone()).collect()
}

/// Everything that is changed for a task while its workspace is saved, rolled back or made anew, but for what has a name that is
/// drawn: `files` are those that lie in it. A call on one of these is in the midst of it.
fn watched<'f>(team: &Team, task: &str, files: impl Iterator<Item = &'f PathBuf>) -> Watch {
    let store = team.store();
    let work = store.join("work");
    let own = work.join(task);
    let mut paths = BTreeSet::from([
        own.join("workspace.json"),
        store.join("rescued").join(task),
        work.join(format!(".renewal-{task}")),
        // What is saved becomes a pack, and then gets a name.
        store.join("snapshots/git/objects/pack"),
        store.join("snapshots/git/refs/baton/trees"),
    ]);
    for path in files.filter(|path| !path.starts_with(".git")) {
        paths.extend(path.ancestors().map(|path| own.join("files").join(path)));
    }
    paths.insert(own);
    Watch { calls: CHANGES, paths: paths.into_iter().collect() }
}

/// How often Baton was killed, and at how many points it could have been.
#[derive(Debug, Default)]
struct Kills {
    points: usize,
    kills: usize,
}

impl Kills {
    /// Kills a command at one of the points that were recorded with another task like it. They are the same for both, so a command
    /// that is not killed there is not like the other.
    #[track_caller]
    fn kill(&mut self, team: &Team, words: &[&str], (points, seed): (&[Point], usize), watch: &Watch) {
        let point = Random::numbered(SEED, seed).pick(points).clone();
        let made = traced::kill(team, words, (&point, watch));
        let made = made.unwrap_or_else(|| panic!("{words:?} came to its end before {point:?}"));
        self.points += points.len();
        self.kills += 1;
        println!("{words:?} at {point:?} of {}: {:?}", points.len(), made.iter().rev().nth(1));
    }
}

fn trees() -> usize {
    if is_long() { TREES } else { TREES_SAMPLE }
}

#[test]
fn every_byte_of_a_dirty_workspace_comes_back() {
    let trees = trees();
    let can_kill = has_strace("kills while a workspace is rolled back, and while its task is cancelled");
    let team = Team::new().agent("builder", "command", &[vec![says(BLOCKED)]]).ready();
    // Every tree goes every way.
    let ways = || (1..=trees).flat_map(|tree| WAYS.iter().map(move |way| (tree, *way)));
    let is_kill = |way: &Way| matches!(way, Way::KilledRollback | Way::KilledCancel);
    let ways: Vec<_> = ways().filter(|(_, way)| can_kill || !is_kill(way)).collect();
    for number in 1..=ways.len() {
        team.add(&format!("T{number}"), "single", &[]);
    }
    team.run(9, &["--jobs", "4"]);
    let (mut bytes, mut files) = (0, 0);
    let (mut rollbacks, mut cancels) = (Kills::default(), Kills::default());
    let mut found = Vec::new();
    for ((tree, way), number) in ways.into_iter().zip(1..) {
        let task = format!("T{number}");
        let began = gathered(&team.files(&task));
        let before = dirty(&team.files(&task), (tree, number));
        let watch = way.watch(&team, &task, began.keys().chain(before.keys()));
        let (run, cancel) = (["run", &task], ["task", "cancel", &task, "not needed"]);
        let halfway = |team: &Team| {
            let halfway = lost(&before, &reachable(team, &task));
            assert!(halfway.is_empty(), "{task} {way:?}, in the midst of it: {halfway:?}");
        };
        if matches!(way, Way::RolledBack | Way::KilledRollback) {
            team.baton(&["resolve", &task, "rollback", "begin anew"]).ends_with(0);
        }
        match way {
            Way::RolledBack if can_kill => found = traced::points(&traced::record(&team, (9, &run), &watch)),
            Way::RolledBack => drop(team.run(9, &[&task])),
            Way::KilledRollback => {
                rollbacks.kill(&team, &run, (&found, tree), &watch);
                halfway(&team);
                team.run(9, &[&task]);
            }
            Way::Cancelled if can_kill => {
                found = traced::points(&traced::record(&team, (0, &cancel), &watch));
            }
            Way::Cancelled => drop(team.baton(&cancel).ends_with(0)),
            Way::KilledCancel => {
                cancels.kill(&team, &cancel, (&found, tree), &watch);
                halfway(&team);
                if !team.log(&task).contains("task ended") {
                    team.baton(&cancel).ends_with(0);
                }
            }
        }
        let gone = lost(&before, &reachable(&team, &task));
        assert!(gone.is_empty(), "{task} {way:?}: {gone:?}");
        way.has_ended(&team, &task);
        files += before.len();
        bytes += before.values().map(Found::bytes_count).sum::<usize>();
    }
    assert!(!can_kill || (rollbacks.kills, cancels.kills) == (trees, trees), "{rollbacks:?}, {cancels:?}");
    println!(
        "{trees} trees every way, {files} files with {bytes} bytes, {rollbacks:?}, {cancels:?}: nothing lost"
    );
}

/// Where it is cut short that a workspace is made anew.
#[derive(Clone, Copy, Debug)]
enum Cut {
    Anywhere,
    /// The old one is set aside, and the new one is not made.
    NoWorkspace,
    /// The old one, whose name is drawn, is being deleted.
    HalfDeleted,
}

const CUTS: [Cut; 3] = [Cut::Anywhere, Cut::NoWorkspace, Cut::HalfDeleted];

impl Cut {
    fn watch(self, team: &Team, task: &str, files: &Files) -> Watch {
        match self {
            Self::Anywhere => watched(team, task, files.keys()),
            Self::NoWorkspace => {
                Watch { calls: &["rename", "statx"], paths: vec![team.store().join("work").join(task)] }
            }
            // These names are nowhere else, and are told without the folder that they lie in.
            Self::HalfDeleted => {
                let ignored = files.keys().filter(|path| path.extension().is_some_and(|end| end == "log"));
                let names =
                    ignored.filter(|path| !path.starts_with(".git")).filter_map(|path| path.file_name());
                Watch { calls: &["unlinkat"], paths: names.map(PathBuf::from).collect() }
            }
        }
    }

    /// Returns the points of a recording that lie there.
    fn points(self, lines: &[String]) -> Vec<Point> {
        let all = traced::points(lines);
        match self {
            // The note that it has to be made anew is taken away last; what comes then is the next turn.
            Self::Anywhere => {
                let last = all.iter().rposition(|point| point.call == "unlink").expect("the note is gone");
                all[..=last].to_vec()
            }
            Self::HalfDeleted => all,
            Self::NoWorkspace => {
                let gone = all.iter().position(|point| point.call == "rename").expect("it is set aside");
                all[gone..].iter().find(|point| point.call == "statx").cloned().into_iter().collect()
            }
        }
    }

    /// What is there after the kill is what it was to leave.
    #[track_caller]
    fn has_come(self, team: &Team, task: &str) {
        let work = fs::read_dir(team.store().join("work")).expect("workspaces").flatten();
        let names: Vec<String> = work.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        let is_aside = names.iter().any(|name| name.starts_with(&format!(".gone-{task}-")));
        let has_workspace = names.iter().any(|name| name == task);
        match self {
            Self::Anywhere => {}
            Self::NoWorkspace => assert!(!has_workspace, "{names:?}"),
            Self::HalfDeleted => assert!(is_aside && !has_workspace, "{names:?}"),
        }
    }
}

/// A workspace that is made anew after a conflict is killed in the midst of that, and what was in it is there; the next run goes
/// on with what the task did and the branch did not.
#[test]
fn a_workspace_that_is_made_anew_and_cut_short_loses_nothing() {
    if !has_strace("kills while a workspace is made anew") {
        return;
    }
    let trees = trees();
    let work = [
        write("shared.txt", "TASK\n"),
        write("own-TASK.txt", "own\n"),
        write("work.txt", "done\n"),
        says(HANDOFF),
    ];
    let team = Team::new().configured(JOINED).agent("builder", "command", &[]);
    team.place.write("shared.txt", "begin\n");
    team.script("builder", "turn-1", &work);
    team.script("builder", "turn-2", &[write("shared.txt", "T1 and TASK\n"), says(HANDOFF)]);
    let team = team.ready();
    let count = 1 + 2 * trees;
    for number in 1..=count {
        team.add(&format!("T{number}"), "joined", &[]);
    }
    team.run(9, &["--jobs", "4"]);
    let approve = |task: &str| drop(team.baton(&["gate", "approve", task, "release"]).ends_with(0));
    approve("T1");
    team.run(0, &["T1"]);
    let mut kills = Kills::default();
    let mut found = Vec::new();
    for number in 2..=count {
        let (task, tree, is_killed) = (format!("T{number}"), number / 2, number % 2 == 1);
        approve(&task);
        let mut before = dirty_beside_the_work(&team.files(&task), (tree, number));
        let cut = CUTS[tree % CUTS.len()];
        let watch = cut.watch(&team, &task, &before);
        // What is removed is kept as git keeps it, which knows of no empty folder.
        before.retain(|_, found| *found != Found::EmptyFolder);
        let words = ["run", "--once", &task];
        match is_killed {
            false => found = cut.points(&traced::record(&team, (9, &words), &watch)),
            true => {
                kills.kill(&team, &words, (&found, tree), &watch);
                cut.has_come(&team, &task);
                let halfway = lost(&before, &reachable(&team, &task));
                assert!(halfway.is_empty(), "{task}, in the midst of it: {halfway:?}");
                team.run(9, &[&task]);
            }
        }
        let gone = lost(&before, &reachable(&team, &task));
        assert!(gone.is_empty(), "{task}: {gone:?}");
        let log = team.log(&task);
        assert!(log.contains("merge_conflict") && log.contains("handoff-turn-2"), "{task}: {log}");
        let own = fs::read_to_string(team.files(&task).join(format!("own-{task}.txt")));
        assert_eq!(own.ok().as_deref(), Some("own\n"), "{task}: what was not in conflict is kept: {log}");
        let begun = team.files(&task).join("own-T1.txt").exists();
        assert!(begun, "{task}: it is worked on where the branch is now: {log}");
        team.holds(&task);
    }
    assert_eq!(kills.kills, trees);
    println!("{trees} trees, {kills:?}: nothing lost");
}

#[test]
fn a_conflict_makes_the_workspace_anew_and_loses_nothing() {
    let work = |text: &str| {
        vec![
            write("shared.txt", text),
            write("own-TASK.txt", "of its own\n"),
            write("notes.log", "ignored notes\n"),
            write("work.txt", "done\n"),
            says(HANDOFF),
        ]
    };
    let team = Team::new().agent("builder", "command", &[]);
    team.place.write("shared.txt", "begin\n");
    team.script("builder", "T1/always", &work("one\n"));
    team.script(
        "builder",
        "T2/turn-1",
        &[&[Step::WaitFor { path: "go".into() }], work("two\n").as_slice()].concat(),
    );
    let again = [write("shared.txt", "one\ntwo\n"), says(HANDOFF)];
    team.script("builder", "T2/turn-2", &again);
    let team = team.ready();
    team.add("T1", "single", &[]);
    team.add("T2", "single", &[]);
    let mut baton = team.start(&["run", "--jobs", "2"]);
    crate::scripted::until("the first is there", || team.log("T1").contains("task ended"));
    fs::write(team.files("T2").join("go"), "").expect("a sign");
    assert_eq!(baton.wait().expect("our own child").code(), Some(0), "{}", team.log("T2"));
    assert!(team.log("T2").contains("merge_conflict"), "{}", team.log("T2"));
    assert_eq!(team.accepted("shared.txt"), "one\ntwo");
    assert_eq!(team.accepted("own-T2.txt"), "of its own", "what was not in conflict was kept");
    let lost = lost(
        &Files::from([
            ("shared.txt".into(), Found::file(b"two\n")),
            ("notes.log".into(), Found::file(b"ignored notes\n")),
            ("own-T2.txt".into(), Found::file(b"of its own\n")),
        ]),
        &reachable(&team, "T2"),
    );
    assert!(lost.is_empty(), "{lost:?}");
    team.holds("T2");
}
