//! `baton task diff`: what a task has changed, from what was saved of its files.

use std::path::Path;
use std::time::Duration;

use baton_handoff::secret;
use baton_runner::desk::{Desk, Id};
use baton_runner::workspace::FileChange;
use serde_json::{Value, json};
use similar::TextDiff;

use super::{failure, json};
use crate::command::Done;
use crate::exit;
use crate::failure::Failure;
use crate::output::{self, one_line, printable};

/// Largest file that is compared line by line, and most bytes that are shown of all files together.
const COMPARED_BYTES_MAX: usize = 1024 * 1024;
const SHOWN_BYTES_MAX: usize = 4 * 1024 * 1024;
/// After this long two files are no longer compared in the shortest way.
const COMPARED_WITHIN: Duration = Duration::from_secs(2);

pub(super) fn run(desk: &Desk, id: &Id, (paths, as_json): (&[String], bool)) -> Done {
    let task = desk.task(id).map_err(failure)?;
    let Some(mut changes) = desk.work_of(&task).map_err(failure)? else {
        let what = format!("no program has worked on {id} in a workspace of its own");
        return Err(Failure::refused(
            exit::Code::Refused,
            &what,
            "`git diff` shows what lies in your checkout",
        ));
    };
    let is_wanted = |change: &FileChange| paths.iter().any(|path| Path::new(&change.path).starts_with(path));
    changes.retain(|change| paths.is_empty() || is_wanted(change));
    let mut left = SHOWN_BYTES_MAX;
    let mut shown: Vec<(&FileChange, String)> = Vec::new();
    for change in &changes {
        let text = difference(change);
        if text.len() > left {
            break;
        }
        left -= text.len();
        shown.push((change, text));
    }
    let more = changes.len() - shown.len();
    if as_json {
        let files: Vec<Value> = shown.iter().map(|(change, text)| file_json(change, text)).collect();
        return json(&json!({ "version": 1, "task": id.as_str(), "files": files, "files_left_out": more }));
    }
    if changes.is_empty() {
        output::talk("nothing was changed\n");
    }
    let code = output::print(shown.into_iter().map(|(_, text)| text).collect::<String>().as_bytes());
    if more > 0 {
        output::talk(&format!("{more} more files are not shown; `baton task diff {id} PATH` shows one\n"));
    }
    Ok(code)
}

fn file_json(change: &FileChange, text: &str) -> Value {
    let sort = match (&change.before, &change.after) {
        (None, _) => "added",
        (Some(_), None) => "removed",
        (Some(_), Some(_)) => "changed",
    };
    json!({ "path": change.path, "change": sort, "diff": text })
}

/// Returns how a file differs, as `diff -u` writes it, without secrets and without anything that could paint a terminal.
fn difference(change: &FileChange) -> String {
    let path = one_line(&change.path);
    let side = |bytes: Option<&Vec<u8>>, name: &str| match bytes {
        Some(_) => format!("{name}/{path}"),
        None => "/dev/null".to_owned(),
    };
    let (old, new) = (side(change.before.as_ref(), "a"), side(change.after.as_ref(), "b"));
    if change.before == change.after && change.is_whole {
        return format!("{path}: another mode, the same bytes\n");
    }
    let (Some(before), Some(after)) = (text(change.before.as_deref()), text(change.after.as_deref())) else {
        return format!("{old} and {new} differ, and are no text of at most {COMPARED_BYTES_MAX} bytes\n");
    };
    let (before, after) = (secret::mask(before), secret::mask(after));
    let diff = TextDiff::configure().timeout(COMPARED_WITHIN).diff_lines(&*before, &*after);
    printable(&diff.unified_diff().header(&old, &new).to_string())
}

fn text(bytes: Option<&[u8]>) -> Option<&str> {
    let bytes = bytes.unwrap_or_default();
    let is_plain = bytes.len() <= COMPARED_BYTES_MAX && !bytes.contains(&0);
    std::str::from_utf8(bytes).ok().filter(|_| is_plain)
}
