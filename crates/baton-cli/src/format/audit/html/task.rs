//! One task: its timeline, its findings, its other claims.

use baton_handoff::rule::Rule;
use baton_runner::audit::finding::{Finding, Verdict};
use baton_runner::audit::report::{ChainReport, HandoffReport, Tally};

use super::super::why;
use super::markup::{Markup, class};
use super::{claims, timeline};

/// Findings shown of one task.
const FINDINGS_MAX: usize = 500;

/// Writes a task with findings.
pub(super) fn full(page: &mut Markup, number: usize, chain: &ChainReport) {
    page.html("<article id=\"t").number(number).html("\"><h3><a href=\"#t").number(number).html("\">");
    page.text(&chain.task).html("</a></h3><p class=\"tally\">");
    tally(page, chain.tally);
    page.html("</p>");
    timeline::write(page, chain);
    page.html("<ol class=\"findings\">");
    let findings = chain.findings();
    for (handoff, row) in findings.iter().take(FINDINGS_MAX) {
        finding(page, handoff, row);
    }
    page.html("</ol>");
    if findings.len() > FINDINGS_MAX {
        page.html("<p class=\"bound\">At most ").number(FINDINGS_MAX).html(" findings of a task are shown; ");
        page.number(findings.len() - FINDINGS_MAX);
        page.html(" more are in <code>baton audit --format json</code>.</p>");
    }
    claims::write(page, chain);
    page.html("</article>\n");
}

/// Writes a task without findings: one line, and the rest behind it.
pub(super) fn folded(page: &mut Markup, chain: &ChainReport) {
    page.html("<details class=\"clean\"><summary>");
    line(page, chain);
    page.html("</summary>");
    timeline::write(page, chain);
    claims::write(page, chain);
    page.html("</details>\n");
}

/// Writes a task's name with its counts.
pub(super) fn line(page: &mut Markup, chain: &ChainReport) {
    page.html("<b>").text(&chain.task).html("</b> <span class=\"quiet\">");
    page.count(chain.handoffs.len(), "handoff").html("</span> <span class=\"tally\">");
    tally(page, chain.tally);
    page.html("</span>");
}

fn tally(page: &mut Markup, tally: Tally) {
    for (verdict, number) in numbers(tally).into_iter().filter(|(_, number)| *number > 0) {
        page.html("<span class=\"").html(class(verdict)).html("\">");
        page.verdict(verdict, Some(number)).html("</span> ");
    }
}

pub(super) fn numbers(tally: Tally) -> [(Verdict, usize); 4] {
    Verdict::ALL.map(|verdict| match verdict {
        Verdict::Contradicted => (verdict, tally.contradicted),
        Verdict::Unsupported => (verdict, tally.unsupported),
        Verdict::Holds => (verdict, tally.holds),
        Verdict::NotCheckable => (verdict, tally.not_checkable),
    })
}

fn finding(page: &mut Markup, handoff: &HandoffReport, row: &Finding) {
    page.html("<li class=\"").html(class(row.verdict)).html("\">").mark(row.verdict).html("<div>");
    page.html("<p class=\"claim\">");
    if row.kind != "document" && !row.claim.is_empty() {
        page.html("<small>").text(&row.kind.replace('-', " ")).html("</small> <q>").text(&row.claim);
        page.html("</q> ");
    }
    page.html("<span class=\"reason\">").prose(&row.reason).html("</span></p><dl>");
    page.html("<div><dt>said in</dt><dd><code>").text(&handoff.shown).html(":");
    page.number(row.place.line as usize).html("</code></dd></div>");
    if let Some(against) = &row.against {
        page.html("<div><dt>held against</dt><dd><code>").text(&against.source);
        if let Some(line) = against.line {
            page.html(":").number(line as usize);
        }
        page.html("</code>");
        if !against.text.is_empty() {
            page.html(" <q>").text(&against.text).html("</q>");
        }
        page.html("</dd></div>");
    }
    page.html("<div><dt>provenance</dt><dd>").html(row.provenance.name()).html("</dd></div></dl>");
    if let Some(rule) = row.rule {
        explained(page, rule);
    }
    page.html("</div></li>");
}

fn explained(page: &mut Markup, rule: &Rule) {
    page.html("<details class=\"rule\"><summary>").text(&rule.code.to_string()).html(" ");
    page.text(rule.name).html("</summary>");
    if let Some(meaning) = meaning(rule) {
        page.html("<p>").prose(&meaning).html("</p>");
    }
    if let Some(why) = why(rule) {
        page.html("<p><b>Why.</b> ").prose(&why).html("</p>");
    }
    page.html("</details>");
}

/// Returns the paragraph under the title of a rule's page.
fn meaning(rule: &Rule) -> Option<String> {
    let paragraph = rule.page.split("\n\n").nth(1)?;
    Some(paragraph.split_whitespace().collect::<Vec<_>>().join(" "))
}
