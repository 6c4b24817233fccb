//! Sets a project up for the agents in it: a plan first, then the files, and a way back to the bytes before.
//!
//! Reading order: [`setup`], [`guidance`], `json_text`, this file, `record`.

pub mod guidance;
mod json_text;
mod record;
pub mod setup;

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use baton_store::durable_file;

use crate::ecosystem::Proposal;
use crate::service::Service;
use crate::{agent, config};
use json_text::Splice;
use record::{Record, Written};
use setup::{Piece, Setup, Want};

/// Largest file that is added to.
const FILE_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// Why nothing could be done.
#[derive(Debug)]
pub enum InitError {
    Io(PathBuf, io::Error),
    /// What is kept of an earlier time cannot be used.
    Record(PathBuf, io::Error),
    /// There is no place to keep the way back.
    NoPlace,
}

impl fmt::Display for InitError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(path, error) | Self::Record(path, error) => write!(out, "{}: {error}", path.display()),
            Self::NoPlace => {
                out.write_str("neither XDG_STATE_HOME nor HOME is set, so there is no way back to keep")
            }
        }
    }
}

/// One file of a plan.
#[derive(Clone, Debug)]
pub struct Step {
    /// From the root.
    pub path: String,
    pub what: &'static str,
    pub kind: StepKind,
    after: Vec<u8>,
    inserted: Vec<String>,
}

/// What becomes of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepKind {
    New,
    Add,
    /// It has all that is wanted.
    There,
    /// It is left alone, for this reason.
    Left(String),
}

/// What is to be done.
#[derive(Clone, Debug)]
pub struct Plan {
    pub root: PathBuf,
    /// The agents, and what speaks for each.
    pub agents: Vec<(&'static str, String)>,
    pub steps: Vec<Step>,
    /// The checks that a new configuration names.
    pub checks: Vec<Proposal>,
    /// Whether the project has none of its own, and none was found for it.
    pub lacks_checks: bool,
}

/// Returns the agents that are installed or have left traces in the project, with what speaks for them.
pub fn agents(root: &Path) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    for setup in setup::ALL {
        let driver = agent::Driver::named(setup.agent);
        let program = driver.and_then(|driver| agent::find(driver, None, root));
        let why = match (program, setup.trace(root)) {
            (Some(program), _) => program.display().to_string(),
            (None, Some(trace)) => format!("`{trace}` is in the project"),
            (None, None) => continue,
        };
        found.push((setup.agent, why));
    }
    found
}

