//! For people: the source, the place underlined, what to do.

use std::io::{self, Write};

use baton_handoff::diagnostic::Severity;
use baton_handoff::span::LineIndex;
use baton_runner::check::{FileReport, Verdict};

use super::{Detail, Formatter, findings, source};
use crate::output::printable;
use crate::snippet;

/// Most findings shown of one file; the rest is counted.
const SHOWN_MAX: usize = 50;

#[derive(Debug)]
pub(crate) struct Human {
    pub(crate) detail: Detail,
}

impl Formatter for Human {
    fn file(&mut self, out: &mut dyn Write, report: &FileReport) -> io::Result<()> {
        let path = report.path.display().to_string();
        if let Verdict::Unreadable { message } = &report.verdict {
            let (path, code) = (printable(&path), baton_handoff::rule::UNREADABLE);
            return writeln!(out, "error[{code}]: {path} cannot be read: {}\n", printable(message));
        }
        let wanted = |severity: Severity| self.detail == Detail::WithNotes || severity > Severity::Note;
        let shown = findings(report).iter().filter(|found| wanted(found.severity));
        let index = LineIndex::new(source(report));
        for found in shown.clone().take(SHOWN_MAX) {
            writeln!(out, "{}\n", snippet::render(&path, source(report), &index, found))?;
        }
        match shown.count().checked_sub(SHOWN_MAX) {
            Some(more @ 1..) => writeln!(out, "… and {more} more findings in {}\n", printable(&path)),
            Some(0) | None => Ok(()),
        }
    }
}
