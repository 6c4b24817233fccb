//! `baton.toml`: what it changes, and what is said of its mistakes.

use std::fs;

use crate::support::{Place, bad};

#[test]
fn a_mistake_is_told_with_its_place() {
    for (name, text, word, place_of) in [
        ("unknown key", &b"[check]\nas_writen = true\n"[..], "as_writen", "baton.toml:2:1"),
        ("unknown table", b"[chekc]\n", "chekc", "baton.toml:1:2"),
        ("unknown rule", b"[rules]\nBT106 = \"off\"\nBT999 = \"off\"\n", "BT999", "baton.toml:3:1"),
        ("bad severity", b"[rules]\nBT106 = \"quiet\"\n", "quiet", "baton.toml:2:1"),
        ("wrong type", b"[rules]\nBT106 = 1\n", "string", "baton.toml:2:9"),
        ("no TOML", b"\n= =\n", "baton.toml", "baton.toml:2:"),
        ("no text", b"[rules]\n\xff\n", "UTF-8", "baton.toml"),
        ("bad glob", b"exclude = [\"docs/[a\"]\n", "docs/[a", "baton.toml:1:12"),
        ("NUL", b"[rules]\n\0 = \"off\"\n", "baton.toml", "baton.toml:2:1"),
    ] {
        let place = Place::with(&[("bad.md", &bad())]);
        place.write("baton.toml", text);
        for command in
            [&["check", "bad.md"][..], &["schema", "package"], &["convert", "--to", "summary", "bad.md"]]
        {
            let run = place.baton(command);
            let shown = run.err();
            assert_eq!(run.code, Some(4), "{name}: {shown}");
            assert!(
                shown.contains("BT801") && shown.contains(word) && shown.contains(place_of),
                "{name}: {shown}"
            );
            assert!(run.out().is_empty(), "{name}: {}", run.out());
        }
    }
}

#[test]
fn a_configuration_that_is_named_must_be_there() {
    let place = Place::with(&[("bad.md", &bad()), ("sub/other.toml", "[rules]\nBT201 = \"off\"\n")]);
    fs::create_dir(place.file("folder")).expect("a folder");
    for path in ["missing.toml", "folder"] {
        let run = place.baton(&["--config", path, "check", "bad.md"]).ends_with(4);
        assert!(run.err().contains("BT801") && run.err().contains(path), "{}", run.err());
    }
    place.baton(&["check", "bad.md"]).ends_with(1);
    let run = place.baton(&["check", "--json", "--config", "sub/other.toml", "bad.md"]);
    assert!(!run.out().contains("BT201"), "{}", run.out());
}

#[test]
fn a_folder_called_like_the_configuration_is_refused() {
    let place = Place::with(&[("bad.md", &bad())]);
    fs::create_dir(place.file("baton.toml")).expect("a folder");
    let run = place.baton(&["check", "bad.md"]).ends_with(4);
    assert!(run.err().contains("BT801"), "{}", run.err());
}

#[test]
fn a_large_configuration_is_refused() {
    let place = Place::with(&[("bad.md", &bad())]);
    place.write("baton.toml", "#".repeat(300 * 1024));
    let run = place.baton(&["check", "bad.md"]).ends_with(4);
    assert!(run.err().contains("262144"), "{}", run.err());
}

#[test]
fn rules_weigh_what_the_project_says() {
    for (weight, code) in [("off", 0), ("note", 0), ("warning", 0), ("error", 1)] {
        let place = Place::with(&[("bad.md", &bad())]);
        let rules: String =
            ["BT201", "BT202"].iter().map(|rule| format!("{rule} = \"{weight}\"\n")).collect();
        place.write("baton.toml", format!("[rules]\n{rules}"));
        let run = place.baton(&["check", "--json", "bad.md"]);
        assert_eq!(run.code, Some(code), "{weight}: {}", run.out());
        let found = run.json()["files"][0]["diagnostics"].as_array().cloned().unwrap_or_default();
        assert_eq!(found.is_empty(), weight == "off", "{weight}: {found:?}");
        assert!(found.iter().all(|found| found["severity"] == weight), "{weight}: {found:?}");
    }
}

#[test]
fn excluded_files_are_passed_over_in_folders() {
    let place = Place::with(&[
        ("docs/examples/bad.md", &bad()),
        ("docs/bad.md", &bad()),
        ("baton.toml", "exclude = [\"docs/examples/**\"]\n"),
    ]);
    for folder in [".", "docs", "docs/../docs"] {
        let run = place.baton(&["check", folder]).ends_with(1);
        let shown = run.out();
        assert!(shown.contains("bad.md") && !shown.contains("examples"), "{folder}: {shown}");
    }
    place.baton(&["check", "docs/examples"]).ends_with(6);
    place.baton(&["check", "docs/examples/bad.md"]).ends_with(1);
    let run = place.baton(&["check", "--fix", "--diff", "docs/examples"]);
    assert!(run.out().is_empty(), "{}", run.out());
}
