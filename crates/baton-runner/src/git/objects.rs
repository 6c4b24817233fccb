//! Looks up single objects: their kind, their size, and the bytes of those that are small enough.

use std::io::{self, BufRead, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};

use super::child::Git;
use super::object_id::Prefix;
use super::recent::Recent;
use super::tree::{self, Entries};
use super::workshop::Workshop;
use super::{GitError, ObjectId};

/// Largest blob that is read unless the caller says otherwise.
pub const ARTIFACT_BYTES_MAX: u64 = 8 * 1024 * 1024;
/// Largest list of the names in one folder.
const TREE_BYTES_MAX: u64 = 64 * 1024 * 1024;
const PATH_BYTES_MAX: usize = 4 * 1024;
const ANSWER_BYTES_MAX: u64 = 64 * 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    Commit,
    Tree,
    Blob,
    Tag,
}

impl ObjectKind {
    const ALL: [Self; 4] = [Self::Commit, Self::Tree, Self::Blob, Self::Tag];

    /// The word of git.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Commit => "commit",
            Self::Tree => "tree",
            Self::Blob => "blob",
            Self::Tag => "tag",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectInfo {
    pub id: ObjectId,
    pub kind: ObjectKind,
    pub size: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Blob {
    Bytes(Vec<u8>),
    /// It has this many bytes and was not read.
    TooLarge(u64),
    Missing,
    /// It is damaged, or no blob.
    Unreadable,
}

/// What an id or the beginning of one names, reachable from a branch or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    Commit(ObjectId),
    /// A blob, a tree, or a tag.
    Other(ObjectId),
    /// Several objects begin so.
    Ambiguous,
    Nothing,
}

enum Answer {
    Object(ObjectInfo),
    Ambiguous,
    Missing,
}

/// Two git processes that stay: one tells kinds and sizes, one hands out bytes. Each is started when first asked.
pub struct Objects<'workshop> {
    workshop: &'workshop Workshop,
    processes: Processes,
}

#[derive(Default)]
struct Processes {
    checker: Option<Git>,
    reader: Option<Git>,
    /// Where they go in the end.
    spare: Option<Arc<Spare>>,
}

/// What one who asked before leaves for the next: the processes, and what was seen. Objects never change, and git looks again
/// for those that it does not know.
#[derive(Default)]
pub(crate) struct Spare {
    pub(super) recent: Recent,
    checker: Mutex<Option<Git>>,
    reader: Mutex<Option<Git>>,
}

impl std::fmt::Debug for Spare {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Spare").finish_non_exhaustive()
    }
}

impl Drop for Processes {
    fn drop(&mut self) {
        let Some(spare) = self.spare.take() else { return };
        for (place, git) in [(&spare.checker, self.checker.take()), (&spare.reader, self.reader.take())] {
            if git.is_some() {
                *place.lock().unwrap_or_else(PoisonError::into_inner) = git;
            }
        }
    }
}

impl std::fmt::Debug for Objects<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Objects").finish_non_exhaustive()
    }
}

impl<'workshop> Objects<'workshop> {
    pub(super) fn new(workshop: &'workshop Workshop) -> Self {
        Self { workshop, processes: Processes::default() }
    }

    /// The same, with the processes of whoever asked there before.
    pub(super) fn with_spare(workshop: &'workshop Workshop, spare: &Arc<Spare>) -> Self {
        let take = |place: &Mutex<Option<Git>>| place.lock().unwrap_or_else(PoisonError::into_inner).take();
        let (checker, reader) = (take(&spare.checker), take(&spare.reader));
        Self { workshop, processes: Processes { checker, reader, spare: Some(Arc::clone(spare)) } }
    }

    /// Tells about an object by its id or the beginning of one; nothing when there is none or there are several.
    pub fn info(&mut self, hex: &str) -> Result<Option<ObjectInfo>, GitError> {
        match Prefix::from_hex(hex) {
            None => Ok(None),
            Some(_) => Ok(self.ask(hex.as_bytes())?.object()),
        }
    }

