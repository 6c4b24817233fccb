//! What the next agent is told: whole where it must be, short where it can be, and the same bytes every time.

use serde_json::Value;

use crate::desk::Office;

/// A handoff in the form of a task file, with the lists that are given.
pub(crate) fn handoff(lists: &str) -> String {
    format!(
        "# Task\n\n## Handoff\n\n```yaml\noutcome: completed\nfiles_created:\n  - path: tides.txt\n    purpose: the table of tides\n    lines: 1-1\n{lists}```\n"
    )
}

const FIRST: &str = "\
patterns_discovered:
  - pattern: Times are in UTC
    location: src/tide.rs
    applies_to: [tides, time]
gotchas:
  - issue: The gauge counts feet
    discovered_in: the sample of May
    mitigation: divide by 3.281
    severity: high
  - issue: The clock of the gauge has no seconds
    discovered_in: the sample of May
    mitigation: round to minutes
    severity: low
dependencies_for_next:
  - file: src/tide.rs
    reason: has the formula
open_questions:
  - question: Which harbour comes first?
    context: The order of the table
    recommendation: the northern one
    blocking: false
suggested_next_steps:
  - step: Print the table
    priority: high
    depends_on: []
";

impl Office {
    /// Carries a task of one stage to its end.
    fn finish(&self, task: &str, person: &str, document: &str) {
        self.baton(&["receive", task, "--as", person]).ends_with(0);
        self.place.write("tides.txt", "06:12 low\n");
        self.baton(&["submit", task, document, "--as", person]).ends_with(0);
        self.baton(&["task", "check", task]).ends_with(0);
        let decided = self.baton(&["decide", task]).ends_with(0).out();
        assert!(decided.contains("now: done"), "{decided}");
    }

    fn add(&self, task: &str, title: &str, after: &[&str]) {
        let mut words = vec!["task", "add", task, title, "--workflow", "single", "--criterion", "AC-1"];
        after.iter().for_each(|on| words.extend(["--after", *on]));
        self.baton(&words).ends_with(0);
    }
}

/// A project in which one task is done and the next one waits for whoever takes it.
fn two_tasks() -> Office {
    let office = Office::new();
    office.place.write("src/tide.rs", "// the formula\n");
    office.add("T1", "Read the gauge", &[]);
    office.add("T2", "Print the tides", &["T1"]);
    let document = office.document("first.md", &handoff(FIRST));
    office.finish("T1", "ann", &document);
    office
}

