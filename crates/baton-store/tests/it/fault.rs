//! Faults at the calls by which the store writes, injected from outside into an unmodified program.
//!
//! A process is killed, or gets an error from the system, at its Nth write, flush, cut or rename. Whatever it
//! acknowledged before is there afterwards, the log holds together, and the next start goes on by itself.

use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, Stdio};

use baton_store::Log;

use crate::kill;
use crate::support::{Place, helper, is_long};

/// Everything by which bytes and names reach the disk.
const CALLS: &[&str] = &[
    "write",
    "pwrite64",
    "fsync",
    "fdatasync",
    "ftruncate",
    "rename",
    "link",
    "linkat",
    "unlink",
    "openat",
    "fallocate",
];
const FAULTS: &[(&str, Form)] = &[
    ("signal=KILL", Form::Once),
    ("error=EIO", Form::Once),
    ("error=EIO", Form::Sticky),
    ("error=ENOSPC", Form::Once),
    ("error=ENOSPC", Form::Sticky),
];
/// Events of one session, and points of which a test that is run all the time tries one.
const EVENTS: usize = 12;
const SAMPLE: usize = 25;
const POINTS_MIN: usize = 1_000;

#[derive(Clone, Copy, PartialEq)]
enum Form {
    Once,
    Sticky,
}

#[test]
fn no_fault_of_the_system_loses_what_was_acknowledged() {
    if !has_strace() {
        return;
    }
    let counts = baseline();
    println!("calls of one session, by thread at most: {counts:?}");
    let step = if is_long() { 1 } else { SAMPLE };
    let points = CALLS.iter().flat_map(|call| {
        let most = counts.get(*call).copied().unwrap_or(0);
        FAULTS.iter().flat_map(move |fault| (1..=most).map(move |when| (*call, *fault, when)))
    });
    let mut tally = Tally::default();
    for (call, (fault, form), when) in points.step_by(step) {
        let plus = if form == Form::Sticky { "+" } else { "" };
        tally.add(&try_point(call, &format!("inject={call}:{fault}:when={when}{plus}")));
    }
    println!("{tally:?}, 0 lost, 0 corrupt");
    assert!(!is_long() || tally.points >= POINTS_MIN, "too few points to show anything");
    assert!(
        tally.acknowledged > 0 && tally.killed > 0 && tally.refused > 0,
        "a test in which nothing happened"
    );
}

#[derive(Debug, Default)]
struct Tally {
    points: usize,
    acknowledged: usize,
    killed: usize,
    refused: usize,
    unharmed: usize,
}

struct Ending {
    acknowledged: usize,
    errors: usize,
    is_killed: bool,
    is_whole: bool,
}

impl Tally {
    fn add(&mut self, ending: &Ending) {
        self.points += 1;
        self.acknowledged += ending.acknowledged;
        self.killed += usize::from(ending.is_killed);
        self.refused += ending.errors;
        self.unharmed += usize::from(ending.is_whole && ending.errors == 0);
    }
}

/// A refusal that says that nothing was stored is true for ever, even if the process dies right after it.
#[test]
fn what_was_refused_does_not_come_back() {
    if !has_strace() {
        return;
    }
    let counts = baseline();
    // A flush that fails is the dangerous one, so each is tried in every run.
    let step = if is_long() { 1 } else { SAMPLE };
    let points = [("pwrite64", step), ("fsync", 1), ("fdatasync", 1), ("ftruncate", 1)].into_iter().flat_map(
        |(call, step)| {
            let most = counts.get(call).copied().unwrap_or(0);
            let faults = ["error=EIO", "error=ENOSPC"].into_iter();
            faults.flat_map(move |fault| (1..=most).step_by(step).map(move |when| (call, fault, when)))
        },
    );
    let (mut refused, mut unsettled) = (0, 0);
    for (call, fault, when) in points {
        let place = Place::new();
        let inject = format!("inject={call}:{fault}:when={when}");
        let out = traced(&place, &["-e", &format!("trace={call}"), "-e", &inject], "once", "faulty")
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&out.stdout).into_owned();
        let log = place.open();
        let mut acknowledged = BTreeMap::new();
        kill::note(text.lines().map(str::to_owned), &mut acknowledged);
        kill::check(&log, &acknowledged);
        let last = text.lines().last().unwrap_or_default();
        if let ["refused", stream, key, reason] = last.split(' ').collect::<Vec<_>>()[..] {
            let is_stored =
                log.read(stream, 0).unwrap().iter().any(|event| event.key.as_deref() == Some(key));
            unsettled += usize::from(reason == "Unsettled");
            refused += 1;
            assert!(!is_stored || reason == "Unsettled", "{inject}: {last}, and it is stored");
        }
    }
    println!(
        "{refused} refusals right before the end, {unsettled} of them unsettled, none of the others stored"
    );
    assert!(refused > 0);
}

