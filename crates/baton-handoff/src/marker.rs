//! The markers that builders put into their output: `<execution-stage>`, `<validation>`, `<acceptance-criterion>` and
//! `<waypoint-complete>`.

use crate::dialect::{Dialect, Origin, Variant};
use crate::field::Field;
use crate::handoff::Handoff;
use crate::key::{Form, Key, optional, recommended, required};
use crate::limit;
use crate::markdown::{self, LineKind};
use crate::outcome::{self, Outcome};
use crate::record::{Record, Text, Value};
use crate::span::Span;
use crate::tree::Style;

/// The marker that says that the builder hands over.
pub(crate) const COMPLETE: &str = "waypoint-complete";
const VALIDATION: &str = "validation";
const CRITERION: &str = "acceptance-criterion";
const NAMES: &[&str] = &["execution-stage", VALIDATION, CRITERION, COMPLETE];
/// Attributes that say how something ended.
const RESULTS: &[&str] = &["status", "result", "verdict", "outcome"];
/// Most attributes read of one marker.
const ATTRIBUTES_MAX: usize = 16;

const MARKER: &[Key] = &[
    required("name", Field::Name, Form::Text, "The marker"),
    optional("id", Field::Id, Form::Text, "What it is about"),
    optional("content", Field::Message, Form::Text, "What stands in it"),
];

const KEYS: &[Key] = &[
    recommended("waypoint_id", Field::Task, Form::Id, "The task that the builder hands over"),
    required("markers", Field::Markers, Form::Items(MARKER), "The markers in the order written"),
];

/// Output with markers and no artifact: it hands over a task and says nothing else as data.
pub(crate) static VARIANT: Variant =
    Variant { name: "builder-output", about: "A builder's output with markers", wrapper: None, keys: KEYS };

/// A marker as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marker<'s> {
    pub name: &'static str,
    pub attributes: Vec<(&'s str, &'s str)>,
    /// What stands between the tags, without the blanks around it; the rest of the line where it is never closed.
    pub content: &'s str,
    pub content_span: Span,
    /// From the first tag to the last.
    pub span: Span,
    pub closed: bool,
}

/// Returns the markers of a text, without those in fences, in comments and in code.
pub fn scan(source: &str) -> Vec<Marker<'_>> {
    let mut found = Vec::new();
    if !may_have_markers(source) {
        return found;
    }
    let hidden = hidden(source);
    let (mut at, mut seen) = (0, 0);
    while let Some(less) = memchr::memchr(b'<', &source.as_bytes()[at..]).map(|less| at + less) {
        at = less + 1;
        let Some(marker) = marker(source, less) else { continue };
        if !is_hidden(&hidden, marker.span) && !is_in_code(source, less) {
            at = marker.span.end as usize;
            found.push(marker);
        }
        seen += 1;
        if seen >= limit::BLOCKS_MAX {
            break;
        }
    }
    found
}

/// Says whether a marker of a text completes a waypoint that it names.
pub(crate) fn completes(source: &str) -> bool {
    let names_task = |content: &str| !content.is_empty() && !content.contains('<');
    begins_with(source, &[COMPLETE])
        && scan(source).iter().any(|marker| marker.name == COMPLETE && names_task(marker.content))
}

fn may_have_markers(source: &str) -> bool {
    begins_with(source, NAMES)
}

/// Says whether one of these names stands behind a `<`. Most documents have few of those.
fn begins_with(source: &str, names: &[&str]) -> bool {
    let bytes = source.as_bytes();
    memchr::memchr_iter(b'<', bytes)
        .any(|less| names.iter().any(|name| bytes[less + 1..].starts_with(name.as_bytes())))
}

/// Returns the fences and comments, each once, in order.
fn hidden(source: &str) -> Vec<Span> {
    let scanned = markdown::scan(source, markdown::frontmatter(source).filter(|found| found.closed));
    let mut spans: Vec<Span> = Vec::new();
    for line in &scanned.lines {
        if !matches!(line.kind, LineKind::Fence(_) | LineKind::Comment) {
            continue;
        }
        match spans.last_mut() {
            Some(last) if line.span.start <= last.end.saturating_add(2) => last.end = line.span.end,
            _ => spans.push(line.span),
        }
    }
    spans
}

fn is_hidden(hidden: &[Span], marker: Span) -> bool {
    let before = hidden.partition_point(|span| span.start <= marker.start);
    hidden[..before].last().is_some_and(|span| span.end > marker.start)
}

