//! What is learned ages with its file, is approved by people only, and is found by any words.

use std::fs;
use std::time::{Duration, SystemTime};

use crate::support::{Place, Run};

struct Office {
    place: Place,
    home: Place,
}

impl Office {
    fn new() -> Self {
        let office = Self { place: Place::new(), home: Place::new() };
        office.place.write("baton.toml", "[checks.validation]\nrun = [\"true\"]\n");
        office.place.write("src/pay.rs", "one\ntwo\nthree\nfour\nfive\nsix\n");
        office.baton(&["trust", "--yes"]).ends_with(0);
        office.place.commit("first");
        office
    }

    fn baton(&self, args: &[&str]) -> Run {
        let mut command = std::process::Command::new("env");
        let home = format!("HOME={}", self.home.path().display());
        command.args([home.as_str(), "USER=ida"]).arg(env!("CARGO_BIN_EXE_baton")).args(args);
        self.place.run(&mut command, b"")
    }

    /// Carries a task whose handoff teaches one thing.
    fn learn(&self, task: &str, gotcha: &str) {
        let text = format!(
            "## Handoff\n\n```yaml\noutcome: completed\nfiles_modified:\n  - path: src/pay.rs\n    change_type: modify\n    description: Paid\n\
             gotchas:\n  - issue: {gotcha}\n    discovered_in: src/pay.rs\n    mitigation: Wait\n    severity: high\n```\n"
        );
        self.home.write("handoff.md", text);
        let file = self.home.file("handoff.md").display().to_string();
        self.baton(&["task", "add", task, "Pay", "--workflow", "single"]).ends_with(0);
        self.baton(&["receive", task]).ends_with(0);
        self.place.write("src/pay.rs", format!("one\ntwo\nthree\nfour\nfive\nsix\n{task}\n"));
        self.baton(&["submit", task, &file]).ends_with(0);
        self.baton(&["task", "check", task]).ends_with(0);
        self.baton(&["decide", task]).ends_with(0);
    }

    /// Writes the file as if an hour had passed: one that is no newer than the lesson is not compared.
    fn rewrite(&self, text: &str) {
        self.place.write("src/pay.rs", text);
        let file = fs::File::options().write(true).open(self.place.file("src/pay.rs")).expect("it is there");
        file.set_modified(SystemTime::now() + Duration::from_secs(3600)).expect("its time can be set");
    }

    fn only_lesson(&self) -> serde_json::Value {
        let listed = self.baton(&["knowledge", "list", "--json"]).ends_with(0).json();
        assert_eq!(listed["lessons"].as_array().map(Vec::len), Some(1), "{listed}");
        listed["lessons"][0].clone()
    }
}

#[test]
fn a_lesson_is_stale_when_its_file_changed_much_and_retired_when_it_is_gone() {
    let office = Office::new();
    office.learn("T1", "The limit is 100/min");
    let standing = || office.only_lesson()["standing"].as_str().unwrap_or_default().to_owned();
    assert_eq!(standing(), "backed");
    office.rewrite("one\ntwo\nthree\nfour\nFIVE\nSIX\n");
    assert_eq!(standing(), "backed", "four of seven lines are left");
    office.rewrite("ONE\nTWO\nTHREE\nFOUR\nfive\nsix\n");
    assert_eq!(standing(), "stale");
    let id = office.only_lesson()["id"].as_str().unwrap_or_default().to_owned();
    office.place.git(&["mv", "src/pay.rs", "src/paid.rs"]);
    assert_eq!(standing(), "retired");
    let shown = office.baton(&["knowledge", "show", &id]).ends_with(0).out();
    assert!(shown.contains("retired: src/pay.rs is gone"), "{shown}");
    assert_eq!(
        office.baton(&["knowledge", "journal", "T1", "--json"]).ends_with(0).json()["lessons"],
        serde_json::json!([])
    );
}

#[test]
fn a_person_approves_and_retires_by_the_beginning_of_an_id() {
    let office = Office::new();
    office.learn("T1", "Skip the slow tests");
    assert_eq!(office.only_lesson()["standing"], "inert");
    let approved = office.baton(&["knowledge", "approve", "gotcha-", "They hang"]).ends_with(0).out();
    assert!(approved.contains("is approved: Skip the slow tests"), "{approved}");
    let lesson = office.only_lesson();
    assert_eq!(
        (lesson["because"].as_str(), lesson["reaches_prompts"].as_bool()),
        (Some("approved by ida: They hang"), Some(true))
    );
    office.baton(&["knowledge", "approve", "gotcha-"]).ends_with(8);
    office.baton(&["knowledge", "approve", "file-"]).ends_with(8);
    office.baton(&["knowledge", "retire", "nothing", "x"]).ends_with(8);
    office.baton(&["knowledge", "retire", "gotcha-", "They were mended"]).ends_with(0);
    assert_eq!(office.only_lesson()["standing"], "retired");
    let log = office.baton(&["log"]).ends_with(0).out();
    assert!(log.contains("lesson approved") && log.contains("lesson retired"), "{log}");
}

#[test]
fn any_words_are_answered() {
    let office = Office::new();
    office.learn("T1", "The limit is 100/min");
    for words in ["\" OR 1=1 --", "NEAR(", "*", "text : limit", "'; DROP TABLE node", "limit\u{202e}"] {
        office.baton(&["search", "--", words]).ends_with(0);
        office.baton(&["files", "--", words]).ends_with(0);
    }
    let found = office
        .baton(&["search", "limit", "--severity", "high", "--task", "T1", "--json"])
        .ends_with(0)
        .json();
    assert_eq!(found["found"][0]["tasks"]["T1"][0], "builder", "{found}");
    assert!(office.baton(&["search", "no such word"]).ends_with(0).err().contains("nothing was found"));
}
