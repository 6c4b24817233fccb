//! Forms that hand work over without a status: a package names its receiver, a builder completes its waypoint.

use super::{Outcome, from_words, is_no, severity};
use crate::field::Field;
use crate::key;
use crate::marker::COMPLETE;
use crate::record::Record;
use crate::span::Span;
use crate::tree::{Kind, Node};

/// Names of the receiver of a package that is for a person.
const PEOPLE: &[&str] = &["human", "person", "user"];
/// Priorities of a question that can't wait.
const URGENT: &[&str] = &["high", "critical", "urgent", "blocking", "blocker"];
/// Keys of a completion claim whose text says how the work stands.
const STANDING: &[&str] = &["status", "state", "outcome", "result", "claim"];
/// Keys of a completion claim whose value says whether the work is complete.
const FLAGS: &[&str] = &["complete", "completed", "done", "finished", "waypoint_complete", "ready"];
/// How deep a completion claim is read.
const DEPTH_MAX: usize = 4;

/// Says whether a handoff is addressed to a person.
pub fn is_for_person(record: &Record<'_>) -> bool {
    let to = record.str(Field::To).map(|to| to.trim().trim_start_matches('@').to_lowercase());
    to.is_some_and(|to| PEOPLE.contains(&to.as_str()))
}

/// Says whether a question has to be answered before the work can be accepted: it blocks, or is urgent and put to a person.
pub fn holds_up(record: &Record<'_>, question: &Record<'_>) -> bool {
    let is_urgent = || {
        let priority = question.str(Field::Priority).map(|text| text.trim().to_lowercase());
        priority.is_some_and(|priority| URGENT.contains(&priority.as_str()))
    };
    super::is_blocking(question) || is_for_person(record) && is_urgent()
}

/// Concludes from the form of a handoff that gives no status.
pub(super) fn concluded(record: &Record<'_>) -> Option<(Outcome, Span, &'static str)> {
    if let Some((outcome, span)) =
        record.tree(Field::CompletionClaim).and_then(|claim| claimed(record, claim))
    {
        return Some((outcome, span, "the completion claim says so"));
    }
    let names_task = |marker: &&Record<'_>| {
        marker.str(Field::Message).is_some_and(|task| !task.trim().is_empty() && !task.contains('<'))
    };
    let mut complete =
        record.records(Field::Markers).iter().filter(|marker| marker.str(Field::Name) == Some(COMPLETE));
    if let Some(marker) = complete.find(names_task) {
        return Some((Outcome::Completed, marker.span, "a marker completes the waypoint"));
    }
    let is_package = record.has(Field::From) && record.has(Field::To) && record.has(Field::ToReason);
    if !is_package || record.text(Field::Summary).is_none_or(|summary| summary.is_blank()) {
        return None;
    }
    let span = record.place(Field::To);
    Some(match is_for_person(record) && !record.has(Field::Gate) {
        true => (Outcome::Blocked, span, "it asks a person"),
        false => (Outcome::Completed, span, "it hands the work on"),
    })
}

/// Reads a completion claim: what denies completion counts before what claims it. The bare id of the task is the payload of
/// the marker, and so claims it.
fn claimed(record: &Record<'_>, claim: &Node<'_>) -> Option<(Outcome, Span)> {
    let mut found = Vec::new();
    let mut names_task = None;
    let task = record.str(Field::Task).map(str::trim);
    read(claim, "status", 0, &mut |key, node| {
        let Some(text) = node.text().map(str::trim) else { return };
        let outcome = match key {
            key if STANDING.contains(&key) => from_words(text).or(completes(text)),
            key if FLAGS.contains(&key) && (is_no(text) || text.is_empty()) => Some(Outcome::InProgress),
            key if FLAGS.contains(&key) => Some(Outcome::Completed),
            _ => completes(text),
        };
        found.extend(outcome.map(|outcome| (outcome, node.span)));
        if Some(text) == task {
            names_task = Some(node.span);
        }
    });
    let worst = found.into_iter().max_by_key(|(outcome, _)| severity(*outcome));
    worst.or(names_task.map(|span| (Outcome::Completed, span)))
}

/// Reads the marker of completion, or its name alone.
fn completes(text: &str) -> Option<Outcome> {
    let name = key::normalise(text.trim_matches(['<', '>', '/']));
    let is_marker = text.contains(&format!("<{COMPLETE}>")) || name == key::normalise(COMPLETE);
    is_marker.then_some(Outcome::Completed)
}

fn read<'n, 's>(node: &'n Node<'s>, key: &str, depth: usize, visit: &mut impl FnMut(&str, &'n Node<'s>)) {
    match &node.kind {
        Kind::Scalar { .. } => visit(key, node),
        Kind::Map(pairs) if depth < DEPTH_MAX => {
            pairs.iter().for_each(|pair| read(&pair.value, &key::normalise(&pair.key), depth + 1, visit));
        }
        Kind::Map(_) | Kind::List(_) => {}
    }
}
