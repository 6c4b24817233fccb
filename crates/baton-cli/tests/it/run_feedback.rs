//! What an agent is told when its work comes back, and what people see of that.

use baton_testkit::script::Step;
use serde_json::json;

use crate::team::{GATED, HANDOFF, Team, all, claude, lies, says, works, write};

/// T1 changes a shared file and a file of its own, and waits for a person with it. T2 changes the shared file meanwhile, and is
/// merged.
fn in_conflict(config: &str, more: &[(&str, Vec<Step>)]) -> Team {
    let team = Team::new().configured(config).agent("builder", "command", &[]);
    team.place.write("shared.txt", "begin\n");
    let makes = |shared: &str, own: &str| {
        vec![write("work.txt", "done\n"), write("shared.txt", shared), write(own, "x\n"), says(HANDOFF)]
    };
    team.script("builder", "T1/turn-1", &makes("begin\nmine\n", "own.txt"));
    team.script("builder", "T2/turn-1", &makes("begin\ntheirs\n", "other.txt"));
    for (path, steps) in more {
        team.script("builder", path, steps);
    }
    let team = team.ready();
    team.add("T1", "gated", &[]);
    team.add("T2", "single", &[]);
    team.run(9, &[]);
    assert_eq!(team.accepted("shared.txt"), "begin\ntheirs");
    team.baton(&["gate", "approve", "T1", "release"]).ends_with(0);
    team
}

#[test]
fn after_a_conflict_the_agent_is_told_what_is_there_and_what_is_missing() {
    let again = vec![write("shared.txt", "begin\ntheirs\nmine\n"), says(HANDOFF)];
    let team = in_conflict(GATED, &[("T1/turn-2", again)]);
    team.run(9, &[]);
    let told = team.given("builder", "T1", "prompt-2");
    for part in [
        "## Merge Failed\n",
        "**Reason**: conflict with baton/accepted in shared.txt\n",
        "made anew with it, and it must stay: other.txt, shared.txt, work.txt\n",
        "Your own changes are still there in: own.txt\n",
        "missing in these files, which are as the others left them: shared.txt\n",
        "What you had changed in them:\n--- a/shared.txt\n+++ b/shared.txt\n",
        "\n+mine\n",
        "1. Apply your change again to the files as they are now, without undoing what others did",
    ] {
        assert!(told.contains(part), "{part} in {told}");
    }
    let why = team.baton(&["why", "T1"]).ends_with(0).out();
    assert!(why.contains("not merged: conflict with baton/accepted in shared.txt\n"), "{why}");
    assert!(why.contains("so @builder works on it next\n"), "a command has no session: {why}");
    team.baton(&["gate", "approve", "T1", "release"]).ends_with(0);
    team.run(0, &[]);
    assert_eq!(
        (team.accepted("shared.txt").as_str(), team.accepted("own.txt").as_str()),
        ("begin\ntheirs\nmine", "x")
    );
    let why = team.baton(&["why", "T1"]).ends_with(0).out();
    assert!(!why.contains("not merged"), "{why}");
    team.holds("T1");
}

#[test]
fn when_nothing_is_left_to_try_the_reason_of_the_last_decision_is_shown() {
    let once = format!("{GATED}limits = {{ retries_max = 0 }}\n");
    let team = in_conflict(&once, &[]);
    let events = team.run(9, &[]);
    assert_eq!(
        all(&events, "decided").last().expect("a decision")["reason"],
        "retries_exhausted",
        "{events:#?}"
    );
    let last = "last: it was accepted and not merged: conflict with baton/accepted in shared.txt";
    let end = events.last().expect("a summary")["tasks"][0]["because"].to_string();
    assert!(end.contains(last), "{end}");
    for words in [["inbox"].as_slice(), &["why", "T1"]] {
        let told = team.baton(words).ends_with(0).out();
        assert!(told.contains(last), "{told}");
    }
}

#[test]
fn what_a_person_says_at_a_gate_is_something_to_do() {
    let team =
        Team::new().configured(GATED).agent("builder", "command", &[works(), works(), works()]).ready();
    team.add("T1", "gated", &[]);
    team.run(9, &[]);
    team.baton(&["gate", "question", "T1", "release", "why tabs?"]).ends_with(0);
    team.run(9, &[]);
    let told = team.given("builder", "T1", "prompt-2");
    assert!(told.contains("## Question From Your Reviewer\n"), "{told}");
    assert!(
        told.contains("### Gate: release\n**Your reviewer says** (this comes first): why tabs? (said by "),
        "{told}"
    );
    assert!(told.contains("in the summary of your handoff. Change files only if"), "{told}");
    assert!(!told.contains("**Status**") && !told.contains("Make `"), "{told}");
    assert!(!told.contains("<data "), "a person's words are no data: {told}");

    team.baton(&["gate", "reject", "T1", "release", "use blanks"]).ends_with(0);
    team.run(9, &[]);
    let told = team.given("builder", "T1", "prompt-3");
    assert!(told.contains("## Rejected by Your Reviewer\n"), "{told}");
    assert!(told.contains("(this comes first): use blanks (said by "), "{told}");
    assert!(
        told.contains("Do what your reviewer says at the gate `release`, then hand over again."),
        "{told}"
    );
}

