//! The answer of an audit in the forms people and machines read.

mod html;
mod json;
mod screen;
mod task;

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use baton_handoff::diagnostic::{Diagnostic, Severity};
use baton_handoff::rule::{self, Code, Rule};
use baton_handoff::secret;
use baton_runner::audit::finding::{Against, Finding, Verdict};
use baton_runner::audit::report::{Audit, HandoffReport};
use baton_runner::check::{self, FileReport};

use super::{Detail, Formatter, Summary, github, human, junit, sarif};
use crate::command::audit::Format;

/// How much of an audit a person wants to see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// The worst, on one screen.
    Screen,
    /// Every finding, with its source.
    Findings,
    /// One task with all its claims.
    Task,
}

pub(crate) fn write(
    out: &mut dyn Write,
    audit: &Audit,
    format: Format,
    extent: Extent,
    explain: bool,
) -> io::Result<()> {
    match (format, extent) {
        (Format::Json, _) => json::write(out, audit),
        (Format::Html, _) => html::write(out, audit),
        (Format::Human, Extent::Screen) => screen::write(out, audit),
        (Format::Human, Extent::Task) => task::write(out, audit, explain),
        (Format::Human, Extent::Findings) => {
            let detail = if explain { Explained::WithReasons } else { Explained::Plain };
            files(out, audit, Box::new(human::Human { detail: Detail::WithNotes }), detail)?;
            screen::ending(out, audit)
        }
        (Format::Sarif, _) => files(out, audit, Box::new(sarif::Sarif::default()), Explained::Plain),
        (Format::Junit, _) => files(out, audit, Box::new(junit::Junit::default()), Explained::Plain),
        (Format::Github, _) => {
            files(out, audit, Box::new(github::Github { detail: Detail::WithNotes }), Explained::Plain)
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Explained {
    Plain,
    WithReasons,
}

/// Writes the findings file by file through the formats of `check`.
fn files(
    out: &mut dyn Write,
    audit: &Audit,
    mut formatter: Box<dyn Formatter>,
    explained: Explained,
) -> io::Result<()> {
    let by_path = by_file(audit, explained);
    let mut summary = Summary::default();
    formatter.start(out)?;
    for (path, mut diagnostics) in by_path {
        diagnostics.sort_by_key(|found| (found.primary.span, found.code));
        // Only what is shown is read again, so that memory does not grow with the handoffs.
        let text = if diagnostics.is_empty() {
            String::new()
        } else {
            fs::read_to_string(&path).unwrap_or_default()
        };
        let source = secret::hide(&text, &mut diagnostics).into_owned();
        let report = FileReport {
            path,
            named: false,
            verdict: check::Verdict::Judged { handoffs: Vec::new(), diagnostics, source },
        };
        summary.count(&report);
        formatter.file(out, &report)?;
    }
    formatter.finish(out, &summary)
}

/// Returns the findings of each file; an older version counts as a file of its own.
fn by_file(audit: &Audit, explained: Explained) -> BTreeMap<PathBuf, Vec<Diagnostic>> {
    let mut by_path: BTreeMap<PathBuf, Vec<Diagnostic>> = BTreeMap::new();
    for handoff in audit.chains.iter().flat_map(|chain| &chain.handoffs) {
        let path = if handoff.is_current { handoff.path.clone() } else { PathBuf::from(&handoff.shown) };
        let found = by_path.entry(path).or_default();
        found.extend(handoff.rows.iter().filter_map(|row| diagnostic(handoff, row, explained)));
    }
    by_path
}

/// What an audit adds to the findings that the documents show by themselves.
#[derive(Debug, Default)]
pub(crate) struct Evidence {
    by_path: BTreeMap<PathBuf, Vec<Diagnostic>>,
}

impl Evidence {
    pub(crate) fn of(audit: &Audit) -> Self {
        let mut by_path = by_file(audit, Explained::Plain);
        let is_new = |found: &mut Diagnostic| rule::audit::holds(found.code);
        by_path.values_mut().for_each(|findings| findings.retain_mut(is_new));
        for handoff in
            audit.chains.iter().flat_map(|chain| &chain.handoffs).filter(|handoff| handoff.is_current)
        {
            let unknown = handoff.rows.iter().filter_map(not_checkable);
            by_path.entry(handoff.path.clone()).or_default().extend(unknown);
        }
        Self { by_path }
    }

    /// Adds what is known of the report's file.
    pub(crate) fn add_to(&mut self, report: &mut FileReport) {
        let Some(found) = self.by_path.remove(&report.path).filter(|found| !found.is_empty()) else { return };
        let check::Verdict::Judged { diagnostics, source, .. } = &mut report.verdict else { return };
        diagnostics.extend(found);
        diagnostics.sort_by_key(|found| (found.primary.span, found.code));
        if source.is_empty() {
            let text = fs::read_to_string(&report.path).unwrap_or_default();
            *source = secret::hide(&text, diagnostics).into_owned();
        }
    }
}

fn severity(verdict: Verdict) -> Severity {
    match verdict {
        Verdict::Contradicted => Severity::Error,
        Verdict::Unsupported => Severity::Warning,
        Verdict::Holds | Verdict::NotCheckable => Severity::Note,
    }
}

fn diagnostic(handoff: &HandoffReport, row: &Finding, explained: Explained) -> Option<Diagnostic> {
    let rule = row.rule.filter(|_| row.verdict.is_finding())?;
    let mut found = Diagnostic::new(rule.code, row.place.span, sentence(row));
    found.severity = severity(row.verdict);
    let against = row.against.as_ref().map(against);
    let mut help: Vec<String> =
        against.into_iter().map(|against| format!("held against {against}")).collect();
    if explained == Explained::WithReasons {
        help.push(format!("{} by what is {}", row.verdict.name(), row.provenance.name()));
        help.extend(why(rule));
    }
    if !handoff.is_current {
        help.push(format!("so it was in {}", handoff.shown));
    }
    found.help = (!help.is_empty()).then(|| help.join("\n"));
    Some(found)
}

/// Says which fact is missing to judge a claim.
fn not_checkable(row: &Finding) -> Option<Diagnostic> {
    let rule = row.rule.filter(|_| row.verdict == Verdict::NotCheckable)?;
    let message = format!("not checkable here: `{}`: {}", row.claim, row.reason);
    let mut found = Diagnostic::new(rule.code, row.place.span, message);
    found.severity = Severity::Note;
    Some(found)
}

/// Returns the finding in one sentence.
fn sentence(row: &Finding) -> String {
    match row.claim.is_empty() || row.kind == "document" || row.reason.contains(&row.claim) {
        true => row.reason.clone(),
        false => format!("`{}`: {}", row.claim, row.reason),
    }
}

/// Returns the other side in words, as `path:line: "text"`.
fn against(against: &Against) -> String {
    let line = against.line.map(|line| format!(":{line}")).unwrap_or_default();
    match against.text.is_empty() {
        true => format!("{}{line}", against.source),
        false => format!("{}{line}: {}", against.source, against.text),
    }
}

/// Returns the first paragraph under "Why" of a rule's page.
fn why(rule: &Rule) -> Option<String> {
    let (_, after) = rule.page.split_once("## Why")?;
    let paragraph = after.trim_start().split("\n\n").next()?;
    Some(paragraph.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn code(row: &Finding) -> String {
    row.code().map(|code: Code| code.to_string()).unwrap_or_default()
}
