//! Files that are written so that looking at them takes all the time and memory there is. The look ends, and what it could not
//! follow is told as soon as it changes.

use super::reached::seen;
use super::*;

/// Rules that hold more than anybody can read, before a recipe.
fn hostile_rules() -> Vec<String> {
    let doubled: String = (0..60).map(|level| format!("V{level} = $(V{0}) $(V{0})\n", level + 1)).collect();
    let names = |letter: char| (0..20_000).map(|number| format!("{letter}{number} ")).collect::<String>();
    let (targets, needs) = (names('t'), names('n'));
    let recipe: String = (0..5_000).map(|line| format!("\techo {line}\n")).collect();
    vec![
        format!("{doubled}V60 = word\nall: $(V0)\n"),
        format!("{targets}: {needs}\n"),
        format!("{targets}:\n{recipe}"),
        format!("X := $(X) $(X) word\n{}", "all: $(X)\n".repeat(1000)),
        format!("all: {}\n", "$(".repeat(100_000)),
        (0..20_000).map(|number| format!("W{number} = w\na{number}: $(W{number})\n")).collect(),
    ]
}

#[test]
fn rules_that_grow_without_end_are_followed_to_a_bound_and_told() {
    for hostile in hostile_rules() {
        for (first, last) in [("test:\n\tCHECK\n", ""), ("RUN = CHECK\n", "test:\n\t$(RUN)\n")] {
            let rules = |check: &str| format!("{}{hostile}{last}", first.replace("CHECK", check));
            let (before, after) = (rules("sh check.sh"), rules("true"));
            let mut found =
                seen(&["make", "test"], &[], &[("Makefile", Some(before.as_str()), Some(after.as_str()))]);
            found.dedup();
            assert_eq!(found, ["runner_changed Makefile"], "{}", &hostile[..hostile.len().min(60)]);
        }
    }
}

#[test]
fn variables_stand_in_one_another() {
    let nested: String = (0..40).map(|level| format!("V{level} = $(V{})\n", level + 1)).collect();
    let rules = |last: &str| format!("{nested}V40 = {last}\ntest:\n\t${{V0}}\n");
    let (before, after) = (rules("sh check.sh"), rules("true"));
    let change = ("Makefile", Some(before.as_str()), Some(after.as_str()));
    assert_eq!(seen(&["make", "test"], &[], &[change]), ["runner_changed Makefile"]);
}

#[test]
fn files_of_very_many_lines_are_compared_without_their_order() {
    let lines = |letter: char| (0..30_000).map(|number| format!("{letter}{number}\n")).collect::<String>();
    let (before, after) = (lines('a'), lines('b'));
    let kept = "def test_a():\n    assert add(1) == 2\n";
    let before = format!("{kept}{before}");
    let told = |after: &str| {
        let change = changed("tests/test_a.py", Some(&before), Some(after));
        look(&[change], &Scope::default()).iter().map(|sighting| sighting.trick).collect::<Vec<_>>()
    };
    assert!(told(&format!("{after}{kept}")).is_empty());
    assert_eq!(told(&format!("def test_a():\n    add(1)\n{after}")), ["assertion_weakened"]);
    let skipped = format!("@pytest.mark.skip\n{kept}{after}");
    assert!(!told(&skipped).is_empty());
}