#[test]
fn what_a_person_said_when_they_sent_it_round_again_is_no_data() {
    let team = Team::new()
        .agent(
            "builder",
            "command",
            &[vec![says("```yaml\noutcome: blocked\nblockers: [{blocker: which?}]\n```\n")], works()],
        )
        .ready();
    team.add("T1", "single", &[]);
    team.run(9, &[]);
    team.baton(&["resolve", "T1", "again", "the red one"]).ends_with(0);
    team.run(0, &[]);
    let told = team.given("builder", "T1", "prompt-2");
    assert!(
        told.contains("\nYour reviewer says (this comes first):\n- ") && told.contains("the red one"),
        "{told}"
    );
    let data = told.split("</data ").next().expect("what others said");
    assert!(!data.contains("the red one"), "a reviewer's words are no data: {told}");
}

#[test]
fn plain_words_in_place_of_a_handoff_are_shown_and_the_same_again_ends_early() {
    let asks = vec![says("I looked around.\nShould I use tabs or spaces?\u{1b}[2J AKIAIOSFODNN7QRSTUVW\n")];
    let team =
        Team::new().agent("builder", "command", &[asks.clone(), asks.clone(), asks.clone(), asks]).ready();
    team.add("T1", "single", &[]);
    let events = team.run(9, &[]);
    let said = "it said: \\\"I looked around. Should I use tabs or spaces?";
    let ended = all(&events, "turn_ended");
    assert!(ended[0]["words"].to_string().contains(said), "{ended:#?}");
    assert_eq!(all(&events, "decided").last().expect("a decision")["reason"], "no_progress", "{events:#?}");
    assert_eq!(team.starts("builder", "T1"), 3);
    for words in [["inbox"].as_slice(), &["why", "T1"], &["show", "T1", "failure-turn-3"]] {
        let told = team.baton(words).ends_with(0).out().replace("\\\"", "\"");
        assert!(told.contains("it said: \"I looked around. Should I use tabs or spaces?"), "{told}");
        assert!(!told.contains('\u{1b}') && !told.contains("AKIAIOSFODNN7QRSTUVW"), "{told}");
    }
    let told = team.given("builder", "T1", "prompt-2");
    assert!(
        told.contains("\"artifact_type\": \"clarification-request\"") && told.contains("## No Handoff\n"),
        "{told}"
    );
    assert!(!team.given("builder", "T1", "prompt-1").contains("clarification-request"));
}

#[test]
fn the_form_that_is_taught_asks_a_person() {
    let form = "```json\n{\"artifact_type\":\"clarification-request\",\"waypoint_id\":\"T1\",\"blocking_question\":\"Tabs?\",\
                \"requested_options\":[\"yes\",\"no\"]}\n```\n";
    let team = Team::new()
        .agent("builder", "command", &[vec![says("Tabs or spaces?\n")], vec![says(form)], works()])
        .ready();
    team.add("T1", "single", &[]);
    let events = team.run(9, &[]);
    assert_eq!(all(&events, "asks")[0]["asks"], "Tabs?", "{events:#?}");
    team.baton(&["answer", "T1", "q1", "yes"]).ends_with(0);
    team.run(0, &[]);
}

#[test]
fn other_words_or_other_files_are_another_attempt() {
    let team = Team::new()
        .agent(
            "builder",
            "command",
            &[
                vec![says("First?\n")],
                vec![says("Second?\n")],
                vec![write("work.txt", "half\n"), says("Second?\n")],
                vec![says("Second?\n")],
            ],
        )
        .ready();
    team.add("T1", "single", &[]);
    let events = team.run(9, &[]);
    assert_eq!(
        all(&events, "decided").last().expect("a decision")["reason"],
        "retries_exhausted",
        "{events:#?}"
    );
}

#[test]
fn a_stream_of_an_agent_is_not_what_it_said() {
    let line = json!({ "type": "user", "message": { "content": [{ "type": "tool_result" }] } });
    let broken = vec![says(&format!("{line}\n")), Step::Exit { code: 3 }];
    let handoff = claude(HANDOFF, json!({}));
    let team =
        Team::new().agent("builder", "claude", &[broken, vec![write("work.txt", "done\n"), handoff]]).ready();
    team.add("T1", "single", &[]);
    let events = team.run(0, &[]);
    let words = all(&events, "turn_ended")[0]["words"].to_string();
    assert!(!words.contains("and said") && !words.contains("tool_result"), "{words}");
}

#[test]
fn what_is_to_be_done_about_a_check_is_told_in_a_new_session_too() {
    let team = Team::new().agent("builder", "command", &[lies(), works()]).ready();
    team.add("T1", "single", &[]);
    team.run(0, &[]);
    let told = team.given("builder", "T1", "prompt-2");
    assert!(told.contains("### Checkpoint: validation\n**Status**: FAIL\n"), "{told}");
    assert!(told.contains(". Make `validation` pass, then hand over again."), "{told}");
}
