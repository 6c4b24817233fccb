//! The reference session, and what must be so after each of its commands.

use std::collections::{BTreeMap, BTreeSet};

use baton_testkit::power::disk::Image;
use baton_testkit::power::trace::Step;
use serde_json::Value;

use super::office::Office;
use crate::support::Run;

/// A command and the code it ends with when nothing disturbs it.
pub(super) type Words = (&'static [&'static str], i32);

/// Two people, a verifier and whoever answers carry three tasks through gates, questions and checks.
pub(super) const COMMANDS: &[Words] = &[
    (&["trust", "--yes"], 0),
    (&["task", "add", "F1", "Print the tides", "--workflow", "single"], 0),
    (&["task", "add", "S1", "Specify the tides", "--workflow", "steps", "--after", "F1"], 0),
    (&["receive", "F1", "--as", "ann"], 0),
    (&["submit", "F1", "{home}/work.md", "--as", "ann"], 0),
    (&["task", "check", "F1"], 0),
    (&["decide", "F1"], 0),
    (&["receive", "S1", "--as", "ben"], 0),
    (&["submit", "S1", "{home}/work.md", "--as", "ben"], 0),
    (&["task", "check", "S1"], 0),
    // The gate is put before a person, and the decision has to wait for the answer.
    (&["decide", "S1"], REFUSED),
    (&["gate", "approve", "S1", "specification-approved"], 0),
    (&["decide", "S1"], 0),
    (&["receive", "S1", "--as", "cat"], 0),
    (&["ack", "S1", "--as", "cat"], 0),
    (&["task", "add", "W1", "Verify the tides", "--workflow", "waypoint", "--criterion", "AC-1"], 0),
    (&["receive", "W1", "--as", "ann"], 0),
    (&["clarify", "W1", "Which harbour?", "--option", "North", "--as", "ann"], 0),
    (&["answer", "W1", "q1", "North"], 0),
    (&["plan", "W1", "{home}/plan.json", "--as", "ann"], 0),
    (&["submit", "W1", "{home}/work.md", "--as", "ann"], 0),
    (&["task", "check", "W1"], 0),
    (&["receive", "W1", "--as", "eve"], 0),
    (&["submit", "W1", "{home}/report.json", "--as", "eve"], 0),
    (&["decide", "W1"], 0),
    (&["status"], 0),
    (&["pause", "for lunch"], 0),
    (&["pause"], 0),
    (&["escalate", "S1", "scope-change", "More harbours", "--as", "cat"], 0),
    (&["backup", "{home}/backup.sqlite"], 0),
    (&["rebuild"], 0),
    (&["task", "cancel", "S1", "not wanted"], 0),
];
/// The codes by which the desk says no, and by which a copy says that it exists.
const REFUSED: i32 = 8;
const OCCUPIED: i32 = 3;
/// Files with a promise of their own: what was said about them is kept as the log is.
const KEPT: &[&str] =
    &["home/.local/state/baton/trust.json", "home/backup.sqlite", "home/backup.sqlite.snapshots"];
/// So many different states of the workspace are saved on the way.
const SNAPSHOTS_MIN: usize = 3;
/// What may be in the log once more after a command was given twice: a refusal, or a second look at the same thing.
const REPEATABLE: &[&str] = &["refused", "tree_observed", "receipt_recorded"];

/// The session as it goes when nothing disturbs it.
pub(super) struct Reference {
    /// What the disk holds before each command, and at the end.
    pub(super) before: Vec<Image>,
    /// The calls of each command.
    pub(super) calls: Vec<Vec<Step>>,
    /// Every event, one line each.
    log: Vec<String>,
    /// How many events there are before each command, and at the end.
    events: Vec<usize>,
    /// How everything stands before each command, and at the end.
    standings: Vec<Standing>,
    /// The files of every saved workspace that an event names.
    snapshots: BTreeMap<String, Vec<u8>>,
}

/// What people see of the log, without the times.
#[derive(Debug, PartialEq, Eq)]
struct Standing {
    status: String,
    files: BTreeMap<String, String>,
}

/// How a disturbed command ended.
#[derive(Clone, Debug)]
pub(super) enum Ending {
    Acknowledged,
    /// It ended by itself and said this.
    Refused(String),
    /// It was ended, or the machine was.
    Cut,
}

impl Ending {
    pub(super) fn of(run: &Run, command: usize) -> Self {
        match run.code {
            Some(code) if code == COMMANDS[command].1 => Ending::Acknowledged,
            Some(_) => Ending::Refused(String::from_utf8_lossy(&run.stderr).into_owned()),
            None => Ending::Cut,
        }
    }
}

