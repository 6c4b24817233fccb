//! A person who is asked sees what the task itself changed, and what came in answer to their question.

use baton_testkit::script::Step;
use serde_json::json;

use crate::team::{GATED, HANDOFF, Team, says, works, write};

/// A task of somebody else is accepted, then one waits at its gate.
fn at_the_gate(first: Vec<Step>, second: Vec<Step>) -> Team {
    let team = Team::new().configured(GATED).agent("builder", "command", &[first, second]);
    team.place.write("old.txt", "old\n");
    let team = team.ready();
    team.script(
        "builder",
        "T1/always",
        &[write("work.txt", "done\n"), write("others.txt", "x\n"), says(HANDOFF)],
    );
    team.add("T1", "single", &[]);
    team.run(0, &[]);
    team.add("T2", "gated", &[]);
    team.run(9, &[]);
    team
}

#[test]
fn what_a_task_changed_is_shown_without_what_others_did() {
    let steps = vec![
        write("work.txt", "done\nand more \u{1b}[2J\n"),
        write("new.bin", "a\0b"),
        write("sub/key.txt", "key AKIAIOSFODNN7QRSTUVW\n"),
        Step::Remove { path: "old.txt".into() },
        says(HANDOFF),
    ];
    let team = at_the_gate(steps, works());
    let inbox = team.baton(&["inbox"]).ends_with(0).out();
    assert!(inbox.contains("look at it: `baton task diff T2`; its files lie in "), "{inbox}");
    let shown = team.baton(&["task", "diff", "T2"]).ends_with(0).out();
    let (first, rest) = shown.split_once("--- a/old.txt").expect("the files come in order");
    assert_eq!(first, "/dev/null and b/new.bin differ, and are no text of at most 1048576 bytes\n");
    let work = "--- a/work.txt\n+++ b/work.txt\n@@ -1 +1,2 @@\n done\n+and more \\u{1b}[2J\n";
    assert!(rest.starts_with("\n+++ /dev/null\n@@ -1 +0,0 @@\n-old\n") && rest.ends_with(work), "{rest}");
    assert!(!shown.contains("others.txt") && !shown.contains("AKIAIOSFODNN7QRSTUVW"), "{shown}");

    let told = team.baton(&["task", "diff", "T2", "sub", "--json"]).json();
    assert_eq!(
        (&told["files"][0]["path"], &told["files"][0]["change"]),
        (&json!("sub/key.txt"), &json!("added"))
    );
    assert_eq!((told["files"].as_array().map(Vec::len), &told["files_left_out"]), (Some(1), &json!(0)));
    team.add("T3", "gated", &[]);
    let refused = team.baton(&["task", "diff", "T3"]).ends_with(8).err();
    assert!(refused.contains("no program has worked on T3"), "{refused}");
}

#[test]
fn what_an_agent_answers_to_a_question_at_a_gate_is_seen() {
    let answer = "```yaml\noutcome: completed\nsummary: the low tide comes first\n```\n";
    let team = at_the_gate(vec![write("work.txt", "done twice\n"), says(HANDOFF)], vec![says(answer)]);
    team.baton(&["gate", "question", "T2", "release", "which tide comes first?"]).ends_with(0);
    team.run(9, &[]);
    for words in [["inbox"].as_slice(), &["why", "T2"]] {
        let told = team.baton(words).ends_with(0).out();
        for part in [
            "asked at release: which tide comes first?",
            "answered: the low tide comes first; all of it: `baton show T2 handoff-turn-2`",
            "next: `baton gate approve|reject|question T2 release [WORDS]`",
        ] {
            assert!(told.contains(part), "{part} in {told}");
        }
    }
    team.baton(&["show", "T2", "handoff-turn-2"]).ends_with(0);
}
