//! Hostile documents, made in code: each with its name and what must be said of it.

mod graph;
pub mod injection;
mod json;
mod path;
mod prose;
mod text;
mod value;
mod yaml;

/// How a hostile document must end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It has errors.
    Refused,
    /// It is read as its dialect says, without an error.
    Read,
    /// Either will do, as long as it ends soon.
    Either,
}

/// A hostile document and what must be said of it. None may be concluded `completed`.
#[derive(Clone, Debug)]
pub struct Case {
    /// The attack, such as `A5`.
    pub id: &'static str,
    pub name: String,
    pub bytes: Vec<u8>,
    pub ending: Ending,
    /// Codes that must be raised.
    pub codes: Vec<&'static str>,
    /// Words that the findings with these codes must say.
    pub words: Vec<&'static str>,
    /// Lines that the first finding with the first code must name, its own first.
    pub lines: Vec<usize>,
    /// What the first handoff must say of itself, as it was written: `task`, `stage`, `from`, `to` or `outcome`.
    pub kept: Vec<(&'static str, &'static str)>,
}

impl Case {
    fn new(id: &'static str, name: impl Into<String>, bytes: impl Into<Vec<u8>>, ending: Ending) -> Self {
        Self {
            id,
            name: name.into(),
            bytes: bytes.into(),
            ending,
            codes: Vec::new(),
            words: Vec::new(),
            lines: Vec::new(),
            kept: Vec::new(),
        }
    }

    /// A document that must be refused with these codes.
    fn refused(
        id: &'static str,
        name: impl Into<String>,
        bytes: impl Into<Vec<u8>>,
        codes: &[&'static str],
    ) -> Self {
        Self { codes: codes.to_vec(), ..Self::new(id, name, bytes, Ending::Refused) }
    }

    /// A document that must be read without an error.
    fn read(id: &'static str, name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self::new(id, name, bytes, Ending::Read)
    }

    /// A document that must only end soon.
    fn either(id: &'static str, name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self::new(id, name, bytes, Ending::Either)
    }

    fn codes(mut self, codes: &[&'static str]) -> Self {
        self.codes = codes.to_vec();
        self
    }

    fn says(mut self, words: &[&'static str]) -> Self {
        self.words = words.to_vec();
        self
    }

    fn at_lines(mut self, lines: &[usize]) -> Self {
        self.lines = lines.to_vec();
        self
    }

    fn keeps(mut self, what: &'static str, text: &'static str) -> Self {
        self.kept.push((what, text));
        self
    }

    /// Returns the case's name with its attack, as tests show it.
    pub fn title(&self) -> String {
        format!("{} {}", self.id, self.name)
    }
}

/// Returns every hostile document.
pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    yaml::add(&mut cases);
    value::add(&mut cases);
    text::add(&mut cases);
    json::add(&mut cases);
    graph::add(&mut cases);
    prose::add(&mut cases);
    path::add(&mut cases);
    cases
}

/// A stage document without a fault, which says that the work is done.
pub fn good() -> String {
    stage(&[])
}

/// The lines of the good stage document, by their keys. Line 2 is the first.
const STAGE: &[(&str, &str)] = &[
    ("id", "TASK-7"),
    ("stage", "implementation"),
    ("title", "Sign in with a link"),
    ("status", "complete"),
    ("started_at", "2026-03-01T09:00:00Z"),
    ("completed_at", "2026-03-01T10:30:00Z"),
    ("checkpoints", CHECKPOINTS),
    ("handoff_ready", "true"),
    ("retry_count", "0"),
];

const CHECKPOINTS: &str = "
  - name: tests_written
    status: pass
  - name: code_complete
    status: pass
  - name: tests_passing
    status: pass
  - name: no_lint_errors
    status: pass";

const CHECKPOINTS_OPEN: &str = "
  - name: tests_written
    status: pass
  - name: code_complete
    status: pass
  - name: tests_passing
    status: skip
  - name: no_lint_errors
    status: skip";

/// What turns the good stage document into one whose work goes on.
const GOING_ON: &[(&str, &str)] = &[
    ("status", "in_progress"),
    ("completed_at", "null"),
    ("checkpoints", CHECKPOINTS_OPEN),
    ("handoff_ready", "false"),
];

/// Returns the good stage document with other values; keys it does not have come last.
fn stage(changes: &[(&str, &str)]) -> String {
    format!("---\n{}---\n\n# The link\n\nThe link is sent, opened and spent.\n", stage_data(changes))
}

fn stage_data(changes: &[(&str, &str)]) -> String {
    let mut text = String::new();
    for (key, value) in STAGE {
        let value = changes.iter().rev().find(|(name, _)| name == key).map_or(*value, |(_, value)| value);
        push_line(&mut text, key, value);
    }
    for (key, value) in changes.iter().filter(|(name, _)| STAGE.iter().all(|(key, _)| key != name)) {
        push_line(&mut text, key, value);
    }
    text
}

/// Returns a stage document whose work goes on, with other values.
fn going_on(changes: &[(&str, &str)]) -> String {
    stage(&[GOING_ON, changes].concat())
}

fn push_line(text: &mut String, key: &str, value: &str) {
    let gap = if value.starts_with('\n') { "" } else { " " };
    text.push_str(&format!("{key}:{gap}{value}\n"));
}

/// Returns a completion summary whose work goes on, with more lines under `handoff:`.
fn summary(from: &str, more: &str) -> String {
    format!(
        "handoff:\n  phase: Testing\n  from: \"{from}\"\n  to: \"@release-manager\"\n  status: in_progress\n{more}"
    )
}