impl Reference {
    /// Goes through the session with everything recorded, and then looks at what each command left.
    pub(super) fn record(office: &Office) -> Self {
        let mut before = Vec::new();
        let mut calls = Vec::new();
        for (index, (words, code)) in COMMANDS.iter().enumerate() {
            before.push(office.state());
            office.work(index);
            let (run, steps) = office.recorded(words);
            run.ends_with(*code);
            calls.push(steps);
        }
        before.push(office.state());
        let mut reference = Reference {
            before,
            calls,
            log: Vec::new(),
            events: Vec::new(),
            standings: Vec::new(),
            snapshots: BTreeMap::new(),
        };
        for (index, state) in reference.before.iter().enumerate() {
            office.put(state);
            office.work(index.saturating_sub(1));
            reference.log = export(office).expect("the log can be read");
            reference.events.push(reference.log.len());
            reference.standings.push(stand(office).expect("the undisturbed session is fine"));
        }
        assert!(reference.log.len() > COMMANDS.len(), "a session in which little happens shows little");
        for tree in saved(&reference.log) {
            let files = office.snapshot(&tree).expect("what an event names is kept");
            reference.snapshots.insert(tree, files);
        }
        assert!(reference.snapshots.len() >= SNAPSHOTS_MIN, "{:?}", reference.snapshots.keys());
        reference
    }

    /// What must hold after a command was disturbed, and goes on from there: nothing acknowledged is lost, the log holds
    /// together, the same command given again and the one after it do what they would have done.
    pub(super) fn holds(&self, office: &Office, command: usize, ending: &Ending) -> Result<(), String> {
        let (words, _) = COMMANDS[command];
        match ending {
            Ending::Acknowledged => {
                self.is_done(office, command)?;
                // A check whose own process was hit says so, and is run again.
                if words.starts_with(&["task", "check"]) {
                    again(office, command)?;
                }
            }
            Ending::Refused(said) if !said.contains("error") && !said.contains("cannot") => {
                return Err(format!("it ended without a reason: {said:?}"));
            }
            Ending::Refused(_) | Ending::Cut => again(office, command)?,
        }
        // What a command that was cut short still owes may be made up for by the one after it.
        let next = COMMANDS.get(command + 1);
        if let Some((words, code)) = next {
            office.work(command + 1);
            let run = office.baton(words);
            if run.code != Some(*code) {
                return Err(format!("afterwards {words:?} ends with {:?}: {}", run.code, said(&run)));
            }
        }
        self.is_as_at(office, command, command + 1 + next.iter().count())
    }

    /// What a command did is there when it says so, before anybody gives it again.
    fn is_done(&self, office: &Office, command: usize) -> Result<(), String> {
        let state = office.state();
        let wanted =
            |path: &&&str| self.before[command + 1].contains_key(**path) && !state.contains_key(**path);
        if let Some(path) = KEPT.iter().find(wanted) {
            return Err(format!("acknowledged, and {path} is not there"));
        }
        let done = |log: &[String]| log.iter().map(|event| kind(event)).collect::<Vec<_>>();
        let (log, first) = (export(office)?, self.events[command]);
        let (is, should) =
            (done(log.get(first..).unwrap_or_default()), done(&self.log[first..self.events[command + 1]]));
        match is == should {
            true => Ok(()),
            false => Err(format!("acknowledged, and the log has {is:?} instead of {should:?}")),
        }
    }

    /// Everything that was acknowledged before a command is there, byte for byte, and the log holds together.
    pub(super) fn keeps(&self, office: &Office, command: usize) -> Result<Vec<String>, String> {
        let run = office.baton(&["audit-log", "verify"]);
        if run.code != Some(0) || !said(&run).contains("hold together") {
            return Err(format!("corrupt: verify ends with {:?}: {}", run.code, said(&run)));
        }
        let (log, known) = (export(office)?, &self.log[..self.events[command]]);
        match log.get(..known.len()) {
            Some(kept) if kept == known => {}
            Some(_) => return Err("corrupt: the log holds other events than were acknowledged".to_owned()),
            None => {
                return Err(format!(
                    "lost: {} of {} acknowledged events",
                    known.len() - log.len(),
                    known.len()
                ));
            }
        }
        let state = office.state();
        let lost = KEPT.iter().find(|path| {
            let known = self.before[command].get(**path);
            known.is_some() && state.get(**path) != known
        });
        if let Some(path) = lost {
            return Err(format!("lost: {path}"));
        }
        self.keeps_snapshots(office, &log)?;
        Ok(log)
    }

    /// Every saved workspace that an event names is there, whether the event was acknowledged or not.
    fn keeps_snapshots(&self, office: &Office, log: &[String]) -> Result<(), String> {
        for tree in saved(log) {
            let files = office.snapshot(&tree).map_err(|wrong| format!("lost: snapshot {tree}: {wrong}"))?;
            if self.snapshots.get(&tree) != Some(&files) {
                return Err(format!("corrupt: snapshot {tree} holds other files"));
            }
        }
        Ok(())
    }

