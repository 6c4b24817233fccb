//! Who takes the turns of a run: builders, those who repair, people, and nobody.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use baton_testkit::script::Step;
use serde_json::{Value, json};

use crate::team::{HANDOFF, Team, all, approves, handoff_of_work, lies, says, works, write};

/// A report that finds the one criterion not met.
fn rejects() -> Vec<Step> {
    let report = json!({
        "artifact_type": "verification-report",
        "waypoint_id": "TASK",
        "criterion_verdicts": [{ "criterion": "works", "verdict": "fail", "evidence": ["RECEIPT"] }],
        "unresolved_doubts": [],
    });
    vec![says(&format!("```json\n{report}\n```\n"))]
}

fn roles(events: &[Value]) -> Vec<&str> {
    all(events, "turn_started").into_iter().map(|event| event["role"].as_str().unwrap_or_default()).collect()
}

#[test]
fn checks_go_back_to_the_builder_and_the_verdict_goes_to_whoever_repairs() {
    let repairs = vec![write("work.txt", "done and repaired\n"), says(HANDOFF)];
    let team = Team::new()
        .agent("builder", "command", &[lies(), works()])
        .agent("repair", "command", &[repairs])
        .agent("verifier", "command", &[rejects(), approves()])
        .ready();
    team.add("T1", "waypoint", &["--criterion", "works"]);
    let events = team.run(0, &[]);
    assert_eq!(roles(&events), ["builder", "builder", "verifier", "repair", "verifier"], "{events:#?}");
    assert_eq!(team.accepted("work.txt"), "done and repaired");
    assert!(all(&events, "trouble").is_empty(), "{events:#?}");
    team.holds("T1");
}

#[test]
fn whose_turns_nobody_takes_is_said_at_the_start_and_at_the_end() {
    let team = Team::new()
        .agent("builder", "command", &[works()])
        .agent("verifier", "command", &[rejects()])
        .ready();
    team.add("T1", "waypoint", &["--criterion", "works"]);
    let events = team.run(9, &[]);
    assert_eq!(events[0]["event"], "trouble", "{events:#?}");
    let words = events[0]["words"].as_str().unwrap_or_default();
    for part in ["@repair", "`waypoint`", "[agents.repair]"] {
        assert!(words.contains(part), "{part} in {words}");
    }
    let next = events.last().expect("a summary")["tasks"][0]["next"].clone();
    assert!(next.as_str().is_some_and(|next| next.contains("[agents.repair]")), "{next}");
}

#[test]
fn a_person_takes_the_turn_that_is_theirs_and_programs_go_on() {
    let team = Team::new()
        .configured("[agents.builder]\ndriver = \"human\"\n")
        .agent("verifier", "command", &[approves()])
        .ready();
    team.add("T1", "verified", &["--criterion", "works"]);
    let events = team.run(9, &[]);
    let asked = all(&events, "asks");
    let words = asked.first().expect("a person is asked")["words"].as_str().unwrap_or_default();
    assert!(words.contains("@builder, who is a person"), "{words}");
    let next = events.last().expect("a summary")["tasks"][0]["next"].to_string();
    let folder = team.files("T1").display().to_string();
    let inbox = team.baton(&["inbox"]).ends_with(0).out();
    for part in ["baton receive T1", &folder, "baton submit T1 FILE"] {
        assert!(next.contains(part) && inbox.contains(part), "{part} in {next} and {inbox}");
    }

    assert_eq!(team.baton(&["status", "--json"]).json()["tasks"][0]["waits_for_person"], true);
    let received = team.baton(&["receive", "T1", "--as", "ann"]).ends_with(0).out();
    let ground =
        format!("\nwork in {folder}\nvalidation will be checked by `./check.sh`\n\nFILE has one YAML block.");
    assert!(received.contains(&ground), "{received}");
    let root = team.place.path().canonicalize().expect("a folder");
    let next = format!("\nnext: work, then `baton submit T1 FILE`, in {}\n", root.display());
    assert!(received.ends_with(&next), "{received}");
    assert_eq!(team.baton(&["status", "--json"]).json()["tasks"][0]["waits_for_person"], false);
    let inbox = team.baton(&["inbox"]).ends_with(0).out();
    assert!(inbox.contains("ann has turn-1 as @builder (builder)"), "somebody has it: {inbox}");
    assert!(inbox.contains("next: `baton submit T1 FILE` ends it"), "{inbox}");
    fs::write(team.files("T1").join("work.txt"), "done by hand\n").expect("a file of the workspace");
    let handoff = team.home().join("handoff.md");
    fs::write(&handoff, handoff_of_work()).expect("a handoff");
    team.baton(&["submit", "T1", handoff.to_str().expect("UTF-8"), "--as", "ann"]).ends_with(0);
    let events = team.run(0, &[]);
    assert_eq!(roles(&events), ["verifier"], "{events:#?}");
    assert_eq!(team.accepted("work.txt"), "done by hand");
    team.holds("T1");
}

