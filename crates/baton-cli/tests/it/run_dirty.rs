//! Whatever lies in the workspace of a task, every byte of it can be brought back after it was rolled back, cancelled, made
//! anew after a conflict, or cut short in the midst of that. The agent's own repository is part of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use baton_testkit::random::Random;
use baton_testkit::script::Step;
use serde_json::Value;

use crate::support::{has_strace, is_long};
use crate::team::{BLOCKED, HANDOFF, Team, says, write};
use crate::traced::{self, Point, Watch};

const TREES: usize = 200;
const TREES_SAMPLE: usize = 4;
/// Files of one tree.
const FILES_MAX: usize = 12;
const SEED: u64 = 4_711;
const CONTENT_SEED: u64 = 815;
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
/// How the folder of git is named in what `baton recover` writes.
const DISARMED: &str = ".git.saved";

type Files = BTreeMap<PathBuf, Found>;

/// What lies at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Found {
    File {
        bytes: Vec<u8>,
        is_program: bool,
    },
    /// Where it leads.
    Link(Vec<u8>),
    EmptyFolder,
}

impl Found {
    fn file(bytes: &[u8]) -> Self {
        Self::File { bytes: bytes.to_vec(), is_program: false }
    }

    fn bytes_count(&self) -> usize {
        match self {
            Self::File { bytes, .. } | Self::Link(bytes) => bytes.len(),
            Self::EmptyFolder => 0,
        }
    }
}

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

/// Names that are awkward on the way through git, shells and lists.
fn name(random: &mut Random) -> PathBuf {
    const PARTS: &[&str] = &[
        "a",
        "B",
        "ä ö",
        "-f",
        "x.log",
        "new\nline",
        "q\"uote",
        "deep/er/est",
        ".hidden",
        "src/lib.rs",
        "%41",
        "~",
    ];
    let number = random.below(1_000);
    PathBuf::from(format!("{}{number}", random.pick(PARTS)))
}

/// Leaves files, links and folders behind whose names end like this. What is in the files is drawn apart: trees of one number have
/// the same names and sizes, and other bytes.
fn mess(folder: &Path, (random, content): (&mut Random, &mut Random), ending: &str) {
    for _ in 0..=random.below(FILES_MAX) {
        let mut path = folder.join(name(random)).into_os_string();
        path.push(ending);
        let path = PathBuf::from(path);
        let bytes: Vec<u8> = (0..random.below(400)).map(|_| content.below(256) as u8).collect();
        let made = path.parent().map_or(Ok(()), fs::create_dir_all);
        if made.is_err() || path.is_dir() {
            continue;
        }
        match random.below(8) {
            0 => drop(std::os::unix::fs::symlink("nowhere/at all", &path)),
            1 => drop(fs::create_dir(&path)),
            2 => {
                drop(fs::write(&path, bytes));
                drop(fs::set_permissions(&path, fs::Permissions::from_mode(0o755)));
            }
            _ => drop(fs::write(&path, bytes)),
        }
    }
}

/// Leaves a mess that is no part of the work, for it is ignored, and returns all that lies there now.
fn dirty_beside_the_work(folder: &Path, (tree, copy): (usize, usize)) -> Files {
    let (random, content) = (&mut Random::numbered(SEED, tree), &mut Random::numbered(CONTENT_SEED, copy));
    mess(folder, (random, content), ".log");
    in_its_own_repository(folder, (tree, copy));
    gathered(folder)
}

/// Leaves a mess in a folder, and returns all that lies there now, ignored files and the folder of git too.
fn dirty(folder: &Path, (tree, copy): (usize, usize)) -> Files {
    let (random, content) = (&mut Random::numbered(SEED, tree), &mut Random::numbered(CONTENT_SEED, copy));
    mess(folder, (random, content), "");
    match random.below(4) {
        0 => drop(fs::remove_file(folder.join("check.sh"))),
        1 => fs::write(folder.join(".gitignore"), "*\n").expect("hidden"),
        2 => {
            drop(fs::remove_file(folder.join("work.txt")));
            drop(fs::create_dir(folder.join("work.txt")));
            drop(fs::write(folder.join("work.txt/inside"), "a folder where a file was\n"));
        }
        _ => {}
    }
    in_its_own_repository(folder, (tree, copy));
    gathered(folder)
}

/// The agent commits, stashes, and leaves something in the folder of git that git knows nothing of.
fn in_its_own_repository(folder: &Path, (tree, copy): (usize, usize)) {
    let git = |words: &[&str]| {
        let mut command = Command::new("git");
        command.arg("-C").arg(folder).args(["-c", "core.hooksPath=/dev/null"]).args(words);
        let done = command.env("GIT_CONFIG_GLOBAL", "/dev/null").output().expect("git runs");
        assert!(done.status.success(), "{words:?}: {}", String::from_utf8_lossy(&done.stderr));
    };
    git(&["commit", "--quiet", "--allow-empty", "--message", &format!("own {tree}.{copy}")]);
    git(&["update-ref", "refs/stash", "HEAD"]);
    fs::write(folder.join(".git/note of the agent"), format!("{tree}.{copy}\n")).expect("a note");
}

/// Returns all files below a folder with what they may, where links lead, and folders in which nothing lies. The folder of git
/// has its own name also where it was disarmed.
fn gathered(folder: &Path) -> Files {
    let mut files = Files::new();
    let mut open: Vec<PathBuf> = folder.is_dir().then(|| folder.to_owned()).into_iter().collect();
    let inside = |path: &Path| -> PathBuf {
        let path = path.strip_prefix(folder).expect("inside");
        path.iter().map(|part| if part == DISARMED { ".git".as_ref() } else { part }).collect()
    };
    while let Some(next) = open.pop() {
        let entries: Vec<_> = fs::read_dir(&next).expect("a folder").flatten().collect();
        if entries.is_empty() && next != folder {
            files.insert(inside(&next), Found::EmptyFolder);
        }
        for entry in entries {
            let path = entry.path();
            let kind = entry.file_type().expect("its kind");
            if kind.is_dir() {
                open.push(path);
                continue;
            }
            let found = match kind.is_symlink() {
                true => Found::Link(fs::read_link(&path).expect("a link").as_os_str().as_bytes().to_vec()),
                false => {
                    let mode = entry.metadata().expect("its mode").permissions().mode();
                    Found::File { bytes: fs::read(&path).expect("a file"), is_program: mode & 0o111 != 0 }
                }
            };
            files.insert(inside(&path), found);
        }
    }
    files
}

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
        let point = Random::numbered(SEED + 1, seed).pick(points).clone();
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
        let watch = match way {
            Way::RolledBack | Way::KilledRollback => watched(&team, &task, began.keys().chain(before.keys())),
            // The files stay where they are; what can be cut short is what is written of it.
            Way::Cancelled | Way::KilledCancel => {
                Watch { calls: &["fdatasync"], paths: vec![team.store().join("log.sqlite-wal")] }
            }
        };
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
