//! A disk that keeps what was flushed, and of the rest whatever an [`Image`] is chosen to hold.
//!
//! The model is harsher than most file systems: the bytes of a file and its name are flushed apart, names in one folder can
//! survive in any order, and a write can be torn at every sector.

use std::collections::BTreeMap;

use super::trace::{Call, Descriptor, Opening, Step};
use crate::random::Random;

/// Bytes that a disk writes as a whole.
const SECTOR_BYTES: usize = 512;
/// Chance in percent that something that was not flushed is there after all.
const SURVIVES_PERCENT: usize = 50;

/// What a folder holds: files with their bytes, and folders. Paths as in the trace.
pub type Image = BTreeMap<String, Option<Vec<u8>>>;

/// Which of the changes that were not flushed are there after the power failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    Nothing,
    Everything,
    /// Everything up to some moment.
    InOrder,
    /// Any of them.
    AnySubset,
    /// Any of them, and of each write any of its sectors.
    Torn,
}

impl Choice {
    pub const ALL: &'static [Choice] =
        &[Choice::Nothing, Choice::Everything, Choice::InOrder, Choice::AnySubset, Choice::Torn];
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Node {
    Folder,
    /// The number of a file, whatever names it has.
    File(usize),
}

#[derive(Clone, Debug, Default)]
struct File {
    flushed: Vec<u8>,
    changes: Vec<(usize, Change)>,
}

#[derive(Clone, Debug)]
enum Change {
    Write { at: usize, bytes: Vec<u8> },
    Cut { size: usize },
}

/// Names that change together, in one folder.
#[derive(Clone, Debug)]
struct Naming {
    number: usize,
    folder: String,
    removed: Option<String>,
    added: Option<(String, Node)>,
}

/// A disk in the middle of a session.
#[derive(Clone, Debug)]
pub struct Disk {
    files: Vec<File>,
    /// The names as programs see them.
    names: BTreeMap<String, Node>,
    flushed_names: BTreeMap<String, Node>,
    namings: Vec<Naming>,
    positions: BTreeMap<Descriptor, usize>,
    /// Steps done.
    steps: usize,
}

impl Disk {
    /// Returns a disk that surely holds this.
    pub fn holding(image: &Image) -> Self {
        let mut files = Vec::new();
        let mut names = BTreeMap::new();
        for (path, content) in image {
            let node = match content {
                None => Node::Folder,
                Some(bytes) => {
                    files.push(File { flushed: bytes.clone(), changes: Vec::new() });
                    Node::File(files.len() - 1)
                }
            };
            names.insert(path.clone(), node);
        }
        let flushed_names = names.clone();
        Disk { files, names, flushed_names, namings: Vec::new(), positions: BTreeMap::new(), steps: 0 }
    }

    /// Does one step of a session.
    pub fn perform(&mut self, step: &Step) -> Result<(), String> {
        match &step.call {
            Call::Open { path, descriptor, opening } => self.open(path, *descriptor, *opening)?,
            Call::Write { path, descriptor, at, bytes } => self.write(path, *descriptor, (*at, bytes))?,
            Call::Seek { descriptor, at } => {
                self.positions.insert(*descriptor, place(*at)?);
            }
            Call::Read { descriptor, count } => {
                if let Some(position) = self.positions.get_mut(descriptor) {
                    *position += place(*count)?;
                }
            }
            Call::Cut { path, size } => {
                let size = place(*size)?;
                self.change(path, Change::Cut { size })?;
            }
            Call::Flush { path } => self.flush(path, step.began)?,
            Call::Rename { from, to } => self.rename(from, to)?,
            Call::Link { from, to } => {
                let node = self.node(from)?;
                self.add(to, node);
            }
            Call::Remove { path } => {
                self.node(path)?;
                self.names.remove(path);
                self.name(path, Some(path.clone()), None);
            }
            Call::MakeFolder { path } => self.add(path, Node::Folder),
            Call::Say => {}
        }
        self.steps += 1;
        Ok(())
    }

    fn open(&mut self, path: &str, descriptor: Descriptor, opening: Opening) -> Result<(), String> {
        let known = self.names.get(path).copied();
        let id = match known {
            Some(Node::Folder) => return Ok(()),
            Some(Node::File(id)) => id,
            None if opening.creates => {
                self.files.push(File::default());
                let id = self.files.len() - 1;
                self.add(path, Node::File(id));
                id
            }
            // Only read; whoever starts the model need not know of it.
            None => return Ok(()),
        };
        if opening.empties && known.is_some() {
            self.change(path, Change::Cut { size: 0 })?;
        }
        let position = if opening.appends { self.files[id].content().len() } else { 0 };
        self.positions.insert(descriptor, position);
        Ok(())
    }

    fn write(
        &mut self,
        path: &str,
        descriptor: Descriptor,
        (at, bytes): (Option<u64>, &[u8]),
    ) -> Result<(), String> {
        let at = match at {
            Some(at) => place(at)?,
            None => {
                let position = self.positions.get_mut(&descriptor);
                let position = position.ok_or_else(|| format!("{path} is written, and was never opened"))?;
                let at = *position;
                *position += bytes.len();
                at
            }
        };
        self.change(path, Change::Write { at, bytes: bytes.to_vec() })
    }

    fn change(&mut self, path: &str, change: Change) -> Result<(), String> {
        match self.node(path)? {
            Node::File(id) => {
                self.files[id].changes.push((self.steps, change));
                Ok(())
            }
            Node::Folder => Err(format!("{path} is a folder, and is written to")),
        }
    }

