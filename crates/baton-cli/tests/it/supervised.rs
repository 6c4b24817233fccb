//! What a child is given, what it is told, and why one does not start.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use baton_runner::sandbox::Confinement;
use baton_runner::supervise::stop::Stop;
use baton_runner::supervise::{How, Lines, NotStarted, Order, Reason, Stdin, Stream, Supervisor};
use baton_testkit::script::{Step, To, Whom};

use crate::scripted::{LONG, Stage, agent, signal, supervisor, until};
use crate::support::{Place, good};

fn refused(argv: &[OsString], folder: &Path, confinement: Confinement) -> NotStarted {
    let mut order = Order::new(argv.to_vec(), folder.to_owned(), LONG);
    order.confinement = confinement;
    supervisor().start(order).expect_err("it cannot start")
}

#[test]
fn every_reason_not_to_start_has_its_name() {
    let stage = Stage::new(&[]);
    let folder = stage.path();
    let file = |name: &str, text: &str, mode: u32| {
        let path = folder.join(name);
        fs::write(&path, text).expect("a file");
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("a mode");
        path.into_os_string()
    };
    let long = vec![agent().into(), OsString::from("x".repeat(3 * 1024 * 1024))];
    let rows = [
        (vec![], folder, Reason::Missing),
        (vec!["sh".into()], folder, Reason::Missing),
        (vec![folder.join("none").into()], folder, Reason::Missing),
        (vec![folder.into()], folder, Reason::NotExecutable),
        (vec![file("plain", "#!/bin/sh\n", 0o644)], folder, Reason::NotExecutable),
        (vec![file("lost", "#!/no/such/interpreter\n", 0o755)], folder, Reason::NotExecutable),
        (vec![file("noise", "\u{1}\u{2}", 0o755)], folder, Reason::NotExecutable),
        (long, folder, Reason::TooLong),
        (vec![agent().into()], Path::new("/no/such/folder"), Reason::Folder),
    ];
    for (argv, folder, reason) in rows {
        // Behind a fence it is the same.
        for confinement in [Confinement::None, Confinement::ReadOnly { writable: Vec::new() }] {
            let refused = refused(&argv, folder, confinement);
            assert_eq!(refused.reason, reason, "{refused}");
        }
    }
    let order = Order::new(vec![agent().into()], folder.to_owned(), LONG);
    let gone = Supervisor::new(PathBuf::from("/no/such/baton")).start(order.clone()).expect_err("no keeper");
    assert_eq!(gone.reason, Reason::Keeper, "{gone}");
    // A program that is there and keeps nothing.
    let deaf = Supervisor::new(PathBuf::from("/bin/true")).start(order).expect_err("no keeper");
    assert_eq!(deaf.reason, Reason::Keeper, "{deaf}");
}

/// A keeper that is ended between saying that the child starts and that it runs: nobody knows then whether it does.
#[test]
fn who_loses_its_keeper_while_it_starts_counts_as_started() {
    let stage = Stage::new(&[]);
    let keeper = stage.path().join("keeper");
    fs::write(&keeper, "#!/bin/sh\nprintf 'm\\004\\000\\000\\000mark'\nkill -KILL $$\n").expect("a keeper");
    fs::set_permissions(&keeper, fs::Permissions::from_mode(0o755)).expect("a mode");
    let running = Supervisor::new(keeper).start(stage.order(LONG)).expect("it may run");
    assert_eq!(running.wait().how, How::KeeperLost);
}

/// Variables by which somebody could make a child do something else, or that are nobody's business.
const POISON: &[&str] = &[
    "GIT_DIR",
    "GIT_INDEX_FILE",
    "GIT_SSH_COMMAND",
    "BASH_ENV",
    "LD_AUDIT",
    "NODE_OPTIONS",
    "RUSTC_WRAPPER",
    "API_TOKEN",
];

#[test]
fn a_check_learns_nothing_of_the_environment_but_what_is_allowed() {
    let (place, home) = (Place::new(), Place::new());
    let told = home.file("environment");
    place.write("check.sh", format!("env > '{}'\n", told.display()));
    let writable = home.path();
    place.write(
        "baton.toml",
        format!("[checks.tests_passing]\nrun = [\"sh\", \"check.sh\"]\nwritable = [{writable:?}]\n"),
    );
    place.write("handoffs/F001.md", good());
    place.commit("first");
    let baton = |args: &[&str]| {
        // The environment is cleared for every run, so these are set through env(1).
        let mut command = Command::new("env");
        command.args(POISON.iter().map(|name| format!("{name}=/no/such/poison")));
        command.arg(format!("HOME={}", home.path().display())).arg(env!("CARGO_BIN_EXE_baton")).args(args);
        place.run(&mut command, b"").ends_with(0)
    };
    baton(&["trust", "--yes"]);
    baton(&["audit", "--run"]);
    let told = home.read("environment");
    let names: Vec<&str> = told.lines().filter_map(|line| Some(line.split_once('=')?.0)).collect();
    assert!(["PATH", "HOME", "CI", "BATON_KEEPER"].iter().all(|name| names.contains(name)), "{told}");
    assert!(!told.contains("poison"), "{told}");
}

