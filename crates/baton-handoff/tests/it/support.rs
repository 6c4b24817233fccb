//! What several tests need: the repository's folders, fenced blocks of markdown, findings as lines.

use std::fs;
use std::path::{Path, PathBuf};

use baton_handoff::diagnostic::Severity;
use baton_handoff::project::Project;
use baton_handoff::span::LineIndex;
use baton_handoff::{document, judge};

pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the markdown files of a folder of the repository, sorted by name.
pub(crate) fn markdown_files(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(repository().join(folder)).expect("the folder is there");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("readable").path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    files.sort();
    files
}

/// A finding as specs write it: place, severity, code, message.
pub(crate) fn findings(source: &str) -> Vec<String> {
    let mut read = document::read(source);
    let diagnostics = judge::judge(&mut read, &Project::default());
    let index = LineIndex::new(source);
    let shown = diagnostics.iter().filter(|found| found.severity > Severity::Note);
    shown
        .map(|found| {
            let at = index.position(source, found.primary.span.start);
            format!("{}:{} {} {} {}", at.line, at.column, found.severity.name(), found.code, found.message)
        })
        .collect()
}

/// A fenced block: the words after its marks, and its inside.
#[derive(Clone, Debug)]
pub(crate) struct Fenced {
    pub(crate) info: String,
    pub(crate) body: String,
    /// The heading it stands under.
    pub(crate) heading: String,
}

/// Returns the blocks fenced by four or more tildes, which may hold fences of their own.
pub(crate) fn fenced(markdown: &str) -> Vec<Fenced> {
    let mut found: Vec<Fenced> = Vec::new();
    let mut open: Option<Fenced> = None;
    let mut heading = String::new();
    for line in markdown.split_inclusive('\n') {
        let trimmed = line.trim_end();
        match &mut open {
            Some(_) if trimmed == "~~~~" => found.extend(open.take()),
            Some(block) => block.body.push_str(line),
            None if trimmed.starts_with("~~~~") => {
                open = Some(Fenced {
                    info: trimmed.trim_start_matches('~').trim().to_owned(),
                    body: String::new(),
                    heading: heading.clone(),
                });
            }
            None if trimmed.starts_with('#') => heading = trimmed.trim_start_matches('#').trim().to_owned(),
            None => {}
        }
    }
    assert!(open.is_none(), "a block under «{heading}» is never closed");
    found
}
