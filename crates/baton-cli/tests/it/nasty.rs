//! Agents that do not want to end, and those that leave something behind: every way of being stopped ends them all.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use baton_runner::supervise::{Bound, Ended, How, Lines, Order, Stdin};
use baton_testkit::script::{Step, To, Way, Whom};

use crate::scripted::{self, LONG, Stage, flood, ignore, memory, signal, start, supervisor, until};
use crate::support::is_long;

/// Runs at a time. More than the machine has cores, so that they are in each other's way.
const AT_A_TIME: usize = 6;
/// What a keeper may take, whatever its child does.
const KEEPER_BYTES_MAX: u64 = 64 * 1024 * 1024;
const SHORT: Duration = Duration::from_millis(400);

/// One way of behaving badly.
struct Case {
    name: &'static str,
    steps: Vec<Step>,
    /// How it ends when it is let; nothing when it never does.
    alone: Option<How>,
    tweak: fn(&mut Order),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stopping {
    /// Its turn ends by itself; what it left behind does not.
    ByItself,
    Deadline,
    Request,
}

fn text(text: &str) -> Step {
    Step::Print { text: text.to_owned(), to: To::Out }
}

fn case(name: &'static str, alone: Option<How>, steps: Vec<Step>) -> Case {
    Case { name, steps, alone, tweak: |_| {} }
}

fn cases() -> Vec<Case> {
    use Step::{Abort, Close, Crowd, Exit, Hang, Hop, Spin};
    const ENDLESS: u64 = u64::MAX;
    let ends = |how| Some(how);
    let bytes = |hex: &str| Step::Bytes { hex: hex.to_owned(), to: To::Out };
    let mut cases = vec![
        case("does nothing", ends(How::Code(0)), vec![]),
        case("fails", ends(How::Code(3)), vec![Exit { code: 3 }]),
        case("fails with 255", ends(How::Code(255)), vec![Exit { code: 255 }]),
        case("says 137 like one that was killed", ends(How::Code(137)), vec![Exit { code: 137 }]),
        case("kills itself", ends(How::Signal(9)), vec![signal(Whom::Itself, "KILL")]),
        case("kills its group", ends(How::Signal(9)), vec![signal(Whom::Group, "KILL")]),
        case(
            "crashes",
            ends(How::Signal(11)),
            vec![signal(Whom::Itself, "SEGV"), signal(Whom::Itself, "SEGV")],
        ),
        case("aborts", ends(How::Signal(6)), vec![Abort]),
        case("terminates itself", ends(How::Signal(15)), vec![signal(Whom::Itself, "TERM")]),
        case("hangs", None, vec![Hang]),
        case("does not want to end", None, vec![ignore(), Hang]),
        case("halts itself", None, vec![signal(Whom::Itself, "STOP")]),
        case("halts itself and does not want to end", None, vec![ignore(), signal(Whom::Itself, "STOP")]),
        case("works for nothing", None, vec![Spin]),
        case("floods", None, vec![flood(ENDLESS, 80, To::Out)]),
        case("floods with troubles", None, vec![flood(ENDLESS, 80, To::Err)]),
        case("floods with empty lines", None, vec![flood(ENDLESS, 1, To::Out)]),
        case("writes one line for ever", None, vec![flood(ENDLESS, 0, To::Out)]),
        case(
            "floods on both streams",
            None,
            vec![start(Way::Child, vec![flood(ENDLESS, 7, To::Err)]), flood(ENDLESS, 80, To::Out)],
        ),
        case("floods and does not want to end", None, vec![ignore(), flood(ENDLESS, 0, To::Err)]),
        case("writes bytes that are no text", None, vec![bytes("00ff80c3282ee2820a0d1b5d35320a"), Hang]),
        case("ends in half a message", ends(How::Code(0)), vec![text("{\"type\":\"resu")]),
        case("ends in half a character", ends(How::Code(0)), vec![bytes("e282")]),
        case("draws a progress bar", ends(How::Code(0)), vec![text("1%\r2%\r3%\r\n"), text("done\r\n")]),
        case("says no more", None, vec![Close { to: To::Out }, Close { to: To::Err }, Hang]),
        case("has a child", None, vec![start(Way::Child, vec![Hang]), Hang]),
        case(
            "has a child that does not want to end",
            None,
            vec![start(Way::Child, vec![ignore(), Hang]), Hang],
        ),
        case("has a daemon", None, vec![start(Way::Daemon, vec![Hang]), Hang]),
        case(
            "has a daemon that does not want to end",
            None,
            vec![start(Way::Daemon, vec![ignore(), Hang]), Hang],
        ),
        case("leaves a daemon", ends(How::Code(0)), vec![start(Way::Daemon, vec![Hang])]),
        case(
            "leaves a daemon that floods",
            ends(How::Code(0)),
            vec![start(Way::Daemon, vec![flood(ENDLESS, 9, To::Out)])],
        ),
        case(
            "leaves a daemon without a trace",
            ends(How::Code(0)),
            vec![start(Way::Scrubbed, vec![ignore(), Hang])],
        ),
        case(
            "leaves a daemon of a daemon",
            ends(How::Code(0)),
            vec![start(Way::Daemon, vec![start(Way::Scrubbed, vec![ignore(), Hang]), Hang])],
        ),
        case(
            "leaves a halted daemon",
            ends(How::Code(0)),
            vec![start(Way::Daemon, vec![signal(Whom::Itself, "STOP"), Hang]), Step::Wait { ms: 50 }],
        ),
        case("leaves a crowd", ends(How::Code(0)), vec![Crowd { count: 20 }]),
        case(
            "leaves one that is always another",
            ends(How::Code(0)),
            vec![start(Way::Scrubbed, vec![Hop { hops: 100_000 }])],
        ),
        case(
            "kills its keeper",
            ends(How::KeeperLost),
            vec![start(Way::Scrubbed, vec![Hang]), signal(Whom::Parent, "KILL"), Hang],
        ),
        case("kills its keeper at once", ends(How::KeeperLost), vec![signal(Whom::Parent, "KILL"), Hang]),
        case(
            "halts its keeper",
            ends(How::KeeperLost),
            vec![start(Way::Daemon, vec![Hang]), signal(Whom::Parent, "STOP"), Hang],
        ),
        case("asks its keeper to end", ends(How::Stopped), vec![signal(Whom::Parent, "TERM"), Hang]),
        case("does not read what it is told", None, vec![Hang]),
        case("goes without reading what it is told", ends(How::Code(0)), vec![Step::Wait { ms: 50 }]),
        case(
            "writes outside",
            ends(How::Code(0)),
            vec![
                Step::Write { path: "../outside.tmp".into(), text: String::new() },
                Step::Remove { path: "../outside.tmp".into() },
            ],
        ),
        case("opens everything", ends(How::Code(0)), vec![Step::Open { count: 100_000 }]),
        case(
            "takes all memory",
            ends(How::OverBound(Bound::Memory)),
            vec![Step::Allocate { bytes: 400 * 1024 * 1024 }, Hang],
        ),
        case("takes all processes", ends(How::OverBound(Bound::Processes)), vec![Crowd { count: 60 }, Hang]),
    ];
    for case in &mut cases {
        case.tweak = match case.name {
            "does not read what it is told" | "goes without reading what it is told" => {
                |order| order.stdin = Stdin::Whole(vec![b'p'; 4 * 1024 * 1024])
            }
            "takes all memory" => |order| order.bounds.memory_bytes_max = Some(200 * 1024 * 1024),
            "takes all processes" => |order| order.bounds.processes_max = 30,
            "floods with empty lines" | "writes bytes that are no text" => {
                |order| order.lines = Lines::Relayed
            }
            _ => continue,
        };
    }
    cases
}

impl Case {
    /// What is done, with a sign when it has come to the point.
    fn script(&self, stopping: Stopping) -> Vec<Step> {
        let ready = Step::Write { path: "ready".into(), text: String::new() };
        let mut steps = self.steps.clone();
        let last = steps.len().saturating_sub(1);
        steps.insert(last, ready);
        match (stopping, &self.alone) {
            (Stopping::ByItself, None) => {
                vec![start(Way::Child, steps), Step::WaitFor { path: "ready".into() }]
            }
            (Stopping::ByItself | Stopping::Deadline | Stopping::Request, _) => steps,
        }
    }