    /// Tells what lies at a path in the tree of a commit.
    pub fn at(&mut self, commit: ObjectId, path: &[u8]) -> Result<Option<ObjectInfo>, GitError> {
        // Git takes a leading dot for its own folder, and a line for a question.
        let is_plain = |part: &[u8]| !part.is_empty() && part != b"." && part != b"..";
        if path.len() > PATH_BYTES_MAX || path.contains(&0) || !path.split(|byte| *byte == b'/').all(is_plain)
        {
            return Ok(None);
        }
        if path.contains(&b'\n') || path.ends_with(b"\r") {
            let message = format!(
                "git cannot be asked for a path with a line break: {:?}",
                String::from_utf8_lossy(path)
            );
            return Err(GitError::unsupported(message, "Rename the file"));
        }
        let name = [commit.to_string().as_bytes(), b":", path].concat();
        Ok(self.ask(&name)?.object())
    }

    /// Returns the commit that a tag leads to, or the commit itself.
    pub(super) fn peeled(&mut self, id: ObjectId) -> Result<Option<ObjectId>, GitError> {
        Ok(self.ask(format!("{id}^{{commit}}").as_bytes())?.object().map(|info| info.id))
    }

    /// Returns the tree of a commit.
    pub(super) fn tree_of(&mut self, commit: ObjectId) -> Result<Option<ObjectId>, GitError> {
        self.tree_named(&commit.to_string())
    }

    /// Returns the tree of the commit that a reference of ours stands for.
    pub(super) fn tree_named(&mut self, name: &str) -> Result<Option<ObjectId>, GitError> {
        Ok(self.ask(format!("{name}^{{tree}}").as_bytes())?.object().map(|info| info.id))
    }

    /// Says what an id or the beginning of one names. Where several objects begin so, a commit among them counts alone.
    pub fn commit_kind(&mut self, hex: &str) -> Result<Named, GitError> {
        let Some(prefix) = Prefix::from_hex(hex) else { return Ok(Named::Nothing) };
        match self.ask(format!("{hex}^{{commit}}").as_bytes())? {
            Answer::Object(info) if info.id.starts_with(&prefix) => return Ok(Named::Commit(info.id)),
            Answer::Ambiguous => return Ok(Named::Ambiguous),
            Answer::Object(_) | Answer::Missing => {}
        }
        match self.ask(hex.as_bytes())? {
            Answer::Object(info) => Ok(Named::Other(info.id)),
            Answer::Ambiguous => Ok(Named::Ambiguous),
            Answer::Missing => Ok(Named::Nothing),
        }
    }

    /// Reads a blob, if it has at most so many bytes. Its size is asked for first.
    pub fn blob(&mut self, id: ObjectId, bytes_max: u64) -> Result<Blob, GitError> {
        self.read(id, ObjectKind::Blob, bytes_max)
    }

    /// Returns what a folder holds, as it is kept under an id.
    pub(super) fn tree(&mut self, id: ObjectId) -> Result<Entries, GitError> {
        match self.read(id, ObjectKind::Tree, TREE_BYTES_MAX)? {
            Blob::Bytes(bytes) => tree::read(&bytes, id.as_bytes().len()),
            Blob::TooLarge(_) | Blob::Missing | Blob::Unreadable => None,
        }
        .ok_or_else(|| GitError::failed(format!("the tree {id} cannot be read")))
    }

    fn read(&mut self, id: ObjectId, kind: ObjectKind, bytes_max: u64) -> Result<Blob, GitError> {
        let recent = self.processes.spare.as_ref().and_then(|spare| spare.recent.get(id, kind));
        if let Some(bytes) = recent.filter(|bytes| bytes.len() as u64 <= bytes_max) {
            return Ok(Blob::Bytes(bytes));
        }
        let read = self.read_from_git(id, kind, bytes_max)?;
        if let (Blob::Bytes(bytes), Some(spare)) = (&read, &self.processes.spare) {
            spare.recent.note(id, kind, bytes);
        }
        Ok(read)
    }

    fn read_from_git(&mut self, id: ObjectId, kind: ObjectKind, bytes_max: u64) -> Result<Blob, GitError> {
        let info = match self.ask(id.to_string().as_bytes())? {
            Answer::Object(info) if info.kind == kind => info,
            Answer::Object(_) => return Ok(Blob::Unreadable),
            Answer::Ambiguous | Answer::Missing => return Ok(Blob::Missing),
        };
        if info.size > bytes_max {
            return Ok(Blob::TooLarge(info.size));
        }
        if let Some(mut git) = self.processes.reader.take()
            && let Ok(bytes) = read_object(&mut git, &info)
        {
            self.processes.reader = Some(git);
            return Ok(Blob::Bytes(bytes));
        }
        // One that waited may have been ended by somebody; what a new one says counts.
        let mut git = self.workshop.start(&["cat-file", "--batch"])?;
        match read_object(&mut git, &info) {
            Ok(bytes) => {
                self.processes.reader = Some(git);
                Ok(Blob::Bytes(bytes))
            }
            Err(error) if git.was_ended() => Err(git.error(&error)),
            // Git ends over a damaged object. The next question gets a new one.
            Err(_) => Ok(Blob::Unreadable),
        }
    }

