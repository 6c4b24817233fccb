//! Writes the packet. What Baton says stands in plain text; what others said stands between two marks.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::fence;
use super::fragment::{self, Byline, Fragment, Kind};
use super::order::{Order, Scope};

/// Returns the line above the fragments of one kind.
pub(super) fn label(kind: Kind) -> String {
    format!("[{}]\n", kind.label())
}

pub(super) fn text(
    order: &Order,
    kept: &[Fragment],
    left_out: &BTreeMap<Kind, usize>,
    stripped: usize,
) -> String {
    let mut text = match order.scope {
        Scope::Turn => head(order, kept),
        Scope::All(kind) => format!("# {}: all {}\n", order.task, kind.name()),
    };
    data(order, kept, &mut text);
    if order.scope == Scope::Turn {
        references(kept, &mut text);
    }
    remainder(order, left_out, &mut text);
    if stripped > 0 {
        let _ = writeln!(text, "{stripped} invisible characters were taken out of the data.");
    }
    text
}

fn head(order: &Order, kept: &[Fragment]) -> String {
    let Order { task, stage, role, attempt, attempts_max, .. } = order;
    let mut text = format!("# {task}: {stage} as {}, attempt {attempt} of {attempts_max}\n", role.name());
    if let Some(feedback) = &order.feedback {
        let _ = writeln!(text, "{}", feedback.headline());
    }
    drift(order, &mut text);
    let byline = Byline::of(order);
    for (kind, heading) in [(Kind::Guidance, "## Guidance\n"), (Kind::Criterion, "## Criteria\n")] {
        let mut lines = kept.iter().filter(|fragment| fragment.kind == kind).peekable();
        if lines.peek().is_some() {
            text.push_str(heading);
            lines.for_each(|fragment| text.push_str(&fragment.line(&byline)));
        }
    }
    text.push_str("## Data\n");
    text
}

fn drift(order: &Order, text: &mut String) {
    let drift = &order.drift;
    if drift.is_empty() {
        return;
    }
    let mut parts = Vec::new();
    for (count, words) in [(drift.gone.len(), "named files gone"), (drift.changed.len(), "changed")] {
        if count > 0 {
            parts.push(format!("{count} {words}"));
        }
    }
    if !drift.failing.is_empty() {
        let names: Vec<&str> = drift.failing.iter().map(|name| name.as_str()).collect();
        parts.push(format!("failing now: {}", names.join(", ")));
    }
    let _ = writeln!(text, "Drift since the handoff: {}", parts.join("; "));
}

/// Everything that Baton did not say itself, between two marks that no content can hold.
fn data(order: &Order, kept: &[Fragment], text: &mut String) {
    let mut body = String::new();
    let byline = Byline::of(order);
    let inside: Vec<&Fragment> = kept.iter().filter(|fragment| is_data(fragment.kind)).collect();
    for fragments in inside.chunk_by(|one, next| one.kind == next.kind) {
        body.extend(fragments.first().map(|first| label(first.kind)));
        body.push_str(&fragment::lines(fragments, &byline));
    }
    text.push_str(&fence::wrap(&body, &byline.key()));
}

fn is_data(kind: Kind) -> bool {
    !matches!(kind, Kind::Guidance | Kind::Criterion | Kind::Reference)
}

fn references(kept: &[Fragment], text: &mut String) {
    let names: Vec<&str> = kept
        .iter()
        .filter(|fragment| fragment.kind == Kind::Reference)
        .map(|fragment| fragment.text.as_str())
        .collect();
    if !names.is_empty() {
        let _ = writeln!(text, "Whole: `baton show {}`", names.join("`, `baton show "));
    }
}

fn remainder(order: &Order, left_out: &BTreeMap<Kind, usize>, text: &mut String) {
    let Some(first) = left_out.keys().next() else { return };
    let counts: Vec<String> =
        left_out.iter().map(|(kind, count)| format!("{count} {}", kind.name())).collect();
    let _ = writeln!(
        text,
        "Left out: {} (`baton context {} --all {}`)",
        counts.join(", "),
        order.task,
        first.name()
    );
}
