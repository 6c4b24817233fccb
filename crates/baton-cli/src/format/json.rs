//! One JSON document: files with their handoffs and findings, then the summary. The shape is stable.

use std::io::{self, Write};

use baton_handoff::diagnostic::{Diagnostic, Fix, Label};
use baton_handoff::span::LineIndex;
use baton_runner::check::{Brief, FileReport, Verdict};
use serde::Serialize;

use crate::output::write_json;

use super::{Formatter, Summary, findings, machine_path, region, source};

/// The version of the shape; grows only when a reader of the old one would be misled.
const SHAPE_VERSION: u32 = 1;

#[derive(Debug, Default)]
pub(crate) struct Json {
    written: usize,
}

#[derive(Serialize)]
struct File<'a> {
    path: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    handoffs: Vec<HandoffLine<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    not_a_handoff: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unreadable: Option<&'a str>,
    diagnostics: Vec<Finding<'a>>,
}

#[derive(Serialize)]
struct HandoffLine<'a> {
    dialect: &'a str,
    variant: &'a str,
    task: Option<&'a str>,
    stage: Option<&'a str>,
    from: Option<&'a str>,
    to: Option<&'a str>,
    outcome: &'a str,
    because: &'a str,
}

#[derive(Serialize)]
struct Finding<'a> {
    code: String,
    rule: &'a str,
    severity: &'a str,
    message: &'a str,
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
    start: u32,
    end: u32,
    #[serde(skip_serializing_if = "str::is_empty")]
    label: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related: Vec<Related<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<FixLine<'a>>,
}

/// Another place that matters, such as the first of two keys of one name.
#[derive(Serialize)]
struct Related<'a> {
    line: usize,
    column: usize,
    label: &'a str,
}

#[derive(Serialize)]
struct FixLine<'a> {
    title: &'a str,
    edits: Vec<EditLine<'a>>,
}

#[derive(Serialize)]
struct EditLine<'a> {
    start: u32,
    end: u32,
    replacement: &'a str,
}

#[derive(Serialize)]
struct SummaryLine {
    documents: usize,
    handoffs: usize,
    errors: usize,
    warnings: usize,
    notes: usize,
    not_handoffs: usize,
    unreadable: usize,
}

impl Formatter for Json {
    fn start(&mut self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "{{\"version\":{SHAPE_VERSION},\"files\":[")
    }

    fn file(&mut self, out: &mut dyn Write, report: &FileReport) -> io::Result<()> {
        let shown = findings(report);
        let index = LineIndex::new(source(report));
        let (handoffs, not_a_handoff, unreadable) = match &report.verdict {
            Verdict::Judged { handoffs, .. } => (handoffs.iter().map(handoff_line).collect(), None, None),
            Verdict::NotAHandoff { refusal, .. } => (Vec::new(), Some(refusal.reason.as_str()), None),
            Verdict::Unreadable { message } => (Vec::new(), None, Some(message.as_str())),
        };
        let file = File {
            path: machine_path(report),
            handoffs,
            not_a_handoff,
            unreadable,
            diagnostics: shown.iter().map(|found| finding(&index, source(report), found)).collect(),
        };
        out.write_all(if self.written == 0 { b"\n" } else { b",\n" })?;
        self.written += 1;
        write_json(out, &file)
    }

    fn finish(&mut self, out: &mut dyn Write, summary: &Summary) -> io::Result<()> {
        let summary = SummaryLine {
            documents: summary.documents,
            handoffs: summary.handoffs,
            errors: summary.errors,
            warnings: summary.warnings,
            notes: summary.notes,
            not_handoffs: summary.not_handoffs,
            unreadable: summary.unreadable,
        };
        out.write_all(b"\n],\"summary\":")?;
        serde_json::to_writer(&mut *out, &summary)?;
        out.write_all(b"}\n")
    }
}

fn handoff_line(brief: &Brief) -> HandoffLine<'_> {
    HandoffLine {
        dialect: brief.dialect.name(),
        variant: brief.variant,
        task: brief.task.as_deref(),
        stage: brief.stage.as_deref(),
        from: brief.from.as_deref(),
        to: brief.to.as_deref(),
        outcome: brief.outcome.name(),
        because: brief.because,
    }
}

fn finding<'a>(index: &LineIndex, source: &str, found: &'a Diagnostic) -> Finding<'a> {
    let at = region(index, source, found);
    Finding {
        code: found.code.to_string(),
        rule: found.code.rule().name,
        severity: found.severity.name(),
        message: &found.message,
        line: at.line,
        column: at.column,
        end_line: at.end_line,
        end_column: at.end_column,
        start: found.primary.span.start,
        end: found.primary.span.end,
        label: &found.primary.text,
        related: found.others.iter().map(|label| related(index, source, label)).collect(),
        help: found.help.as_deref(),
        fix: found.fix.as_ref().map(fix_line),
    }
}

fn related<'a>(index: &LineIndex, source: &str, label: &'a Label) -> Related<'a> {
    let at = index.position(source, label.span.start);
    Related { line: at.line, column: at.column, label: &label.text }
}

fn fix_line(fix: &Fix) -> FixLine<'_> {
    let edits = fix.edits.iter().map(|edit| EditLine {
        start: edit.span.start,
        end: edit.span.end,
        replacement: &edit.replacement,
    });
    FixLine { title: &fix.title, edits: edits.collect() }
}
