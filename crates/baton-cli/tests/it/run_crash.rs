//! Baton is killed at every commit of its log, before and after it: the next run comes to the same decisions, launches no turn
//! twice, and integrates once. `strace` kills it from outside; nothing for this is built in.

use std::collections::BTreeSet;
use std::process::Stdio;

use crate::support::{has_strace, is_long};
use crate::team::{BLOCKED, HANDOFF, Team, approves, says, works, write};
use crate::traced::{self, Point, Watch};

/// Points that are tried in an ordinary run; a long one tries all.
const SAMPLE: usize = 4;
/// Runs that it may take until a task is through: each goes on as far as it can.
const RUNS_MAX: usize = 6;
/// Events that the undisturbed runs have at least, so that there is something to cut.
const EVENTS_MIN: usize = 40;
/// What the log does first and last for every commit: it writes to the end of a file, and flushes it.
const CALLS: &[&str] = &["pwrite64", "fdatasync"];
const RUN: [&str; 2] = ["run", "--json"];
const GATE: [&str; 4] = ["gate", "approve", "T1", "release"];
const ROLLBACK: [&str; 4] = ["resolve", "T1", "rollback", "begin anew"];

const REFERENCE: &str = "[workflows.reference]\nintegration = \"merge\"\n[[workflows.reference.stages]]\nname = \"build\"\n\
    agent = \"builder\"\ncheckpoints = [\"validation\"]\nreview = \"verifier\"\n\
    gates = [{ name = \"release\", items = [\"read it\"] }]\n";

/// What happens to a task, in two runs with a person between them.
#[derive(Clone, Copy, Debug)]
enum Story {
    /// Half of the work first, the rest once a check has failed, a verifier, a gate, a merge.
    Accepted,
    /// Half of the work first, then an agent that cannot go on, and a person who wants the files as they were.
    RolledBack,
}

const STORIES: [Story; 2] = [Story::Accepted, Story::RolledBack];

impl Story {
    fn team(self) -> Team {
        let team = Team::new().configured(REFERENCE);
        let team = team.agent("builder", "command", &[]).agent("verifier", "command", &[]);
        team.script("builder", "always", &[write("work.txt", "half\n"), says(HANDOFF)]);
        match self {
            Self::Accepted => team.script("builder", "corrected", &works()),
            Self::RolledBack => {
                team.script("builder", "corrected", &[write("work.txt", "less\n"), says(BLOCKED)]);
            }
        }
        team.script("verifier", "always", &approves());
        let team = team.ready();
        team.add("T1", "reference", &["--criterion", "works"]);
        team
    }

    /// What a person does between the two runs.
    fn person(self, team: &Team) {
        match self {
            Self::Accepted => {
                // What is merged is checked together with something of their own.
                team.place.write("beside.txt", "by hand\n");
                team.place.commit("beside");
                team.baton(&GATE).ends_with(0);
            }
            Self::RolledBack => drop(team.baton(&ROLLBACK).ends_with(0)),
        }
    }

    /// The line of the log that waits for the person, and what the person does about it.
    fn asks(self) -> (&'static str, &'static [&'static str]) {
        match self {
            Self::Accepted => ("gate release asked", &GATE),
            Self::RolledBack => ("decided: escalate", &ROLLBACK),
        }
    }

    /// How the run ends that comes after the person.
    fn code(self) -> i32 {
        match self {
            Self::Accepted => 0,
            Self::RolledBack => 9,
        }
    }

    fn end(self) -> &'static str {
        match self {
            Self::Accepted => "task ended: done",
            Self::RolledBack => "task ended: rolled_back",
        }
    }

    /// Says what is wrong with what is there in the end.
    fn wrong(self, team: &Team) -> Option<String> {
        let log = team.log("T1");
        if log.matches(self.end()).count() != 1 || log.matches("task ended").count() != 1 {
            return Some(format!("it did not end once as it has to:\n{log}"));
        }
        let integrated = integrations(team);
        match self {
            Self::Accepted if integrated != 1 => Some(format!("integrated {integrated} times")),
            Self::Accepted if team.accepted("work.txt") != "done" => {
                Some("the accepted work is not there".to_owned())
            }
            Self::RolledBack if log.matches("rolled back; what was there is saved").count() != 1 => {
                Some(format!("it was not rolled back once:\n{log}"))
            }
            Self::RolledBack if integrated != 0 => Some("it was integrated".to_owned()),
            Self::RolledBack if is_as_it_began(team) => None,
            Self::RolledBack => Some("the files are not as they were".to_owned()),
            Self::Accepted => None,
        }
    }
}

fn is_as_it_began(team: &Team) -> bool {
    std::fs::read_to_string(team.files("T1").join("work.txt")).is_ok_and(|text| text == "begin\n")
}

/// Where a run is killed.
#[derive(Clone, Debug)]
struct Cut {
    story: Story,
    /// In the run up to the person, or in the one after.
    run: usize,
    point: Point,
}