#[test]
fn the_next_one_is_told_what_matters_and_it_is_kept_with_the_turn() {
    let office = two_tasks();
    let told = office.baton(&["context", "T2"]).ends_with(0);
    let (text, talk) = (told.out(), told.err());
    for part in [
        "# Goal\nT2: Print the tides\nIt is done when:\n- AC-1\n# Context\n",
        "\n# Rules\n- The project's guidance comes first: AGENTS.md (version ",
        "- src/tide.rs: has the formula\n",
        "- Which harbour comes first? → the northern one\n",
        "- Times are in UTC (tide.rs)\n",
        "- HIGH: The gauge counts feet → divide by 3.281\n",
        "- Print the table\n",
        " A line without a tag is from T1.\n",
        "Left out: 1 warnings (`baton context T2 --all warnings`)",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(talk.contains("o200k estimate"), "{talk}");
    // The command that it names gives what was left out.
    let all = office.baton(&["context", "T2", "--all", "warnings"]).ends_with(0).out();
    assert!(all.contains("The clock of the gauge has no seconds"), "{all}");

    let received = office.baton(&["receive", "T2", "--as", "ben"]).ends_with(0).out();
    assert!(received.contains(&text), "{received}");
    let kept = office.baton(&["context", "T2", "--turn", "turn-1"]).ends_with(0).out();
    assert_eq!(kept, text, "what was told is kept as it was");
    let envelope = office.baton(&["show", "T2", "context-turn-1"]).ends_with(0).json();
    let hash = talk.split_whitespace().last().expect("a hash");
    assert_eq!(envelope["sha256"], hash);
    let checked = office.home.path().join("envelope.json");
    std::fs::write(&checked, envelope.to_string()).expect("a file");
    office.baton(&["check", &checked.display().to_string()]).ends_with(0);
    let stats = office.baton(&["context", "--stats", "--json"]).ends_with(0).json();
    assert_eq!(stats["turns"].as_array().map(Vec::len), Some(2), "{stats}");
    office.baton(&["replay"]).ends_with(0);
}

#[test]
fn a_blocking_question_is_answered_before_the_next_one_begins_and_what_a_person_retires_is_gone() {
    let office = Office::new();
    office.place.write("src/tide.rs", "// the formula\n");
    office.add("T1", "Read the gauge", &[]);
    office.add("T2", "Print the tides", &["T1"]);
    let lists = FIRST.replace("blocking: false", "blocking: true");
    office.baton(&["receive", "T1", "--as", "ann"]).ends_with(0);
    office.place.write("tides.txt", "06:12 low\n");
    let asks = office.document("asks.md", &handoff(&lists));
    office.baton(&["submit", "T1", &asks, "--as", "ann"]).ends_with(0);
    let open = office.baton(&["decide", "T1"]).ends_with(8).err();
    assert!(open.contains("the question q1 is open"), "{open}");
    office.baton(&["answer", "T1", "q1", "the north"]).ends_with(0);
    office.baton(&["decide", "T1"]).ends_with(0);
    office.finish("T1", "ann", &office.document("first.md", &handoff(FIRST)));
    let told = || office.baton(&["context", "T2"]).ends_with(0).out();
    assert!(!told().contains("BLOCKING"), "{}", told());
    assert!(told().contains("The gauge counts feet"));
    let found = office.baton(&["search", "gauge feet", "--json"]).ends_with(0).json();
    let id = found["found"][0]["id"].as_str().unwrap_or_default().to_owned();
    office.baton(&["knowledge", "retire", &id, "it was replaced"]).ends_with(0);
    assert!(!told().contains("The gauge counts feet"), "{}", told());
}

#[test]
fn the_same_log_gives_the_same_bytes() {
    let office = two_tasks();
    let first = office.baton(&["context", "T2", "--json"]).ends_with(0).out();
    let backup = office.home.file("backup.sqlite").display().to_string();
    office.baton(&["backup", &backup]).ends_with(0);
    let folder = office.home.file("restored").display().to_string();
    office.baton(&["restore", &backup, "--into", &folder]).ends_with(0);
    assert_eq!(office.baton(&["context", "T2", "--json"]).ends_with(0).out(), first);
    assert_eq!(office.baton(&["context", "T2", "--json", "--store", &folder]).ends_with(0).out(), first);
    let mut elsewhere = std::process::Command::new("env");
    let home = format!("HOME={}", office.home.path().display());
    elsewhere.args([home.as_str(), "USER=ida", "LC_ALL=tr_TR.UTF-8", "LANG=tr_TR.UTF-8", "TZ=Asia/Tokyo"]);
    elsewhere.arg(env!("CARGO_BIN_EXE_baton")).args(["context", "T2", "--json"]);
    assert_eq!(office.place.run(&mut elsewhere, b"").ends_with(0).out(), first);
}

#[test]
fn what_changed_since_the_handoff_is_said_first() {
    let office = two_tasks();
    office.place.write("src/tide.rs", "// another formula\n");
    std::fs::remove_file(office.place.file("tides.txt")).expect("it was there");
    let text = office.baton(&["context", "T2"]).ends_with(0).out();
    assert!(text.contains("# Context\nChanges since the handoff: 1 named files gone; 1 changed\n"), "{text}");
    assert!(text.contains("[drift]\n- gone tides.txt\n- changed src/tide.rs\n"), "{text}");
}

#[test]
fn every_fragment_is_explained() {
    let office = two_tasks();
    let text = office.baton(&["context", "T2", "--explain"]).ends_with(0).out();
    for part in ["reserved", "kept", "weak", "below 40 is weak", "The gauge counts feet", "has no seconds"] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let small = office.baton(&["context", "T2", "--budget", "10"]).ends_with(0);
    assert!(small.err().contains("they were not cut") && small.out().contains("- AC-1\n"), "{}", small.out());
    office.baton(&["context", "T2", "--all", "everything"]).ends_with(2);
    office.baton(&["context", "T2", "--turn", "turn-9"]).ends_with(2);
}

#[test]
fn criteria_have_words_and_roles_have_budgets() {
    let office = two_tasks();
    let words = "AC-2=Every tide has a time,\n## Criteria\nand a height";
    office.baton(&["task", "add", "T3", "Draw", "--criterion", "AC-1", "--criterion", words]).ends_with(0);
    let line = "AC-2: Every tide has a time, ## Criteria and a height\n";
    let told = office.baton(&["context", "T3"]).ends_with(0).out();
    assert!(told.contains(&format!("\nIt is done when:\n- AC-1\n- {line}# Rules\n")), "{told}");
    let shown = office.baton(&["task", "show", "T3"]).ends_with(0).out();
    assert!(shown.contains(&format!("criterion AC-1\ncriterion {line}")), "{shown}");
    let shown = office.baton(&["task", "show", "T3", "--json"]).ends_with(0).json();
    assert_eq!(shown["criteria"][0], serde_json::json!({ "id": "AC-1", "text": null }));
    for wrong in ["AC-1=", "AC 1=words", &format!("AC-1={}", "long ".repeat(300))] {
        let refused = office.baton(&["task", "add", "T4", "Draw", "--criterion", wrong]);
        assert!(matches!(refused.code, Some(2 | 8)), "{wrong}: {}", refused.err());
    }
    let config = office.place.read("baton.toml");
    office.place.write("baton.toml", format!("{config}[context]\nbuilder_tokens = 321\n"));
    let budget = |role: &str| {
        office.baton(&["context", "T3", "--role", role, "--json"]).ends_with(0).json()["budget_tokens"]
            .clone()
    };
    assert_eq!((budget("builder"), budget("verifier")), (321.into(), 1_000.into()));
}

#[test]
fn whoever_judges_sees_what_the_host_saw() {
    let office = two_tasks();
    office.baton(&["receive", "T2", "--as", "ben"]).ends_with(0);
    office.place.write("src/print.rs", "// prints\n");
    office.place.write("tides.txt", "06:12 low\n12:20 high\n");
    let story = handoff(&FIRST.replace("The gauge counts feet", "I am sure that all is well"));
    office.baton(&["submit", "T2", &office.document("second.md", &story), "--as", "ben"]).ends_with(0);
    office.baton(&["task", "check", "T2"]).ends_with(0);
    let json = office.baton(&["context", "T2", "--role", "verifier", "--json"]).ends_with(0).json();
    let text = json["text"].as_str().unwrap_or_default();
    for part in [
        "Give each criterion a verdict:\n- AC-1\n# Evidence\n",
        "[checks that Baton ran]\n",
        "validation pass",
        "src/print.rs: added 1\n",
        "tides.txt: changed",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    for story in ["I am sure", "feet", "UTC", "the table of tides", "Print the table", "northern"] {
        assert!(!text.contains(story), "{story}\n{text}");
    }
    let kinds: Vec<&Value> =
        json["fragments"].as_array().into_iter().flatten().map(|one| &one["kind"]).collect();
    assert!(
        kinds.iter().all(|kind| !["files", "patterns", "warnings", "decisions"].iter().any(|no| *kind == no))
    );
}
