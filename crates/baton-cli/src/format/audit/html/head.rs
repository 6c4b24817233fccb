//! What stands before the tasks: what was audited, what came of it, how to read it, where to look.

use baton_runner::audit::finding::{Provenance, Verdict};
use baton_runner::audit::report::{Audit, ChainReport};

use super::Counted;
use super::markup::{Markup, class};
use super::task::numbers;

/// From this many tasks with findings on there is an index.
const INDEX_FROM: usize = 4;

/// Says what was audited.
pub(super) fn write(page: &mut Markup, audit: &Audit, counted: &Counted<'_>) {
    page.html("<header><p class=\"over\">Baton audit</p><h1>");
    name(page, audit);
    page.html("</h1><p class=\"lead\">").count(counted.handoffs, "handoff").html(" of ");
    page.count(audit.chains.len(), "task").html(", held against ");
    match audit.commits {
        0 => page.html("the files as they are, without git"),
        commits => page.count(commits, "commit"),
    };
    page.html(".");
    if counted.handoffs > 0 {
        summary(page, counted);
    }
    page.html("</p>");
    if audit.known > 0 || !audit.notes.is_empty() {
        page.html("<ul class=\"notes\">");
        if audit.known > 0 {
            page.html("<li>").count(audit.known, "finding");
            page.html(" known to the baseline and left out</li>");
        }
        for note in &audit.notes {
            page.html("<li>").text(note).html("</li>");
        }
        page.html("</ul>");
    }
    page.html("</header>\n");
}

/// Says which folder was audited, by its name alone: the page may travel, and where the folder is concerns nobody else.
pub(super) fn name(page: &mut Markup, audit: &Audit) {
    match audit.root.file_name() {
        Some(name) => page.text(&name.to_string_lossy()),
        None => page.html("Repository"),
    };
}

fn summary(page: &mut Markup, counted: &Counted<'_>) {
    match (counted.accused.len(), counted.clean.len()) {
        (0, _) => page.html(" Nothing speaks against any of them."),
        (found, clean) => {
            page.html(" Something speaks against ").count(found, "task");
            page.html(", nothing against ").number(clean).html(".")
        }
    };
}

/// Shows the four counts, and their shares as a bar.
pub(super) fn figures(page: &mut Markup, counted: &Counted<'_>) {
    let numbers = numbers(counted.tally);
    page.html("<section aria-labelledby=\"verdicts\"><h2 id=\"verdicts\" class=\"unseen\">Verdicts</h2>");
    page.html("<dl class=\"figures\">");
    for (verdict, number) in numbers {
        page.html("<div class=\"").html(if number == 0 { "none" } else { class(verdict) }).html("\"><dt>");
        page.mark(verdict)
            .html(" ")
            .html(verdict.name())
            .html("</dt><dd>")
            .number(number)
            .html("</dd></div>");
    }
    page.html("</dl>");
    let whole: usize = numbers.iter().map(|(_, number)| number).sum();
    if whole > 0 {
        page.html("<svg class=\"shares\" aria-hidden=\"true\">");
        let mut at = 0.0;
        for (verdict, number) in numbers.into_iter().filter(|(_, number)| *number > 0) {
            let share = 100.0 * number as f64 / whole as f64;
            page.html("<rect height=\"100%\" class=\"").html(class(verdict)).html("\" x=\"").percent(at);
            page.html("\" width=\"").percent(share).html("\"/>");
            at += share;
        }
        page.html("</svg>");
    }
    page.html("</section>\n");
}

/// Explains verdicts, provenances and the marks of a timeline.
pub(super) fn legend(page: &mut Markup) {
    page.html("<details class=\"legend\"><summary>How to read this page</summary><div>");
    page.html("<section><h3>What came of a claim</h3><dl>");
    for verdict in Verdict::ALL {
        page.html("<dt class=\"").html(class(verdict)).html("\">").verdict(verdict, None);
        page.html("</dt><dd>").html(meaning(verdict)).html("</dd>");
    }
    page.html("</dl></section><section><h3>Where the deciding fact comes from</h3><dl>");
    let provenances =
        [Provenance::Observed, Provenance::Derived, Provenance::Inherited, Provenance::Asserted];
    for provenance in provenances {
        page.html("<dt>").html(provenance.name()).html("</dt><dd>").html(origin(provenance)).html("</dd>");
    }
    page.html("</dl></section><section><h3>Timelines</h3><dl>");
    for (drawing, meaning) in SIGNS {
        page.html("<dt><svg class=\"sign\" aria-hidden=\"true\">").html(drawing);
        page.html("</svg></dt><dd>").html(meaning).html("</dd>");
    }
    page.html("</dl><p class=\"quiet\">Each task has an axis of its own, in UTC.</p></section>");
    page.html("</div></details>\n");
}

fn meaning(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Contradicted => "The evidence says otherwise.",
        Verdict::Unsupported => "The evidence that should be there is not.",
        Verdict::Holds => "The evidence says the same.",
        Verdict::NotCheckable => "Nothing here could settle it. That is no fault.",
    }
}

fn origin(provenance: Provenance) -> &'static str {
    match provenance {
        Provenance::Observed => "Baton looked or measured itself.",
        Provenance::Derived => "It follows from git, a stored log, a test report or another time.",
        Provenance::Inherited => "An earlier handoff of the same task said it.",
        Provenance::Asserted => "Somebody said it, and that is all there is.",
    }
}

/// What is drawn, and what it means.
const SIGNS: [(&str, &str); 5] = [
    (
        "<rect class=\"bar\" x=\"2\" y=\"4\" width=\"40\" height=\"12\" rx=\"1.5\"/>",
        "From its start to its end, as the handoff says.",
    ),
    ("<path class=\"bar\" d=\"M22 3l7 7-7 7-7-7z\"/>", "One time only, or start and end are the same."),
    (
        "<rect class=\"hatched\" x=\"2\" y=\"4\" width=\"40\" height=\"12\" rx=\"1.5\"/>",
        "Somewhere in here: the time is only a date, or has no offset.",
    ),
    (
        "<rect class=\"clash\" x=\"10\" width=\"24\" height=\"20\"/><line class=\"clash\" x1=\"10\" x2=\"10\" \
         y2=\"20\"/><line class=\"clash\" x1=\"34\" x2=\"34\" y2=\"20\"/><rect class=\"bar impossible\" x=\"10\" \
         y=\"4\" width=\"32\" height=\"12\" rx=\"1.5\"/>",
        "Cannot be: the band lies between two times that exclude each other.",
    ),
    (
        "<rect class=\"break\" x=\"17\" width=\"10\" height=\"20\"/>",
        "Nothing happened for long; this part of the axis is left out.",
    ),
];

/// Links to the tasks with findings.
pub(super) fn index(page: &mut Markup, accused: &[&ChainReport]) {
    if accused.len() < INDEX_FROM {
        return;
    }
    page.html("<nav aria-labelledby=\"index\"><h2 id=\"index\">Tasks with findings</h2><ol>");
    for (number, chain) in accused.iter().enumerate() {
        page.html("<li><a href=\"#t").number(number + 1).html("\">").text(&chain.task).html("</a> ");
        for (verdict, count) in numbers(chain.tally) {
            if verdict.is_finding() && count > 0 {
                page.html("<span class=\"").html(class(verdict)).html("\">").mark(verdict).html("\u{a0}");
                page.number(count).html("</span> ");
            }
        }
        page.html("</li>");
    }
    page.html("</ol></nav>\n");
}