/// Says whether a place stands between backticks of its line.
fn is_in_code(source: &str, at: usize) -> bool {
    let line = memchr::memrchr(b'\n', &source.as_bytes()[..at]).map_or(0, |newline| newline + 1);
    source.as_bytes()[line..at].iter().filter(|&&byte| byte == b'`').count() % 2 == 1
}

fn marker(source: &str, less: usize) -> Option<Marker<'_>> {
    let rest = &source[less + 1..];
    let name = *NAMES.iter().find(|name| rest.starts_with(**name))?;
    let after = &rest[name.len()..];
    if !after.starts_with(['>', '/', ' ', '\t', '\n', '\r']) {
        return None;
    }
    let tag_len = after.find(['>', '<']).filter(|&end| after[end..].starts_with('>'))?;
    let inside = after[..tag_len].trim_end();
    let start = less + 1 + name.len() + tag_len + 1;
    let is_whole = inside.ends_with('/');
    let attributes = attributes(inside.trim_end_matches('/'));
    if is_whole {
        let (span, content_span) = (Span::new(less, start), Span::at(start));
        return Some(Marker { name, attributes, content: "", content_span, span, closed: true });
    }
    let (content_end, end, closed) = end_of(source, start, name);
    let content = &source[start..content_end];
    let content_start = start + (content.len() - content.trim_start().len());
    let content = content.trim();
    Some(Marker {
        name,
        attributes,
        content,
        content_span: Span::new(content_start, content_start + content.len()),
        span: Span::new(less, end),
        closed,
    })
}

/// Returns where the content ends, where the marker ends, and whether it is closed: before any other marker begins.
fn end_of(source: &str, start: usize, name: &str) -> (usize, usize, bool) {
    let mut at = start;
    while let Some(less) = memchr::memchr(b'<', &source.as_bytes()[at..]).map(|less| at + less) {
        let rest = &source[less + 1..];
        let closing = rest
            .strip_prefix('/')
            .and_then(|rest| rest.strip_prefix(name))
            .and_then(|rest| rest.strip_prefix('>'));
        if let Some(after) = closing {
            return (less, source.len() - after.len(), true);
        }
        if NAMES
            .iter()
            .any(|other| rest.strip_prefix(*other).is_some_and(|rest| rest.starts_with(['>', ' ', '/'])))
        {
            break;
        }
        at = less + 1;
    }
    let line_end =
        memchr::memchr(b'\n', &source.as_bytes()[start..]).map_or(source.len(), |newline| start + newline);
    let line_end = source[start..line_end].find('<').map_or(line_end, |less| start + less);
    (line_end, line_end, false)
}

fn attributes(text: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((name, value)) = rest.split_once('=') {
        let name = name.trim();
        let quote = value.chars().next().filter(|mark| matches!(mark, '"' | '\''));
        let (value, after) = match quote {
            Some(quote) => value[1..].split_once(quote).unwrap_or((&value[1..], "")),
            None => value.split_once(char::is_whitespace).unwrap_or((value, "")),
        };
        found.push((name, value));
        rest = after;
        if found.len() >= ATTRIBUTES_MAX {
            break;
        }
    }
    found
}

/// Returns the handoff of an output that says in a marker that a task is handed over.
pub(crate) fn handoff(source: &str) -> Option<Handoff<'_>> {
    let markers = scan(source);
    let complete = markers.iter().find(|marker| marker.name == COMPLETE)?;
    let whole = Span::new(0, source.len());
    let mut record = Record { span: complete.span, ..Record::default() };
    if !complete.content.is_empty() {
        let task = Text::stated(complete.content, Style::Quoted, complete.content_span);
        record.push(Field::Task, complete.span, Value::Text(task));
    }
    add(&mut record, &markers);
    record.push(Field::Body, whole, Value::Text(Text::stated(source, Style::Block, whole)));
    Some(Handoff {
        dialect: Dialect::Artifact,
        variant: &VARIANT,
        origin: Origin::Whole,
        span: whole,
        record,
        tree: None,
    })
}

/// Adds the markers that stand around a handoff to what it says.
pub(crate) fn enrich<'s>(handoff: &mut Handoff<'s>, source: &'s str) {
    let markers = scan(source);
    if !markers.is_empty() {
        add(&mut handoff.record, &markers);
    }
}

