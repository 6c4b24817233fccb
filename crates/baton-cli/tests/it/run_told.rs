//! What agents are told in a run: the guidance in every turn, what they are judged by, and where more is to be read.

use serde_json::json;

use crate::team::{Team, approves, claude, says, works, write};

const COVENANT: &str = "# Rules\n\n- Times are in UTC.\n";

#[test]
fn a_verifier_is_told_the_guidance_and_all_that_has_changed_and_never_the_builders_story() {
    let two = "[workflows.two]\nintegration = \"merge\"\n[[workflows.two.stages]]\nname = \"draft\"\nagent = \"drafter\"\n\
               [[workflows.two.stages]]\nname = \"build\"\nagent = \"builder\"\ncheckpoints = [\"validation\"]\nreview = \"verifier\"\n";
    let drafts = vec![
        write("draft.txt", "a draft\n"),
        says("```yaml\noutcome: completed\nsummary: a first story\n```\n"),
    ];
    let builds = vec![
        write("work.txt", "done\n"),
        says(
            "```yaml\noutcome: completed\nsummary: a wonderful story\ngotchas: [{issue: trust me, severity: high}]\n```\n",
        ),
    ];
    let team = Team::new()
        .configured(two)
        .agent("drafter", "command", &[drafts])
        .agent("builder", "command", &[builds])
        .agent("verifier", "command", &[approves()]);
    team.place.write("AGENTS.md", COVENANT);
    let team = team.ready();
    team.add("T1", "two", &["--criterion", "works=The file says that it is done"]);
    team.run(0, &[]);
    let told = team.given("verifier", "T1", "prompt-1");
    for part in [
        "Follow AGENTS.md",
        "Times are in UTC.",
        "The file says that it is done",
        "change nothing",
        "draft.txt",
        "work.txt",
    ] {
        assert!(told.contains(part), "{part} in {told}");
    }
    for part in ["story", "trust me"] {
        assert!(!told.contains(part), "{part} in {told}");
    }
    let kept = team.baton(&["show", "T1", "prompt-turn-3"]).ends_with(0).out();
    assert_eq!(kept, told);
}

#[test]
fn whoever_goes_on_in_a_session_is_told_the_guidance_again_and_the_record_says_how_much() {
    let handoff = "```yaml\noutcome: completed\nsummary: x\n```\n";
    let first = vec![claude(handoff, json!({}))];
    let second = vec![write("work.txt", "done\n"), claude(handoff, json!({}))];
    let team = Team::new().agent("builder", "claude", &[first, second]);
    team.place.write("AGENTS.md", COVENANT);
    let team = team.ready();
    team.add("T1", "single", &[]);
    team.run(0, &[]);
    let told = team.given("builder", "T1", "prompt-2");
    assert!(told.contains("Guidance:\n- Follow AGENTS.md\n") && told.contains("Times are in UTC."), "{told}");
    assert!(
        told.contains("this turn ends after 1800 seconds or 1000000 tokens; it is attempt 2 of 4"),
        "{told}"
    );
    for (turn, given) in [("turn-1", "whole"), ("turn-2", "news")] {
        let kept = team.baton(&["show", "T1", &format!("context-{turn}")]).ends_with(0).json();
        assert_eq!(kept["given"], given, "{kept:#}");
    }
}

#[test]
fn skills_that_apply_are_named_with_their_place_and_others_are_not() {
    let team = Team::new().agent("builder", "command", &[works()]);
    let tides = "---\nname: tides\ndescription: How tables of tides are written.\nkeywords: [tide, harbour]\n---\nA long secret recipe.\n";
    team.place.write("docs/skills/tides.md", tides);
    team.place
        .write(".agents/skills/letters/SKILL.md", "---\ndescription: Writes letters to customers.\n---\n");
    let team = team.ready();
    team.baton(&["task", "add", "T1", "Print the tides of a harbour", "--workflow", "single"]).ends_with(0);
    team.run(0, &[]);
    let told = team.given("builder", "T1", "prompt-1");
    assert!(
        told.contains(
            "Skill tides: How tables of tides are written. Read docs/skills/tides.md if it applies"
        ),
        "{told}"
    );
    assert!(!told.contains("letters") && !told.contains("recipe"), "{told}");
}
