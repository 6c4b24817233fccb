//! The handoffs of a task on a common axis.
//!
//! Each is a row of a list, so that its words wrap and can be selected; only the marks are drawn, in shares of the width.

use baton_runner::audit::finding::{Said, Verdict};
use baton_runner::audit::moment::Moment;
use baton_runner::audit::report::{ChainReport, HandoffReport};

use super::axis::{Axis, Tick, date_and_clock};
use super::markup::{Markup, class};

/// Handoffs drawn of one task.
const HANDOFFS_MAX: usize = 100;
/// How the evidence gives the time of a commit.
const COMMITTED: &str = "committed at ";
/// The kinds of claims that are about time.
const TIME_KINDS: &[&str] = &["time", "duration"];
/// The one rule of a document that is about time.
const ENDS_BEFORE_IT_BEGAN: &str = "ends-before-it-began";

/// Half the width of a label, on a phone, in percent.
const CLOCK_HALF: f64 = 4.0;
const DATE_HALF: f64 = 8.0;

/// What is drawn of one handoff.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    Bar(i64, i64),
    /// Ends before it began.
    Backwards(i64, i64),
    /// The time is somewhere in here.
    Hatched(i64, i64),
    Point(i64),
}

/// Two times that cannot both be true, and the rows between which they stand.
#[derive(Clone, Copy, Debug)]
struct Clash {
    rows: (usize, usize),
    from: i64,
    to: i64,
}

pub(super) fn write(page: &mut Markup, chain: &ChainReport) {
    let handoffs = &chain.handoffs[..chain.handoffs.len().min(HANDOFFS_MAX)];
    let clashes: Vec<Clash> = clashes(handoffs);
    let axis = Axis::new(&ranges(handoffs, &clashes));
    page.html("<div class=\"timeline\">");
    if let Some(axis) = &axis {
        grid(page, axis);
    }
    page.html("<ol>");
    for (number, handoff) in handoffs.iter().enumerate() {
        page.html("<li><div class=\"who\">");
        label(page, handoff);
        page.html("</div>");
        if let Some(axis) = &axis {
            page.html("<svg class=\"track\" aria-hidden=\"true\">");
            let crossing = clashes.iter().filter(|clash| (clash.rows.0..=clash.rows.1).contains(&number));
            crossing.for_each(|clash| band(page, axis, *clash));
            draw(page, axis, handoff);
            page.html("</svg>");
        }
        page.html("</li>");
    }
    page.html("</ol>");
    match &axis {
        Some(axis) => labels(page, &axis.ticks()),
        None => {
            page.html("<p class=\"quiet\">No handoff of this task gives a time.</p>");
        }
    }
    if chain.handoffs.len() > handoffs.len() {
        page.html("<p class=\"quiet\">").count(chain.handoffs.len() - handoffs.len(), "later handoff");
        page.html(" not drawn; at most ").number(HANDOFFS_MAX).html(" are.</p>");
    }
    page.html("</div>");
}

fn label(page: &mut Markup, handoff: &HandoffReport) {
    page.html("<b>").text(handoff.stage.as_deref().unwrap_or(handoff.dialect)).html("</b> ");
    for (verdict, number) in [
        (Verdict::Contradicted, handoff.tally.contradicted),
        (Verdict::Unsupported, handoff.tally.unsupported),
    ] {
        if number > 0 {
            page.html("<span class=\"").html(class(verdict)).html("\">").mark(verdict).html("\u{a0}");
            page.number(number).html("</span> ");
        }
    }
    if let Some(from) = &handoff.from {
        page.html("<span class=\"agents\">").text(from);
        if let Some(to) = &handoff.to {
            page.html(" → ").text(to);
        }
        page.html("</span>");
    }
    page.html("<small>");
    times(page, handoff);
    page.html("</small>");
    if !handoff.is_current {
        page.html("<small>").text(&handoff.shown).html("</small>");
    }
}