    fn ask(&mut self, name: &[u8]) -> Result<Answer, GitError> {
        if let Some(mut git) = self.processes.checker.take()
            && let Ok(answer) = ask(&mut git, name)
        {
            self.processes.checker = Some(git);
            return Ok(answer);
        }
        let mut git = self.workshop.start(&["cat-file", "--batch-check"])?;
        let answer = ask(&mut git, name).map_err(|error| git.error(&error))?;
        self.processes.checker = Some(git);
        Ok(answer)
    }
}

impl Answer {
    fn object(self) -> Option<ObjectInfo> {
        match self {
            Self::Object(info) => Some(info),
            Self::Ambiguous | Self::Missing => None,
        }
    }
}

fn read_object(git: &mut Git, expected: &ObjectInfo) -> io::Result<Vec<u8>> {
    match ask(git, expected.id.to_string().as_bytes())? {
        Answer::Object(info) if info == *expected => {}
        _ => return Err(io::ErrorKind::InvalidData.into()),
    }
    // The bytes are followed by a line break.
    let size = expected.size as usize;
    let mut bytes = vec![0; size + 1];
    git.stdout.read_exact(&mut bytes)?;
    bytes.truncate(size);
    Ok(bytes)
}

fn ask(git: &mut Git, name: &[u8]) -> io::Result<Answer> {
    let question = [name, b"\n"].concat();
    let stdin = git.stdin.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
    stdin.write_all(&question)?;
    let mut line = Vec::new();
    git.stdout.by_ref().take(ANSWER_BYTES_MAX).read_until(b'\n', &mut line)?;
    let line = line.strip_suffix(b"\n").ok_or(io::ErrorKind::UnexpectedEof)?;
    if line.ends_with(b" ambiguous") {
        return Ok(Answer::Ambiguous);
    }
    if line.ends_with(b" missing") || line.ends_with(b" submodule") {
        return Ok(Answer::Missing);
    }
    parse(line).map(Answer::Object).ok_or(io::ErrorKind::InvalidData.into())
}

/// Reads `ID KIND SIZE`.
fn parse(line: &[u8]) -> Option<ObjectInfo> {
    let mut words = line.split(|byte| *byte == b' ');
    let id = ObjectId::from_hex(words.next()?)?;
    let word = words.next()?;
    let kind = ObjectKind::ALL.into_iter().find(|kind| kind.name().as_bytes() == word)?;
    let size = std::str::from_utf8(words.next()?).ok()?.parse().ok()?;
    Some(ObjectInfo { id, kind, size })
}

#[cfg(test)]
mod tests {
    use super::super::{FileKind, Snapshots};
    use super::*;

    #[test]
    fn a_process_that_was_ended_while_it_waited_is_replaced() {
        let (state, project) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let snapshots = Snapshots::open(state.path(), project.path()).unwrap();
        for (name, text) in [("one", "1"), ("two", "2")] {
            let mut import = snapshots.keep(name, None).unwrap();
            import.file(b"a.txt", FileKind::File, text.as_bytes()).unwrap();
            import.finish().unwrap();
        }
        let spare = Arc::default();
        let read = |name: &str| {
            let file = snapshots.files(name).unwrap().remove(0);
            Objects::with_spare(&snapshots.workshop, &spare).blob(file.id, ARTIFACT_BYTES_MAX).unwrap()
        };
        assert_eq!(read("one"), Blob::Bytes(b"1".to_vec()));
        let ended =
            |place: &Mutex<Option<Git>>| place.lock().unwrap().as_mut().map(Git::close_stdin).is_some();
        assert!(ended(&spare.checker) && ended(&spare.reader), "nobody waits");
        assert_eq!(read("two"), Blob::Bytes(b"2".to_vec()));
        // What is new since they were started is found by those that wait.
        let mut import = snapshots.keep("three", Some("two")).unwrap();
        import.file(b"a.txt", FileKind::File, b"3").unwrap();
        import.finish().unwrap();
        assert_eq!(read("three"), Blob::Bytes(b"3".to_vec()));
    }
}
