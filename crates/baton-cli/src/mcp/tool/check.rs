//! `check`: judge a document before it is handed over, or have work judged that was.

use baton_handoff::diagnostic::Diagnostic;
use baton_handoff::span::LineIndex;
use baton_runner::Service;
use baton_runner::check::Verdict;
use baton_runner::desk::{Desk, Id};

use super::{Call, Changes, Outcome, Tool, failure, id, optional, shown};
use crate::command::desk::root;
use crate::failure::Failure;
use crate::mcp::form::Form;
use crate::output::printable;

/// Most findings that are told.
const FINDINGS_MAX: usize = 20;

pub(super) const TOOL: Tool = Tool {
    name: "check",
    about: "Judge a handoff before you submit it. With `task` instead: run the checks and decide on work handed over.",
    parameters: &[optional("document", "the text"), optional("file", ""), optional("task", "")],
    changes: Changes::Record,
    run,
};

fn run(call: &Call<'_>) -> Result<Outcome, Failure> {
    let root = root(call.service)?;
    match (call.arguments.document(&root)?, call.arguments.optional("task")) {
        (Some(document), _) => Ok(Outcome::Told(findings(call.service, &document))),
        (None, Some(task)) => judge(call, &id(task)?, ""),
        (None, None) => Err(Failure::usage("there is nothing to check", "give `document`, `file` or `task`")),
    }
}

fn findings(service: &Service, document: &[u8]) -> String {
    let (head, diagnostics, source) = match service.check_text(document) {
        Verdict::Judged { handoffs, diagnostics, source } => {
            let said =
                handoffs.iter().map(|brief| format!("{}: {}", brief.dialect.name(), brief.outcome.name()));
            (said.collect::<Vec<_>>().join("; "), diagnostics, source)
        }
        Verdict::NotAHandoff { refusal, diagnostics, source } => {
            (format!("not a handoff: {}", printable(&refusal.reason)), diagnostics, source)
        }
        Verdict::Unreadable { message } => (printable(&message), Vec::new(), String::new()),
    };
    let index = LineIndex::new(&source);
    let mut lines = vec![head];
    lines.extend(diagnostics.iter().take(FINDINGS_MAX).map(|found| finding(found, &source, &index)));
    match diagnostics.len().checked_sub(FINDINGS_MAX) {
        Some(more) if more > 0 => lines.push(format!("and {more} more")),
        Some(_) | None if diagnostics.is_empty() => lines.push("no findings".to_owned()),
        Some(_) | None => {}
    }
    lines.join("\n")
}

fn finding(found: &Diagnostic, source: &str, index: &LineIndex) -> String {
    let at = index.position(source, found.primary.span.start);
    let help = found.help.as_deref().map(|help| format!("; {}", printable(help))).unwrap_or_default();
    format!(
        "{}[{}] line {}:{} {}{help}",
        found.severity.name(),
        found.code,
        at.line,
        at.column,
        printable(&found.message)
    )
}

/// Has work judged, and asks a person at once where only they are missing.
pub(super) fn judge(call: &Call<'_>, id: &Id, before: &str) -> Result<Outcome, Failure> {
    let mut desk = call.desk()?;
    let told = format!("{before}{}", judged(&mut desk, id)?);
    Ok(match desk.gate_question(id).map_err(failure)? {
        Some(question) => Outcome::Asks { form: Box::new(Form::of_gate(&question)), told },
        None => Outcome::Told(told),
    })
}

pub(crate) fn judged(desk: &mut Desk, id: &Id) -> Result<String, Failure> {
    let judged = desk.judge(id).map_err(failure)?;
    shown::judgement(desk, id, &judged)
}
