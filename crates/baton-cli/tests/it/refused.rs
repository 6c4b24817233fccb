//! What an agent tries in its turn and may not is in the log, also where its sandbox keeps the log from it.

use serde_json::Value;

use crate::scripted::sh;
use crate::team::{Team, says, write};

const HANDOFF: &str = "```yaml\noutcome: completed\nsummary: did it\nfiles_modified:\n\
                       \x20 - {path: work.txt, change_type: modify, description: the work}\n```\n";
/// What is a person's to do.
const ACTS: &[&str] = &[
    "waive T1 checkpoint:validation 'not now' --until 2199-01-01",
    "gate approve T1 release",
    "decide T1",
    "answer T1 q1 yes",
    "resolve T1 again 'once more'",
    "pause x",
];
/// How often the agent tries each.
const TRIES: u64 = 7;

/// Returns the refused acts of a log: who, in which turn, what, and how often it came again.
fn refused(team: &Team) -> Vec<(String, Value)> {
    let log = team.baton(&["audit-log", "export"]).ends_with(0).out();
    let events = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let refused = events.filter(|event| event["kind"] == "command_refused");
    refused
        .map(|event| (format!("{} {}", event["actor"]["name"], event["actor"]["turn"]), body_of(&event)))
        .collect()
}

fn body_of(event: &Value) -> Value {
    event["body"].as_str().and_then(|body| serde_json::from_str(body).ok()).expect("a body")
}

/// An agent that tries everything, again and again, and then does its work.
fn tries(team: &Team) -> String {
    let said = team.home().join("builder/said");
    let calls: String = ACTS
        .iter()
        .map(|act| format!("{} {act} 2>&1 | grep -o '\\[[a-z_]*\\]'\n", env!("CARGO_BIN_EXE_baton")))
        .collect();
    format!("for i in $(seq {TRIES}); do\n{calls}done > {}; true", said.display())
}

#[test]
fn refused_acts_of_a_confined_agent_are_events_and_their_repeats_are_counted() {
    let team = Team::new();
    std::fs::create_dir_all(team.home()).expect("a folder");
    let script = vec![sh(&tries(&team)), write("work.txt", "done\n"), says(HANDOFF)];
    let team = team.agent("builder", "command", &[script]).ready();
    team.add("T1", "single", &[]);
    team.run(0, &[]);
    let said = std::fs::read_to_string(team.home().join("builder/said")).expect("it tried");
    assert_eq!(
        said.lines().filter(|line| *line == "[not_allowed]").count() as u64,
        TRIES * ACTS.len() as u64,
        "{said}"
    );
    let refused = refused(&team);
    for act in ["waive", "answer_gate", "decide", "answer", "resolve", "pause"] {
        let own: Vec<&(String, Value)> = refused.iter().filter(|(_, body)| body["command"] == act).collect();
        let [(who, first), (_, again)] = own[..] else { panic!("{act}: {refused:#?}") };
        assert_eq!(who, "\"builder\" \"turn-1\"");
        assert_eq!((&first["refusal"], &first["repeats"]), (&"not_allowed".into(), &Value::Null));
        assert_eq!(again["repeats"], TRIES - 1, "{act}");
    }
    let why = team.baton(&["why", "T1"]).ends_with(0).out();
    assert!(why.contains("refused waive to agent builder in turn-1: not_allowed, 7 times"), "{why}");
    let log = team.baton(&["log", "T1"]).ends_with(0).out();
    assert!(
        log.contains("refused waive: not_allowed") && log.contains("refused waive again, 6 times"),
        "{log}"
    );
    team.holds("T1");
}

#[test]
fn refused_acts_that_reach_the_log_are_counted_when_the_turn_is_over() {
    let team = Team::new();
    std::fs::create_dir_all(team.home()).expect("a folder");
    let script = vec![sh(&tries(&team)), write("work.txt", "done\n"), says(HANDOFF)];
    // As if nothing confined it: the folder with everything that holds the log is writable.
    let bench = team.state().parent().expect("a folder").to_owned();
    let team = team.agent("builder", "command", &[script]);
    let config = format!(
        "[checks.validation]\nrun = [\"true\"]\n[agents.builder]\ndriver = \"command\"\nprogram = {:?}\nwritable = [{bench:?}]\n",
        bench.join("builder/run.sh"),
    );
    let team = team.only(&config).ready();
    team.add("T1", "single", &[]);
    team.run(0, &[]);
    let refused = refused(&team);
    let waived: Vec<&Value> = refused
        .iter()
        .filter(|(_, body)| body["command"] == "waive")
        .map(|(_, body)| &body["repeats"])
        .collect();
    assert_eq!(waived, [&Value::Null, &Value::from(TRIES - 1)], "{refused:#?}");
    team.holds("T1");
}

/// Returns how many handoffs a log has.
fn handed_over(team: &Team) -> usize {
    let log = team.baton(&["audit-log", "export"]).ends_with(0).out();
    log.lines().filter(|line| line.contains("\"handoff_received\"")).count()
}

#[test]
fn a_handoff_that_comes_again_is_answered_with_its_decision() {
    let team =
        Team::new().only("[checks.validation]\nrun = [\"grep\", \"-q\", \"done\", \"work.txt\"]\n").ready();
    team.add("T1", "single", &[]);
    team.baton(&["receive", "T1"]).ends_with(0);
    team.place.write("work.txt", "begun\n");
    let paper = team.state().with_file_name("paper.md");
    std::fs::write(&paper, HANDOFF).expect("a handoff");
    let paper = paper.display().to_string();
    let submit = || team.baton(&["submit", "T1", &paper]).ends_with(0).out();
    assert!(submit().contains("handed over and kept"));
    let again = submit();
    assert!(again.contains("already taken as handoff-turn-1; nothing is decided on it yet"), "{again}");
    team.baton(&["task", "check", "T1"]).ends_with(0);
    team.baton(&["decide", "T1"]).ends_with(0);
    let again = submit();
    assert!(again.contains("already taken as handoff-turn-1: rework because of checks_failed"), "{again}");
    assert!(again.contains("### Checkpoint: validation"), "the feedback comes again: {again}");
    assert_eq!(handed_over(&team), 1);
    // The same words about other files, in a turn of their own, are another handoff.
    team.baton(&["receive", "T1"]).ends_with(0);
    team.place.write("work.txt", "done\n");
    assert!(submit().contains("handed over and kept"));
    team.baton(&["task", "check", "T1"]).ends_with(0);
    team.baton(&["decide", "T1"]).ends_with(0);
    let again = submit();
    assert!(again.contains("already taken as handoff-turn-2: accept because of self_checked"), "{again}");
    // Somebody else's is no repeat, and other bytes are none.
    team.baton(&["submit", "T1", &paper, "--as", "bob"]).ends_with(8);
    std::fs::write(&paper, HANDOFF.replace("did it", "did more")).expect("a handoff");
    team.baton(&["submit", "T1", &paper]).ends_with(8);
    assert_eq!(handed_over(&team), 2);
    team.holds("T1");
}
