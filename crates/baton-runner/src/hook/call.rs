//! A call and its answer, in words that are the same for all agents.

use std::fmt;
use std::path::{Path, PathBuf};

/// Longest words about what went wrong, in characters.
const WORDS_CHARS_MAX: usize = 500;

/// When an agent's program calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// A session begins, goes on, or has lost its memory.
    Start,
    /// Somebody asks for something.
    Prompt,
    /// The agent wants to end its turn.
    Stop,
    /// An agent that works for the agent wants to end.
    SubagentStop,
    /// Nothing that Baton has to do with.
    Other,
}

/// What an agent's program says.
#[derive(Clone, Debug)]
pub struct Call {
    pub moment: Moment,
    /// The event, in the words of the dialect.
    pub event: String,
    pub session: String,
    /// Where the agent works, as it says.
    pub cwd: Option<PathBuf>,
    /// The agent that works for the agent: its id and its sort.
    pub subagent: Option<(String, String)>,
    /// The last thing the agent said.
    pub message: Option<String>,
    /// What somebody asked for.
    pub prompt: Option<String>,
    /// It is only paused: something still works in the background.
    pub is_paused: bool,
    /// The message holds everything said since the prompt, not only what is new.
    pub accumulates: bool,
}

impl Call {
    pub(super) fn new(moment: Moment, event: &str, session: &str) -> Self {
        Self {
            moment,
            event: event.to_owned(),
            session: session.to_owned(),
            cwd: None,
            subagent: None,
            message: None,
            prompt: None,
            is_paused: false,
            accumulates: false,
        }
    }

    /// Returns where the agent works: where it says, or where the hook was started.
    pub(super) fn folder(&self, started_in: &Path) -> PathBuf {
        let said = self.cwd.as_ref().filter(|folder| folder.is_absolute() && folder.is_dir());
        said.map_or_else(|| started_in.to_owned(), Clone::clone)
    }
}

/// What is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Go on, without a word.
    Silent,
    /// Tell this to the agent.
    Context(String),
    /// The agent goes on, with this.
    SendBack(String),
    /// Go on, and tell this to the person.
    Tell(String),
    /// The same, and also where whoever started the program finds it: Baton itself failed.
    NotJudged(String),
}

/// What the process of a hook leaves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    pub stdout: String,
    pub stderr: String,
    pub code: u8,
}

impl Reply {
    pub(super) fn silent() -> Self {
        Self::default()
    }

    /// The same answer with words on standard error.
    pub(super) fn said(self, words: &str) -> Self {
        Self { stderr: format!("baton: {words}\n"), ..self }
    }

    pub(super) fn json(value: &serde_json::Value) -> Self {
        Self { stdout: format!("{value}\n"), ..Self::default() }
    }
}

/// Why a hook could not do its work. It lets the agent go, and says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    pub words: String,
}

impl Trouble {
    pub(crate) fn new(words: impl AsRef<str>) -> Self {
        let masked = crate::secret::mask(words.as_ref());
        let line = masked.split_whitespace().collect::<Vec<_>>().join(" ");
        Self { words: line.chars().filter(|one| !one.is_control()).take(WORDS_CHARS_MAX).collect() }
    }

    /// An exit code that no agent takes for a command to go on, with words on standard error.
    pub(super) fn reply(&self) -> Reply {
        let stderr = format!(
            "baton: this was not judged: {}\nhint: `baton doctor` says what to mend; `baton status` shows what is open\n",
            self.words
        );
        Reply { stdout: String::new(), stderr, code: LET_THROUGH }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.words)
    }
}

/// The exit code of a hook that could not judge. All agents take it for an error that stops nothing; 2 would be a command.
pub const LET_THROUGH: u8 = 1;
