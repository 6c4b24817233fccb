//! `baton why` explains every state down to the evidence, and says what to do next.

use crate::desk::{IMPLEMENTATION, Office, ago};

#[track_caller]
fn why(office: &Office, words: &[&str]) {
    let told = office.baton(&["why", "F001"]).ends_with(0).out();
    for word in words {
        assert!(told.contains(word), "{word}: {told}");
    }
    let json = office.baton(&["why", "F001", "--json"]).ends_with(0).json();
    assert_eq!(json["task"], "F001");
}

fn office() -> Office {
    let office = Office::new();
    office.baton(&["task", "add", "F001", "Print", "--workflow", "single"]).ends_with(0);
    office
}

#[test]
fn ready_working_reworked_and_accepted() {
    let office = office();
    why(&office, &["F001 is ready", "next: `baton receive F001`"]);
    office.baton(&["receive", "F001", "--as", "ann"]).ends_with(0);
    why(&office, &["F001 is working", "ann has turn-1 as @builder", "`baton submit F001 FILE`"]);
    office
        .baton(&["submit", "F001", &office.stage("implementation", IMPLEMENTATION), "--as", "ann"])
        .ends_with(0);
    why(
        &office,
        &["the host has not checked this tree", "`baton task check F001`", "handed over and not decided yet"],
    );
    office.baton(&["task", "check", "F001"]).ends_with(0);
    why(&office, &["a decision is due: rework", "`baton decide F001`", "ended with 1"]);
    office.baton(&["decide", "F001"]).ends_with(0);
    why(
        &office,
        &[
            "[claim_contradicted]",
            "handoff-turn-1 of person ann",
            "validation: fail",
            "@builder works on it next",
        ],
    );
    office.hand_over_work("ann", &office.stage_again("implementation", IMPLEMENTATION, 1));
    office.baton(&["decide", "F001"]).ends_with(0);
    why(
        &office,
        &[
            "F001 is done-unverified",
            "nobody independent has judged it [self_checked]",
            "validation: pass",
            "ended with 0",
        ],
    );
}

#[test]
fn a_decision_speaks_of_the_files_as_they_are() {
    let office = office();
    office.hand_over_work("ann", &office.stage("implementation", IMPLEMENTATION));
    office.place.write("tides.txt", "changed after it was checked\n");
    let refused = office.baton(&["decide", "F001"]).ends_with(8).err();
    assert!(refused.contains("the host has not checked this tree"), "{refused}");
}

#[test]
fn escalated_resolved_cancelled_and_waiting() {
    let office = office();
    office.baton(&["receive", "F001", "--as", "ann"]).ends_with(0);
    office.baton(&["clarify", "F001", "Which harbour?", "--as", "ann"]).ends_with(0);
    why(&office, &["the question q1 is open: Which harbour?", "`baton answer F001 q1 TEXT`"]);
    office.baton(&["answer", "F001", "q1", "North"]).ends_with(0);
    office.baton(&["escalate", "F001", "scope-change", "twice as large", "--as", "ann"]).ends_with(0);
    office.baton(&["decide", "F001"]).ends_with(0);
    why(
        &office,
        &[
            "a person has to act",
            "[scope_change]",
            "twice as large",
            "`baton resolve F001 again|rollback|fail WORDS`",
        ],
    );
    office.baton(&["resolve", "F001", "fail", "not worth it"]).ends_with(0);
    why(&office, &["F001 is failed", "gave it up: not worth it"]);

    office.baton(&["task", "add", "F002", "Second", "--workflow", "single"]).ends_with(0);
    office.baton(&["task", "add", "F003", "Third", "--workflow", "single", "--after", "F002"]).ends_with(0);
    let told = office.baton(&["why", "F003"]).ends_with(0).out();
    assert!(told.contains("pending on F002") && told.contains("`baton why F002`"), "{told}");
    let blocked = office.baton(&["task", "list", "--blocked"]).ends_with(0).out();
    assert!(blocked.starts_with("F003") && blocked.lines().count() == 1, "{blocked}");
    office.baton(&["task", "cancel", "F002", "not wanted"]).ends_with(0);
    let told = office.baton(&["why", "F002"]).ends_with(0).out();
    assert!(told.contains("person ida cancelled it: not wanted"), "{told}");
    let told = office.baton(&["why", "F003"]).ends_with(0).out();
    assert!(
        told.contains("F002 ended as cancelled") && told.contains("baton waive F003 dependency:F002"),
        "{told}"
    );
    office.baton(&["pause", "lunch"]).ends_with(0);
    office.baton(&["task", "add", "F004", "Fourth", "--workflow", "single"]).ends_with(0);
    let refused = office.baton(&["receive", "F004"]).ends_with(8).err();
    assert!(refused.contains("lunch") && refused.contains("paused"), "{refused}");
}