/// Makes the plan for these agents; where there is none, for the checks alone. Nothing is written.
pub fn plan(root: &Path, agents: Vec<(&'static str, String)>) -> Plan {
    let setups = agents.iter().filter_map(|(name, _)| Setup::named(name));
    let mut wants: Vec<Want> = setups.flat_map(|setup| (setup.wants)(root)).collect();
    if !agents.is_empty() {
        wants.extend(guidance::wants(root));
    }
    let checks = guidance::checks(root);
    let names_none = Service::open(root, None).is_ok_and(|service| service.checks.is_empty());
    let is_configured = root.join(config::FILE_NAME).symlink_metadata().is_ok();
    let lacks_checks = names_none && (is_configured || checks.is_empty());
    wants.extend(guidance::configuration(root, &checks));
    let mut targets: Vec<PathBuf> = Vec::new();
    let mut steps = Vec::new();
    for want in &wants {
        // One file may have two names.
        let target = root.join(want.path).canonicalize().ok();
        if target.as_ref().is_some_and(|target| targets.contains(target)) {
            continue;
        }
        targets.extend(target);
        steps.push(step(root, want));
    }
    let is_new = |step: &Step| step.path == config::FILE_NAME && step.kind == StepKind::New;
    let checks = if steps.iter().any(is_new) { checks } else { Vec::new() };
    Plan { root: root.to_owned(), agents, steps, checks, lacks_checks }
}

fn step(root: &Path, want: &Want) -> Step {
    let made =
        |kind, after, inserted| Step { path: want.path.to_owned(), what: want.what, kind, after, inserted };
    let left = |why: String| made(StepKind::Left(why), Vec::new(), Vec::new());
    let before = match current(root, want.path) {
        Ok(before) => before,
        Err(why) => return left(why),
    };
    let is_new = before.is_none();
    let before = match String::from_utf8(before.unwrap_or_default()) {
        Ok(text) => text,
        Err(_) => return left("it is no UTF-8 text".to_owned()),
    };
    match grown(&before, is_new, &want.pieces) {
        Err(why) => left(why),
        Ok((_, inserted)) if inserted.is_empty() => made(StepKind::There, Vec::new(), inserted),
        Ok((after, inserted)) => {
            let kind = if is_new { StepKind::New } else { StepKind::Add };
            made(kind, after.into_bytes(), inserted)
        }
    }
}

/// Returns a file of the project, nothing where there is none, or why it is not touched.
fn current(root: &Path, inside: &str) -> Result<Option<Vec<u8>>, String> {
    let path = root.join(inside);
    let home = root.canonicalize().map_err(|error| error.to_string())?;
    // A link of the project may lead to another file of the project, and nowhere else.
    let nearest = path.ancestors().find_map(|above| above.canonicalize().ok());
    if !nearest.is_some_and(|nearest| nearest.starts_with(&home)) {
        return Err("a link leads out of the project".to_owned());
    }
    let metadata = match fs::metadata(&path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return match path.symlink_metadata() {
                Ok(_) => Err("it is a link to nothing".to_owned()),
                Err(_) => Ok(None),
            };
        }
        Err(error) => return Err(error.to_string()),
    };
    if !metadata.is_file() {
        return Err("it is no file".to_owned());
    }
    if metadata.permissions().readonly() {
        return Err("it is read-only".to_owned());
    }
    if metadata.len() > FILE_BYTES_MAX {
        return Err(format!("it has more than {FILE_BYTES_MAX} bytes"));
    }
    fs::read(&path).map(Some).map_err(|error| error.to_string())
}

/// Returns a text with all pieces in it, and what came in.
fn grown(before: &str, is_new: bool, pieces: &[Piece]) -> Result<(String, Vec<String>), String> {
    let mut text = before.to_owned();
    let mut inserted = Vec::new();
    for piece in pieces {
        let splices = match piece {
            Piece::Json { path, wanted } => {
                let empty = text.strip_prefix('\u{feff}').unwrap_or(&text).trim().is_empty();
                if empty {
                    let end = text.len();
                    text.insert_str(end, "{}\n");
                    inserted.push("{}\n".to_owned());
                }
                json_text::add(&text, path, wanted)
                    .map_err(|wrong| format!("it cannot be added to: {wrong}"))?
            }
            Piece::Toml { heading, body } => match text.lines().any(|line| line.trim() == *heading) {
                true => Vec::new(),
                false => at_end(&text, body),
            },
            Piece::Whole(_) if !is_new && text == *before => Vec::new(),
            Piece::Whole(body) => vec![Splice { at: 0, text: body.clone() }],
            Piece::Block(_) if text.contains(guidance::BEGIN) => Vec::new(),
            Piece::Block(body) => at_end(&text, body),
        };
        text = json_text::apply(&text, &splices);
        inserted.extend(splices.into_iter().map(|splice| splice.text));
    }
    Ok((text, inserted))
}

/// Puts a block behind a text, with a blank line between them and its line ends.
fn at_end(text: &str, block: &str) -> Vec<Splice> {
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let gap = match text.trim_start_matches('\u{feff}') {
        "" => "",
        text if text.ends_with('\n') => newline,
        _ => &newline.repeat(2),
    };
    vec![Splice { at: text.len(), text: format!("{gap}{}", block.replace('\n', newline)) }]
}

impl Plan {
    pub fn is_done(&self) -> bool {
        self.steps.iter().all(|step| matches!(step.kind, StepKind::There | StepKind::Left(_)))
    }

