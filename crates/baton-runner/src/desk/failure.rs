//! The handoff that the host makes where an agent left none: how the turn ended, what became of its files, what would help.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use baton_engine::fact::Ending;
use baton_engine::state::Turn;
use baton_engine::word::TaskId;
use serde_json::json;

/// What happened to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Added,
    Changed,
    Removed,
}

impl Change {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Changed => "changed",
            Self::Removed => "removed",
        }
    }
}

/// What happened to files, by their paths.
pub(crate) type Changes = BTreeMap<String, Change>;

/// Most changed files that are named.
const FILES_NAMED_MAX: usize = 200;

/// Before what was seen.
const BLOCKER: &str = "  - blocker: ";

/// Returns what was seen, out of such a document.
pub(crate) fn seen(document: &str) -> Option<String> {
    let line = document.lines().find_map(|line| line.strip_prefix(BLOCKER))?;
    serde_json::from_str(line).ok()
}

/// What the host knows of a turn that left no handoff.
#[derive(Debug)]
pub(crate) struct Failure<'a> {
    pub(crate) task: &'a TaskId,
    pub(crate) turn: &'a Turn,
    pub(crate) ending: Ending,
    /// What was seen, in words.
    pub(crate) why: String,
    /// What the turn changed, where that could be measured.
    pub(crate) changes: Option<Changes>,
}

impl Failure<'_> {
    /// Writes it as a document that `baton check` reads: strings are JSON, which YAML is too.
    pub(crate) fn document(&self) -> String {
        let Self { task, turn, ending, why, changes } = self;
        let mut text = format!(
            "# {task}: {} of @{} {}\n\nWritten by Baton, which saw this itself.\n\n## Handoff\n\n```yaml\noutcome: failed\n",
            turn.id,
            turn.agent,
            left(*ending)
        );
        let blocker = format!("{}: {why}", ending.name());
        let impact = format!("{} ({}) brought nothing that could be judged", turn.id, turn.role.name());
        let _ = writeln!(
            text,
            "blockers:\n{BLOCKER}{}\n    impact: {}\n    suggested_resolution: {}",
            json!(blocker),
            json!(impact),
            json!(help(*ending, task))
        );
        match changes {
            Some(changes) => files(&mut text, changes),
            None => text.push_str("# what it changed could not be measured\n"),
        }
        text.push_str("```\n");
        text
    }
}

fn files(text: &mut String, changes: &Changes) {
    let named = || changes.iter().take(FILES_NAMED_MAX);
    let (new, old) = (|change: &Change| *change == Change::Added, |change: &Change| *change != Change::Added);
    if named().any(|(_, change)| new(change)) {
        text.push_str("files_created:\n");
    }
    for (path, _) in named().filter(|(_, change)| new(change)) {
        let _ = writeln!(
            text,
            "  - path: {}\n    purpose: left by the turn, as the host measured it",
            json!(path)
        );
    }
    if named().any(|(_, change)| old(change)) {
        text.push_str("files_modified:\n");
    }
    for (path, change) in named().filter(|(_, change)| old(change)) {
        let sort = if *change == Change::Removed { "delete" } else { "modify" };
        let _ = writeln!(
            text,
            "  - path: {}\n    change_type: {sort}\n    description: left by the turn, as the host measured it",
            json!(path)
        );
    }
    let more = changes.len().saturating_sub(FILES_NAMED_MAX);
    if more > 0 {
        let _ = writeln!(text, "# and {more} more files");
    }
}

/// Says what a turn left that brought nothing to judge.
pub(crate) fn left(ending: Ending) -> &'static str {
    match ending {
        Ending::HandoffRefused => "brought a handoff that was not taken",
        Ending::PlanRefused => "brought a plan that was not taken",
        Ending::Crash
        | Ending::Timeout
        | Ending::Limit
        | Ending::Network
        | Ending::NoHandoff
        | Ending::Stopped
        | Ending::LeaseExpired
        | Ending::Asked
        | Ending::Delegated
        | Ending::AccessRefused
        | Ending::Budget => "ended without a handoff",
    }
}

/// What would help, by how a turn ended.
fn help(ending: Ending, task: &TaskId) -> String {
    let words = match ending {
        Ending::Crash => "Read what the program said last, mend what made it end, and let it try again",
        Ending::Timeout | Ending::LeaseExpired => "Split the task, or give the stage more time",
        Ending::Limit => "Wait until the provider's limit is over; Baton tries again by itself",
        Ending::Network => "See to the way to the provider; Baton tries again by itself",
        Ending::NoHandoff => "End the last message with the block that the prompt shows",
        Ending::HandoffRefused => "Mend what is named in the block, and hand over again",
        Ending::PlanRefused => "Correct what is named in the plan, and hand it in again",
        Ending::Asked => "Answer the question; the task goes on with the answer",
        Ending::Delegated => "Wait for the delegated work; the task resumes with its result",
        Ending::AccessRefused => {
            "Log in with the agent's own program, or renew its key; then let it try again"
        }
        Ending::Budget => "Split the task, or give the stage more of what it ran out of",
        Ending::Stopped => "Where the task goes on, the next turn begins with what was written so far",
    };
    format!("{words}; `baton recover {task}` lists what was saved")
}