#[test]
fn a_child_finds_what_its_order_gives_it() {
    let stage = Stage::new(&[Step::Environment]);
    let mut order = stage.order(LONG);
    order.environment.insert("ASKED_FOR".into(), "yes".into());
    let ended = supervisor().start(order).expect("it starts").wait();
    let told = String::from_utf8_lossy(&ended.output.bytes).into_owned();
    assert!(told.contains("ASKED_FOR=yes\n") && !told.contains("CARGO_PKG_NAME"), "{told}");
}

#[test]
fn a_conversation_goes_back_and_forth() {
    let stage = Stage::new(&[Step::Hear, Step::Hear, Step::Exit { code: 4 }]);
    let mut order = stage.order(LONG);
    order.lines = Lines::Relayed;
    order.stdin = Stdin::Open(b"one\n".to_vec());
    let mut running = supervisor().start(order).expect("it starts");
    let lines = running.lines().expect("lines");
    assert!(running.lines().is_none(), "there is one reader");
    let next = || String::from_utf8(lines.recv_timeout(LONG).expect("a line").bytes).expect("text");
    assert_eq!(next(), "heard one");
    running.write(b"two\n").expect("it is taken");
    assert_eq!(next(), "heard two");
    running.close_input();
    assert!(lines.recv_timeout(LONG).is_err(), "lines end when all is over");
    assert_eq!(running.wait().how, How::Code(4));
}

#[test]
fn input_is_given_whole_and_then_ends() {
    let prompt: Vec<u8> = (0..3_000_000u32).map(|number| (number % 251) as u8).collect();
    let stage = Stage::new(&[Step::SavePrompt { path: "prompt".into() }]);
    let mut order = stage.order(LONG);
    order.stdin = Stdin::Whole(prompt.clone());
    assert_eq!(supervisor().start(order).expect("it starts").wait().how, How::Code(0));
    assert_eq!(fs::read(stage.path().join("prompt")).expect("saved"), prompt);
    let mut order = stage.order(LONG);
    order.stdin = Stdin::Whole(vec![0; 17 * 1024 * 1024]);
    assert_eq!(supervisor().start(order).expect_err("too much").reason, Reason::TooLong);
}

#[test]
fn lines_are_told_with_their_stream_and_cut_where_they_are_too_long() {
    let print = |text: String, to| Step::Print { text, to };
    let long = "é".repeat(200);
    let steps = [print("out\r\n".to_owned(), To::Out), print(format!("{long}\nafter"), To::Err)];
    let stage = Stage::new(&steps);
    let mut order = stage.order(LONG);
    order.lines = Lines::Relayed;
    order.limits.line_bytes_max = 101;
    let mut running = supervisor().start(order).expect("it starts");
    let lines: Vec<_> = running.lines().expect("lines").iter().collect();
    let of = |stream| {
        let told = lines.iter().filter(move |line| line.stream == stream);
        told.map(|line| (String::from_utf8(line.bytes.clone()).expect("text"), line.is_cut))
            .collect::<Vec<_>>()
    };
    assert_eq!(of(Stream::Out), [("out\r".to_owned(), false)]);
    assert_eq!(of(Stream::Err), [("é".repeat(50), true), ("after".to_owned(), false)]);
    assert_eq!(running.wait().how, How::Code(0));
}

#[test]
fn whoever_reads_lines_hears_of_a_keeper_that_was_halted() {
    let says = Step::Print { text: "one\n".to_owned(), to: To::Out };
    let stage =
        Stage::new(&[says, Step::WaitFor { path: "go".into() }, signal(Whom::Parent, "STOP"), Step::Hang]);
    let mut order = stage.order(LONG);
    order.lines = Lines::Relayed;
    let running = supervisor().start(order).expect("it starts");
    let keeper = running.keeper_id();
    let begun = Instant::now();
    assert_eq!(running.next_line().map(|line| line.bytes), Some(b"one".to_vec()));
    fs::write(stage.path().join("go"), "").expect("a sign");
    assert_eq!(running.next_line().map(|line| line.bytes), None);
    assert_eq!(running.wait().how, How::KeeperLost);
    assert!(begun.elapsed() < LONG, "it was heard of before its deadline");
    assert!(!Path::new(&format!("/proc/{keeper}")).exists(), "the halted keeper stayed");
    stage.none_lives();
}

const LISTENER: &str = "BATON_TEST_LISTENER";

/// No test by itself: the program that the next one asks to stop.
#[test]
fn a_program_that_listens() {
    let Some(folder) = std::env::var_os(LISTENER).map(PathBuf::from) else { return };
    let stop = Stop::listen(|_| {}).expect("it listens");
    fs::write(folder.join("listening"), "").expect("a sign");
    until("the first request", || stop.is_asked());
    fs::write(folder.join("asked"), "").expect("a sign");
    until("the second request", || stop.is_urgent());
    std::process::exit(42);
}

#[test]
fn being_asked_to_stop_is_heard_and_survived() {
    let stage = Stage::new(&[]);
    let mut child = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "supervised::a_program_that_listens", "--nocapture", "--test-threads", "1"])
        .env(LISTENER, stage.path())
        .stdout(Stdio::null())
        .spawn()
        .expect("it starts");
    let ask = |signal: &str| {
        let done = Command::new("kill").arg(signal).arg(child.id().to_string()).status().expect("kill runs");
        assert!(done.success());
    };
    until("it listens", || stage.path().join("listening").exists());
    ask("-INT");
    until("it was asked", || stage.path().join("asked").exists());
    ask("-TERM");
    assert_eq!(child.wait().expect("it ends").code(), Some(42));
}
