//! For GitHub Actions: one annotation a finding.

use std::io::{self, Write};

use baton_handoff::diagnostic::Severity;
use baton_handoff::span::LineIndex;
use baton_runner::check::{FileReport, Verdict};

use super::{Detail, Formatter, findings, machine_path, region, source};
use crate::output::printable;

#[derive(Debug)]
pub(crate) struct Github {
    pub(crate) detail: Detail,
}

impl Formatter for Github {
    fn file(&mut self, out: &mut dyn Write, report: &FileReport) -> io::Result<()> {
        let path = property(&printable(&machine_path(report)));
        if let Verdict::Unreadable { message } = &report.verdict {
            let title = property(&baton_handoff::rule::UNREADABLE.to_string());
            return writeln!(out, "::error file={path},title={title}::{}", data(&printable(message)));
        }
        let index = LineIndex::new(source(report));
        for found in findings(report) {
            let command = match found.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Note if self.detail == Detail::WithNotes => "notice",
                Severity::Note => continue,
            };
            let at = region(&index, source(report), found);
            let title = property(&format!("{} {}", found.code, found.code.rule().name));
            let help = found.help.as_ref().map(|help| format!("\n{help}")).unwrap_or_default();
            let message = data(&printable(&format!("{}{help}", found.message)));
            let (line, column, end_line, end_column) = (at.line, at.column, at.end_line, at.end_column);
            writeln!(
                out,
                "::{command} file={path},line={line},endLine={end_line},col={column},endColumn={end_column},title={title}::{message}"
            )?;
        }
        Ok(())
    }
}

/// Escapes the message of a workflow command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes a property of a workflow command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
