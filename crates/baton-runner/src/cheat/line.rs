//! Lines that came and went, and what sort of file they are in.

use std::borrow::Cow;
use std::collections::HashMap;

use similar::{ChangeTag, DiffableStr, TextDiff};

use super::{COMPARED_BYTES_MAX, Change, Sight};

/// Longest line that is shown, in characters.
const SHOWN_CHARS_MAX: usize = 120;

/// What a file is for, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Test,
    /// Says how the project is built and checked.
    Build,
    Document,
    Source,
}

impl Kind {
    pub fn of(path: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path);
        let in_folder = |folders: &[&str]| path.split('/').rev().skip(1).any(|part| folders.contains(&part));
        let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
        if in_folder(&["test", "tests", "__tests__", "spec", "specs", "testing"])
            || stem.starts_with("test_")
            || ["_test", "_tests", "_spec", ".test", ".spec", "Test", "Tests"]
                .iter()
                .any(|end| stem.ends_with(end))
            || matches!(name, "conftest.py" | "tests.rs")
        {
            return Self::Test;
        }
        if matches!(ending, "md" | "txt" | "rst" | "adoc") && name != "CMakeLists.txt" {
            return Self::Document;
        }
        let is_build = matches!(
            ending,
            "toml"
                | "yml"
                | "yaml"
                | "json"
                | "cfg"
                | "ini"
                | "sh"
                | "bash"
                | "mk"
                | "gradle"
                | "xml"
                | "kts"
        ) || matches!(
            name,
            "CMakeLists.txt"
                | "Makefile"
                | "makefile"
                | "GNUmakefile"
                | "Dockerfile"
                | "Justfile"
                | "justfile"
                | "Rakefile"
                | "Taskfile"
        ) || name.contains(".config.")
            || name == "build.rs";
        if is_build { Self::Build } else { Self::Source }
    }
}

/// A line that came or went.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// Its number in the file it is in.
    pub(super) number: usize,
    pub(super) text: String,
}

impl Line {
    pub(super) fn sight(&self) -> Sight {
        Sight { line: Some(self.number), text: shown(&self.text) }
    }

    /// Something that is gone has no place in the file as it is now.
    pub(super) fn lost(&self) -> Sight {
        Sight { line: None, text: format!("removed: {}", shown(&self.text)) }
    }
}

pub(super) fn shown(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(SHOWN_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Most lines of two texts that are put in the order of a difference, which can take the square of their number; of more, a line
/// that only moved has neither come nor gone.
const COMPARED_LINES_MAX: usize = 20_000;

/// The lines of a file that came and went; nothing when it is too large. What is no text is read as far as it is.
pub(super) struct Lines {
    pub(super) added: Vec<Line>,
    pub(super) removed: Vec<Line>,
}

impl Lines {
    pub(super) fn of(change: &Change<'_>) -> Option<Self> {
        let before = text(change.before)?;
        let after = text(change.after)?;
        // Nothing is compared with nothing: most files of a large change are new or gone.
        if before.is_empty() || after.is_empty() {
            return Some(Self { added: numbered(&after), removed: numbered(&before) });
        }
        if before.lines().count() + after.lines().count() > COMPARED_LINES_MAX {
            return Some(Self { added: beyond(&after, &before), removed: beyond(&before, &after) });
        }
        let diff = TextDiff::from_lines(before.as_ref(), after.as_ref());
        let (mut added, mut removed) = (Vec::new(), Vec::new());
        for part in diff.iter_all_changes() {
            let number = |index: Option<usize>| index.map_or(0, |index| index + 1);
            match part.tag() {
                ChangeTag::Insert => {
                    added.push(Line { number: number(part.new_index()), text: part.value().to_owned() })
                }
                ChangeTag::Delete => {
                    removed.push(Line { number: number(part.old_index()), text: part.value().to_owned() })
                }
                ChangeTag::Equal => {}
            }
        }
        Some(Self { added, removed })
    }

    /// Returns the added lines that were not there before: a line that only moved is no news.
    pub(super) fn news(&self, is_meant: impl Fn(&str) -> bool) -> Vec<&Line> {
        without(&self.added, &self.removed, is_meant)
    }

    /// Returns the removed lines that are nowhere else now.
    pub(super) fn losses(&self, is_meant: impl Fn(&str) -> bool) -> Vec<&Line> {
        without(&self.removed, &self.added, is_meant)
    }
}

/// Returns the lines of a text that another one does not have, or not as often.
fn beyond(text: &str, other: &str) -> Vec<Line> {
    let mut others = Bag::of(other.tokenize_lines().into_iter());
    let mut lines = numbered(text);
    lines.retain(|line| !others.takes(&line.text));
    lines
}

fn numbered(text: &str) -> Vec<Line> {
    let lines = text.tokenize_lines().into_iter().zip(1..);
    lines.map(|(text, number)| Line { number, text: text.to_owned() }).collect()
}

fn without<'l>(lines: &'l [Line], others: &[Line], is_meant: impl Fn(&str) -> bool) -> Vec<&'l Line> {
    let mut meant: Vec<&Line> = lines.iter().filter(|line| is_meant(&line.text)).collect();
    if meant.is_empty() {
        return meant;
    }
    let mut others = Bag::of(others.iter().map(|line| line.text.trim()));
    meant.retain(|line| !others.takes(line.text.trim()));
    meant
}

/// Texts of which each stands in for one that is equal.
#[derive(Default)]
pub(super) struct Bag<'t>(HashMap<&'t str, usize>);

impl<'t> Bag<'t> {
    pub(super) fn of(texts: impl Iterator<Item = &'t str>) -> Self {
        let mut bag = Self(HashMap::new());
        texts.for_each(|text| bag.put(text));
        bag
    }

    pub(super) fn put(&mut self, text: &'t str) {
        *self.0.entry(text).or_default() += 1;
    }

    /// Takes one out, if there is one.
    pub(super) fn takes(&mut self, text: &str) -> bool {
        let left = self.0.get_mut(text).filter(|count| **count > 0);
        left.map(|count| *count -= 1).is_some()
    }
}

/// Returns what a file says, as far as it is text; nothing when it is too large to be compared.
pub(super) fn text(bytes: Option<&[u8]>) -> Option<Cow<'_, str>> {
    let bytes = bytes.unwrap_or_default();
    (bytes.len() <= COMPARED_BYTES_MAX).then(|| String::from_utf8_lossy(bytes))
}

/// Says whether a line is code and not a remark. Remarks may speak of anything.
pub(super) fn is_code(line: &str) -> bool {
    let line = line.trim_start();
    !["//", "# ", "/*", "* ", "<!--", "--", ";"].iter().any(|mark| line.starts_with(mark))
}

/// Says whether a line holds one of the marks. A mark that begins as a word does not begin within another word.
pub(super) fn holds(line: &str, marks: &[&str]) -> bool {
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    marks.iter().any(|mark| {
        let begins_word = mark.starts_with(is_word);
        line.match_indices(mark).any(|(start, _)| !begins_word || !line[..start].ends_with(is_word))
    })
}
