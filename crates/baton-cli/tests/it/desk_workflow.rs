//! A project's own workflows are data in `baton.toml`: checked when they are read, and used like the built-in ones.

use std::fs;
use std::path::Path;

use crate::desk::Office;

#[test]
fn the_example_of_the_reference_is_a_workflow_that_works() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/configuration.md");
    let page = fs::read_to_string(page).expect("the reference");
    let section = page.split("## `[workflows.NAME]`").nth(1).expect("its section");
    let example =
        section.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
    let office = Office::new();
    let config = office.place.read("baton.toml");
    office.place.write("baton.toml", format!("{config}\n{example}"));
    office.baton(&["trust", "--yes"]).ends_with(0);
    let shown = office.baton(&["workflow", "show", "release"]).ends_with(0).out();
    for words in [
        "release (baton.toml)",
        "@writer",
        "gate publish (blocking)",
        "judged independently by: reader",
        "baton/accepted",
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    let json = office.baton(&["workflow", "show", "release", "--json"]).ends_with(0).json();
    assert_eq!(json["workflow"]["name"], "release");
    let listed = office.baton(&["workflow", "list", "--json"]).ends_with(0).json();
    assert_eq!(listed["workflows"].as_array().expect("a list").len(), 7);

    office
        .baton(&["task", "add", "F001", "Release", "--workflow", "release", "--criterion", "AC-1"])
        .ends_with(0);
    let received = office.baton(&["receive", "F001", "--as", "ann"]).ends_with(0).out();
    assert!(received.contains("@writer") && received.contains("stage notes"), "{received}");
    let log = office.baton(&["log"]).ends_with(0).out();
    assert!(log.contains("workflow release defined, version 1"), "{log}");
    // A task keeps the workflow that it was added with; the next one gets the new version.
    let changed = example.replace("retries_max = 1", "retries_max = 2");
    assert_ne!(changed, example);
    office.place.write("baton.toml", format!("{config}\n{changed}"));
    office.baton(&["task", "add", "F002", "Release", "--workflow", "release"]).ends_with(0);
    office.baton(&["task", "add", "F003", "Release", "--workflow", "release"]).ends_with(0);
    let log = office.baton(&["log"]).ends_with(0).out();
    assert!(log.contains("workflow release defined, version 2") && !log.contains("version 3"), "{log}");
}

#[test]
fn a_workflow_that_cannot_be_used_is_told_with_its_place() {
    let stage = "[[workflows.w.stages]]\nname = \"one\"\nagent = \"@a\"\n";
    for (name, text, word, place) in [
        ("no stages", "[workflows.w]\nstages = []\n".to_owned(), "1 to 32 stages", "baton.toml:1:12"),
        (
            "misspelt limit",
            format!("{stage}limits = {{ retries_mx = 1 }}\n"),
            "retries_mx",
            "baton.toml:4:12",
        ),
        (
            "misspelt budget",
            format!("[workflows.w]\nbudget_tokns = 3\n{stage}"),
            "budget_tokns",
            "baton.toml:2:1",
        ),
        ("unknown key", format!("{stage}chekpoints = []\n"), "chekpoints", "baton.toml:4:1"),
        (
            "too many retries",
            format!("{stage}limits = {{ retries_max = 9 }}\n"),
            "at most 3 retries",
            "baton.toml:2:8",
        ),
        ("no time", format!("{stage}limits = {{ turn_minutes = 0 }}\n"), "between 1 and", "baton.toml:2:8"),
        ("two of a name", format!("{stage}{stage}"), "two stages are called `one`", "baton.toml:5:8"),
        (
            "own verifier",
            format!("{stage}review = \"@a\"\n"),
            "the verifier is the builder",
            "baton.toml:2:8",
        ),
        ("bad name", stage.replace("\"@a\"", "\"a b\""), "`a b`", "baton.toml:3:9"),
        ("bad role", format!("{stage}role = \"boss\"\n"), "boss", "baton.toml:4:8"),
        ("missing agent", "[[workflows.w.stages]]\nname = \"one\"\n".to_owned(), "agent", "baton.toml:1:"),
        ("bad gate", format!("{stage}gates = [{{ nam = \"g\" }}]\n"), "nam", "baton.toml:4:"),
        ("bad failure", format!("{stage}on_failure = {{ retries = 1 }}\n"), "retries", "baton.toml:4:"),
    ] {
        let office = Office::new();
        office.place.write("baton.toml", text);
        let told = office.baton(&["workflow", "list"]).ends_with(4).err();
        assert!(told.contains("BT801") && told.contains(word) && told.contains(place), "{name}: {told}");
    }
}

#[test]
fn the_name_of_a_built_in_workflow_can_be_taken_and_given_back() {
    let office = Office::new();
    let config = office.place.read("baton.toml");
    let own =
        "[[workflows.single.stages]]\nname = \"build\"\nagent = \"@smith\"\ncheckpoints = [\"validation\"]\n";
    office.place.write("baton.toml", format!("{config}{own}"));
    office.baton(&["task", "add", "F001", "One", "--workflow", "single"]).ends_with(0);
    assert!(office.baton(&["receive", "F001"]).ends_with(0).out().contains("@smith"));
    office.place.write("baton.toml", config);
    office.baton(&["task", "add", "F002", "Two", "--workflow", "single"]).ends_with(0);
    assert!(office.baton(&["receive", "F002"]).ends_with(0).out().contains("@builder"));
    office.baton(&["workflow", "show", "none"]).ends_with(2);
}