    /// Writes the files. The way back is on the disk before the first of them.
    pub fn apply(&self, store: Option<&Path>) -> Result<(), InitError> {
        let folder = folder(&self.root, store)?;
        let mut record = record::load(&folder)?;
        let steps = || self.steps.iter().filter(|step| matches!(step.kind, StepKind::New | StepKind::Add));
        for step in steps() {
            let before = fs::read(self.root.join(&step.path)).ok();
            let after = record::hash(&step.after);
            match record.files.iter_mut().find(|known| known.path == step.path) {
                // What was added before stays ours, whatever a person did since.
                Some(known) => {
                    let is_ours =
                        before.as_ref().map(|before| record::hash(before)).as_ref() == Some(&known.after);
                    known.inserted.extend(step.inserted.iter().cloned());
                    known.after = if is_ours { after } else { String::new() };
                }
                None => {
                    let before = before.map(|before| record::keep(&folder, &before)).transpose()?;
                    record.files.push(Written {
                        path: step.path.clone(),
                        before,
                        after,
                        inserted: step.inserted.clone(),
                    });
                }
            }
            for missing in missing_folders(&self.root, &step.path) {
                if !record.folders.contains(&missing) {
                    record.folders.push(missing);
                }
            }
        }
        record.save(&folder)?;
        for step in steps() {
            write(&self.root.join(&step.path), &step.after)?;
        }
        Ok(())
    }
}

fn folder(root: &Path, store: Option<&Path>) -> Result<PathBuf, InitError> {
    crate::desk::place::folder(root, store).map_err(|_| InitError::NoPlace)
}

/// Returns the folders on the way to a file that are not there yet, the outermost first.
fn missing_folders(root: &Path, inside: &str) -> Vec<String> {
    let mut missing: Vec<String> = Path::new(inside)
        .ancestors()
        .skip(1)
        .filter(|folder| !folder.as_os_str().is_empty() && !root.join(folder).exists())
        .map(|folder| folder.to_string_lossy().into_owned())
        .collect();
    missing.reverse();
    missing
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), InitError> {
    let failed = |error: io::Error| InitError::Io(path.to_owned(), error);
    if path.exists() {
        return durable_file::replace_content(path, bytes).map_err(failed);
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    fs::write(path, bytes).map_err(failed)
}

/// What taking back did to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Undone {
    /// It has the bytes that it had before.
    Restored,
    Removed,
    /// It was changed since; what was added is out of it, and the rest stays.
    TakenOut,
    /// It was changed since in what was added; a person has to look.
    Left,
    /// It is not there any more.
    Gone,
}

/// Takes everything back.
pub fn undo(root: &Path, store: Option<&Path>) -> Result<Vec<(String, Undone)>, InitError> {
    let folder = folder(root, store)?;
    let record = record::load(&folder)?;
    let mut done = Vec::new();
    let mut left = Record { folders: record.folders.clone(), ..Record::default() };
    for written in &record.files {
        let undone = take_back(root, &folder, written)?;
        if undone == Undone::Left {
            left.files.push(written.clone());
        }
        done.push((written.path.clone(), undone));
    }
    for made in record.folders.iter().rev() {
        // One that holds something else by now stays.
        let _ = fs::remove_dir(root.join(made));
    }
    match (record.files.is_empty(), left.files.is_empty()) {
        (true, _) => {}
        (false, true) => Record::remove(&folder)?,
        (false, false) => left.save(&folder)?,
    }
    Ok(done)
}

fn take_back(root: &Path, folder: &Path, written: &Written) -> Result<Undone, InitError> {
    let path = root.join(&written.path);
    let Ok(now) = fs::read(&path) else { return Ok(Undone::Gone) };
    let before = written.before.as_deref().map(|name| record::kept(folder, name)).transpose()?;
    if record::hash(&now) == written.after {
        return match before {
            Some(before) => write(&path, &before).map(|()| Undone::Restored),
            None => {
                fs::remove_file(&path).map(|()| Undone::Removed).map_err(|error| InitError::Io(path, error))
            }
        };
    }
    let Ok(mut text) = String::from_utf8(now) else { return Ok(Undone::Left) };
    for inserted in written.inserted.iter().rev() {
        // A comma alone is found anywhere, and does no harm where comments are allowed.
        if text.matches(inserted.as_str()).count() != 1 {
            return Ok(Undone::Left);
        }
        text = text.replacen(inserted.as_str(), "", 1);
    }
    write(&path, text.as_bytes()).map(|()| Undone::TakenOut)
}
