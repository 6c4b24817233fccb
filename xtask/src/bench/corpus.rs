//! The folders of synthetic documents that every program reads.

use std::fs;
use std::path::{Path, PathBuf};

use super::document::Document;

const DOCUMENTS_PER_FOLDER: usize = 100;
/// Raise it when the generator changes, so that folders written by an older one are written again.
const GENERATOR_VERSION: u32 = 2;

/// A folder of documents, with what every program has to find in it.
pub(super) struct Corpus {
    pub(super) documents: usize,
    pub(super) bytes: usize,
    /// Names of the invalid documents, relative to the folder, sorted.
    pub(super) invalid: Vec<String>,
    pub(super) folder: PathBuf,
    /// The YAML of each document alone, under the same name with `.yaml` for `.md`.
    pub(super) extracted: PathBuf,
    /// A clean document to measure the cold start on.
    pub(super) first: PathBuf,
}

impl Corpus {
    /// Writes `documents` documents below `root`, or leaves them when they are there.
    pub(super) fn prepare(root: &Path, documents: usize) -> Result<Self, String> {
        let folder = root.join(format!("docs-{documents}"));
        let extracted = root.join(format!("yaml-{documents}"));
        let stamp = root.join(format!("docs-{documents}.version"));
        let version = GENERATOR_VERSION.to_string();
        let fresh = fs::read_to_string(&stamp).is_ok_and(|found| found == version);
        if !fresh {
            remove(&folder)?;
            remove(&extracted)?;
        }

        let mut corpus =
            Self { documents, bytes: 0, invalid: Vec::new(), folder, extracted, first: PathBuf::new() };
        for index in 0..documents {
            let document = Document::generate(index);
            let part = format!("{:03}", index / DOCUMENTS_PER_FOLDER);
            let name = document.name(index);
            if index == 0 {
                corpus.first = corpus.folder.join(&part).join(&name);
            }
            if !fresh {
                write(&corpus.folder.join(&part), &name, &document.text)?;
                write(&corpus.extracted.join(&part), &extracted_name(&name), &document.yaml)?;
            }
            corpus.bytes += document.text.len();
            if document.fault.is_some() {
                corpus.invalid.push(format!("{part}/{name}"));
            }
        }
        fs::write(&stamp, version).map_err(|error| format!("cannot write {}: {error}", stamp.display()))?;
        Ok(corpus)
    }

    /// Returns every extracted file, since the peer that reads them takes files and no folders.
    pub(super) fn extracted_files(&self) -> Result<Vec<PathBuf>, String> {
        let mut files = Vec::with_capacity(self.documents);
        for part in list(&self.extracted)? {
            files.extend(list(&part)?);
        }
        Ok(files)
    }
}

/// Returns the name of the document that an extracted file came from.
pub(super) fn original_name(extracted: &str) -> String {
    match extracted.strip_suffix(".md.yaml") {
        Some(stem) => format!("{stem}.md"),
        None => extracted.to_owned(),
    }
}

fn extracted_name(name: &str) -> String {
    if name.ends_with(".md") { format!("{name}.yaml") } else { name.to_owned() }
}

fn write(folder: &Path, name: &str, text: &str) -> Result<(), String> {
    let path = folder.join(name);
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(&path, text))
        .map_err(|error| format!("cannot write {}: {error}", path.display()))
}

fn remove(folder: &Path) -> Result<(), String> {
    match fs::remove_dir_all(folder) {
        Err(error) if folder.exists() => Err(format!("cannot remove {}: {error}", folder.display())),
        _ => Ok(()),
    }
}

fn list(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut paths = fs::read_dir(folder)
        .and_then(|entries| {
            entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>()
        })
        .map_err(|error| format!("cannot list {}: {error}", folder.display()))?;
    paths.sort();
    Ok(paths)
}