    /// Everything acknowledged before the command `then` is kept, everything stands as it does before the command `now` when
    /// nothing disturbs, and nothing happened twice in between that should happen once.
    pub(super) fn is_as_at(&self, office: &Office, then: usize, now: usize) -> Result<(), String> {
        let log = self.keeps(office, then)?;
        let first = self.events[then];
        let mut count: BTreeMap<(String, String), isize> = BTreeMap::new();
        for event in log.get(first..).unwrap_or_default() {
            *count.entry(kind(event)).or_default() += 1;
        }
        for event in &self.log[first..self.events[now]] {
            *count.entry(kind(event)).or_default() -= 1;
        }
        for ((stream, kind), difference) in &count {
            if *difference < 0 || (*difference > 0 && !REPEATABLE.contains(&kind.as_str())) {
                return Err(format!("{stream} has {difference:+} {kind} against the undisturbed session"));
            }
        }
        let standing = stand(office)?;
        standing.differs(&self.standings[now]).map_or(Ok(()), Err)
    }
}

impl Standing {
    fn differs(&self, other: &Standing) -> Option<String> {
        if self.status != other.status {
            return Some(format!("it stands as {}, and should as {}", self.status, other.status));
        }
        let differs = |path: &&String| self.files.get(*path) != other.files.get(*path);
        let path = self.files.keys().chain(other.files.keys()).find(differs)?;
        Some(format!("{path} is {:?}, and should be {:?}", self.files.get(path), other.files.get(path)))
    }
}

/// Gives the command again. Where it was done after all, the desk says so.
fn again(office: &Office, command: usize) -> Result<(), String> {
    let (words, code) = COMMANDS[command];
    office.work(command);
    let run = office.baton(words);
    let is_copy = words.first() == Some(&"backup");
    match run.code {
        Some(ended) if ended == code => Ok(()),
        Some(REFUSED) if !is_copy => Ok(()),
        Some(OCCUPIED) if is_copy && said(&run).contains("exists") => Ok(()),
        ended => Err(format!("given again, {words:?} ends with {ended:?}: {}", said(&run))),
    }
}

fn stand(office: &Office) -> Result<Standing, String> {
    let status = answer(office, &["status", "--json"])?;
    answer(office, &["rebuild"])?;
    // A new file that was never given its name stays behind under a hidden one, and is nobody's answer to anything.
    let is_read = |path: &str| {
        path.starts_with("project/") && !path.rsplit('/').next().unwrap_or_default().starts_with('.')
    };
    let files = office.state().into_iter().filter(|(path, _)| is_read(path));
    let files = files
        .map(|(path, content)| (path, timeless(&String::from_utf8_lossy(&content.unwrap_or_default()))))
        .collect();
    Ok(Standing { status: timeless(&status), files })
}

/// Returns the events, one line each.
fn export(office: &Office) -> Result<Vec<String>, String> {
    let text = answer(office, &["audit-log", "export"])?;
    Ok(text.lines().filter(|line| line.contains("\"stream\"")).map(str::to_owned).collect())
}

fn answer(office: &Office, words: &[&str]) -> Result<String, String> {
    let run = office.baton(words);
    match run.code {
        Some(0) => Ok(run.out()),
        code => Err(format!("{words:?} ends with {code:?}: {}", said(&run))),
    }
}

/// Returns the saved workspaces that events name.
fn saved(log: &[String]) -> BTreeSet<String> {
    let mut trees = BTreeSet::new();
    for event in log {
        let event: Value = serde_json::from_str(event).expect("an event is JSON");
        let body: Value =
            event["body"].as_str().and_then(|body| serde_json::from_str(body).ok()).unwrap_or_default();
        let tree = match event["kind"].as_str() {
            Some("snapshot_taken") => &body["tree"],
            Some("handoff_received") => &body["submission"]["tree"],
            _ => continue,
        };
        trees.insert(tree.as_str().expect("it names a tree").to_owned());
    }
    trees
}

fn kind(event: &str) -> (String, String) {
    let event: Value = serde_json::from_str(event).expect("an event is JSON");
    let text = |name: &str| event[name].as_str().unwrap_or_default().to_owned();
    (text("stream"), text("kind"))
}

pub(super) fn said(run: &Run) -> String {
    format!("{}{}", String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr))
}

/// Takes out what differs from run to run: moments, and how many events there are.
fn timeless(text: &str) -> String {
    let mut lines = Vec::new();
    for line in text.lines().filter(|line| !line.contains("\"sequence\"")) {
        let words = line.split_inclusive([' ', '"']);
        let is_moment =
            |word: &str| word.len() > 20 && word.as_bytes()[4] == b'-' && word.as_bytes()[10] == b'T';
        lines.push(words.filter(|word| !is_moment(word)).collect::<String>());
    }
    lines.join("\n")
}
