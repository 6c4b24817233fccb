//! The commands that a handoff says were run, with how they ended.

use baton_handoff::field::Field;
use baton_handoff::marker::Marker;
use baton_handoff::record::Record;

use super::beyond::{self, said_under};
use super::judged::attribute;
use super::{LedgerEntry, Source, table};
use crate::finding::Said;

const COMMAND_KEYS: &[&str] = &["command", "cmd", "run", "validation_command"];
const END_KEYS: &[&str] = &[
    "exit_code",
    "exit",
    "exit_status",
    "exitcode",
    "returncode",
    "return_code",
    "code",
    "status",
    "result",
    "outcome",
];
const EVIDENCE_KEYS: &[&str] = &["evidence", "evidence_ref", "evidence_refs", "log"];

/// How a command ended, as far as somebody says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    With(i64),
    Well,
    Badly,
}

impl Ended {
    /// Reads an exit code, or a word for one.
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim().trim_matches(['`', '*', '.', '(', ')', '✅', '❌']).trim().to_lowercase();
        let number = text.trim_start_matches(|letter: char| !letter.is_ascii_digit() && letter != '-');
        if let Ok(code) = text.parse().or_else(|error| match text.starts_with("exit") {
            true => number.trim().parse(),
            false => Err(error),
        }) {
            return Some(Self::With(code));
        }
        let first = text.split([' ', ',', ':', '(']).next().unwrap_or_default();
        match first {
            "pass" | "passed" | "passes" | "passing" | "ok" | "success" | "succeeded" | "green" | "clean"
            | "true" => Some(Self::Well),
            "fail" | "failed" | "fails" | "failing" | "failure" | "error" | "errored" | "red" | "false" => {
                Some(Self::Badly)
            }
            _ => None,
        }
    }

    /// Says whether a command can have ended so that ended with this exit code.
    pub fn fits(self, code: i64) -> bool {
        match self {
            Self::With(own) => own == code,
            Self::Well => code == 0,
            Self::Badly => code != 0,
        }
    }

    pub fn is_well(self) -> bool {
        self.fits(0)
    }
}

/// Returns the commands of the ledger, of every other list that has commands, and of markers.
pub(super) fn entries(record: &Record<'_>, markers: &[Marker<'_>], source: &Source<'_>) -> Vec<LedgerEntry> {
    let one = |item: &Record<'_>| {
        let own = item.extensions.iter().find(|own| END_KEYS.contains(&&*own.key));
        let own = own.and_then(|own| Some(Said::new(own.value.text()?, source.place(own.value.span))));
        let fields = [Field::ExitCode, Field::Status, Field::Outcome, Field::Verdict];
        Some(LedgerEntry {
            command: source.text(item, Field::Command)?,
            exit_code: fields.iter().find_map(|field| source.text(item, *field)).or(own),
            evidence: source.texts(item, Field::Evidence),
            is_stated: true,
        })
    };
    let mut all: Vec<LedgerEntry> = record.records(Field::Commands).iter().filter_map(one).collect();
    for one in beyond::all(record) {
        for node in one.nodes() {
            let Some(command) = said_under(node, COMMAND_KEYS, source) else { continue };
            let evidence = said_under(node, EVIDENCE_KEYS, source).into_iter().collect();
            let exit_code = said_under(node, END_KEYS, source);
            all.push(LedgerEntry { command, exit_code, evidence, is_stated: true });
        }
        // `sh scripts/test.sh: 0`
        if one.key.trim().contains([' ', '/'])
            && one.value.text().is_some_and(|text| Ended::read(text).is_some())
        {
            let exit_code = one.value.text().map(|text| Said::new(text, source.place(one.value.span)));
            let command = Said::new(one.key.trim(), source.place(one.key_span));
            all.push(LedgerEntry { command, exit_code, evidence: Vec::new(), is_stated: false });
        }
    }
    all.extend(markers.iter().filter(|marker| marker.name == "validation").filter_map(|marker| {
        let place = source.place(marker.span);
        let ended = attribute(marker, END_KEYS)?;
        Some(LedgerEntry {
            command: Said::new(attribute(marker, COMMAND_KEYS)?, place),
            exit_code: Some(Said::new(ended, place)),
            evidence: Vec::new(),
            is_stated: true,
        })
    }));
    all.extend(tabled(source));
    let mut kept: Vec<LedgerEntry> = Vec::new();
    for entry in all {
        let is_known =
            |known: &LedgerEntry| known.command == entry.command && known.exit_code == entry.exit_code;
        if !kept.iter().any(is_known) {
            kept.push(entry);
        }
    }
    kept
}

/// Returns the commands of tables, with the cell that says how each ended.
fn tabled(source: &Source<'_>) -> Vec<LedgerEntry> {
    let mut entries = Vec::new();
    for row in table::rows(source) {
        let under = |keys: &[&str]| row.pairs().find(|(head, _)| keys.contains(head)).map(|(_, cell)| cell);
        let (Some(command), Some(ended)) = (under(COMMAND_KEYS), under(END_KEYS)) else { continue };
        if Ended::read(ended).is_some() {
            let said = |text: &str| Said::new(text, row.place);
            let (command, exit_code) = (said(command), Some(said(ended)));
            entries.push(LedgerEntry { command, exit_code, evidence: Vec::new(), is_stated: true });
        }
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_command_is_read_from_numbers_and_words() {
        assert_eq!(Ended::read("0"), Some(Ended::With(0)));
        assert_eq!(Ended::read("exit 1"), Some(Ended::With(1)));
        assert_eq!(Ended::read("exit code: 2"), Some(Ended::With(2)));
        assert_eq!(Ended::read("passed (4 tests)"), Some(Ended::Well));
        assert_eq!(Ended::read("fail"), Some(Ended::Badly));
        assert_eq!(Ended::read("modified"), None);
        assert!(Ended::Well.fits(0) && !Ended::Badly.fits(0) && !Ended::With(1).fits(2));
    }
}
