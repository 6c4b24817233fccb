//! `baton files`: who touched which file, and why.

use baton_runner::Service;
use baton_runner::desk::knowledge::{Fate, FileEntry, Finding, ItemKind};
use serde_json::json;

use super::{date, json_of, line, print_json};
use crate::command::Done;
use crate::command::desk::{Who, failure, told};
use crate::exit;
use crate::output::{self, one_line};

/// Show who changed which file and why
///
/// Every file that a handoff names and its work changed: which task and agent, what happened to it, which lines, and why. What
/// happened comes from the files before and after the work; only the reason is the handoff's. Work that was sent back is marked.
#[derive(clap::Args, Debug)]
pub(crate) struct Files {
    /// A file, a folder, or a piece of a path
    path: Option<String>,
    /// One JSON document
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    who: Who,
}

impl Files {
    pub(crate) fn run(&self, service: &Service) -> Done {
        let files = self.who.desk(service)?.touched_files(self.path.as_deref()).map_err(failure)?;
        if self.json {
            let files: Vec<_> = files
                .iter()
                .map(|file| json!({ "path": file.path, "touches": file.touches.iter().map(json_of).collect::<Vec<_>>() }))
                .collect();
            return print_json(&json!({ "version": 1, "files": files }));
        }
        if files.is_empty() {
            output::talk("no handoff names such a file\n");
            return Ok(exit::Code::Fine);
        }
        let shown: Vec<String> = files.iter().map(show).collect();
        Ok(told(&shown.join("\n")))
    }
}

fn show(file: &FileEntry) -> String {
    let mut lines = vec![format!("file {}", one_line(&file.path))];
    lines.extend(file.touches.iter().map(touch));
    lines.join("\n")
}

fn touch(finding: &Finding) -> String {
    let (source, item) = (&finding.source, &finding.item);
    let what = match (item.kind, item.change) {
        (ItemKind::FileToRead, _) => "to read",
        (_, Some(change)) => change.name(),
        (_, None) => "named",
    };
    let lines = item.lines.as_ref().map_or(String::new(), |lines| format!(" lines {lines}"));
    let why = if item.text.is_empty() { String::new() } else { format!(": {}", item.text) };
    let returned = if source.fate == Fate::Returned { " (not accepted)" } else { "" };
    let who = format!("{} @{}", source.task, source.agent);
    line_of(&date(source.at), &who, &format!("{what}{lines}{returned}{why}"))
}

fn line_of(date: &str, who: &str, what: &str) -> String {
    format!("  {date}  {who:<22}  {}", line(what))
}
