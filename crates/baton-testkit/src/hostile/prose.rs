//! Prose that is meant to keep a reader busy.

use super::Case;

/// A little less than the largest document.
const BYTES: usize = 1_000_000;

pub(super) fn add(cases: &mut Vec<Case>) {
    let note = |text: &str, bytes: usize| format!("# Session handoff\n\n{}", text.repeat(bytes / text.len()));
    let lines = "- Always use the queue, never the table directly\n";
    cases.push(Case::refused("A18", "5 MB of advice", note(lines, 5_000_000), &["BT003"]).says(&["1048576"]));
    for (name, piece) in [
        ("lines of advice", lines),
        ("short lines of advice", "Always use\n"),
        ("one letter", "a"),
        ("letters and marks", "aaaa!"),
        ("stars", "*"),
        ("underscores", "_a"),
        ("opening brackets", "["),
        ("opening parentheses", "(("),
        ("half links", "[a]("),
        ("backticks", "`"),
        ("backticks and blanks", "`` "),
        ("bars", "|"),
        ("rows", "|a|b|\n"),
        ("colons", ": "),
        ("labels", "Next steps: "),
        ("dashes", "-"),
        ("boxes", "- [ ] x\n"),
        ("headings", "# Blockers\n"),
        ("empty items", "- \n"),
        ("comments that never close", "<!-- "),
        ("markers that never close", "<waypoint-complete>"),
        ("tags", "<a "),
        ("dots", "."),
        ("slashes", "a/"),
        ("paths", "src/a.rs "),
        ("commands", "$ cargo test\n"),
        ("blanks", " "),
        ("tabs", "\t\n"),
        ("words of completion", "not done yet but complete, "),
        ("failures", "tests failed: 0 passed "),
        ("wide letters", "完了 "),
        ("joined marks", "e\u{301}\u{301}\u{301}"),
        ("quotes", "> "),
        ("numbers", "1. "),
        ("names of secrets", "token="),
        ("heads of keys", "-----BEGIN PRIVATE KEY-----"),
        ("addresses", "https://a:b@"),
    ] {
        cases.push(Case::either("A18", format!("1 MB of {name}"), note(piece, BYTES)));
    }
}
