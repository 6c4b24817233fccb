//! Every hostile document, through the real binary: as a file and through standard input, within bounds of time and memory.
//!
//! Memory is bounded by the address space, which counts at least what is used: first the least that a good document needs is
//! found, then every hostile one gets that and 32 MiB more. An allocation beyond it ends the process, and so fails the test.
//! Time is bounded in seconds of the processor, so that a busy machine changes nothing.

use std::fs::File;
use std::io::Write;
use std::process::Command;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use baton_testkit::hostile::{self, Case, Ending};
use serde_json::Value;

use crate::support::{DEADLINE, Place, Run};

/// How much more address space than a good document a hostile one may take.
const MORE_KIB: usize = 32 * 1024;
/// A good document needs less than this.
const ENOUGH_KIB: usize = 256 * 1024;
/// How exactly the need of a good document is known.
const STEP_KIB: usize = 1024;
/// How long the processor may work on one document. Speed is measured elsewhere; tests run without optimisation.
const CPU_SECONDS: usize = 5;
const WORKERS: usize = 2;
const SLOWEST_SHOWN: usize = 5;

#[test]
fn every_hostile_document_is_met_within_bounds() {
    let limit = limit_kib();
    let cases = hostile::cases();
    let wrong = Mutex::new(Vec::new());
    let times = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for worker in 0..WORKERS {
            let (cases, wrong, times) = (&cases, &wrong, &times);
            scope.spawn(move || {
                for case in cases.iter().skip(worker).step_by(WORKERS) {
                    let (took, faults) = try_case(case, limit);
                    wrong.lock().expect("no worker panics").extend(faults);
                    times.lock().expect("no worker panics").push((took, case.title()));
                }
            });
        }
    });
    let mut times = times.into_inner().expect("no worker panics");
    times.sort_by(|a, b| b.cmp(a));
    times.truncate(SLOWEST_SHOWN);
    println!("{} cases with {limit:?} KiB of address space; the slowest: {times:#?}", cases.len());
    let wrong = wrong.into_inner().expect("no worker panics");
    assert!(wrong.is_empty(), "{} faults:\n{}", wrong.len(), wrong.join("\n"));
}

fn try_case(case: &Case, limit: Option<usize>) -> (Duration, Vec<String>) {
    let place = Place::new();
    place.write("case.md", &case.bytes);
    place.write("good.md", hostile::good());
    let run = |args: &[&str], input: &[u8]| {
        let args = [&["check", "--threads", "1"], args].concat();
        place.run(&mut bounded(&place, &args, limit), input)
    };
    let file = run(&["--json", "case.md", "good.md"], b"");
    let stream = run(&["--json", "-"], &case.bytes);
    let people = run(&["case.md"], b"");
    let said = [
        ("as a file", [ended(case, &file), told(case, &file), good_one(&file)].concat()),
        ("by standard input", [ended(case, &stream), told(case, &stream)].concat()),
        ("for people", ended(case, &people)),
    ];
    let mut faults = Vec::new();
    for (how, said) in said {
        faults.extend(said.iter().map(|fault| format!("{} {how}: {fault}", case.title())));
    }
    if place.file("pwned").exists() {
        faults.push(format!("{}: something in it was run", case.title()));
    }
    (file.took.max(stream.took).max(people.took), faults)
}

/// Returns what is wrong with the way a run ended.
fn ended(case: &Case, run: &Run) -> Vec<String> {
    if run.late {
        return vec![format!("it takes longer than {DEADLINE:?}")];
    }
    let mut faults = Vec::new();
    let expected: &[i32] = match case.ending {
        Ending::Refused => &[1],
        Ending::Read => &[0],
        Ending::Either => &[0, 1, 6],
    };
    if !run.code.is_some_and(|code| expected.contains(&code)) {
        let err = String::from_utf8_lossy(&run.stderr);
        faults.push(format!("the exit code is {:?}, not one of {expected:?}: {err}", run.code));
    }
    for (stream, bytes) in [("standard output", &run.stdout), ("standard error", &run.stderr)] {
        let text = String::from_utf8_lossy(bytes);
        for sign in ["panicked at", "RUST_BACKTRACE", "overflow", "memory allocation", "root:x:"] {
            if text.contains(sign) {
                faults.push(format!("«{sign}» on {stream}"));
            }
        }
    }
    faults
}

