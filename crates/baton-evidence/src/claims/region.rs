//! Which lines of a document are about another time, an example or somebody else's report: pasted output there is no claim.

use super::sentence::Sentence;
use super::words;

/// Words of other times that, above a block, only say where the output comes from.
const NEUTRAL: &[&str] =
    &["main", "master", "upstream", "last", "first", "other", "existing", "ci", "checks", "once"];
/// Words above a block of what somebody else saw.
const OF_REPORTS: &[&str] = &[
    "report",
    "reported",
    "reporter",
    "issue",
    "bug",
    "ticket",
    "reproduce",
    "reproduces",
    "user",
    "customer",
];

/// The lines of a text, with whether each is in a fence and whether it speaks of the result of this work.
#[derive(Debug)]
pub(super) struct Regions {
    lines: Vec<Line>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Line {
    is_fenced: bool,
    is_other: bool,
}

impl Regions {
    pub(super) fn read(text: &str) -> Self {
        let (mut lines, mut at, mut under_other, mut lead) = (Vec::new(), Line::default(), false, "");
        for line in text.lines().map(str::trim) {
            if line.starts_with("```") || line.starts_with("~~~") {
                at.is_fenced = !at.is_fenced;
                at.is_other = under_other || at.is_fenced && is_of_another_state(lead);
                lines.push(Line { is_fenced: true, ..at });
                continue;
            }
            if !at.is_fenced && line.starts_with('#') {
                (under_other, lead) = (words::is_other_heading(line), "");
            } else if !at.is_fenced && !line.is_empty() {
                lead = line;
            }
            if !at.is_fenced {
                at.is_other = under_other;
            }
            lines.push(at);
        }
        Self { lines }
    }

    /// Says whether a line, counted from 0, is in a fence.
    pub(super) fn is_fenced(&self, line: usize) -> bool {
        self.lines.get(line).is_some_and(|line| line.is_fenced)
    }

    /// Says whether a line, counted from 0, speaks of something else than the result of this work.
    pub(super) fn is_other(&self, line: usize) -> bool {
        self.lines.get(line).is_some_and(|line| line.is_other)
    }
}

/// Says whether the words above a block speak of another time, an example or a report.
fn is_of_another_state(lead: &str) -> bool {
    let read = Sentence::read(lead);
    let is_of_report = read.words.iter().any(|word| OF_REPORTS.contains(&word.as_str()));
    !read.words.is_empty() && (is_of_report || read.is_elsewhere_but(read.words.len() - 1, NEUTRAL))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_other_by_the_words_above_them() {
        let is_other = |lead: &str| Regions::read(&format!("{lead}\n\n```\nx\n```\n")).is_other(3);
        for lead in ["Before the change:", "An example:", "The bug report says:", "# Background"] {
            assert!(is_other(lead), "{lead}");
        }
        for lead in ["Changes against main:", "The last run:", "Output of `git diff`:", "# Result"] {
            assert!(!is_other(lead), "{lead}");
        }
    }
}
