//! `specs/stages/checkpoints.md`: every checkpoint of the built-in stages, settled by what it says.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::desk::{Office, ago};
use crate::support::announce;

const PAGE: &str = include_str!("../../../../specs/stages/checkpoints.md");
/// Those that a command settles.
const BY_COMMAND: &[&str] = &["tests_passing", "no_lint_errors"];

/// Real processes wait for each other and for the disk more than they compute.
const THREADS: usize = 4;

/// A document with what is to come of it.
#[derive(Clone, Debug, Default)]
struct Case {
    checkpoint: String,
    name: String,
    options: Vec<(String, String)>,
    earlier: String,
    keys: String,
    body: String,
    verdict: String,
    settled_by: String,
    words: Vec<String>,
}

impl Case {
    fn option(&self, wanted: &str) -> Option<&str> {
        self.options.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str())
    }

    fn document(&self) -> String {
        format!(
            "---\nid: F001\nstage: work\ntitle: Tides\nstatus: complete\nstarted_at: {}\n\
             completed_at: {}\ncheckpoints:\n  - name: {}\n    status: {}\nhandoff_ready: {}\nretry_count: 0\n{}---\n\n{}",
            ago(60),
            ago(0),
            self.checkpoint,
            self.option("status").unwrap_or("pass"),
            self.option("status").is_none(),
            self.keys,
            self.body
        )
    }
}

/// Reads `NAME key=value key=value`; a value goes on to the next key.
fn named(title: &str) -> (String, Vec<(String, String)>) {
    let keys = [" status=", " file=", " criterion="];
    let at = keys.iter().filter_map(|key| title.find(key)).min().unwrap_or(title.len());
    let (name, rest) = title.split_at(at);
    let option = rest.trim().split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned()));
    (name.to_owned(), option.into_iter().collect())
}

fn cases() -> Vec<Case> {
    let mut all = Vec::new();
    let (mut case, mut earlier) = (Case::default(), String::new());
    let mut lines = PAGE.lines();
    while let Some(line) = lines.next() {
        if let Some(checkpoint) = line.strip_prefix("## ") {
            (case, earlier) = (Case { checkpoint: checkpoint.to_owned(), ..Case::default() }, String::new());
        }
        let Some(head) = line.strip_prefix("~~~~") else { continue };
        let (kind, title) = head.split_once(' ').unwrap_or((head, ""));
        let body: String =
            lines.by_ref().take_while(|line| *line != "~~~~").map(|line| format!("{line}\n")).collect();
        if !title.is_empty() && matches!(kind, "keys" | "handoff") {
            (case.name, case.options) = named(title);
        }
        match kind {
            "earlier" => earlier = body,
            "keys" => case.keys = body,
            "handoff" => case.body = body,
            "expect" => {
                let mut lines = body.lines();
                let (verdict, by) =
                    lines.next().and_then(|line| line.split_once(' ')).expect("a verdict and by what");
                let checkpoint = case.checkpoint.clone();
                let mut own = std::mem::replace(&mut case, Case { checkpoint, ..Case::default() });
                (own.verdict, own.settled_by, own.earlier) =
                    (verdict.to_owned(), by.to_owned(), earlier.clone());
                own.words = lines.map(str::to_owned).collect();
                all.push(own);
            }
            other => panic!("`{other}` is no part of a case"),
        }
    }
    all
}

