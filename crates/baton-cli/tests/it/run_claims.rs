//! Checkpoints that only an agent speaks for are named where its handoff does not say that they hold.

use serde_json::Value;

use crate::team::{HANDOFF, Team, all, says, write};

const CONFIG: &str = "[workflows.asserted]\n[[workflows.asserted.stages]]\nname = \"plan\"\nagent = \"builder\"\n\
                      asserted = [\"no_open_blockers\", \"risks_named\", \"owner_known\", \"plan_agreed\"]\n\
                      on_failure = { retry = 1 }\n";
const CLAIMS: &str = "```yaml\noutcome: completed\nsummary: did it\nplan: [do it]\ncheckpoints:\n\
                      \x20 - {name: no_open_blockers, status: pass}\n  - {name: owner_known, status: fail}\n```\n";

#[test]
fn what_a_handoff_does_not_claim_is_named_in_the_line_and_to_the_person() {
    let team = Team::new().configured(CONFIG).agent(
        "builder",
        "command",
        &[vec![says(CLAIMS)], vec![says(HANDOFF)]],
    );
    let team = team.ready();
    team.add("T1", "asserted", &[]);
    let events = team.run(9, &[]);
    let decided = all(&events, "decided");
    let first = "not claimed: risks_named, plan_agreed; claimed as fail: owner_known";
    assert_eq!(decided[0]["words"], format!("rework: checks_failed: {first}"));
    assert_eq!(decided[0]["not_shown"], first);
    let last = "not claimed: risks_named, owner_known, plan_agreed";
    assert_eq!(decided[1]["words"], format!("escalate: retries_exhausted: {last}"));
    let told = decided[0]["feedback"].as_str().unwrap_or_default();
    assert!(
        told.contains(
            "### Checkpoint: plan_agreed\n**Status**: INCONCLUSIVE\n**Reason**: the handoff does not claim it"
        ),
        "{told}"
    );
    for words in [["inbox"].as_slice(), &["why", "T1"]] {
        let told = team.baton(words).ends_with(0).out();
        assert!(told.contains(&format!("seen: {last}")), "{told}");
    }
}

/// Claims that a file was created that is not there.
const LIE: &str = "```yaml\noutcome: completed\nsummary: did it\nfiles_modified:\n\
                   \x20 - {path: work.txt, change_type: modify, description: the work}\nfiles_created:\n  - {path: missing.txt, purpose: a lie}\n```\n";

const HONEST: &str = "```yaml\noutcome: completed\nsummary: did it\nfiles_modified:\n\
                      \x20 - {path: work.txt, change_type: modify, description: the work}\n```\n";

fn count_of<'c>(counted: &'c Value, agent: &str) -> &'c Value {
    let mut agents = counted["agents"].as_array().expect("a list").iter();
    agents.find(|count| count["agent"] == agent).expect("the agent is counted")
}

#[test]
fn contradicted_work_is_counted_for_its_agent_and_is_no_first_pass() {
    let team = Team::new().agent(
        "builder",
        "command",
        &[vec![write("work.txt", "done\n"), says(LIE)], vec![says(HONEST)]],
    );
    let team = team.ready();
    team.add("T1", "single", &[]);
    team.run(0, &[]);
    let counted = team.baton(&["metrics", "--json"]).ends_with(0).json();
    let builder = count_of(&counted, "builder");
    for (key, value) in [
        ("turns", 2),
        ("accepted", 1),
        ("first_pass", 0),
        ("reworks", 1),
        ("contradicted_claims", 1),
        ("contradicted_turns", 1),
    ] {
        assert_eq!(builder[key], value, "{key}: {counted}");
    }
    assert_eq!(builder["first_pass_rate"], 0.0);
    let table = team.baton(&["metrics", "--by", "agent"]).ends_with(0).out();
    assert!(table.contains("contradicted") && table.contains(" 0 %"), "{table}");
}