/// Goes on until the task has ended, as a person would.
fn go_on(team: &Team, story: Story) {
    let (asked, answer) = story.asks();
    for _ in 0..RUNS_MAX {
        let log = team.log("T1");
        if log.contains("task ended") {
            return;
        }
        if log.contains(asked) {
            // Where it was answered before, it says so, and that is fine.
            team.baton(answer);
        }
        traced::finish({
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
    let refs = team.place.git(&["for-each-ref", "refs/heads/baton/accepted"]);
    if refs.is_empty() {
        return 0;
    }
    let log = team.place.git(&["log", "--format=%(trailers:key=Baton-Task,valueonly)", "baton/accepted"]);
    log.lines().filter(|line| line.trim() == "T1").count()
}

/// What the undisturbed runs of a story are like.
struct Reference {
    decided: Vec<String>,
    cuts: Vec<Cut>,
    commits: usize,
    events: usize,
}

/// Takes the undisturbed runs, and finds all points at which the log is written.
fn reference(story: Story) -> Reference {
    let team = story.team();
    let (mut cuts, mut commits) = (Vec::new(), 0);
    for run in 0..2 {
        let (mut writes, mut flushes, mut is_first) = (0, 0, true);
        let mut cut = |call: &str, when| {
            cuts.push(Cut { story, run, point: Point { call: call.to_owned(), when } });
        };
        let code = if run == 1 { story.code() } else { 9 };
        for line in traced::record(&team, (code, &RUN), &Watch::everywhere(CALLS)) {
            match traced::name_of(&line) {
                Some("pwrite64") => {
                    writes += 1;
                    if is_first {
                        cut("pwrite64", writes);
                    }
                    is_first = false;
                }
                Some("fdatasync") => {
                    flushes += 1;
                    commits += usize::from(!is_first);
                    cut("fdatasync", flushes);
                    is_first = true;
                }
                Some(_) | None => {}
            }
        }
        if run == 0 {
            story.person(&team);
        }
    }
    let log = team.log("T1");
    assert_eq!(story.wrong(&team), None);
    let decided = decisions(&team);
    assert!(decided.iter().any(|words| words.contains("checks_failed")), "{decided:?}");
    match story {
        Story::Accepted => assert!(log.contains("together: receipt"), "{log}"),
        Story::RolledBack => assert!(log.contains("resolved: rollback"), "{log}"),
    }
    Reference { decided, cuts, commits, events: events(&team) }
}

/// Kills Baton at a point, goes on, and returns how many events there were when it was killed.
fn try_point(cut: &Cut, decided: &[String]) -> Result<usize, String> {
    let team = cut.story.team();
    if cut.run == 1 {
        team.run(9, &[]);
        cut.story.person(&team);
    }
    if traced::kill(&team, &RUN, (&cut.point, &Watch::everywhere(CALLS))).is_none() {
        return Err(format!("{cut:?}: it was not killed there"));
    }
    let length = events(&team);
    go_on(&team, cut.story);
    let after = decisions(&team);
    if after != decided {
        return Err(format!("{cut:?}: decided {after:?}, not {decided:?}\n{}", team.log("T1")));
    }
    if let Some(wrong) = cut.story.wrong(&team) {
        return Err(format!("{cut:?}: {wrong}"));
    }
    team.holds("T1");
    Ok(length)
}

#[test]
fn a_run_that_was_killed_anywhere_comes_to_the_same_end() {
    if !has_strace("the kills of a run at every commit") {
        return;
    }
    let references = STORIES.map(reference);
    let cuts: Vec<(&Cut, &Reference)> =
        references.iter().flat_map(|story| story.cuts.iter().map(move |cut| (cut, story))).collect();
    let (events, commits) = references
        .iter()
        .fold((0, 0), |(events, commits), story| (events + story.events, commits + story.commits));
    let decided: Vec<&String> = references.iter().flat_map(|story| &story.decided).collect();
    for disposition in ["accept", "rework", "escalate"] {
        assert!(decided.iter().any(|words| words.starts_with(disposition)), "{disposition}: {decided:?}");
    }
    assert!(events >= EVENTS_MIN, "only {events} events");
    assert!(commits > 0 && cuts.len() >= 2 * commits, "{} points for {commits} commits", cuts.len());
    let every = if is_long() { 1 } else { cuts.len().div_ceil(SAMPLE) };
    let chosen: Vec<_> = cuts.iter().skip(every / 2).step_by(every).collect();
    let least = if is_long() { cuts.len() } else { SAMPLE };
    assert!(chosen.len() >= least, "{} of {} points are too few", chosen.len(), cuts.len());
    let (mut lengths, mut wrong) = (BTreeSet::new(), Vec::new());
    for (cut, story) in chosen.iter().rev() {
        match try_point(cut, &story.decided) {
            Ok(length) => {
                lengths.insert(length);
                println!("{cut:?}: {length} events, and the same end");
            }
            Err(why) => {
                println!("{why}");
                wrong.push(why);
            }
        }
    }
    println!(
        "{} of {} points in {commits} commits of {events} events, {} different lengths of the log: {} went wrong",
        chosen.len(),
        cuts.len(),
        lengths.len(),
        wrong.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
