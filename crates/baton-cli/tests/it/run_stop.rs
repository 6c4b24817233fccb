//! Whoever interrupts a run is answered at once, and what runs ends when they ask again: agents and checks alike.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use baton_testkit::script::Step;

use crate::scripted::{alive, ignore, until};
use crate::team::{Started, Team, all, works, write};

/// Far above all that ending takes, far below what would run otherwise.
const ENDS_WITHIN: Duration = Duration::from_secs(120);

/// A run that is interrupted.
struct Run<'t> {
    team: &'t Team,
    baton: Started,
}

impl<'t> Run<'t> {
    fn start(team: &'t Team) -> Self {
        Self { team, baton: team.start(&["run"]) }
    }

    fn heard(&self) -> String {
        self.team.heard()
    }

    /// Interrupts, and waits for the answer.
    fn interrupt(&self, answer: &str) {
        let id = self.baton.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().expect("kill runs").success());
        until(answer, || self.heard().contains(answer));
    }

    #[track_caller]
    fn ends(&mut self) -> std::process::ExitStatus {
        let begun = Instant::now();
        loop {
            if let Some(ended) = self.baton.try_wait().expect("our own child") {
                return ended;
            }
            assert!(begun.elapsed() < ENDS_WITHIN, "it goes on:\n{}", self.heard());
            thread::sleep(Duration::from_millis(10));
        }
    }
}

/// A check that says where it is and goes on for ten minutes, unless somebody has told it not to.
const SLOW: &str =
    "#!/bin/sh\ntouch BENCH/checking\n[ -e BENCH/quick ] || sleep 600\ngrep -q done work.txt\n";

#[test]
fn checks_end_at_the_second_interruption_and_are_run_again() {
    let team = Team::new();
    let bench = team.home().to_owned();
    team.place.write("check.sh", SLOW.replace("BENCH", &bench.display().to_string()));
    let check = format!("[checks.validation]\nrun = [\"./check.sh\"]\nwritable = [{bench:?}]\n");
    let team = team.only(&check).agent("builder", "command", &[works()]).ready();
    team.add("T1", "single", &[]);
    let mut run = Run::start(&team);
    until("the check runs", || bench.join("checking").exists());
    run.interrupt("once more ends them");
    assert!(run.baton.try_wait().expect("our own child").is_none(), "the first lets it finish");
    run.interrupt("once more leaves at once");
    assert_eq!(run.ends().code(), Some(9), "{}", run.heard());
    assert!(run.heard().contains("the next run runs them again"), "{}", run.heard());
    assert!(!team.log("T1").contains("receipt"), "what was ended settles nothing: {}", team.log("T1"));
    fs::write(bench.join("quick"), "").expect("a sign");
    team.run(0, &[]);
    assert_eq!(team.starts("builder", "T1"), 1, "the work is not done twice");
    assert_eq!(team.accepted("work.txt"), "done");
    team.holds("T1");
}

#[test]
fn the_first_interruption_lets_a_turn_end_by_itself() {
    let team = Team::new().agent("builder", "command", &[]);
    let answered = team.home().join("answered");
    let waits = [vec![Step::WaitFor { path: answered.clone() }], works()].concat();
    team.script("builder", "always", &waits);
    let team = team.ready();
    team.add("T1", "single", &[]);
    let mut run = Run::start(&team);
    let script = team.bench("builder", "T1").join("script-1");
    until("the agent works", || alive(&script) > 0);
    run.interrupt("once more ends them");
    fs::write(answered, "").expect("a sign");
    assert_eq!(run.ends().code(), Some(9));
    assert!(run.heard().contains("hands over"), "{}", run.heard());
    team.run(0, &[]);
    assert_eq!(team.starts("builder", "T1"), 1, "its turn was not lost");
    team.holds("T1");
}

#[test]
fn the_third_interruption_has_a_last_word_and_loses_nothing() {
    // It outlives the second request for as long as its grace lasts.
    let hangs = vec![ignore(), write("half.txt", "half\n"), Step::Hang];
    let team = Team::new().agent("builder", "command", &[hangs, works()]).ready();
    team.add("T1", "single", &[]);
    let mut run = Run::start(&team);
    let script = team.bench("builder", "T1").join("script-1");
    until("it wrote", || team.files("T1").join("half.txt").exists());
    run.interrupt("once more ends them");
    run.interrupt("once more leaves at once");
    run.interrupt("left at once");
    assert_eq!(run.ends().signal(), Some(2), "{}", run.heard());
    assert!(run.heard().ends_with("`baton run` goes on\n"), "{}", run.heard());
    until("its agent ends with it", || alive(&script) == 0);
    assert_eq!(fs::read_to_string(team.files("T1").join("half.txt")).expect("it is kept"), "half\n");
    team.run(0, &[]);
    team.holds("T1");
}

#[test]
fn a_turn_that_was_stopped_costs_no_attempt_and_is_told_as_no_failure() {
    let hangs = || vec![write("half.txt", "half\n"), Step::Hang];
    let turns = [hangs(), hangs(), hangs(), hangs(), hangs(), works()];
    let team = Team::new().agent("builder", "command", &turns).ready();
    team.add("T1", "single", &[]);
    for number in 1..turns.len() {
        let mut run = Run::start(&team);
        let script = team.bench("builder", "T1").join(format!("script-{number}"));
        until("the agent works", || alive(&script) > 0);
        run.interrupt("once more ends them");
        run.interrupt("once more leaves at once");
        assert_eq!(run.ends().code(), Some(9), "{}", run.heard());
        assert!(run.heard().contains("rework: turn_stopped"), "{}", run.heard());
    }
    let events = team.run(0, &[]);
    assert_eq!(all(&events, "turn_started")[0]["attempt"], 1);
    let told = team.given("builder", "T1", &format!("prompt-{}", turns.len()));
    assert!(
        told.contains("first attempt, at most 3 retries") && !told.contains("Validation Failed"),
        "{told}"
    );
    team.holds("T1");
}
