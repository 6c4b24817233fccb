//! The claims of a task that are no findings, handoff by handoff.

use baton_runner::audit::finding::Finding;
use baton_runner::audit::report::{ChainReport, HandoffReport};

use super::super::against;
use super::markup::Markup;

/// Claims shown of one task.
const CLAIMS_MAX: usize = 400;

pub(super) fn write(page: &mut Markup, chain: &ChainReport) {
    let others = chain.tally.holds + chain.tally.not_checkable;
    if others == 0 {
        return;
    }
    page.html("<details class=\"claims\"><summary>").count(others, "claim");
    page.html(" without a finding: ").number(chain.tally.holds).html(" hold, ");
    page.number(chain.tally.not_checkable).html(" not checkable</summary>");
    page.html("<table><thead><tr><th scope=\"col\"><span class=\"unseen\">Verdict</span></th>");
    page.html("<th scope=\"col\">Line</th><th scope=\"col\">Claim</th>");
    page.html("<th scope=\"col\">What came of it</th></tr></thead>");
    let mut left = CLAIMS_MAX;
    for handoff in &chain.handoffs {
        let rows: Vec<&Finding> = others_of(handoff).take(left).collect();
        if rows.is_empty() {
            continue;
        }
        left -= rows.len();
        page.html("<tbody><tr><th scope=\"rowgroup\" colspan=\"4\"><code>").text(&handoff.shown);
        page.html("</code></th></tr>");
        rows.into_iter().for_each(|row| line(page, row));
        page.html("</tbody>");
    }
    page.html("</table>");
    let all: usize = chain.handoffs.iter().map(|handoff| others_of(handoff).count()).sum();
    if all > CLAIMS_MAX {
        page.html("<p class=\"quiet\">At most ").number(CLAIMS_MAX).html(" claims of a task are shown; ");
        page.number(all - CLAIMS_MAX);
        page.html(" more are in <code>baton audit --format json</code>.</p>");
    }
    page.html("</details>");
}

fn others_of(handoff: &HandoffReport) -> impl Iterator<Item = &Finding> {
    handoff.rows.iter().filter(|row| !row.verdict.is_finding())
}

fn line(page: &mut Markup, row: &Finding) {
    page.html("<tr><td>").mark(row.verdict).html("</td><td>").number(row.place.line as usize);
    page.html("</td><td><small>").text(&row.kind.replace('-', " ")).html("</small> ").text(&row.claim);
    page.html("</td><td>").prose(&row.reason);
    if let Some(other) = &row.against {
        page.html(" <span class=\"quiet\">").text(&against(other)).html("</span>");
    }
    page.html(" <small>").html(row.provenance.name()).html("</small></td></tr>");
}