/// Adds markers to a record, with what they claim: how criteria stand, and how commands ended.
fn add<'s>(record: &mut Record<'s>, markers: &[Marker<'s>]) {
    append(record, Field::Markers, markers.iter().map(item));
    let of = |name: &'static str| markers.iter().filter(move |marker| marker.name == name);
    append(record, Field::Criteria, of(CRITERION).filter_map(criterion));
    append(record, Field::Commands, of(VALIDATION).filter_map(command));
    append(record, Field::Checkpoints, of(VALIDATION).filter_map(failed_validation));
}

/// Adds records to those that a field has.
fn append<'s>(record: &mut Record<'s>, field: Field, items: impl Iterator<Item = Record<'s>>) {
    let items: Vec<Record<'s>> = items.collect();
    let Some(first) = items.first().map(|item| item.span) else { return };
    match record.entries.iter_mut().find(|entry| entry.field == field).map(|entry| &mut entry.value) {
        Some(Value::Records(known)) => known.extend(items),
        Some(_) => {}
        None => record.push(field, first, Value::Records(items)),
    }
}

/// A criterion that a marker names is claimed to be met, unless the marker says otherwise.
fn criterion<'s>(marker: &Marker<'s>) -> Option<Record<'s>> {
    let name = marker.attribute(&["id", "criterion", "name"]).unwrap_or(marker.content);
    let denied = || outcome::from_verdict(marker.content).filter(|said| *said != Outcome::Completed);
    let status = match marker.attribute(RESULTS) {
        Some(status) => status,
        None if denied().is_some() => marker.content,
        None => "met",
    };
    let mut record = Record { span: marker.span, ..Record::default() };
    marker.push(&mut record, Field::Criterion, name);
    marker.push(&mut record, Field::Status, status);
    if !marker.content.is_empty() {
        record.push(Field::Message, marker.content_span, Value::Text(marker.text(marker.content)));
    }
    (!name.is_empty()).then_some(record)
}

/// Returns the command of a validation that says how it ended.
fn command<'s>(marker: &Marker<'s>) -> Option<Record<'s>> {
    let command = marker.attribute(&["command", "cmd", "run"])?;
    let passes = || marker.result() == Some(Outcome::Completed);
    let code = marker.attribute(&["exit_code", "exit-code", "exit"]).or(passes().then_some("0"))?;
    let mut record = Record { span: marker.span, ..Record::default() };
    marker.push(&mut record, Field::Command, command);
    // An attribute of a marker has quotes around any value.
    let code = Text::stated(code, Style::Plain, marker.span);
    record.push(Field::ExitCode, marker.span, Value::Text(code));
    Some(record)
}

/// A validation that failed is a checkpoint that doesn't hold.
fn failed_validation<'s>(marker: &Marker<'s>) -> Option<Record<'s>> {
    let name = marker.attribute(&["command", "cmd", "run", "name", "id"]).unwrap_or(VALIDATION);
    let mut record = Record { span: marker.span, ..Record::default() };
    marker.push(&mut record, Field::Name, name);
    marker.push(&mut record, Field::Status, "fail");
    (marker.result() == Some(Outcome::Failed)).then_some(record)
}

impl<'s> Marker<'s> {
    fn attribute(&self, names: &[&str]) -> Option<&'s str> {
        let found = self.attributes.iter().find(|(name, value)| names.contains(name) && !value.is_empty());
        found.map(|(_, value)| *value)
    }

    /// Returns how it says that something ended: in an attribute, or in its content.
    fn result(&self) -> Option<Outcome> {
        outcome::from_verdict(self.attribute(RESULTS).unwrap_or(self.content))
    }

    fn text(&self, text: &'s str) -> Text<'s> {
        Text::stated(text, Style::Quoted, self.span)
    }

    fn push(&self, record: &mut Record<'s>, field: Field, text: &'s str) {
        record.push(field, self.span, Value::Text(self.text(text)));
    }
}

fn item<'s>(marker: &Marker<'s>) -> Record<'s> {
    let mut record = Record { span: marker.span, ..Record::default() };
    record.push(Field::Name, marker.span, Value::Text(Text::stated(marker.name, Style::Quoted, marker.span)));
    if let Some((_, id)) = marker.attributes.iter().find(|(name, _)| *name == "id") {
        record.push(Field::Id, marker.span, Value::Text(Text::stated(*id, Style::Quoted, marker.span)));
    }
    if !marker.content.is_empty() {
        let content = Text::stated(marker.content, Style::Quoted, marker.content_span);
        record.push(Field::Message, marker.content_span, Value::Text(content));
    }
    record
}

#[cfg(test)]
mod tests;
