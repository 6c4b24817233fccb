//! A replay checks every invariant in the state after each event, and says in how many.

use crate::team::{Team, approves, says, write};

const HANDOFF: &str = "```yaml\noutcome: completed\nsummary: did it\nfiles_modified:\n\
                       \x20 - {path: work.txt, change_type: modify, description: the work}\n```\n";

/// The nine invariants of the handoff protocol, in its order.
const PROTOCOL: &[&str] = &[
    "single_authority",
    "verifier_cannot_write",
    "criterion_has_evidence",
    "rollback_has_remediation",
    "completion_claim_is_not_the_end",
    "guidance_with_every_turn",
    "doubt_is_answered_by_authority",
    "decision_has_reason_and_references",
    "open_clarification_forbids",
];

#[test]
fn replay_names_the_nine_invariants_with_the_states_each_was_checked_in() {
    let works = vec![write("work.txt", "done\n"), says(HANDOFF)];
    let team = Team::new().agent("builder", "command", &[works]).agent("verifier", "command", &[approves()]);
    let team = team.ready();
    team.add("T1", "verified", &["--criterion", "works"]);
    team.run(0, &[]);
    let replayed = team.baton(&["replay", "--json"]).ends_with(0).json();
    let rules = replayed["invariants"].as_array().expect("a list");
    let of_protocol = rules.iter().filter(|rule| rule["is_of_protocol"] == true);
    let names: Vec<&str> = of_protocol.filter_map(|rule| rule["name"].as_str()).collect();
    assert_eq!(names, PROTOCOL);
    assert!(rules.len() > PROTOCOL.len() && replayed["events"].as_u64() > Some(10), "{replayed}");
    for rule in rules {
        assert_eq!((&rule["states"], &rule["broken"]), (&replayed["events"], &0.into()), "{rule}");
    }
    let text = team.baton(&["replay"]).ends_with(0).out();
    println!("{text}");
    for name in PROTOCOL {
        let line = text.lines().find(|line| line.starts_with(name)).expect(name);
        assert!(line.ends_with(&format!(" {}", replayed["events"])), "{line}");
    }
}