    fn expected(&self, stopping: Stopping) -> How {
        match (&self.alone, stopping) {
            (Some(how), _) => how.clone(),
            (None, Stopping::ByItself) => How::Code(0),
            (None, Stopping::Deadline) => How::TimedOut,
            (None, Stopping::Request) => How::Stopped,
        }
    }

    fn deadline(&self, stopping: Stopping) -> Duration {
        match (stopping, &self.alone) {
            (Stopping::Deadline, None) => SHORT,
            (Stopping::ByItself | Stopping::Deadline | Stopping::Request, _) => LONG,
        }
    }

    fn run(&self, stopping: Stopping) -> Figures {
        let stage = Stage::new(&self.script(stopping));
        let mut order = stage.order(self.deadline(stopping));
        (self.tweak)(&mut order);
        let mut running = supervisor().start(order).expect("it starts");
        let lines = running.lines().expect("lines");
        thread::spawn(move || lines.iter().count());
        let (keeper, stopper) = (running.keeper_id(), running.stopper());
        let waiting = thread::spawn(move || running.wait());
        let mut most = 0;
        let mut is_asked = false;
        until(self.name, || {
            most = memory(keeper, "VmHWM").unwrap_or(0).max(most);
            if stopping == Stopping::Request && self.alone.is_none() && !is_asked && stage.is_ready() {
                is_asked = true;
                stopper.stop();
            }
            waiting.is_finished()
        });
        let ended: Ended = waiting.join().expect("it was waited for");
        let over = Instant::now();
        stage.none_lives();
        assert_eq!(ended.how, self.expected(stopping), "{} / {stopping:?}", self.name);
        assert_eq!(ended.descendants_left, 0, "{} / {stopping:?}", self.name);
        assert!(most <= KEEPER_BYTES_MAX, "{} / {stopping:?}: the keeper takes {most} bytes", self.name);
        Figures { after: over.elapsed(), took: ended.duration, most, name: self.name }
    }
}

#[derive(Clone, Copy)]
struct Figures {
    /// How long somebody lived after the end was told.
    after: Duration,
    took: Duration,
    most: u64,
    name: &'static str,
}

/// Runs all of them, some at a time, with a good one among them now and then which nobody may disturb.
fn run_all(stopping: Stopping) {
    let waiting = Mutex::new(cases());
    let figures = Mutex::new(Vec::new());
    let total = cases().len();
    assert!(total >= 40, "there are {total} ways");
    thread::scope(|scope| {
        for _ in 0..AT_A_TIME {
            scope.spawn(|| {
                loop {
                    let Some(case) = waiting.lock().expect("whole").pop() else { return };
                    let one = case.run(stopping);
                    figures.lock().expect("whole").push(one);
                    undisturbed();
                }
            });
        }
    });
    let figures = figures.into_inner().expect("whole");
    assert_eq!(figures.len(), total);
    let slowest = figures.iter().max_by_key(|one| one.after).expect("some");
    let longest = figures.iter().max_by_key(|one| one.took).expect("some");
    let fattest = figures.iter().max_by_key(|one| one.most).expect("some");
    println!(
        "{stopping:?}: {total} ways, none left; alive after the end at most {:?} ({}); longest {:?} ({}); keeper at most {} KiB ({})",
        slowest.after,
        slowest.name,
        longest.took,
        longest.name,
        fattest.most / 1024,
        fattest.name
    );
}

/// A good turn in bad company.
fn undisturbed() {
    let stage = Stage::new(&[text("one\n"), Step::Wait { ms: 20 }, text("two\n"), Step::Exit { code: 7 }]);
    let mut order = stage.order(LONG);
    order.lines = Lines::Relayed;
    let mut running = supervisor().start(order).expect("it starts");
    let lines = running.lines().expect("lines");
    let heard: Vec<_> = lines.iter().map(|line| (line.bytes, line.is_cut)).collect();
    let ended = running.wait();
    assert_eq!(ended.how, How::Code(7));
    assert_eq!(ended.output.bytes, b"one\ntwo\n");
    assert_eq!(heard, [(b"one".to_vec(), false), (b"two".to_vec(), false)]);
    assert_eq!((ended.descendants_ended, ended.descendants_left), (0, 0));
}

#[test]
fn a_turn_that_ends_leaves_nobody_behind() {
    run_all(Stopping::ByItself);
}

#[test]
fn a_deadline_ends_everybody() {
    run_all(Stopping::Deadline);
}

#[test]
fn a_request_ends_everybody() {
    run_all(Stopping::Request);
}

const VICTIM: &str = "BATON_TEST_VICTIM";

/// Starts this program again, as a Baton with a turn for each folder.
fn victim(stages: &[Stage], steps: &str) -> Child {
    let folders = env::join_paths(stages.iter().map(Stage::path)).expect("paths");
    Command::new(env::current_exe().expect("this program"))
        .args(["--exact", steps, "--nocapture", "--test-threads", "1"])
        .env(VICTIM, folders)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts")
}

/// No test by itself: the Baton that the next ones kill.
#[test]
fn a_baton_to_be_killed() {
    let Some(folders) = env::var_os(VICTIM) else { return };
    let scripts: Vec<PathBuf> =
        env::split_paths(&folders).map(|folder| folder.join("script.jsonl")).collect();
    let start = |script: &PathBuf| supervisor().start(scripted::order(script, LONG)).expect("it starts");
    let running: Vec<_> = scripts.iter().map(start).collect();
    let keepers: Vec<_> = running.iter().map(|running| running.keeper_id().to_string()).collect();
    fs::write(scripts[0].with_file_name("keepers"), keepers.join("\n") + "\n").expect("a list");
    running.into_iter().for_each(|running| drop(running.wait()));
}

/// All ways at once, each on a stage of its own, and none that ends before it is ended.
fn endless() -> Vec<Stage> {
    let ready = Step::Write { path: "ready".into(), text: String::new() };
    let stage = |case: Case| match case.alone {
        None => Stage::new(&case.script(Stopping::Deadline)),
        Some(_) => Stage::new(&[ready.clone(), start(Way::Child, case.steps), Step::Hang]),
    };
    cases().into_iter().map(stage).collect()
}

#[test]
fn a_killed_baton_leaves_nobody_behind() {
    let stages = endless();
    let mut baton = victim(&stages, "nasty::a_baton_to_be_killed");
    until("all are ready", || stages.iter().all(Stage::is_ready));
    let count: usize = stages.iter().map(Stage::alive).sum();
    baton.kill().expect("killed");
    baton.wait().expect("waited for");
    let killed = Instant::now();
    for stage in &stages {
        stage.until_none_lives();
    }
    println!(
        "Baton killed: {} turns with {count} processes, all gone after {:?}",
        stages.len(),
        killed.elapsed()
    );
}

#[test]
fn what_a_killed_baton_and_its_killed_keepers_left_is_found_and_ended() {
    let steps = [
        vec![start(Way::Daemon, vec![ignore(), Step::Hang]), Step::Hang],
        vec![ignore(), start(Way::Child, vec![Step::Hang]), Step::Hang],
    ];
    let stages = steps.map(|mut steps| {
        steps.insert(steps.len() - 1, Step::Write { path: "ready".into(), text: String::new() });
        Stage::new(&steps)
    });
    let innocent = Stage::new(&[Step::Hang]);
    let kept = supervisor().start(innocent.order(LONG)).expect("it starts");
    let mut baton = victim(&stages, "nasty::a_baton_to_be_killed");
    until("all are ready", || stages.iter().all(Stage::is_ready));
    let list = stages[0].path().join("keepers");
    let read = || fs::read_to_string(&list).unwrap_or_default();
    until("the list of keepers", || read().lines().count() == stages.len());
    let keepers = read();
    // Halted first, so that none sees the other die and does its work.
    kill("-STOP", &keepers);
    baton.kill().expect("killed");
    kill("-KILL", &keepers);
    baton.wait().expect("waited for");
    assert_eq!(stages.iter().map(Stage::alive).sum::<usize>(), 4, "they outlive both");
    let (ended, left) = baton_runner::supervise::orphan::end_orphans();
    assert!(ended >= 4 && left == 0, "{ended} ended, {left} left");
    for stage in &stages {
        stage.until_none_lives();
    }
    assert_eq!(innocent.alive(), 1, "whose keeper lives is no orphan");
    drop(kept);
    innocent.until_none_lives();
}

fn kill(signal: &str, processes: &str) {
    let done = Command::new("kill").arg(signal).args(processes.lines()).status().expect("kill runs");
    assert!(done.success());
}

#[test]
fn a_flood_of_any_size_is_kept_within_bounds() {
    let size = if is_long() { 10_000_000_000 } else { 300_000_000 };
    for (line, stream) in [(80, To::Out), (0, To::Out), (80, To::Err)] {
        let stage = {
            // On one stream: what comes first of two is anybody's guess.
            let say = |text: &str| Step::Print { text: text.to_owned(), to: stream };
            Stage::new(&[say("first\n"), flood(size, line, stream), say("\nlast\n")])
        };
        let mut order = stage.order(Duration::from_secs(600));
        order.limits.kept_bytes_max = 100_000;
        let before = memory(std::process::id(), "VmRSS").expect("a figure");
        let running = supervisor().start(order).expect("it starts");
        let keeper = running.keeper_id();
        let waiting = thread::spawn(move || running.wait());
        let (mut most, mut own) = (0, 0);
        while !waiting.is_finished() {
            most = memory(keeper, "VmHWM").unwrap_or(0).max(most);
            own = memory(std::process::id(), "VmRSS").unwrap_or(0).max(own);
            thread::sleep(Duration::from_millis(5));
        }
        let ended = waiting.join().expect("waited for");
        assert_eq!(ended.how, How::Code(0));
        let kept = String::from_utf8(ended.output.bytes).expect("text");
        assert!(kept.starts_with("first\n") && kept.ends_with("\nlast\n"), "both ends are there");
        assert!(kept.contains(" bytes left out …]"), "and a mark");
        assert!(kept.len() < 100_100 && ended.output.left_out_bytes > size - 100_000);
        assert!(most <= KEEPER_BYTES_MAX, "the keeper takes {most} bytes");
        println!(
            "{size} bytes in lines of {line} to {stream:?} in {:?}: keeper at most {} KiB, Baton {} KiB more",
            ended.duration,
            most / 1024,
            own.saturating_sub(before) / 1024
        );
    }
}

#[test]
fn who_was_only_started_is_ended_when_nobody_wants_it_any_more() {
    let stage = Stage::new(&[start(Way::Scrubbed, vec![Step::Hang]), Step::Hang]);
    drop(supervisor().start(stage.order(LONG)).expect("it starts"));
    stage.until_none_lives();
}

/// The keeper is no command for people.
#[test]
fn a_keeper_without_work_just_goes() {
    let done =
        Command::new(env!("CARGO_BIN_EXE_baton")).arg("keeper").stdin(Stdio::null()).output().expect("runs");
    assert!(done.status.success() && done.stdout.is_empty() && done.stderr.is_empty());
    assert!(Path::new("/proc").exists());
}
