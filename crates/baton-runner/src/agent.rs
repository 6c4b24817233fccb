//! The agents that Baton can start: how each is called, and what its output means.
//!
//! One file each, of one shape: a [`Driver`] with the programs it looks for, the command line, and a [`Conversation`] that
//! hears the program line by line. Nothing here starts a process. Everything that is heard is a claim.

mod acp;
mod claude;
mod codex;
mod command;
mod ending;
mod fault;
mod gemini;
mod human;
mod message;
mod opencode;
mod search;

use std::collections::BTreeMap;
use std::env;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use baton_engine::fact::TokenUsage;
pub(crate) use command::PROMPT_FILE_ARGUMENT;
pub use ending::ending;
pub use fault::Fault;
pub(crate) use fault::SETTING_TOLD;
pub use search::{Found, Missing, NotTaken, find, installed, not_taken};

/// Most bytes of a message that are kept; the handoff is at its end.
pub const MESSAGE_BYTES_MAX: usize = 1024 * 1024;
/// How long an agent may stay after the last word of its turn.
const GOES_WITHIN: Duration = Duration::from_secs(5);
/// Longest word about what an agent is doing, in characters.
const DOING_CHARS_MAX: usize = 120;

/// How the names of variables end that hold a key.
const KEY_ENDINGS: &[&str] = &["_API_KEY", "_AUTH_TOKEN"];

/// Every driver, in the order in which they are looked for.
pub const ALL: &[&Driver] = &[
    &claude::DRIVER,
    &codex::DRIVER,
    &gemini::DRIVER,
    &opencode::DRIVER,
    &acp::DRIVER,
    &command::DRIVER,
    &human::DRIVER,
];

/// A way to run one sort of agent.
#[derive(Debug)]
pub struct Driver {
    /// The word for it in `baton.toml`.
    pub name: &'static str,
    /// Its programs, the best first; none when a person has to name one.
    pub programs: &'static [&'static str],
    /// How somebody gets it who has none.
    pub hint: &'static str,
    /// Variables that it may see beyond the usual ones: where its settings and keys are. A star stands for any end.
    pub environment: &'static [&'static str],
    /// What it writes in the home of its user: settings, sessions.
    pub home: &'static [&'static str],
    /// Variables by which its user has put that elsewhere, and the folder below what they name.
    pub moved: &'static [(&'static str, &'static str)],
    /// It says what a turn has cost; nobody is asked to pay for one that never does.
    pub counts_tokens: bool,
    /// The words with which it refuses to resume a session that it does not know; none where it says so in its protocol, or
    /// resumes nothing.
    pub unknown_session: Option<&'static str>,
    /// A later turn can go on in the session of an earlier one.
    pub resumes: bool,
    /// Whose models it uses, where it uses those of one vendor only.
    pub vendor: Option<&'static str>,
    launch: fn(&Ask<'_>) -> Option<Launch>,
}

/// What an agent may do in its folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Write,
    ReadOnly,
}

/// Who keeps an agent from writing what it may not. Inside of the host's fence none of the agent's own can be put up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fence {
    Host,
    /// Nothing here enforces anything, so what the agent itself can do is better than nothing.
    Agent,
}

/// What `baton.toml` says of an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    pub model: Option<String>,
    /// Arguments that are given as they are; for a command, all of them.
    pub arguments: Vec<String>,
    /// Where a command leaves its handoff, from its folder, when not in its output.
    pub handoff_file: Option<PathBuf>,
    /// How a command gets its prompt.
    pub prompt_by: PromptBy,
}

/// How a command is told what to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PromptBy {
    #[default]
    Stdin,
    /// In a file among its temporary ones, which are no part of the work.
    File,
}

/// One turn that is asked of an agent.
#[derive(Clone, Debug)]
pub struct Ask<'a> {
    pub prompt: &'a str,
    /// The same for somebody who remembers nothing: said when the session turns out to be lost.
    pub whole_prompt: &'a str,
    /// The file that has the prompt, where it is told by one.
    pub prompt_file: Option<&'a str>,
    /// The session to go on with.
    pub session: Option<&'a str>,
    pub folder: &'a Path,
    pub access: Access,
    pub fence: Fence,
    pub settings: &'a Settings,
}

/// What has to be started, and who listens to it.
#[derive(Debug)]
pub struct Launch {
    pub arguments: Vec<String>,
    pub environment: BTreeMap<&'static str, String>,
    pub input: Input,
    pub conversation: Box<dyn Conversation>,
}

/// How long the standard input of a program is of use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// It gets the opening and then sees the end.
    Once,
    /// It is answered until its turn is over.
    Open,
}

/// What goes back and forth with a program while it runs.
pub trait Conversation: fmt::Debug + Send {
    /// Returns what is written to the program first.
    fn opening(&mut self) -> Vec<u8>;

    /// Hears a line of the output.
    fn hear(&mut self, line: &[u8]) -> Heard;

    /// Says what came of it all.
    fn close(self: Box<Self>) -> Close;
}

