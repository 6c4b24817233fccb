//! Every rule has a page in `docs/errors/` with a good and a bad example that are what they say.

use std::fs;

use baton_handoff::rule;

use crate::support::{Fenced, fenced, findings, repository};

/// Sections that every page has, in this order.
const SECTIONS: &[&str] = &["Why", "Bad", "Good", "What to do"];

#[test]
fn every_rule_has_a_page_with_examples_that_hold() {
    let mut wrong = Vec::new();
    for rule in rule::ALL {
        let code = rule.code.to_string();
        let title = format!("# {code}: {}", rule.name);
        if !rule.page.starts_with(&format!("{title}\n")) {
            wrong.push(format!("{code}: the page must begin with «{title}»"));
        }
        let headings = headings(rule.page);
        if headings != SECTIONS {
            wrong.push(format!("{code}: sections are {headings:?}, {SECTIONS:?} are expected"));
        }
        let blocks = fenced(rule.page);
        let under =
            |heading: &str| blocks.iter().filter(|block| block.heading == heading).collect::<Vec<_>>();
        wrong.extend(under("Bad").iter().filter_map(|block| must_fire(&code, block)));
        wrong.extend(under("Good").iter().filter_map(|block| must_be_clean(&code, block)));
        // Two examples cannot be shown on a page: a megabyte of text, and bytes that are not text.
        let can_be_shown = !matches!(rule.code.0, 3..=5) && rule.code.0 < 800;
        if can_be_shown && (under("Bad").is_empty() || under("Good").is_empty()) {
            wrong.push(format!("{code}: the page lacks a bad or a good example"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns the sections of a page; what stands in an example is none.
fn headings(page: &str) -> Vec<&str> {
    let mut in_example = false;
    let outside = page.lines().filter(|line| {
        in_example ^= line.starts_with("~~~~");
        !in_example
    });
    outside.filter_map(|line| line.strip_prefix("## ")).collect()
}

fn must_fire(code: &str, block: &Fenced) -> Option<String> {
    let found = findings_with_notes(&block.body);
    (!found.iter().any(|line| line.contains(code)))
        .then(|| format!("{code}: the bad example does not raise it, but {found:?}"))
}

fn must_be_clean(code: &str, block: &Fenced) -> Option<String> {
    let found = findings_with_notes(&block.body);
    let bad: Vec<_> = found.iter().filter(|line| line.contains(code) || line.contains(" error ")).collect();
    (!bad.is_empty()).then(|| format!("{code}: the good example raises {bad:?}"))
}

fn findings_with_notes(source: &str) -> Vec<String> {
    let mut read = baton_handoff::document::read(source);
    let project = baton_handoff::project::Project::default();
    let notes = baton_handoff::judge::judge(&mut read, &project);
    let notes = notes.iter().filter(|found| found.severity == baton_handoff::diagnostic::Severity::Note);
    let mut all = findings(source);
    all.extend(notes.map(|found| format!("note {} {}", found.code, found.message)));
    all
}

#[test]
fn no_page_is_left_without_a_rule() {
    for entry in fs::read_dir(repository().join("docs/errors")).expect("the folder is there") {
        let name = entry.expect("readable").file_name().to_string_lossy().into_owned();
        let Some(code) = name.strip_suffix(".md").filter(|stem| stem.starts_with("BT")) else { continue };
        assert!(rule::Code::parse(code).is_some(), "{name} explains a code that no rule has");
    }
}
