//! Samples in the words of the tools themselves, and what must never be taken for a verdict.

mod bounds;
mod precision;
mod samples;

use super::*;

/// Reads a log, one line for each reading: tool, showing, passed/failed/skipped of total, and the line that decided.
fn shown(text: &str) -> Vec<String> {
    read(text).iter().map(line_of).collect()
}

fn line_of(reading: &Reading) -> String {
    let counts = reading.counts.map_or(String::new(), |counts| {
        let total = counts.total.map_or("?".to_owned(), |total| total.to_string());
        format!(" {}/{}/{} of {total}", counts.passed, counts.failed, counts.skipped)
    });
    format!("{}: {:?}{counts} @{}", reading.tool.name(), reading.showing, reading.place.line)
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    assert_eq!(shown(text), expected, "in\n{text}");
}
