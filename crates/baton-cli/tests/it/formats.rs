//! The forms for machines are well-formed and agree with each other.

use baton_handoff::rule;
use serde_json::Value;

use crate::support::{FORMATS, Place, bad, good};

fn place() -> Place {
    Place::with(&[
        ("a.md", &good()),
        ("b.md", &bad()),
        ("c.yaml", "handoff:\n  phase: Testing\n  from: \"@a\"\n  to: \"@b\"\n  status: \"100%,\\nfine:\"\n"),
        ("d.md", "# The ferry\n\nIt was raining.\n"),
    ])
}

#[test]
fn json_counts_what_it_lists() {
    let report = place().baton(&["check", "--json", ".", "missing.md"]).ends_with(3).json();
    assert_eq!(report["version"], 1);
    let files = report["files"].as_array().expect("a list");
    let found = || files.iter().flat_map(|file| file["diagnostics"].as_array().into_iter().flatten());
    let severity = |name: &str| found().filter(|found| found["severity"] == name).count();
    let handoffs: usize = files.iter().filter_map(|file| file["handoffs"].as_array()).map(Vec::len).sum();
    let having = |key: &str| files.iter().filter(|file| file[key].is_string()).count();
    let summary = &report["summary"];
    assert_eq!(summary["errors"], severity("error"));
    assert_eq!(summary["warnings"], severity("warning"));
    assert_eq!(summary["notes"], severity("note"));
    assert_eq!(summary["handoffs"], handoffs);
    assert_eq!(summary["documents"], 3);
    assert_eq!(summary["not_handoffs"], having("not_a_handoff"));
    assert_eq!(summary["unreadable"], having("unreadable"));
    for found in found() {
        let code = found["code"].as_str().and_then(rule::Code::parse).expect("a code");
        assert_eq!(found["rule"], code.rule().name);
        assert!(found["line"].as_u64() >= Some(1) && found["column"].as_u64() >= Some(1), "{found}");
        let (start, end) = (found["start"].as_u64(), found["end"].as_u64());
        assert!(start <= end && start.is_some(), "{found}");
    }
}

#[test]
fn sarif_names_its_version_and_every_rule() {
    let run = place().baton(&["check", "--format", "sarif", "."]).ends_with(1);
    let report = run.json();
    assert_eq!(report["version"], "2.1.0");
    let run = &report["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().expect("a list");
    let ids: Vec<_> = rules.iter().map(|rule| rule["id"].as_str().unwrap_or_default().to_owned()).collect();
    let expected: Vec<_> = rule::ALL.iter().map(|rule| rule.code.to_string()).collect();
    assert_eq!(ids, expected);
    let results = run["results"].as_array().expect("a list");
    assert!(results.len() >= 2, "{results:?}");
    for result in results {
        assert!(ids.iter().any(|id| result["ruleId"] == **id), "{result}");
        assert!(matches!(result["level"].as_str(), Some("error" | "warning" | "note")), "{result}");
        let region = &result["locations"][0]["physicalLocation"]["region"];
        assert!(region["startLine"].as_u64() >= Some(1), "{result}");
        assert!(!result["message"]["text"].as_str().unwrap_or_default().is_empty(), "{result}");
    }
}

#[test]
fn junit_is_well_formed_and_counts_its_failures() {
    let run = place().baton(&["check", "--format", "junit", ".", "missing.md"]).ends_with(3);
    let xml = run.out();
    let elements = elements(&xml);
    let count = |name: &str| elements.iter().filter(|element| element.starts_with(name)).count();
    assert_eq!(count("testcase "), 4, "{xml}");
    assert_eq!(count("failure "), 2, "{xml}");
    assert_eq!(count("error "), 1, "{xml}");
    let suite = elements.iter().find(|element| element.starts_with("testsuite ")).expect("a suite");
    for part in ["tests=\"4\"", "failures=\"2\"", "errors=\"1\""] {
        assert!(suite.contains(part), "{suite}");
    }
}

/// Returns the insides of all opening tags, after a look at whether every tag is closed by its own.
fn elements(xml: &str) -> Vec<String> {
    let (mut open, mut all) = (Vec::new(), Vec::new());
    let body = xml.strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>").expect("a declaration");
    for piece in body.split('<').skip(1) {
        let (tag, text) = piece.split_once('>').expect("a tag is closed");
        assert!(!text.contains('>') || text.contains("]]"), "{text}");
        let name = tag.split_whitespace().next().unwrap_or_default().to_owned();
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name), "{xml}");
            continue;
        }
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        all.push(format!("{tag} "));
        if !tag.ends_with('/') {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
    all
}

#[test]
fn annotations_are_one_line_each_and_escaped() {
    let place = place();
    place.write("odd,na:me%.md", bad());
    let out = place.baton(&["check", "--format", "github", "."]).ends_with(1).out();
    assert!(out.contains("file=odd%2Cna%3Ame%25.md,line="), "{out}");
    for line in out.lines() {
        let (head, message) =
            line.strip_prefix("::").and_then(|line| line.split_once("::")).expect("a command");
        let (command, properties) = head.split_once(' ').expect("properties");
        assert!(matches!(command, "error" | "warning"), "{line}");
        let names: Vec<_> = properties.split(',').filter_map(|property| property.split_once('=')).collect();
        let names: Vec<_> = names.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["file", "line", "endLine", "col", "endColumn", "title"], "{line}");
        assert!(message.replace("%25", "").replace("%0A", "").matches('%').count() == 0, "{line}");
    }
    assert!(out.contains("100%25,"), "a percent sign of a value is escaped: {out}");
}

#[test]
fn all_forms_agree_on_what_was_found() {
    let place = place();
    let report = place.baton(&["check", "--json", "."]).ends_with(1).json();
    let files = report["files"].as_array().expect("a list");
    let codes: Vec<_> = files
        .iter()
        .flat_map(|file| file["diagnostics"].as_array().into_iter().flatten())
        .filter(|found| found["severity"] == "error")
        .map(|found| found["code"].as_str().unwrap_or_default().to_owned())
        .collect();
    assert!(!codes.is_empty());
    for format in FORMATS {
        let out = place.baton(&["check", "--format", format, "."]).ends_with(1).out();
        assert!(codes.iter().all(|code| out.contains(code.as_str())), "{format} lacks one of {codes:?}");
    }
    let again: Value = place.baton(&["check", "--format", "json", "."]).ends_with(1).json();
    assert_eq!(again, report);
}
