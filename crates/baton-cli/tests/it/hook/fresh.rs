//! Fresh projects without `.gitignore`, whose checks write caches, reports and build folders.

use std::process::Command;

use serde_json::json;

use super::Beside;
use crate::mcp::talk::Talk;
use crate::support::announce;

/// A project of one ecosystem with one test.
struct Fresh {
    name: &'static str,
    /// Its program.
    needs: &'static str,
    files: &'static [(&'static str, &'static str)],
    check: &'static [&'static str],
    /// The file that is worked on, as it fails the test and as it passes it.
    source: &'static str,
    bad: &'static str,
    good: &'static str,
    /// What the check writes into its folder.
    writes: &'static str,
}

const PYTHON: Fresh = Fresh {
    name: "Python",
    needs: "python3",
    files: &[
        ("calc.py", "def add(a, b):\n    return a + b\n"),
        (
            "test_calc.py",
            "import unittest, calc\n\nclass Adds(unittest.TestCase):\n    def test_adds(self):\n        self.assertEqual(calc.add(1, 2), 3)\n",
        ),
    ],
    check: &["python3", "-m", "unittest", "discover", "-q"],
    source: "calc.py",
    bad: "def add(a, b):\n    return a - b  # wrong\n",
    good: "def add(a, b):\n    return b + a\n",
    writes: "__pycache__",
};

const NODE: Fresh = Fresh {
    name: "Node",
    needs: "node",
    files: &[
        ("add.js", "module.exports = (a, b) => a + b\n"),
        (
            "test.js",
            "const fs = require('fs')\nfs.mkdirSync('coverage', { recursive: true })\nfs.writeFileSync('coverage/lcov.info', `run ${process.hrtime.bigint()}\\n`)\nrequire('assert').strictEqual(require('./add')(1, 2), 3)\n",
        ),
    ],
    check: &["node", "test.js"],
    source: "add.js",
    bad: "module.exports = (a, b) => a - b\n",
    good: "module.exports = (a, b) => b + a\n",
    writes: "coverage",
};

const RUST: Fresh = Fresh {
    name: "Rust",
    needs: "cargo",
    files: &[
        ("Cargo.toml", "[package]\nname = \"adds\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"),
        (
            "src/lib.rs",
            "pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n#[test]\nfn adds() {\n    assert_eq!(add(1, 2), 3);\n}\n",
        ),
    ],
    check: &["cargo", "test", "--offline", "--quiet"],
    source: "src/lib.rs",
    bad: "pub fn add(a: i32, b: i32) -> i32 {\n    a - b\n}\n#[test]\nfn adds() {\n    assert_eq!(add(1, 2), 3);\n}\n",
    good: "pub fn add(a: i32, b: i32) -> i32 {\n    b + a\n}\n#[test]\nfn adds() {\n    assert_eq!(add(1, 2), 3);\n}\n",
    writes: "target",
};

const GO: Fresh = Fresh {
    name: "Go",
    needs: "go",
    files: &[
        ("go.mod", "module adds\n\ngo 1.20\n"),
        ("add.go", "package adds\n\nfunc Add(a, b int) int { return a + b }\n"),
        (
            "add_test.go",
            "package adds\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(1, 2) != 3 {\n\t\tt.Fatal(\"wrong\")\n\t}\n}\n",
        ),
    ],
    check: &["go", "test", "-coverprofile=cover.out", "-o", "adds.test", "./..."],
    source: "add.go",
    bad: "package adds\n\nfunc Add(a, b int) int { return a - b }\n",
    good: "package adds\n\nfunc Add(a, b int) int { return b + a }\n",
    writes: "cover.out",
};

const SHELL: Fresh = Fresh {
    name: "shell with reports",
    needs: "sh",
    files: &[
        ("tides.txt", "06:12 low\n"),
        (
            "test.sh",
            "mkdir -p build/reports .cache\ndate +%s%N > build/reports/last.txt\ndate +%s%N > .cache/stamp\necho run >> report.log\ngrep -q low tides.txt\n",
        ),
    ],
    check: &["sh", "test.sh"],
    source: "tides.txt",
    bad: "06:12 hgih\n",
    good: "06:13 low\n",
    writes: "build",
};

const ALL: &[Fresh] = &[PYTHON, NODE, RUST, GO, SHELL];

impl Fresh {
    fn is_installed(&self) -> bool {
        let is_there = Command::new(self.needs).arg("-c").arg("").output().is_ok();
        if !is_there {
            announce(&format!(
                "LEFT OUT: a fresh project of {}: `{}` is not installed",
                self.name, self.needs
            ));
        }
        is_there
    }

    fn project(&self) -> Beside {
        Beside::checked(self.files, self.check)
    }

    /// Runs the check as an agent does that looks at its work itself.
    fn try_out(&self, beside: &Beside) {
        let mut command = Command::new(self.check[0]);
        command.args(&self.check[1..]).current_dir(beside.place.path());
        let run = command.output().expect("it starts");
        assert!(run.status.success(), "{}: {}", self.name, String::from_utf8_lossy(&run.stderr));
    }

    fn handoff(&self) -> String {
        format!(
            "It is done.\n\n```yaml\noutcome: completed\nsummary: adds in another order\nfiles_modified:\n  - {{path: {}, change_type: modify, description: another order}}\n```\n",
            self.source
        )
    }
}

fn all() -> impl Iterator<Item = &'static Fresh> {
    ALL.iter().filter(|fresh| fresh.is_installed())
}