#[test]
fn a_person_in_a_later_stage_is_told_every_step_and_what_to_claim() {
    let mixed = "[agents.hugo]\ndriver = \"human\"\n[[workflows.mixed.stages]]\nname = \"build\"\nagent = \"builder\"\n\
                 checkpoints = [\"validation\"]\n[[workflows.mixed.stages]]\nname = \"sign\"\nagent = \"hugo\"\n\
                 asserted = [\"signed\"]\n";
    let team = Team::new().configured(mixed).agent("builder", "command", &[works()]).ready();
    team.add("T1", "mixed", &[]);
    let events = team.run(9, &[]);
    let next = events.last().expect("a summary")["tasks"][0]["next"].to_string();
    assert!(next.contains("`baton receive T1`, `baton ack T1`, work in "), "{next}");
    let received = team.baton(&["receive", "T1"]).ends_with(0).out();
    assert!(received.contains("  - {name: signed, status: pass | fail, message: \"\"}\n"), "{received}");
    team.baton(&["ack", "T1"]).ends_with(0);
    let form = received.split("```").nth(1).expect("a form").replace("pass | fail", "pass");
    let handoff = team.home().join("handoff.md");
    fs::write(&handoff, format!("```{form}```\n")).expect("a handoff");
    team.baton(&["submit", "T1", handoff.to_str().expect("UTF-8")]).ends_with(0);
    team.run(0, &[]);
}

#[test]
fn a_person_who_verifies_is_told_to_judge_and_gets_the_form_of_a_report() {
    let team = Team::new()
        .configured("[agents.verifier]\ndriver = \"human\"\n")
        .agent("builder", "command", &[works()])
        .ready();
    team.add("T1", "verified", &["--criterion", "works"]);
    let events = team.run(9, &[]);
    let next = events.last().expect("a summary")["tasks"][0]["next"].to_string();
    let folder = team.files("T1").display().to_string();
    assert!(next.contains(&format!("`baton receive T1`, judge what lies in {folder}, then")), "{next}");
    let received = team.baton(&["receive", "T1", "--as", "bob"]).ends_with(0).out();
    let place = format!("judge what lies in {folder}, and change nothing there\n");
    for part in [
        place.as_str(),
        "\"artifact_type\": \"verification-report\"",
        "next: judge, then `baton submit T1 FILE`",
    ] {
        assert!(received.contains(part), "{part} in {received}");
    }
}

#[test]
fn a_turn_that_no_program_takes_in_this_run_can_be_taken_by_hand() {
    let team = Team::new().ready();
    team.add("T1", "single", &[]);
    team.run(9, &["--agent", "human"]);
    let next = "then `baton submit T1 FILE` and `baton run --agent human`";
    for words in [&["why", "T1"][..], &["inbox"]] {
        let told = team.baton(words).ends_with(0).out();
        assert!(told.contains("next: `baton receive T1`, work in ") && told.contains(next), "{told}");
    }
}

#[test]
fn a_turn_that_a_program_takes_after_all_is_no_longer_that_of_a_person() {
    let blocked = "```yaml\noutcome: blocked\nsummary: stuck\nblockers: [{blocker: which tide}]\n\
        block_reason: needs_human_input\nblock_details: which tide\n```\n";
    let team = Team::new().agent("default", "command", &[vec![says(blocked)], works()]).ready();
    team.add("T1", "single", &[]);
    let events = team.run(9, &["--agent", "human"]);
    let next = events.last().expect("a summary")["tasks"][0]["next"].to_string();
    assert!(next.contains("`baton run --agent human`"), "{next}");
    assert!(team.baton(&["inbox"]).ends_with(0).out().contains("who is a person"));
    team.run(9, &[]);
    team.baton(&["resolve", "T1", "again", "the low one"]).ends_with(0);
    assert!(!team.baton(&["inbox"]).ends_with(0).out().contains("who is a person"));
    team.run(0, &[]);
}

/// Whoever was told where the work lies may begin there without `baton receive`.
#[test]
fn what_a_person_did_before_their_turn_is_saved_when_the_folder_is_made_anew() {
    let team = Team::new().ready();
    team.add("T1", "single", &[]);
    team.run(9, &["--agent", "human"]);
    fs::write(team.files("T1").join("early.txt"), "early\n").expect("a file");
    team.place.write("other.txt", "x\n");
    team.place.commit("moves on");
    let team = team.agent("builder", "command", &[works()]).ready();
    team.run(0, &[]);
    assert_eq!(team.accepted("other.txt"), "x", "it began with what is checked out");
    let into = team.home().join("saved");
    team.baton(&["recover", "T1", "removed-1", "--into", into.to_str().expect("UTF-8")]).ends_with(0);
    assert_eq!(fs::read_to_string(into.join("early.txt")).expect("it is saved"), "early\n");
}

