//! Exit codes that shells, build servers and package managers write into a log, alone on a line.

use super::line::Line;
use super::{Definition, Kind, Notes, Place, Showing, Tool, Watch};

pub(super) static DEFINITION: Definition = Definition {
    tool: Tool::ExitCode,
    kind: Kind::Generic,
    name: "exit code",
    about: "A line that says with which code a command ended",
    watch: || Box::new(ExitCode),
};

/// Longest line with an exit code; a longer one is a sentence about something else.
const LINE_BYTES_MAX: usize = 80;
/// What may stand before the phrase.
const BEFORE: &[&str] = &[
    "##[error]",
    "Error: ",
    "error: ",
    "error ",
    "ERROR: ",
    "ELIFECYCLE  ",
    "ELIFECYCLE ",
    "==> ",
    "# ",
    "-- ",
];
/// Phrases, in small letters, behind which the code follows.
const PHRASES: &[&str] = &[
    "exit code",
    "exit status",
    "exit_code",
    "exitcode",
    "exit",
    "exited with code",
    "exited with exit code",
    "exited with status",
    "process exited with code",
    "process exited with exit code",
    "process completed with exit code",
    "process finished with exit code",
    "command failed with exit code",
    "command exited with code",
    "command exited with non-zero status",
    "command exited with exit code",
    "command completed with exit code",
    "command finished with exit code",
    "job failed: exit code",
];

struct ExitCode;

impl Watch for ExitCode {
    fn line(&mut self, line: &Line<'_>, notes: &mut Notes) {
        if line.text.len() <= LINE_BYTES_MAX
            && let Some(code) = code(line.text.trim_start())
        {
            let showing = if code == 0 { Showing::Success } else { Showing::Failure };
            notes.verdict(Tool::ExitCode, showing, Place::of(line));
        }
    }
}

/// `exit code: 1`, `EXIT=0`, `[exit 0]`, `Process completed with exit code 1.`
fn code(text: &str) -> Option<i64> {
    let text = text.strip_suffix('.').unwrap_or(text);
    // Cheap first: nearly no line ends in a digit.
    if !text.ends_with(|last: char| last.is_ascii_digit() || "])\"".contains(last)) {
        return None;
    }
    let text = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let text = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or(text);
    let text = BEFORE.iter().find_map(|before| text.strip_prefix(before)).unwrap_or(text);
    let end = text.rfind(|character: char| !character.is_ascii_digit())?;
    let (phrase, digits) = (text.get(..=end)?, text.get(end + 1..)?);
    let (phrase, negative) = match phrase.strip_suffix('-') {
        Some(phrase) => (phrase, true),
        None => (phrase, false),
    };
    let phrase = phrase.strip_suffix(|end: char| " :=".contains(end))?;
    let phrase = phrase.trim_end_matches([' ', ':', '=']).to_ascii_lowercase();
    let phrase = phrase.strip_prefix("script ").unwrap_or(&phrase);
    let code: i64 = digits.parse().ok()?;
    PHRASES.contains(&phrase).then_some(if negative { -code } else { code })
}