#[test]
fn failing_work_is_sent_back_three_times_and_then_waits_for_a_person() {
    for fresh in all() {
        let (beside, name) = (fresh.project(), fresh.name);
        beside.start("claude", "s1");
        beside.prompt("claude", "s1");
        beside.place.write(fresh.source, fresh.bad);
        for count in 1..=3 {
            let text = beside.stop("claude", "s1", &fresh.handoff());
            let text = text.unwrap_or_else(|| panic!("{name}: stop {count} lets failing work go"));
            for part in ["checks_failed", "tests: fail", &format!("Attempt {count} of 3")] {
                assert!(text.contains(part), "{name}: {part} in {text}");
            }
            assert!(!text.contains("checkout-rooms"), "{name}: an agent works in its checkout\n{text}");
        }
        assert_eq!(beside.stop("claude", "s1", &fresh.handoff()), None, "{name}");
        assert!(beside.told(&["inbox"]).contains("retries_exhausted"), "{name}");
        assert!(!beside.place.file(fresh.writes).exists(), "{name}: the check wrote into the checkout");
        // The failing work is not what the next work is compared with.
        beside.prompt("claude", "s1");
        beside.place.write("notes.md", "more\n");
        let said = "```yaml\noutcome: completed\nsummary: notes\nfiles_created:\n  - {path: notes.md, purpose: notes}\n```\n";
        let text = beside.stop("claude", "s1", said).unwrap_or_else(|| panic!("{name}: it still fails"));
        assert!(text.contains("checks_failed"), "{name}: {text}");
        assert!(!beside.told(&["log"]).contains("accept"), "{name}");
        assert!(beside.told(&["replay"]).contains("replayed"), "{name}");
    }
}

#[test]
fn honest_work_passes_also_where_its_agent_ran_the_check_before() {
    for fresh in all() {
        for tries_out in [false, true] {
            let (beside, name) = (fresh.project(), fresh.name);
            beside.start("codex", "s1");
            beside.prompt("codex", "s1");
            beside.place.write(fresh.source, fresh.good);
            if tries_out {
                fresh.try_out(&beside);
            }
            let sent_back = beside.stop("codex", "s1", &fresh.handoff());
            assert_eq!(sent_back, None, "{name}, tried out: {tries_out}\n{}", beside.told(&["log"]));
            let status = beside.told(&["status"]);
            assert!(status.contains("done-unverified"), "{name}, tried out: {tries_out}\n{status}");
        }
    }
}

#[test]
fn work_by_hand_fails_until_a_person_is_asked_and_passes_when_it_is_right() {
    for fresh in all() {
        let (beside, name) = (fresh.project(), fresh.name);
        let told = |args: &[&str], code: i32| {
            let run = beside.baton(args, b"", &[]).ends_with(code);
            format!("{}{}", run.out(), run.err())
        };
        for id in ["T1", "T2"] {
            told(&["task", "add", id, "Add in another order", "--workflow", "session"], 0);
        }
        // The same work again needs somebody else.
        let take = |id: &str, who: &str| told(&["receive", id, "--as", who], 0);
        let hand_over = |id: &str, who: &str| {
            let handoff = fresh.handoff();
            beside.baton(&["submit", id, "-", "--as", who], handoff.as_bytes(), &[]).ends_with(0);
            // What the check writes does not keep the decision from being taken.
            beside.baton(&["task", "check", id], b"", &[]);
            beside.told(&["decide", id])
        };
        let decisions = (1..=6).map(|count| {
            let who = format!("person-{count}");
            take("T1", &who);
            beside.place.write(fresh.source, fresh.bad);
            hand_over("T1", &who)
        });
        let back =
            decisions.take_while(|decided| decided.contains("rework because of checks_failed")).count();
        // Three retries, and two answers to the same failure that use up none: a fresh session, then another agent.
        assert!((1..=5).contains(&back), "{name}: {back} times");
        let inbox = beside.told(&["inbox"]);
        assert!(inbox.contains("retries_exhausted") || inbox.contains("no_progress"), "{name}: {inbox}");
        take("T2", "person-1");
        beside.place.write(fresh.source, fresh.good);
        let decided = hand_over("T2", "person-1");
        assert!(decided.contains("accept because of self_checked"), "{name}: {decided}");
        assert!(!beside.place.file(fresh.writes).exists(), "{name}: the check wrote into the checkout");
    }
}

#[test]
fn work_over_mcp_fails_until_a_person_is_asked_and_passes_when_it_is_right() {
    for fresh in all() {
        let (beside, name) = (fresh.project(), fresh.name);
        for id in ["T1", "T2"] {
            let add = ["task", "add", id, "Add in another order", "--workflow", "session"];
            beside.baton(&add, b"", &[]).ends_with(0);
        }
        let mut command = beside.prepared(beside.place.command(&["mcp"]));
        command.env("CLAUDE_CODE_SESSION_ID", "s1");
        let mut talk = Talk::with(&mut command);
        let client = json!({ "name": "rig", "version": "1" });
        let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
        talk.ask("initialize", &hello);
        talk.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        let mut hand_over = |id: &str, text: &str| {
            talk.call("receive", &json!({ "task": id }));
            beside.place.write(fresh.source, text);
            talk.call("submit", &json!({ "task": id, "document": fresh.handoff() })).text
        };
        for count in 1..=4 {
            let told = hand_over("T1", fresh.bad);
            let expected = if count < 4 { "checks_failed" } else { "retries_exhausted" };
            assert!(told.contains(expected), "{name}, {count}: {told}");
        }
        assert!(beside.told(&["inbox"]).contains("retries_exhausted"), "{name}");
        let told = hand_over("T2", fresh.good);
        assert!(told.contains("accept because of self_checked"), "{name}: {told}");
    }
}