/// Says the times in UTC where they are exact, and in their own words where they are not.
fn times(page: &mut Markup, handoff: &HandoffReport) {
    let mut date_before = None;
    let mut say = |page: &mut Markup, moment: &Moment| match date_and_clock(moment.earliest) {
        Some((date, clock)) if moment.is_exact() => {
            if date_before.as_ref() != Some(&date) {
                page.text(&date).html(" ");
            }
            page.text(&clock);
            date_before = Some(date);
        }
        _ => {
            page.text(&moment.said.text).html(" (offset not given)");
        }
    };
    match (&handoff.started, &handoff.ended) {
        (Some(started), Some(ended)) => {
            say(page, started);
            page.html(" – ");
            say(page, ended);
        }
        (Some(started), None) => {
            page.html("began ");
            say(page, started);
        }
        (None, Some(ended)) => say(page, ended),
        (None, None) => {
            page.html("no time given");
        }
    }
}

fn shapes(handoff: &HandoffReport) -> Vec<Shape> {
    let hatched = |moment: &Moment| Shape::Hatched(moment.earliest, moment.latest);
    match (&handoff.started, &handoff.ended) {
        (Some(started), Some(ended)) if ended.is_before(started) => {
            let mut shapes = vec![Shape::Backwards(ended.latest, started.earliest)];
            shapes.extend([started, ended].into_iter().filter(|moment| !moment.is_exact()).map(hatched));
            shapes
        }
        (Some(started), Some(ended)) if started.is_exact() && ended.is_exact() => {
            match started.earliest >= ended.earliest {
                true => vec![Shape::Point(started.earliest)],
                false => vec![Shape::Bar(started.earliest, ended.earliest)],
            }
        }
        (Some(started), Some(ended)) => {
            let mut shapes = Vec::new();
            if started.latest < ended.earliest {
                shapes.push(Shape::Bar(started.latest, ended.earliest));
            }
            if !started.is_exact() {
                shapes.push(Shape::Hatched(started.earliest, started.latest.min(ended.latest)));
            }
            if !ended.is_exact() {
                shapes.push(Shape::Hatched(ended.earliest.max(started.earliest), ended.latest));
            }
            shapes
        }
        (Some(moment), None) | (None, Some(moment)) if moment.is_exact() => {
            vec![Shape::Point(moment.earliest)]
        }
        (Some(moment), None) | (None, Some(moment)) => vec![hatched(moment)],
        (None, None) => Vec::new(),
    }
}

/// Returns what the axis must reach. A time that may be anywhere in two days does not squeeze the hours around it.
fn ranges(handoffs: &[HandoffReport], clashes: &[Clash]) -> Vec<(i64, i64)> {
    let shapes: Vec<Shape> = handoffs.iter().flat_map(shapes).collect();
    let mut sure: Vec<(i64, i64)> = clashes.iter().map(|clash| (clash.from, clash.to)).collect();
    sure.extend(shapes.iter().filter_map(|shape| match *shape {
        Shape::Bar(from, to) | Shape::Backwards(from, to) => Some((from, to)),
        Shape::Point(at) => Some((at, at)),
        Shape::Hatched(..) => None,
    }));
    let first = sure.iter().map(|range| range.0).min();
    let last = sure.iter().map(|range| range.1).max();
    let reaches = |from: i64, to: i64| match (first, last) {
        (Some(first), Some(last)) if first < last => to < first || from > last,
        _ => true,
    };
    let unsure = shapes.iter().filter_map(|shape| match *shape {
        Shape::Hatched(from, to) if reaches(from, to) => Some((from, to)),
        _ => None,
    });
    let unsure: Vec<(i64, i64)> = unsure.collect();
    [sure, unsure].concat()
}

fn clashes(handoffs: &[HandoffReport]) -> Vec<Clash> {
    let mut clashes = Vec::new();
    for (number, handoff) in handoffs.iter().enumerate() {
        for row in handoff.rows.iter().filter(|row| row.verdict.is_finding() && row.kind == "time") {
            let Some(against) = &row.against else { continue };
            let other = against.text.strip_prefix(COMMITTED).unwrap_or(&against.text);
            let (Some(one), Some(other)) = (read(&row.claim), read(other)) else { continue };
            let other_row = handoffs.iter().position(|handoff| handoff.shown == against.source);
            let other_row = other_row.unwrap_or(number);
            clashes.push(Clash {
                rows: (number.min(other_row), number.max(other_row)),
                from: one.min(other),
                to: one.max(other),
            });
        }
    }
    clashes
}

