//! `baton check --fix`: apply the safe fixes.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use baton_handoff::diagnostic::Severity;
use baton_handoff::document;
use baton_handoff::rule::Code;
use baton_handoff::secret;
use baton_runner::Service;
use baton_runner::check::Verdict;
use baton_runner::service::DocumentError;
use baton_runner::walk::{self, Found};
use similar::TextDiff;

use super::Done;
use super::check::{count, read_standard_input};
use crate::exit;
use crate::failure::Failure;
use crate::output::{self, printable};

/// What is done with the fixes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// The files are written, and what is left is counted.
    Write,
    /// The changes are printed, and nothing is written.
    Show,
}

/// Fixes every handoff at the paths.
pub(super) fn run(service: &Service, paths: &[PathBuf], mode: Mode) -> Done {
    let show_only = mode == Mode::Show;
    let mut left = 0_usize;
    let mut out = output::data();
    let mut applied: BTreeMap<Code, usize> = BTreeMap::new();
    let mut changed = 0_usize;
    let (streams, paths): (Vec<PathBuf>, Vec<PathBuf>) =
        paths.iter().cloned().partition(|path| path == Path::new("-"));
    for _ in streams {
        let bytes = read_standard_input()?;
        let text = document::decode(&bytes)
            .map_err(|found| Failure::no_handoff(&found.message, "nothing was written"))?;
        let fixed = service.fix(text);
        changed += usize::from(fixed.text != text);
        left += errors_in(service, &fixed.text);
        let shown = if show_only { diff("<stdin>", text, &fixed.text) } else { fixed.text };
        add(&mut applied, &fixed.applied);
        output::written(out.write_all(shown.as_bytes())).ok();
    }
    for found in walk::files(&paths, &service.exclude) {
        let path = match found {
            Found::File { path, .. } => path,
            Found::Problem { path, message } => {
                return Err(Failure::io(&path, "read", &std::io::Error::other(message)));
            }
        };
        let bytes = service.read(&path).map_err(|error| failure(&path, error))?;
        let Ok(text) = std::str::from_utf8(&bytes) else { continue };
        let fixed = service.fix(text);
        left += errors_in(service, &fixed.text);
        if fixed.text == text {
            continue;
        }
        changed += 1;
        add(&mut applied, &fixed.applied);
        match show_only {
            true => {
                let shown = diff(&path.display().to_string(), text, &fixed.text);
                output::written(out.write_all(shown.as_bytes())).ok();
            }
            false => service.replace(&path, &fixed.text).map_err(|error| failure(&path, error))?,
        }
    }
    output::written(out.flush()).ok();
    output::talk(&sentence(&applied, changed, show_only));
    if left == 0 || show_only {
        return Ok(exit::Code::Fine);
    }
    output::talk(&format!(
        "{} left that only a person or an agent can mend: run `baton check`\n",
        count(left, "error")
    ));
    Ok(exit::Code::Findings)
}

/// Counts the errors of a document that is a handoff.
fn errors_in(service: &Service, text: &str) -> usize {
    match service.check_text(text.as_bytes()) {
        Verdict::Judged { diagnostics, .. } => {
            diagnostics.iter().filter(|found| found.severity == Severity::Error).count()
        }
        Verdict::NotAHandoff { .. } | Verdict::Unreadable { .. } => 0,
    }
}

fn add(applied: &mut BTreeMap<Code, usize>, codes: &[Code]) {
    for code in codes {
        *applied.entry(*code).or_default() += 1;
    }
}

fn diff(path: &str, old: &str, new: &str) -> String {
    let path = printable(path);
    let (old, new) = (secret::mask(old), secret::mask(new));
    let diff = TextDiff::from_lines(&*old, &*new);
    printable(&diff.unified_diff().header(&path, &path).to_string())
}

fn sentence(applied: &BTreeMap<Code, usize>, changed: usize, show_only: bool) -> String {
    let total: usize = applied.values().sum();
    if total == 0 {
        return "nothing to fix\n".to_owned();
    }
    let each: Vec<_> =
        applied.iter().map(|(code, times)| format!("{times} × {code} {}", code.rule().name)).collect();
    let what = if show_only { "would be fixed" } else { "fixed" };
    format!("{total} {what} in {}: {}\n", count(changed, "file"), each.join(", "))
}

fn failure(path: &Path, error: DocumentError) -> Failure {
    match error {
        DocumentError::Io(error) => Failure::io(path, "read or written", &error),
        DocumentError::Refused(_) => {
            Failure::no_handoff("this is not a handoff", "run `baton check` on it to see why")
        }
    }
}
