//! The findings of `check` in the forms people and machines read, one file at a time so that memory stays flat.

pub(crate) mod audit;
mod github;
pub(crate) mod graph;
mod human;
mod json;
mod junit;
mod sarif;

use std::io::{self, Write};

use baton_handoff::diagnostic::{Diagnostic, Severity};
use baton_handoff::span::LineIndex;
use baton_runner::check::{FileReport, Verdict};
use clap::ValueEnum;

/// How findings are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// With the source, for people
    Human,
    /// One JSON document
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// JUnit XML, for test reports
    Junit,
    /// Annotations of GitHub Actions
    Github,
}

/// What was seen in all files together.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Summary {
    /// Files that hold handoffs.
    pub(crate) documents: usize,
    pub(crate) handoffs: usize,
    pub(crate) errors: usize,
    pub(crate) warnings: usize,
    pub(crate) notes: usize,
    /// Files looked into that are no handoffs.
    pub(crate) not_handoffs: usize,
    pub(crate) unreadable: usize,
    /// Files found in folders that are too large to be handoffs, or not text.
    pub(crate) passed_over: usize,
}

impl Summary {
    pub(crate) fn count(&mut self, report: &FileReport) {
        match &report.verdict {
            Verdict::Judged { handoffs, .. } => {
                self.documents += 1;
                self.handoffs += handoffs.len();
            }
            Verdict::NotAHandoff { diagnostics, .. } => {
                self.not_handoffs += 1;
                self.passed_over +=
                    usize::from(!report.named && diagnostics.iter().any(|found| found.code.is_foreign()));
            }
            Verdict::Unreadable { .. } => self.unreadable += 1,
        }
        for found in findings(report) {
            match found.severity {
                Severity::Error => self.errors += 1,
                Severity::Warning => self.warnings += 1,
                Severity::Note => self.notes += 1,
            }
        }
    }
}

/// Writes reports as they come.
pub(crate) trait Formatter {
    fn start(&mut self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
    fn file(&mut self, out: &mut dyn Write, report: &FileReport) -> io::Result<()>;
    fn finish(&mut self, _out: &mut dyn Write, _summary: &Summary) -> io::Result<()> {
        Ok(())
    }
}

/// Which findings are worth a person's eyes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detail {
    WithNotes,
    WithoutNotes,
}

pub(crate) fn formatter(format: Format, detail: Detail) -> Box<dyn Formatter> {
    match format {
        Format::Human => Box::new(human::Human { detail }),
        Format::Json => Box::new(json::Json::default()),
        Format::Sarif => Box::new(sarif::Sarif::default()),
        Format::Junit => Box::new(junit::Junit::default()),
        Format::Github => Box::new(github::Github { detail }),
    }
}

/// Returns the findings of a report that count: a file that is no handoff counts when it was named, or cannot be read.
pub(crate) fn findings(report: &FileReport) -> &[Diagnostic] {
    match &report.verdict {
        Verdict::Judged { diagnostics, .. } => diagnostics,
        Verdict::NotAHandoff { diagnostics, .. } if report.named || is_broken(diagnostics) => diagnostics,
        Verdict::NotAHandoff { .. } | Verdict::Unreadable { .. } => &[],
    }
}

/// Says whether a document was meant as a handoff and could not be read. Lock files and logs beside the handoffs are neither.
fn is_broken(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|found| found.severity == Severity::Error && found.code.is_unreadable())
}

fn source(report: &FileReport) -> &str {
    match &report.verdict {
        Verdict::Judged { source, .. } | Verdict::NotAHandoff { source, .. } => source,
        Verdict::Unreadable { .. } => "",
    }
}

/// Where a finding begins and ends, as editors count.
#[derive(Clone, Copy, Debug)]
struct Region {
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
}

fn region(index: &LineIndex, source: &str, found: &Diagnostic) -> Region {
    let start = index.position(source, found.primary.span.start);
    let end = index.position(source, found.primary.span.end);
    Region { line: start.line, column: start.column, end_line: end.line, end_column: end.column }
}

/// Returns the path with forward slashes, as machine formats want it.
fn machine_path(report: &FileReport) -> String {
    report.path.to_string_lossy().replace('\\', "/")
}
