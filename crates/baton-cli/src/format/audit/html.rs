//! One page that needs nothing else: no network, no script, and no word of a repository as anything but words.
//!
//! Reading order: [`markup`], [`policy`], [`head`], [`task`], [`timeline`], [`axis`], [`claims`].

mod axis;
mod claims;
mod head;
mod markup;
mod policy;
mod task;
mod timeline;

use std::io::{self, Write};

use baton_runner::audit::report::{Audit, ChainReport, Tally};

use markup::Markup;

/// Tasks shown in full; a browser must stay quick.
const TASKS_MAX: usize = 200;
/// Further tasks shown as a line each.
const LINES_MAX: usize = 1000;

/// The tasks of the page and what they add up to.
struct Counted<'a> {
    accused: Vec<&'a ChainReport>,
    clean: Vec<&'a ChainReport>,
    handoffs: usize,
    tally: Tally,
}

pub(super) fn write(out: &mut dyn Write, audit: &Audit) -> io::Result<()> {
    let counted = counted(audit);
    let mut page = Markup::default();
    page.html("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n");
    page.html("<meta http-equiv=\"Content-Security-Policy\" content=\"").text(&policy::policy());
    page.html("\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    page.html(
        "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"robots\" content=\"noindex\">\n",
    );
    page.html("<title>");
    head::name(&mut page, audit);
    page.html(" – Baton audit</title>\n<style>").html(policy::STYLE).html("</style></head>\n<body>\n");
    page.html(PATTERNS);
    head::write(&mut page, audit, &counted);
    page.html("<main>\n");
    if counted.handoffs == 0 {
        page.html("<p class=\"empty\">No handoff was found, so nothing was judged.</p>\n");
    } else {
        head::figures(&mut page, &counted);
        head::legend(&mut page);
        let shown = counted.accused.len().min(TASKS_MAX);
        head::index(&mut page, &counted.accused[..shown]);
        page.flush(out)?;
        accused(out, &mut page, &counted.accused)?;
        clean(out, &mut page, &counted.clean, TASKS_MAX - shown)?;
    }
    page.html("</main>\n<footer><p>Written by <code>baton audit --format html</code>, version ");
    page.html(env!("CARGO_PKG_VERSION")).html(". This page loads nothing and runs nothing.</p></footer>\n");
    page.html("</body></html>\n").flush(out)
}

/// Counts what is shown, which may be one task of many.
fn counted(audit: &Audit) -> Counted<'_> {
    let (accused, clean) = audit.chains.iter().partition(|chain| chain.tally.findings() > 0);
    let mut tally = Tally::default();
    for chain in &audit.chains {
        tally.contradicted += chain.tally.contradicted;
        tally.unsupported += chain.tally.unsupported;
        tally.holds += chain.tally.holds;
        tally.not_checkable += chain.tally.not_checkable;
    }
    let handoffs = audit.chains.iter().map(|chain| chain.handoffs.len()).sum();
    Counted { accused, clean, handoffs, tally }
}

fn accused(out: &mut dyn Write, page: &mut Markup, chains: &[&ChainReport]) -> io::Result<()> {
    if chains.is_empty() {
        return Ok(());
    }
    page.html("<section aria-labelledby=\"findings\"><h2 id=\"findings\">Findings</h2>\n");
    for (number, chain) in chains.iter().take(TASKS_MAX).enumerate() {
        task::full(page, number + 1, chain);
        page.flush(out)?;
    }
    if let Some(rest) = chains.get(TASKS_MAX..).filter(|rest| !rest.is_empty()) {
        page.html("<p class=\"bound\">The worst ").number(TASKS_MAX).html(" tasks are shown in full. Of ");
        page.count(rest.len(), "further task").html(" with findings there are only the counts here.</p>");
        lines(page, rest);
    }
    page.html("</section>\n").flush(out)
}

fn clean(out: &mut dyn Write, page: &mut Markup, chains: &[&ChainReport], room: usize) -> io::Result<()> {
    if chains.is_empty() {
        return Ok(());
    }
    page.html("<section aria-labelledby=\"clean\"><h2 id=\"clean\">Nothing speaks against ");
    page.count(chains.len(), "task").html("</h2>\n");
    let (folded, rest) = chains.split_at(room.min(chains.len()));
    for chain in folded {
        task::folded(page, chain);
        page.flush(out)?;
    }
    if !rest.is_empty() {
        page.html("<p class=\"bound\">The claims of ").number(TASKS_MAX).html(" tasks are on this page. Of ");
        page.count(rest.len(), "further task").html(" there are only the counts here.</p>");
        lines(page, rest);
    }
    page.html("</section>\n").flush(out)
}

/// Writes a line for each task, and how many were left out.
fn lines(page: &mut Markup, chains: &[&ChainReport]) {
    page.html("<ul class=\"lines\">");
    for chain in chains.iter().take(LINES_MAX) {
        page.html("<li>");
        task::line(page, chain);
        page.html("</li>\n");
    }
    page.html("</ul><p class=\"bound\">");
    if chains.len() > LINES_MAX {
        page.count(chains.len() - LINES_MAX, "more task").html(" left out: ");
        page.number(LINES_MAX).html(" lines are the most. ");
    }
    page.html("<code>baton audit --format json</code> has every claim of every task.</p>\n");
}

/// How a time looks that is not exactly known.
const PATTERNS: &str = "<svg class=\"patterns\" width=\"0\" height=\"0\" aria-hidden=\"true\"><defs>\
    <pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">\
    <path d=\"M1 0V6\"/></pattern>\
    <pattern id=\"hatch-impossible\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" \
    patternTransform=\"rotate(45)\"><path class=\"impossible\" d=\"M1 0V6\"/></pattern>\
    <pattern id=\"hatch-break\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" \
    patternTransform=\"rotate(-30)\"><path class=\"break\" d=\"M1 0V5\"/></pattern></defs></svg>\n";