fn read(text: &str) -> Option<i64> {
    Moment::read(Said::new(text, Default::default())).filter(Moment::is_exact).map(|moment| moment.earliest)
}

fn is_impossible(handoff: &HandoffReport) -> bool {
    handoff.rows.iter().filter(|row| row.verdict == Verdict::Contradicted).any(|row| {
        TIME_KINDS.contains(&row.kind) || row.rule.is_some_and(|rule| rule.name == ENDS_BEFORE_IT_BEGAN)
    })
}

fn draw(page: &mut Markup, axis: &Axis, handoff: &HandoffReport) {
    let is_impossible = is_impossible(handoff);
    page.html("<svg y=\"50%\" overflow=\"visible\"");
    page.html(if is_impossible { " class=\"impossible\">" } else { ">" });
    for shape in shapes(handoff) {
        match shape {
            Shape::Bar(from, to) => bar(page, axis, (from, to), "bar"),
            Shape::Backwards(from, to) => {
                bar(page, axis, (from, to), "bar impossible");
                page.html("<svg overflow=\"visible\" x=\"").percent(axis.position(from));
                page.html("\"><path class=\"bar impossible\" d=\"M-9 0 3-9V9Z\"/></svg>");
            }
            Shape::Hatched(from, to) => {
                bar(page, axis, (from, to), if is_impossible { "hatched impossible" } else { "hatched" });
            }
            Shape::Point(at) => {
                page.html("<svg overflow=\"visible\" x=\"").percent(axis.position(at));
                page.html("\"><path class=\"bar\" d=\"M0-7 7 0 0 7-7 0Z\"/></svg>");
            }
        }
    }
    page.html("</svg>");
}

fn bar(page: &mut Markup, axis: &Axis, (from, to): (i64, i64), class: &'static str) {
    let (from, to) = (axis.position(from), axis.position(to));
    page.html("<rect class=\"").html(class).html("\" x=\"").percent(from);
    page.html("\" width=\"").percent((to - from).max(0.4)).html("\" y=\"-6\" height=\"12\" rx=\"1.5\"/>");
}

fn band(page: &mut Markup, axis: &Axis, clash: Clash) {
    let (from, to) = (axis.position(clash.from), axis.position(clash.to));
    page.html("<rect class=\"clash\" height=\"100%\" x=\"").percent(from);
    page.html("\" width=\"").percent((to - from).max(0.4)).html("\"/>");
    for edge in [from, to] {
        page.html("<line class=\"clash\" y2=\"100%\" x1=\"").percent(edge);
        page.html("\" x2=\"").percent(edge).html("\"/>");
    }
}

fn grid(page: &mut Markup, axis: &Axis) {
    page.html("<svg class=\"grid\" aria-hidden=\"true\">");
    for tick in axis.ticks() {
        page.html("<line y2=\"100%\" x1=\"").percent(tick.at).html("\" x2=\"").percent(tick.at).html("\"/>");
    }
    for at in axis.breaks() {
        page.html("<rect class=\"break\" height=\"100%\" width=\"2.5%\" x=\"")
            .percent(at - 1.25)
            .html("\"/>");
    }
    page.html("</svg>");
}

fn labels(page: &mut Markup, ticks: &[Tick]) {
    page.html("<svg class=\"axis\" role=\"img\" aria-label=\"Times in UTC\">");
    let has_clocks = ticks.iter().any(|tick| tick.clock.is_some());
    for tick in ticks {
        let date_height = if has_clocks { "28" } else { "14" };
        let lines =
            [(tick.clock.as_deref(), "14", CLOCK_HALF), (tick.date.as_deref(), date_height, DATE_HALF)];
        for (line, height, half) in lines {
            let Some(line) = line else { continue };
            page.html("<text text-anchor=\"")
                .html(anchor(tick.at, half))
                .html("\" y=\"")
                .html(height)
                .html("\" x=\"");
            page.percent(tick.at).html("\">").text(line).html("</text>");
        }
    }
    page.html("</svg>");
}

/// Returns how a label of this half width must stand so that it is not cut off.
fn anchor(at: f64, half: f64) -> &'static str {
    match at {
        at if at < half => "start",
        at if at > 100.0 - half => "end",
        _ => "middle",
    }
}