#[test]
fn a_gate_shows_what_it_is_about() {
    let office = Office::new();
    office.baton(&["task", "add", "F001", "Print", "--workflow", "steps"]).ends_with(0);
    office.baton(&["receive", "F001", "--as", "ann"]).ends_with(0);
    let document = office.document(
        "spec.md",
        &format!(
            "---\nid: F001\nstage: specification\ntitle: Tides\nstatus: complete\nstarted_at: {}\n\
             completed_at: {}\ncheckpoints:\n  - name: artifacts_listed\n    status: pass\n\
             handoff_ready: true\nretry_count: 0\n---\n\n# Tides\n",
            ago(3),
            ago(0)
        ),
    );
    office.place.write(
        "baton.toml",
        format!(
            "{}[stages.specification]\ncheckpoints = [\"artifacts_listed\"]\n",
            office.place.read("baton.toml")
        ),
    );
    office.baton(&["trust", "--yes"]).ends_with(0);
    office.baton(&["submit", "F001", &document, "--as", "ann"]).ends_with(0);
    office.baton(&["task", "check", "F001"]).ends_with(0);
    // The gate is asked as soon as it is due; nobody has to say `decide` for it.
    let inbox = office.baton(&["inbox"]).ends_with(0).out();
    assert!(inbox.contains("gate specification-approved"), "{inbox}");
    why(
        &office,
        &[
            "to look at: It says what is wanted",
            "artifacts_listed: pass (asserted",
            "baton gate approve|reject|question",
        ],
    );
    office.baton(&["gate", "approve", "F001", "specification-approved"]).ends_with(0);
    office.baton(&["decide", "F001"]).ends_with(0);
    why(&office, &["gate specification-approved, approve by person ida"]);
}

#[test]
fn what_was_counted_is_shown() {
    let office = office();
    let empty = office.baton(&["metrics"]).ends_with(0);
    assert!(empty.out().is_empty() && empty.err().contains("nothing was counted"));
    office.hand_over("ann", &office.stage("implementation", IMPLEMENTATION));
    office.baton(&["decide", "F001"]).ends_with(0);
    office.hand_over_work("ann", &office.stage_again("implementation", IMPLEMENTATION, 1));
    office.baton(&["decide", "F001"]).ends_with(0);
    office.baton(&["task", "add", "F002", "Second", "--workflow", "single"]).ends_with(0);
    office.baton(&["receive", "F002", "--as", "bob"]).ends_with(0);
    office.place.write("tides.txt", "06:12 low\n12:20 high\n");
    let first = office.home.read("implementation.md");
    let second = office
        .document("second.md", &first.replace("F001", "F002").replace("retry_count: 1", "retry_count: 0"));
    office.baton(&["submit", "F002", &second, "--as", "bob"]).ends_with(0);
    office.baton(&["task", "check", "F002"]).ends_with(0);
    office.baton(&["decide", "F002"]).ends_with(0);
    let counted = office.baton(&["metrics", "--json"]).ends_with(0).json();
    let agent = &counted["agents"][0];
    assert_eq!(agent["agent"], "builder");
    for (key, value) in [("turns", 3), ("accepted", 2), ("first_pass", 1), ("reworks", 1), ("lost", 0)] {
        assert_eq!(agent[key], value, "{key}: {counted}");
    }
    assert_eq!(agent["first_pass_rate"], 0.5);
    assert_eq!(counted["tasks"].as_array().expect("a list").len(), 2);
    let table = office.baton(&["metrics", "--by", "stage"]).ends_with(0).out();
    assert!(table.contains("build") && table.contains("50 %") && !table.contains("F001"), "{table}");
    office.baton(&["rebuild"]).ends_with(0);
    assert_eq!(
        office.baton(&["metrics", "--json"]).ends_with(0).json(),
        counted,
        "a rebuild counts the same"
    );
}