    /// Keeps what was over before the flush began.
    fn flush(&mut self, path: &str, began: usize) -> Result<(), String> {
        match self.node(path)? {
            Node::File(id) => {
                let file = &mut self.files[id];
                let kept = file.changes.iter().take_while(|(number, _)| *number < began).count();
                for (_, change) in file.changes.drain(..kept) {
                    change.apply(&mut file.flushed);
                }
            }
            Node::Folder => {
                let (kept, rest) = std::mem::take(&mut self.namings)
                    .into_iter()
                    .partition(|naming: &Naming| naming.folder == path && naming.number < began);
                self.namings = rest;
                for naming in kept {
                    naming.apply(&mut self.flushed_names);
                }
            }
        }
        Ok(())
    }

    fn rename(&mut self, from: &str, to: &str) -> Result<(), String> {
        let node = self.node(from)?;
        if node == Node::Folder {
            return Err(format!("{from} becomes {to}: the model moves files only"));
        }
        self.names.remove(from);
        self.names.insert(to.to_owned(), node);
        let removed = Some(from.to_owned());
        let added = Some((to.to_owned(), node));
        if folder_of(from) == folder_of(to) {
            self.name(to, removed, added);
        } else {
            // Two folders are flushed apart: after a power cut a file can have both names, or none.
            self.name(to, None, added);
            self.name(from, removed, None);
        }
        Ok(())
    }

    fn add(&mut self, path: &str, node: Node) {
        self.names.insert(path.to_owned(), node);
        self.name(path, None, Some((path.to_owned(), node)));
    }

    fn name(&mut self, path: &str, removed: Option<String>, added: Option<(String, Node)>) {
        self.namings.push(Naming { number: self.steps, folder: folder_of(path).to_owned(), removed, added });
    }

    fn node(&self, path: &str) -> Result<Node, String> {
        self.names.get(path).copied().ok_or_else(|| format!("the disk does not hold {path}"))
    }

    /// Returns what could be found if the power failed now.
    pub fn image(&self, choice: Choice, random: &mut Random) -> Image {
        let until = random.below(self.steps + 1);
        let mut survives = |number: usize| match choice {
            Choice::Nothing => false,
            Choice::Everything => true,
            Choice::InOrder => number < until,
            Choice::AnySubset | Choice::Torn => random.chance(SURVIVES_PERCENT),
        };
        let mut names = self.flushed_names.clone();
        for naming in self.namings.iter().filter(|naming| survives(naming.number)) {
            naming.apply(&mut names);
        }
        let mut contents: Vec<Option<Vec<u8>>> = vec![None; self.files.len()];
        let kept: Vec<Vec<bool>> = self
            .files
            .iter()
            .map(|file| file.changes.iter().map(|(number, _)| survives(*number)).collect())
            .collect();
        let mut image = Image::new();
        for (path, node) in &names {
            // What lies in a folder without a name is lost with it.
            if path.contains('/') && !image.get(folder_of(path)).is_some_and(Option::is_none) {
                continue;
            }
            let content = match node {
                Node::Folder => None,
                Node::File(id) => {
                    let content = contents[*id].get_or_insert_with(|| {
                        let tear = (choice == Choice::Torn).then_some(&mut *random);
                        self.files[*id].after(&kept[*id], tear)
                    });
                    Some(content.clone())
                }
            };
            image.insert(path.clone(), content);
        }
        image
    }
}

impl Naming {
    fn apply(&self, names: &mut BTreeMap<String, Node>) {
        if let Some(removed) = &self.removed {
            names.remove(removed);
        }
        if let Some((path, node)) = &self.added {
            names.insert(path.clone(), *node);
        }
    }
}

impl File {
    fn content(&self) -> Vec<u8> {
        self.after(&vec![true; self.changes.len()], None)
    }

    fn after(&self, kept: &[bool], mut tear: Option<&mut Random>) -> Vec<u8> {
        let mut content = self.flushed.clone();
        for ((_, change), _) in self.changes.iter().zip(kept).filter(|(_, kept)| **kept) {
            match (change, &mut tear) {
                (Change::Write { at, bytes }, Some(random)) => torn(*at, bytes, random, &mut content),
                (change, _) => change.apply(&mut content),
            }
        }
        content
    }
}

impl Change {
    fn apply(&self, content: &mut Vec<u8>) {
        match self {
            Change::Cut { size } => content.resize(*size, 0),
            Change::Write { at, bytes } => put(*at, bytes, content),
        }
    }
}

/// Writes some sectors of the bytes. The file is as long as if all had been written: its size is kept elsewhere.
fn torn(at: usize, bytes: &[u8], random: &mut Random, content: &mut Vec<u8>) {
    let end = at + bytes.len();
    if content.len() < end {
        content.resize(end, 0);
    }
    let mut start = at;
    while start < end {
        let next = (start / SECTOR_BYTES * SECTOR_BYTES + SECTOR_BYTES).min(end);
        if random.chance(SURVIVES_PERCENT) {
            put(start, &bytes[start - at..next - at], content);
        }
        start = next;
    }
}

fn put(at: usize, bytes: &[u8], content: &mut Vec<u8>) {
    let end = at + bytes.len();
    if content.len() < end {
        content.resize(end, 0);
    }
    content[at..end].copy_from_slice(bytes);
}

fn place(number: u64) -> Result<usize, String> {
    usize::try_from(number).map_err(|error| error.to_string())
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

#[cfg(test)]
mod tests;