#[test]
fn a_person_who_worked_elsewhere_is_told_where_the_work_belongs() {
    let team = Team::new().configured("[agents.builder]\ndriver = \"human\"\n").ready();
    team.add("T1", "single", &[]);
    team.run(9, &[]);
    team.baton(&["receive", "T1"]).ends_with(0);
    team.place.write("work.txt", "done in the checkout\n");
    let handoff = team.home().join("handoff.md");
    fs::write(&handoff, handoff_of_work()).expect("a handoff");
    let warned = team.baton(&["submit", "T1", handoff.to_str().expect("UTF-8")]).ends_with(0).err();
    let place = team.files("T1").display().to_string();
    assert_eq!(
        warned,
        format!("warning: nothing was changed in {place}, and only what lies there is the work of T1\n")
    );
}

#[test]
fn what_the_command_line_names_stands_in_for_the_default_and_for_no_table_of_its_own() {
    let team = Team::new()
        .agent("builder", "command", &[works()])
        .configured("[agents.default]\ndriver = \"command\"\nprogram = \"/bin/false\"\n")
        .ready();
    team.add("T1", "verified", &["--criterion", "works"]);
    let events = team.run(9, &["--agent", "human"]);
    assert_eq!(roles(&events), ["builder"], "{events:#?}");
    let next = events.last().expect("a summary")["tasks"][0]["next"].to_string();
    assert!(next.contains("baton receive T1"), "{next}");
    let refused = team.baton(&["run", "--agent", "command"]).ends_with(2).err();
    assert!(refused.contains("`command` runs a program that has to be named"), "{refused}");
    assert!(refused.contains("[agents.default]") && refused.contains("program = "), "{refused}");
}

/// It answers by the protocol, hands over, and stays: it is ended, and what it said counts.
#[test]
fn an_agent_that_stays_after_its_last_word_is_ended_and_has_handed_over() {
    let text = json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": handoff_of_work() } });
    let update = json!({ "jsonrpc": "2.0", "method": "session/update", "params": { "sessionId": "s", "update": text } });
    let program = format!(
        "#!/bin/sh\nread line; echo '{}'\nread line; echo '{}'\nread line\necho done > work.txt\ncat <<'END'\n{update}\nEND\n\
         echo '{}'\ntrap '' HUP\nsleep 3000\n",
        json!({ "jsonrpc": "2.0", "id": 1, "result": { "protocolVersion": 1 } }),
        json!({ "jsonrpc": "2.0", "id": 2, "result": { "sessionId": "s" } }),
        json!({ "jsonrpc": "2.0", "id": 3, "result": { "stopReason": "end_turn" } }),
    );
    let team = Team::new();
    let path = team.home().join("stays");
    fs::write(&path, program).expect("a program");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a program");
    let team = team.configured(&format!("[agents.builder]\ndriver = \"acp\"\nprogram = {path:?}\n")).ready();
    team.add("T1", "single", &[]);
    let events = team.run(0, &[]);
    assert_eq!(all(&events, "handed_over").len(), 1, "{events:#?}");
    assert_eq!(team.accepted("work.txt"), "done");
}

#[test]
fn a_command_can_be_told_by_a_file_that_is_no_part_of_the_work() {
    let team = Team::new();
    let seen = team.home().join("seen");
    fs::create_dir(&seen).expect("a folder");
    let program = format!(
        "#!/bin/sh\ncat > {seen}/stdin\ncp \"$1\" {seen}/argument\ncp \"$BATON_PROMPT_FILE\" {seen}/variable\n\
         echo done > work.txt\ncat <<'END'\n{handoff}END\n",
        handoff = handoff_of_work(),
        seen = seen.display()
    );
    let path = team.home().join("by-file");
    fs::write(&path, program).expect("a program");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a program");
    let table = format!(
        "[agents.builder]\ndriver = \"command\"\nprogram = {path:?}\nprompt_file = true\n\
         arguments = [\"{{prompt_file}}\"]\nwritable = [{seen:?}]\n"
    );
    let team = team.configured(&table).ready();
    team.add("T1", "single", &[]);
    team.run(0, &[]);
    let read = |name: &str| fs::read_to_string(seen.join(name)).expect("it was seen");
    let prompt = team.baton(&["show", "T1", "prompt-turn-1"]).ends_with(0).out();
    assert_eq!((read("argument"), read("variable")), (prompt.clone(), prompt));
    assert_eq!(read("stdin"), "");
    assert!(!team.files("T1").join("prompt.md").exists(), "it is no part of the work");
}