fn told(case: &Case, run: &Run) -> Vec<String> {
    let Ok(report) = serde_json::from_slice::<Value>(&run.stdout) else {
        return vec!["standard output is not JSON".to_owned()];
    };
    let file = &report["files"][0];
    let mut faults = Vec::new();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let found = list(&file["diagnostics"]);
    let raised: Vec<_> =
        found.iter().filter(|found| case.codes.iter().any(|code| found["code"] == *code)).collect();
    for code in case.codes.iter().filter(|code| raised.iter().all(|found| found["code"] != **code)) {
        faults.push(format!("{code} is not raised"));
    }
    let words: String = raised
        .iter()
        .flat_map(|found| {
            ["message", "label", "help"].map(|key| found[key].as_str().unwrap_or_default().to_owned())
        })
        .collect();
    for word in case.words.iter().filter(|word| !words.contains(**word)) {
        faults.push(format!("«{word}» is not said"));
    }
    if let (Some(first), Some(line)) = (raised.first(), case.lines.first())
        && first["line"] != *line
    {
        faults.push(format!("{} is at line {}, not {line}", first["code"], first["line"]));
    }
    let handoffs = list(&file["handoffs"]);
    if handoffs.iter().any(|handoff| handoff["outcome"] == "completed") {
        faults.push("it is concluded to be completed".to_owned());
    }
    for (what, expected) in &case.kept {
        let kept = handoffs.first().map(|handoff| &handoff[*what]);
        if kept.and_then(Value::as_str) != Some(*expected) {
            faults.push(format!("`{what}` is {kept:?}, not {expected:?}"));
        }
    }
    faults
}

fn good_one(run: &Run) -> Vec<String> {
    let report: Value = serde_json::from_slice(&run.stdout).unwrap_or_default();
    let good = &report["files"][1];
    let is_clean = good["diagnostics"].as_array().is_some_and(Vec::is_empty);
    match is_clean && good["handoffs"][0]["outcome"] == "completed" {
        true => Vec::new(),
        false => vec![format!("the good document after it gives {good}")],
    }
}

#[test]
fn reading_stops_at_the_limit() {
    let place = Place::new();
    let limit = limit_kib();
    let mut file = File::create(place.file("huge.md")).expect("a file");
    file.write_all(b"---\nid: TASK-7\nstatus: complete\n").expect("written");
    file.set_len(1 << 30).expect("a sparse file of 1 GiB");
    let run = place
        .run(&mut bounded(&place, &["check", "--json", "--threads", "1", "huge.md"], limit), b"")
        .ends_with(1);
    assert_eq!(run.json()["files"][0]["diagnostics"][0]["code"], "BT003");
    for command in [&["convert", "--to", "taskfile", "huge.md"][..], &["migrate", "huge.md"]] {
        place.run(&mut bounded(&place, command, limit), b"").ends_with(6);
    }
}

/// Returns the address space that a hostile document may take, where the system can bound it.
fn limit_kib() -> Option<usize> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    let place = Place::new();
    place.write("good.md", hostile::good());
    let passes = |kib: usize| {
        let mut command = bounded(&place, &["check", "--json", "--threads", "1", "good.md"], Some(kib));
        place.run(&mut command, b"").code == Some(0)
    };
    assert!(passes(ENOUGH_KIB), "a good document needs more than {ENOUGH_KIB} KiB");
    let (mut too_little, mut enough) = (0, ENOUGH_KIB);
    while enough - too_little > STEP_KIB {
        let middle = (too_little + enough) / 2;
        if passes(middle) { enough = middle } else { too_little = middle }
    }
    Some(enough + MORE_KIB)
}

/// Returns the command under limits of address space and time.
fn bounded(place: &Place, args: &[&str], limit: Option<usize>) -> Command {
    let Some(limit) = limit else { return place.command(args) };
    let mut command = Command::new("sh");
    command.args([
        "-c",
        &format!("ulimit -v {limit} && ulimit -t {CPU_SECONDS} && exec \"$@\""),
        "sh",
        env!("CARGO_BIN_EXE_baton"),
    ]);
    command.args(args);
    command
}