/// What follows from a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heard {
    pub signs: Vec<Sign>,
    /// What is written to the program in answer.
    pub reply: Vec<u8>,
    /// What the turn has cost so far, from an agent that counts while it works.
    pub spent_tokens: Option<u64>,
    /// Nothing more is wanted from the program: its input is closed, and it should end.
    pub is_over: bool,
    /// This was its last word, unless it says more within this time: it is ended then.
    pub last_word: Option<Duration>,
}

/// Something worth showing while a turn runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sign {
    /// The session can be resumed by this id.
    Session(String),
    Says(String),
    /// It uses a command or another tool.
    Does(String),
    /// It was not let do something.
    Refused(String),
}

/// What a program left when it ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Close {
    /// The last message of the agent: where a handoff is looked for.
    pub message: Option<String>,
    pub session: Option<String>,
    /// What this turn has used; nothing when the agent never said.
    pub usage: Option<Usage>,
    /// What the session has used since it began, earlier turns included, where the agent counts so.
    pub session_usage: Option<Usage>,
    /// What the session has cost since it began, in millionths of a dollar, where the agent says.
    pub session_microdollars: Option<u64>,
    /// The model, where the agent names it.
    pub model: Option<String>,
    pub fault: Option<Fault>,
    /// The agent itself said that its turn is over.
    pub is_finished: bool,
    /// It did not know the session that it was to resume, and was told everything in a new one.
    pub is_anew: bool,
}

/// Tokens, as the agent counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Input that was paid for anew or read from a cache.
    pub input_tokens: u64,
    pub cached_tokens: u64,
    pub output_tokens: u64,
}

impl Usage {
    /// The count of an agent that tells its input apart: what is new, what was written to a cache, and what came from it.
    fn apart([new, written]: [u64; 2], cached_tokens: u64, output_tokens: u64) -> Self {
        let input_tokens = new.saturating_add(written).saturating_add(cached_tokens);
        Self { input_tokens, cached_tokens, output_tokens }
    }

    /// Returns what counts against budgets. What a provider has in its cache is read again with every step, and costs next to
    /// nothing: with it, a turn of many small steps would count more than one that reads ten times as much.
    pub fn counted_tokens(&self) -> u64 {
        self.input_tokens.saturating_sub(self.cached_tokens).saturating_add(self.output_tokens)
    }

    /// Returns what was spent since an earlier count of the same session. A count that fell is that of a session that began
    /// anew, so all of it is new.
    pub fn since(&self, earlier: &Self) -> Self {
        let fewer = |now: u64, before: u64| now.checked_sub(before);
        let since = || {
            Some(Self {
                input_tokens: fewer(self.input_tokens, earlier.input_tokens)?,
                cached_tokens: fewer(self.cached_tokens, earlier.cached_tokens)?,
                output_tokens: fewer(self.output_tokens, earlier.output_tokens)?,
            })
        };
        since().unwrap_or(*self)
    }

    /// Returns the one of two counts of the same that counts more.
    pub fn or_more(self, other: Self) -> Self {
        if other.counted_tokens() > self.counted_tokens() { other } else { self }
    }

    /// Returns both together.
    fn and(self, more: Self) -> Self {
        Self {
            input_tokens: self.input_tokens.saturating_add(more.input_tokens),
            cached_tokens: self.cached_tokens.saturating_add(more.cached_tokens),
            output_tokens: self.output_tokens.saturating_add(more.output_tokens),
        }
    }
}

impl From<Usage> for TokenUsage {
    fn from(usage: Usage) -> Self {
        let Usage { input_tokens, cached_tokens, output_tokens } = usage;
        Self { input_tokens, cached_tokens, output_tokens }
    }
}

impl Driver {
    pub fn named(name: &str) -> Option<&'static Self> {
        ALL.iter().copied().find(|driver| driver.name == name)
    }

    /// Returns the command line for a turn; nothing when no program takes it, but a person.
    pub fn launch(&self, ask: &Ask<'_>) -> Option<Launch> {
        (self.launch)(ask)
    }

    /// Returns the variable of this machine from which the agent would take a key, where there is one.
    pub fn key_in_environment(&self) -> Option<String> {
        let names = env::vars_os().filter_map(|(name, _)| name.into_string().ok());
        names
            .filter(|name| KEY_ENDINGS.iter().any(|ending| name.ends_with(ending)))
            .find(|name| self.may_see(name))
    }

    /// Says whether a variable may be seen by this agent.
    pub fn may_see(&self, variable: &str) -> bool {
        self.environment.iter().any(|allowed| match allowed.strip_suffix('*') {
            Some(start) => variable.starts_with(start),
            None => variable == *allowed,
        })
    }
}

impl Heard {
    fn sign(sign: Sign) -> Self {
        Self { signs: vec![sign], ..Self::default() }
    }

    /// The last word of a turn, after which the agent may stay so long.
    fn last_word(grace: Duration) -> Self {
        Self { last_word: Some(grace), ..Self::default() }
    }
}

/// Returns the beginning of a text, as one line.
fn doing(text: &str) -> String {
    let mut words: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = words.char_indices().nth(DOING_CHARS_MAX) {
        words.truncate(end);
        words.push('…');
    }
    words
}

#[cfg(test)]
mod tests;
