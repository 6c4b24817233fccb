//! `baton task diff`: what a task has changed, from what was saved of its files.

use std::path::Path;

use baton_runner::desk::{Desk, Id};
use baton_runner::workspace::FileChange;
use serde_json::{Value, json};

use super::{failure, json};
use crate::command::Done;
use crate::exit;
use crate::failure::Failure;
use crate::output::{self, printable};

/// Most bytes that are shown of all files together.
const SHOWN_BYTES_MAX: usize = 4 * 1024 * 1024;

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
        let text = printable(&change.difference());
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
