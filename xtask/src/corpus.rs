//! `cargo xtask corpus FOLDER`: how well Baton reads real documents.
//!
//! The folder has a `manifest.jsonl`: a document a line, with its file, its class, whether it is a handoff, whether its
//! data parses, and for some the facts that a perfect reader finds.

mod facts;
mod manifest;
mod score;

use std::fs;
use std::panic;
use std::path::Path;
use std::time::{Duration, Instant};

use baton_handoff::document;

use manifest::Entry;
use score::Score;

/// Longer than this for one document counts as a hang.
const DOCUMENT_TIME_MAX: Duration = Duration::from_secs(2);

/// What the figures are held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Goals {
    /// What the project wants to reach.
    Full,
    /// What must never get worse: nothing crashes, nothing is taken for what it is not, nothing is lost.
    Floors,
}

pub(crate) fn run(folder: &Path, goals: Goals) -> Result<(), String> {
    let entries = manifest::load(folder)?;
    if entries.is_empty() {
        return Err(format!("{} lists no document", folder.display()));
    }
    let mut score = Score::default();
    for entry in &entries {
        let path = folder.join(&entry.file);
        let bytes = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        measure(entry, &bytes, &mut score);
    }
    println!("{score}");
    let met = match goals {
        Goals::Full => score.is_met(),
        Goals::Floors => score.keeps_floors(),
    };
    match met {
        true => Ok(()),
        false => Err("a goal was missed".to_owned()),
    }
}

/// Shows what was found in one document beside what is expected.
pub(crate) fn show(folder: &Path, id: &str) -> Result<(), String> {
    let entries = manifest::load(folder)?;
    let entry =
        entries.iter().find(|entry| entry.id == id).ok_or_else(|| format!("no document has the id {id}"))?;
    let bytes = fs::read(folder.join(&entry.file)).map_err(|error| error.to_string())?;
    let text = document::decode(&bytes).map_err(|found| found.message)?;
    let read = document::read(text);
    let dialects: Vec<_> = read.dialects().map(|dialect| dialect.name()).collect();
    println!("{}\ndialects {dialects:?} refusal {:?}", entry.file, read.refusal);
    println!("found {:#?}\nexpected {:#}", facts::find(text, &read), entry.expected);
    Ok(())
}

fn measure(entry: &Entry, bytes: &[u8], score: &mut Score) {
    score.documents += 1;
    let started = Instant::now();
    let outcome = panic::catch_unwind(|| {
        let Ok(text) = document::decode(bytes) else { return facts::Found::default() };
        facts::find(text, &document::read(text))
    });
    if started.elapsed() > DOCUMENT_TIME_MAX {
        score.hangs.push(entry.id.clone());
    }
    match outcome {
        Ok(found) => score.add(entry, &found),
        Err(_) => score.crashes.push(entry.id.clone()),
    }
}