/// Hands a document over and says what came of it, by what, and the reason.
fn settled(case: &Case) -> (String, String, String) {
    let office = Office::new();
    let is_command = BY_COMMAND.contains(&case.checkpoint.as_str());
    let key = if is_command { "checkpoints" } else { "asserted" };
    let config = format!(
        "[checks.{0}]\nrun = [\"test\", \"-f\", \"done.txt\"]\n[stages.work]\ncheckpoints = [\"{0}\"]\n[workflows.case]\n\
         [[workflows.case.stages]]\nname = \"before\"\nagent = \"ann\"\n[[workflows.case.stages]]\nname = \"work\"\nagent = \
         \"ben\"\n{key} = [\"{0}\"]\n",
        case.checkpoint
    );
    office.place.write("baton.toml", config);
    office.place.write("tests/test_all.py", "def test_day():\n    assert True\n");
    office.baton(&["trust", "--yes"]).ends_with(0);
    let mut words = vec!["task", "add", "F001", "Print the tides", "--workflow", "case"];
    words.extend(case.option("criterion").iter().flat_map(|criterion| ["--criterion", criterion]));
    office.baton(&words).ends_with(0);
    let earlier = format!(
        "# Before\n\n{}\n\n```yaml\noutcome: completed\nsummary: the requirements are listed\n```\n",
        case.earlier
    );
    office.hand_over("ann", &office.document("before.md", &earlier));
    office.baton(&["decide", "F001"]).ends_with(0);
    office.baton(&["receive", "F001", "--as", "ben"]).ends_with(0);
    let _ = office.baton(&["ack", "F001", "--as", "ben"]);
    if let Some(file) = case.option("file") {
        let text =
            if file.ends_with(".py") { "def test_new():\n    assert True\n" } else { "Something new\n" };
        let text = if file == "tides.py" { "def tides():\n    return 3\n" } else { text };
        office.place.write(file, text);
    }
    office
        .baton(&["submit", "F001", &office.document("work.md", &case.document()), "--as", "ben"])
        .ends_with(0);
    let checked = office.baton(&["task", "check", "F001"]).ends_with(0).out();
    // A question that blocks is a person's to answer before anything is decided.
    if office.baton(&["inbox"]).ends_with(0).out().contains("baton answer F001 q1") {
        office.baton(&["answer", "F001", "q1", "The north one"]).ends_with(0);
    }
    let decided = office.baton(&["decide", "F001"]).ends_with(0).out();
    let verdict = if decided.contains("accept because") { "pass" } else { "fail" };
    let shown = office.baton(&["task", "show", "F001"]).ends_with(0).out();
    let receipt = shown.lines().rev().find(|line| line.contains("checklist_receipt")).expect("a receipt");
    let receipt = receipt.split_whitespace().next().expect("its name");
    let receipt = office.baton(&["show", "F001", receipt]).ends_with(0).json();
    let own = receipt["checkpoints"]
        .as_array()
        .into_iter()
        .flatten()
        .find(|own| own["name"] == case.checkpoint.as_str());
    let asserted =
        receipt["asserted"].as_array().into_iter().flatten().any(|own| *own == case.checkpoint.as_str());
    let by = match own {
        Some(own) => own["settled_by"].as_str().expect("a word"),
        None => "asserted",
    };
    assert_eq!(asserted, by == "asserted", "{receipt}");
    assert_eq!(asserted, checked.contains("asserted by the agent alone"), "{checked}");
    (verdict.to_owned(), by.to_owned(), format!("{checked}\n{decided}"))
}

#[test]
fn every_checkpoint_is_settled_by_what_the_page_says() {
    let all = cases();
    let next = AtomicUsize::new(0);
    let take = || {
        let numbers = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        let own = numbers.map_while(|number| all.get(number)).map(|case| (case, settled(case)));
        own.collect::<Vec<_>>()
    };
    let taken = thread::scope(|scope| {
        let workers: Vec<_> = (0..THREADS).map(|_| scope.spawn(take)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a worker")).collect::<Vec<_>>()
    });
    let mut wrong = String::new();
    let mut of: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (case, (verdict, by, said)) in &taken {
        of.entry(&case.checkpoint).or_default().push(&case.verdict);
        let lacks: Vec<&String> = case.words.iter().filter(|words| !said.contains(words.as_str())).collect();
        if *verdict != case.verdict || *by != case.settled_by || !lacks.is_empty() {
            let Case { checkpoint, name, .. } = case;
            let _ = writeln!(wrong, "{checkpoint}, {name}: {verdict} by {by}, lacks {lacks:?}: {said}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert_eq!(of.len(), 15, "one of the sixteen is in two stages");
    for (checkpoint, verdicts) in of {
        assert!(verdicts.contains(&"pass") && verdicts.contains(&"fail"), "{checkpoint} has one of each");
    }
    announce(&format!("{} documents", all.len()));
}
