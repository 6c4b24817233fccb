//! The commands about files: back to the last good ones, out of the keeping of the log, into the history of the project.

use std::path::PathBuf;

use baton_runner::Service;
use baton_runner::desk::merge::Merged;
use baton_runner::desk::rollback::Plan;
use baton_runner::desk::snapshot::Saved;
use baton_runner::desk::{Id, tell};
use serde_json::json;

use super::{Who, failure, json, task_id, told};
use crate::command::Done;
use crate::exit;
use crate::failure::Failure;
use crate::output::{self, printable};

/// Most files that are named one by one.
const FILES_SHOWN_MAX: usize = 40;

command! {
    /// Put the files back to the last good snapshot
    ///
    /// They are those of the task's own workspace, or of the checkout where no agent has worked on it. Works when a rollback was decided, or ordered with `baton resolve TASK rollback`. The files as they are now are saved
    /// first; `baton recover TASK` lists what was saved and brings it back. Ignored files are left alone, and git is not touched.
    /// Where it cannot be done, nothing is changed and you are told what to do by hand.
    Rollback {
        /// Show what would change, and change nothing
        #[arg(long)]
        dry_run: bool,
        /// Record that you have put the files back yourself, and how
        #[arg(long, value_name = "WORDS", conflicts_with = "dry_run")]
        by_hand: Option<String>,
    } |desk, args, _service| {
        let id = &args.id;
        if args.dry_run {
            let plan = desk.rollback_plan(id).map_err(failure)?;
            return Ok(told(&format!("{}next: `baton rollback {id}`", planned(&plan))));
        }
        if let Some(words) = &args.by_hand {
            desk.rolled_back_by_hand(id, words).map_err(failure)?;
            return Ok(told(&format!("{id} is rolled back, by hand")));
        }
        let done = desk.roll_back(id).map_err(failure)?;
        let saved = format!("what was there is saved; `baton recover {id}` lists it");
        if done.remediation.is_empty() {
            return Ok(told(&format!("{}{id} is rolled back; {saved}", planned(&done.plan))));
        }
        let steps: Vec<String> =
            done.remediation.iter().zip(1..).map(|(step, number)| format!("{number}. {step}")).collect();
        let touched = match done.plan.obstacles.is_empty() {
            true => "and stopped half-way",
            false => "and no file was changed",
        };
        told(&format!("{id} could not be rolled back, {touched}; {saved}\n{}", steps.join("\n")));
        Ok(exit::Code::Findings)
    }
}

fn planned(plan: &Plan) -> String {
    let mut text = String::new();
    let named = |verb: &str, files: &[String]| {
        let shown = files.iter().take(FILES_SHOWN_MAX).map(|file| format!("{verb} {file}\n"));
        let more = files.len().saturating_sub(FILES_SHOWN_MAX);
        let rest = (more > 0).then(|| format!("{verb} {more} more\n"));
        shown.chain(rest).collect::<String>()
    };
    text.push_str(&named("write ", &plan.writes));
    text.push_str(&named("remove", &plan.removes));
    text.push_str(&named("in the way:", &plan.obstacles));
    if text.is_empty() {
        text.push_str("the files are those of the last good snapshot already\n");
    }
    text
}

command! {
    /// Bring saved files back, into a folder of their own
    ///
    /// Without a name, lists what was saved for the task: the files before each turn, as they were handed over, and before a
    /// rollback, a restore or a removal of its workspace. A folder of git among them is written as `.git.saved`.
    Recover {
        /// Which of them, as the list names it, or the beginning of its hash
        #[arg(value_name = "NAME")]
        snapshot: Option<String>,
        /// The folder to write to; it must be new or empty
        #[arg(long, value_name = "FOLDER", requires = "snapshot")]
        into: Option<PathBuf>,
        /// One JSON document
        #[arg(long)]
        json: bool,
    } |desk, args, _service| {
        let id = &args.id;
        let saved = desk.saved(id).map_err(failure)?;
        let Some(name) = &args.snapshot else { return list(id, &saved, args.json) };
        let named = |one: &&Saved| one.name == *name || name.len() >= 8 && one.tree.as_str().starts_with(name.as_str());
        let Some(one) = saved.iter().find(named) else {
            let what = format!("nothing was saved for {id} as `{}`", printable(name));
            return Err(Failure::usage(&what, &format!("`baton recover {id}` lists what was")));
        };
        let Some(into) = &args.into else {
            let next = format!("`baton recover {id} {} --into FOLDER`", one.name);
            return Err(Failure::usage("it does not say where to write the files", &next));
        };
        let count = desk.recover(one, into).map_err(failure)?;
        Ok(told(&format!("{count} files of {} are in {}", one.name, into.display())))
    }
}

fn list(id: &Id, saved: &[Saved], as_json: bool) -> Done {
    if as_json {
        let saved: Vec<_> = saved
            .iter()
            .map(|one| {
                json!({
                    "name": one.name,
                    "what": one.what,
                    "tree": one.tree.as_str(),
                    "at": tell::time(one.at),
                    "kept": one.is_kept,
                })
            })
            .collect();
        return json(&json!({ "version": 1, "task": id.as_str(), "saved": saved }));
    }
    if saved.is_empty() {
        output::talk("nothing was saved yet: files are saved when a turn is taken\n");
        return Ok(exit::Code::Fine);
    }
    let lines: Vec<String> = saved
        .iter()
        .map(|one| {
            let gone = if one.is_kept { "" } else { "  (its files are not here)" };
            let hash = one.tree.as_str().get(..12).unwrap_or_default();
            format!("{:<16} {}  {hash}  {}{gone}", one.name, tell::time(one.at), one.what)
        })
        .collect();
    Ok(told(&format!("{}\nnext: `baton recover {id} NAME --into FOLDER`", lines.join("\n"))))
}

command! {
    /// Record that accepted work is merged
    ///
    /// You commit and merge as you always do; Baton looks whether a commit has exactly the accepted files, and records it. It
    /// never commits, merges or pushes by itself.
    Merge {
        /// Record that it could not be merged, and why; the task is worked on again
        #[arg(long, value_name = "WHY")]
        failed: Option<String>,
    } |desk, args, _service| {
        let id = &args.id;
        if let Some(why) = &args.failed {
            desk.merge_failed(id, why).map_err(failure)?;
            return Ok(told(&format!("recorded; next: `baton decide {id}`")));
        }
        match desk.merge(id).map_err(failure)? {
            Merged::Recorded(details) => {
                let now = tell::status(&desk.task(id).map_err(failure)?);
                Ok(told(&format!("{details}\n{id} is {now}")))
            }
            Merged::Differs { commit, files } => {
                let shown: Vec<&str> = files.iter().take(FILES_SHOWN_MAX).map(String::as_str).collect();
                let more = match files.len().saturating_sub(FILES_SHOWN_MAX) {
                    0 => String::new(),
                    more => format!("\n… and {more} more"),
                };
                let place = commit.map_or_else(String::new, |commit| format!(" (compared with commit {commit})"));
                let what = format!("the accepted files are not merged{place}:\n{}{more}", shown.join("\n"));
                let next = format!(
                    "commit exactly the accepted files, then `baton merge {id}`; or `baton merge {id} --failed WHY`"
                );
                Err(Failure::refused(exit::Code::Refused, &what, &next))
            }
        }
    }
}
