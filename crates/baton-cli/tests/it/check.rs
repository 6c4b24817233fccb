//! What `check` concludes, and with which exit code it says so.

use crate::support::{Place, bad, good};

/// A document with warnings and notes, and without errors.
const WARNED: &str = "handoff:\n  phase: Testing\n  from: \"@tester\"\n  to: \"@builder\"\n  status: in_progress\n  retries_left: 2\n  task: task-1\n  dependencies: [task-1]\n";

#[test]
fn the_exit_code_says_what_was_found() {
    let place = Place::with(&[
        ("good.md", &good()),
        ("bad.md", &bad()),
        ("warned.yaml", WARNED),
        ("novel.md", "# The ferry\n\nIt was raining.\n"),
        ("empty/novel.md", "# The ferry\n\nIt was raining.\n"),
    ]);
    for (args, code) in [
        (&["check", "good.md"][..], 0),
        (&["check", "bad.md"], 1),
        (&["check", "warned.yaml"], 0),
        (&["check", "--deny-warnings", "warned.yaml"], 1),
        (&["check", "--deny-warnings", "good.md"], 0),
        (&["check", "good.md", "bad.md"], 1),
        (&["check", "novel.md"], 1),
        (&["check", "empty"], 6),
        (&["check", "--allow-empty", "empty"], 0),
        (&["check", "missing.md"], 3),
        (&["check", "good.md", "missing.md"], 3),
        (&["check", "--allow-empty", "missing.md"], 3),
        (&["check", "--format", "pdf", "good.md"], 2),
        (&["check", "--threads", "0", "good.md"], 2),
        (&["check", "--diff", "good.md"], 2),
        (&["check", "--fix", "--json", "good.md"], 2),
        (&["check", "--json", "--format", "sarif", "good.md"], 2),
        (&["judge"], 2),
        (&[], 2),
    ] {
        let run = place.baton(args);
        assert_eq!(run.code, Some(code), "{args:?}\n{}{}", run.out(), run.err());
    }
}

#[test]
fn nothing_to_judge_is_told_with_its_code() {
    let place = Place::new();
    let run = place.baton(&["check"]).ends_with(6);
    assert!(run.err().contains("error[BT902]") && run.err().contains("--allow-empty"), "{}", run.err());
    assert_eq!(run.out(), "");
    let run = place.baton(&["check", "missing.md"]).ends_with(3);
    assert!(run.out().contains("error[BT901]: missing.md"), "{}", run.out());
    let run = place.baton(&["check", "--allow-empty", "--json"]).ends_with(0);
    assert_eq!(run.json()["summary"]["documents"], 0);
}

#[test]
fn standard_input_is_judged_like_a_file() {
    let place = Place::with(&[("bad.md", &bad())]);
    let file = place.baton(&["check", "--json", "bad.md"]).ends_with(1).json();
    let stream = place.baton_with_input(&["check", "--json", "-"], bad().as_bytes()).ends_with(1).json();
    assert_eq!(stream["files"][0]["path"], "<stdin>");
    assert_eq!(stream["files"][0]["diagnostics"], file["files"][0]["diagnostics"]);
    assert_eq!(stream["summary"], file["summary"]);
    place.baton_with_input(&["check", "-"], good().as_bytes()).ends_with(0);
    place.baton_with_input(&["check", "-"], b"").ends_with(1);
}

#[test]
fn the_letter_counts_when_it_is_asked_for() {
    let meant = good().replace("status: complete", "status: done");
    let place = Place::with(&[("meant.md", &meant)]);
    let loose = place.baton(&["check", "--json", "meant.md"]).ends_with(0).json();
    let strict = place.baton(&["check", "--json", "--strict", "meant.md"]).ends_with(1).json();
    assert_eq!(loose["summary"]["errors"], 0);
    assert_eq!(strict["summary"]["errors"], 1);
    assert_eq!(strict["files"][0]["diagnostics"][0]["severity"], "error");
    place.write("baton.toml", "[check]\nas_written = true\n");
    place.baton(&["check", "meant.md"]).ends_with(1);
}

#[test]
fn notes_are_shown_when_they_are_asked_for() {
    let place = Place::with(&[("warned.yaml", WARNED)]);
    let without = place.baton(&["check", "warned.yaml"]).ends_with(0);
    let with = place.baton(&["check", "--notes", "warned.yaml"]).ends_with(0);
    assert!(!without.out().contains("note[BT106]"), "{}", without.out());
    assert!(with.out().contains("note[BT106]"), "{}", with.out());
    assert!(with.out().contains("warning[BT305]") && without.out().contains("warning[BT305]"));
    for run in [&without, &with] {
        assert!(run.err().contains("1 handoff in 1 file: 0 errors, 1 warning, 2 notes"), "{}", run.err());
    }
}

#[test]
fn every_thread_count_gives_the_same_output_in_the_order_of_the_paths() {
    let place = Place::new();
    let mut expected = Vec::new();
    for at in 0..200 {
        let path = format!("{}/{:03}.md", ["a", "b.d", "b", "c"][at % 4], at);
        place.write(&path, if at % 3 == 0 { bad() } else { good() });
        expected.push(path);
    }
    expected.sort_by(|a, b| a.split('/').cmp(b.split('/')));
    for format in crate::support::FORMATS {
        let run = |threads: &str| {
            let run = place.baton(&["check", "--format", format, "--threads", threads, "."]).ends_with(1);
            without_times(&run.out())
        };
        let one = run("1");
        for threads in ["2", "4", "16"] {
            assert_eq!(one, run(threads), "{format} with {threads} threads");
        }
    }
    let report = place.baton(&["check", "--json", "--threads", "4", "."]).ends_with(1).json();
    let files = report["files"].as_array().expect("a list");
    let paths: Vec<_> = files.iter().map(|file| file["path"].as_str().unwrap_or_default()).collect();
    let expected: Vec<_> = expected.iter().map(ToString::to_string).collect();
    assert_eq!(paths, expected);
}

/// JUnit reports may carry times and ids of their own.
fn without_times(text: &str) -> String {
    assert!(!text.contains("timestamp=") && !text.contains("uuid="), "{text}");
    text.to_owned()
}