fn has_strace() -> bool {
    let is_there = Command::new("strace").arg("--version").stdout(Stdio::null()).status().is_ok();
    if !is_there {
        baton_testkit::announce("LEFT OUT: faults of system calls need `strace`, which is not installed");
    }
    is_there
}

fn traced(place: &Place, trace: &[&str], what: &str, label: &str) -> Command {
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-o"]).arg(place.folder.path().join("trace")).args(trace);
    command.arg(helper()).args(place.arguments(what, label, EVENTS));
    command
}

/// Counts the calls of an undisturbed session. Faults are counted for each thread, so the busiest thread counts.
fn baseline() -> BTreeMap<String, usize> {
    let place = Place::new();
    let calls = format!("trace={}", CALLS.join(","));
    let out = traced(&place, &["-e", &calls], "append", "plain").output().unwrap();
    assert!(String::from_utf8_lossy(&out.stdout).ends_with("end\n"), "{out:?}");
    let mut threads: BTreeMap<(String, String), usize> = BTreeMap::new();
    for line in fs::read_to_string(place.folder.path().join("trace")).unwrap().lines() {
        let Some((thread, rest)) = line.split_once(' ') else { continue };
        let Some((call, _)) = rest.trim_start().split_once('(') else { continue };
        if CALLS.contains(&call) {
            *threads.entry((call.to_owned(), thread.to_owned())).or_insert(0) += 1;
        }
    }
    let mut most = BTreeMap::new();
    for ((call, _), count) in threads {
        let seen = most.entry(call).or_insert(0);
        *seen = count.max(*seen);
    }
    most
}

fn try_point(call: &str, inject: &str) -> Ending {
    let place = Place::new();
    let out =
        traced(&place, &["-e", &format!("trace={call}"), "-e", inject], "append", "faulty").output().unwrap();
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let mut acknowledged = BTreeMap::new();
    // A last line without its end was cut off in the middle.
    let lines: Vec<&str> = text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n')).collect();
    kill::note(lines.iter().map(|line| (*line).to_owned()), &mut acknowledged);
    let ending = Ending {
        acknowledged: acknowledged.len(),
        errors: lines.iter().filter(|line| line.starts_with("error") || line.starts_with("failed")).count(),
        is_killed: out.status.code().is_none() || out.status.code() == Some(137),
        is_whole: lines.last() == Some(&"end"),
    };
    go_on(&place, inject, &mut acknowledged);
    ending
}

/// Starts again without faults: the session finishes, and everything acknowledged in either life is there.
fn go_on(place: &Place, inject: &str, acknowledged: &mut BTreeMap<u64, String>) {
    let out = place.session("append", "faulty", EVENTS).output().unwrap();
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(text.ends_with("end\n") && !text.contains("error"), "{inject}: the next start says {text}");
    kill::note(text.lines().map(str::to_owned), acknowledged);
    let log = place.open();
    kill::check(&log, acknowledged);
    assert_eq!(acknowledged.len(), EVENTS, "{inject}: every command is stored once");
    assert_eq!(log.head().unwrap().sequence, EVENTS as u64, "{inject}");
}
