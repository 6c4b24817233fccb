//! Baton is killed at every commit of its log, before and after it: the next run comes to the same decisions, launches no turn
//! twice, and integrates once. `strace` kills it from outside; nothing for this is built in.

use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::is_long;
use crate::team::{HANDOFF, Team, approves, says, works, write};

/// Only stops what hangs.
const PATIENCE: Duration = Duration::from_secs(300);
/// Points that are tried in an ordinary run; a long one tries all.
const SAMPLE: usize = 3;
/// Runs that it may take until a task is through: each goes on as far as it can.
const RUNS_MAX: usize = 6;
/// How `strace` ends when what it follows was killed.
const KILL: i32 = 9;
/// What the log does first and last for every commit: it writes to the end of a file, and flushes it.
const CALLS: [&str; 2] = ["pwrite64", "fdatasync"];

const REFERENCE: &str = "[workflows.reference]\nintegration = \"merge\"\n[[workflows.reference.stages]]\nname = \"build\"\n\
    agent = \"builder\"\ncheckpoints = [\"validation\"]\nreview = \"verifier\"\n\
    gates = [{ name = \"release\", items = [\"read it\"] }]\n";

/// A project with one task: half of the work first, the rest once a check has failed, a verifier, a gate, a merge.
fn team() -> Team {
    let team =
        Team::new().configured(REFERENCE).agent("builder", "command", &[]).agent("verifier", "command", &[]);
    team.script("builder", "always", &[write("work.txt", "half\n"), says(HANDOFF)]);
    team.script("builder", "corrected", &works());
    team.script("verifier", "always", &approves());
    let team = team.ready();
    team.add("T1", "reference", &["--criterion", "works"]);
    team
}

/// Where a run is killed: at the nth of these calls that its main thread makes.
#[derive(Clone, Copy, Debug)]
struct Point {
    /// In the run up to the gate, or in the one after it.
    run: usize,
    call: &'static str,
    when: usize,
}

