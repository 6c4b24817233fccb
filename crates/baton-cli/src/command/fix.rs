//! `baton check --fix`: apply the safe fixes.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use baton_handoff::document;
use baton_handoff::rule::Code;
use baton_handoff::secret;
use baton_runner::Service;
use baton_runner::service::{DocumentError, FixAnswer, FixError, FixRequest};
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
    let mut out = output::data();
    let mut tally = Tally::default();
    let (streams, paths): (Vec<PathBuf>, Vec<PathBuf>) =
        paths.iter().cloned().partition(|path| path == Path::new("-"));
    for _ in streams {
        let bytes = read_standard_input()?;
        let text = document::decode(&bytes)
            .map_err(|found| Failure::no_handoff(&found.message, "nothing was written"))?;
        let answer = service.fix_text(text);
        tally.count(&answer);
        let shown = if show_only { diff("<stdin>", &answer) } else { answer.after };
        output::written(out.write_all(shown.as_bytes())).ok();
    }
    let request = FixRequest { paths: &paths, write: !show_only };
    service
        .fix_files(&request, &mut |answer| {
            tally.count(&answer);
            if let Some(path) = answer.path.as_ref().filter(|_| show_only && answer.is_changed()) {
                let shown = diff(&path.display().to_string(), &answer);
                output::written(out.write_all(shown.as_bytes())).ok();
            }
        })
        .map_err(failure)?;
    output::written(out.flush()).ok();
    output::talk(&sentence(&tally, show_only));
    if tally.left == 0 || show_only {
        return Ok(exit::Code::Fine);
    }
    output::talk(&format!(
        "{} left that only a person or an agent can mend: run `baton check`\n",
        count(tally.left, "error")
    ));
    Ok(exit::Code::Findings)
}

/// What all answers add up to.
#[derive(Default)]
struct Tally {
    applied: BTreeMap<Code, usize>,
    changed: usize,
    left: usize,
}

impl Tally {
    fn count(&mut self, answer: &FixAnswer) {
        self.left += answer.errors_left;
        if answer.is_changed() {
            self.changed += 1;
            for code in &answer.applied {
                *self.applied.entry(*code).or_default() += 1;
            }
        }
    }
}

fn diff(path: &str, answer: &FixAnswer) -> String {
    let path = printable(path);
    let (old, new) = (secret::mask(&answer.before), secret::mask(&answer.after));
    let diff = TextDiff::from_lines(&*old, &*new);
    printable(&diff.unified_diff().header(&path, &path).to_string())
}

fn sentence(tally: &Tally, show_only: bool) -> String {
    let total: usize = tally.applied.values().sum();
    if total == 0 {
        return "nothing to fix\n".to_owned();
    }
    let each: Vec<_> =
        tally.applied.iter().map(|(code, times)| format!("{times} × {code} {}", code.rule().name)).collect();
    let what = if show_only { "would be fixed" } else { "fixed" };
    format!("{total} {what} in {}: {}\n", count(tally.changed, "file"), each.join(", "))
}

fn failure(error: FixError) -> Failure {
    match error {
        FixError::Walk { path, message } => Failure::io(&path, "read", &std::io::Error::other(message)),
        FixError::File { path, error: DocumentError::Io(error) } => {
            Failure::io(&path, "read or written", &error)
        }
        FixError::File { error: DocumentError::Refused(_), .. } => {
            Failure::no_handoff("this is not a handoff", "run `baton check` on it to see why")
        }
    }
}