fn strace(team: &Team, options: &[String]) -> Command {
    let baton = team.command(&["run", "--json"]);
    let mut command = Command::new("strace");
    // Only the main thread is followed, which is the one that appends.
    command.args(["-qq", "-o"]).arg(team.home().join("recording")).args(options);
    command.arg(baton.get_program()).args(baton.get_args()).current_dir(team.place.path()).env_clear();
    command.envs(baton.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn finish(mut command: Command) -> ExitStatus {
    let mut child = command.spawn().expect("strace starts");
    let begun = Instant::now();
    loop {
        if let Some(ended) = child.try_wait().expect("our own child") {
            return ended;
        }
        assert!(begun.elapsed() < PATIENCE, "it does not end");
        thread::sleep(Duration::from_millis(5));
    }
}

/// A person commits something of their own, and answers the gate: what is merged is checked together with that.
fn approve(team: &Team) {
    team.place.write("beside.txt", "by hand\n");
    team.place.commit("beside");
    team.baton(&["gate", "approve", "T1", "release"]).ends_with(0);
}

/// Goes on until the task has ended, as a person would.
fn go_on(team: &Team) {
    for _ in 0..RUNS_MAX {
        let log = team.log("T1");
        if log.contains("task ended") {
            return;
        }
        if log.contains("gate release asked") {
            // Where it was answered before, it says so, and that is fine.
            team.baton(&["gate", "approve", "T1", "release"]);
        }
        finish({
            let mut command = team.command(&["run"]);
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            command
        });
    }
    let log = team.log("T1");
    assert!(log.contains("task ended"), "it does not come to an end:\n{log}");
}

/// Returns what was decided and why, without the turns that were lost to a kill. What a decision rests on has other numbers then.
fn decisions(team: &Team) -> Vec<String> {
    let log = team.log("T1");
    let words = log.lines().filter_map(|line| Some(line.split_once("decided: ")?.1.split_once(", on ")?.0));
    words.filter(|words| !words.contains("turn_lost")).map(str::to_owned).collect()
}

/// Returns how many events the task has.
fn events(team: &Team) -> usize {
    team.log("T1").lines().filter(|line| !line.trim().is_empty()).count()
}

fn integrations(team: &Team) -> usize {
    let log = team.place.git(&["log", "--format=%(trailers:key=Baton-Task,valueonly)", "baton/accepted"]);
    log.lines().filter(|line| line.trim() == "T1").count()
}

/// Takes the undisturbed run, and returns its decisions and all points at which the log is written.
fn reference() -> (Vec<String>, Vec<Point>) {
    let team = team();
    let mut points = Vec::new();
    for run in 0..2 {
        finish(strace(&team, &["-e".to_owned(), format!("trace={}", CALLS.join(","))]));
        let recording = std::fs::read_to_string(team.home().join("recording")).expect("a recording");
        let (mut writes, mut flushes, mut is_first) = (0, 0, true);
        for line in recording.lines() {
            if line.contains("pwrite64(") {
                writes += 1;
                if is_first {
                    points.push(Point { run, call: CALLS[0], when: writes });
                }
                is_first = false;
            } else if line.contains("fdatasync(") {
                flushes += 1;
                points.push(Point { run, call: CALLS[1], when: flushes });
                is_first = true;
            }
        }
        if run == 0 {
            approve(&team);
        }
    }
    let log = team.log("T1");
    assert!(log.contains("task ended: done"), "{log}");
    let decided = decisions(&team);
    assert!(decided.iter().any(|words| words.contains("checks_failed")), "{decided:?}");
    assert!(log.contains("together: receipt"), "{log}");
    assert_eq!(integrations(&team), 1);
    (decided, points)
}

/// Kills Baton at a point, goes on, and returns how many events there were when it was killed.
fn try_point(point: &Point, decided: &[String]) -> Result<usize, String> {
    let team = team();
    if point.run == 1 {
        team.run(9, &[]);
        approve(&team);
    }
    let fault = format!("inject={}:signal=KILL:when={}", point.call, point.when);
    let ended =
        finish(strace(&team, &["-e".to_owned(), format!("trace={}", point.call), "-e".to_owned(), fault]));
    if ended.signal() != Some(KILL) {
        return Err(format!("{point:?}: it was not killed there, but ended with {ended}"));
    }
    let cut = events(&team);
    go_on(&team);
    let after = decisions(&team);
    if after != decided {
        return Err(format!("{point:?}: decided {after:?}, not {decided:?}\n{}", team.log("T1")));
    }
    if integrations(&team) != 1 {
        return Err(format!("{point:?}: integrated {} times", integrations(&team)));
    }
    if team.accepted("work.txt") != "done" {
        return Err(format!("{point:?}: the accepted work is not there"));
    }
    team.holds("T1");
    Ok(cut)
}

#[test]
fn a_run_that_was_killed_anywhere_comes_to_the_same_end() {
    if Command::new("strace").arg("--version").stdout(Stdio::null()).status().is_err() {
        println!("LEFT OUT: this proof needs `strace`, which is not installed (`apt install strace`)");
        return;
    }
    let (decided, points) = reference();
    let every = if is_long() { 1 } else { points.len().div_ceil(SAMPLE) };
    let chosen: Vec<&Point> = points.iter().skip(every / 2).step_by(every).collect();
    assert!(chosen.len() >= SAMPLE.min(points.len()), "{} points are too few", chosen.len());
    let (mut cuts, mut wrong) = (BTreeSet::new(), Vec::new());
    for point in chosen.iter().rev() {
        match try_point(point, &decided) {
            Ok(cut) => {
                cuts.insert(cut);
                println!("{point:?}: {cut} events, and the same end");
            }
            Err(why) => {
                println!("{why}");
                wrong.push(why);
            }
        }
    }
    println!(
        "{} of {} points, {} different lengths of the log: {} went wrong",
        chosen.len(),
        points.len(),
        cuts.len(),
        wrong.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
