//! Reads the index of a person's checkout: which files git follows there, whatever its rules ignore by now.

use std::path::Path;

use super::hashing::Hashing;
use super::place::{self, Place};
use super::{GitError, own_dir, plain};

/// Largest index that is read; a million files need about a tenth of it.
pub(super) const BYTES_MAX: usize = 1024 * 1024 * 1024;
const SIGNATURE: &[u8] = b"DIRC";
/// Times, numbers and sizes of a file, before its hash.
const STAT_BYTES: usize = 40;
/// The extension of an index that goes on from another one.
const SHARED: &[u8] = b"link";
const FLAG_EXTENDED: u16 = 1 << 14;
/// Among the extended flags: the file is not in the work tree, on purpose.
const FLAG_ELSEWHERE: u16 = 1 << 14;

/// Names every file below a folder that git follows, from the folder, in order; where the index goes on from another one, those
/// of the other after them, also those that were taken out since. None where there is no repository that is read.
pub fn each_tracked(folder: &Path, mut found: impl FnMut(&[u8])) -> Result<(), GitError> {
    let Ok(Some(place)) = place::find(folder) else { return Ok(()) };
    let below = folder.canonicalize().map_err(|error| GitError::unreadable(folder, &error))?;
    let mut below = match below.strip_prefix(&place.root) {
        Ok(below) => below.as_os_str().as_encoded_bytes().to_vec(),
        Err(_) => return Ok(()),
    };
    if !below.is_empty() {
        below.push(b'/');
    }
    let mut inside = |path: &[u8]| path.strip_prefix(below.as_slice()).into_iter().for_each(&mut found);
    match read(&place, "index", &mut inside)? {
        Some(shared) => read(&place, &format!("sharedindex.{shared}"), &mut inside).map(|_| ()),
        None => Ok(()),
    }
}

/// Names the files of an index, and returns the one that it goes on from.
fn read(place: &Place, name: &str, found: &mut dyn FnMut(&[u8])) -> Result<Option<String>, GitError> {
    let path = place.git_dir.join(name);
    let Some(bytes) = plain::read(&path, BYTES_MAX)? else { return Ok(None) };
    let hash_bytes = match own_dir::hashing(&place.common_dir) {
        Hashing::Sha1 => 20,
        Hashing::Sha256 => 32,
    };
    let mut rest = Rest(&bytes);
    let read = rest.header().and_then(|(version, count)| match version {
        2..=4 => rest.entries((version, count), hash_bytes, found),
        _ => None,
    });
    let shared = read.and_then(|()| rest.shared(hash_bytes));
    shared.ok_or_else(|| {
        let message = format!("`{}` is no index of git of version 2, 3 or 4", path.display());
        GitError::unsupported(message, "Run `git update-index --index-version 2`, then try again")
    })
}

/// What is left of an index.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn u16(&mut self) -> Option<u16> {
        Some(u16::from_be_bytes(self.take(2)?.try_into().ok()?))
    }

    fn u32(&mut self) -> Option<u32> {
        Some(u32::from_be_bytes(self.take(4)?.try_into().ok()?))
    }

    /// Reads the version and the count of entries.
    fn header(&mut self) -> Option<(u32, u32)> {
        self.take(SIGNATURE.len()).filter(|signature| *signature == SIGNATURE)?;
        Some((self.u32()?, self.u32()?))
    }

    fn entries(
        &mut self,
        (version, count): (u32, u32),
        hash_bytes: usize,
        found: &mut dyn FnMut(&[u8]),
    ) -> Option<()> {
        let mut path = Vec::new();
        for _ in 0..count {
            let before = self.0.len();
            self.take(STAT_BYTES + hash_bytes)?;
            let is_extended = self.u16()? & FLAG_EXTENDED != 0;
            let is_elsewhere = is_extended && self.u16()? & FLAG_ELSEWHERE != 0;
            let is_whole = version < 4;
            let kept = if is_whole { 0 } else { path.len().checked_sub(self.offset()?)? };
            path.truncate(kept);
            let end = self.0.iter().position(|byte| *byte == 0)?;
            path.extend_from_slice(self.take(end)?);
            // Entries of the older versions are filled up with one to eight zeros.
            let zeros = if is_whole { 8 - (before - self.0.len()) % 8 } else { 1 };
            self.take(zeros)?;
            if !is_elsewhere && leads_to_a_file(&path) {
                found(&path);
            }
        }
        Some(())
    }

    /// Reads a number of as many bytes as it needs, as git writes the lengths in its packs and its index.
    fn offset(&mut self) -> Option<usize> {
        let mut byte = self.take(1)?[0];
        let mut value = usize::from(byte & 0x7f);
        while byte & 0x80 != 0 {
            byte = self.take(1)?[0];
            value = value.checked_add(1)?.checked_mul(128)? | usize::from(byte & 0x7f);
        }
        Some(value)
    }

    /// Reads the extensions, and returns the hash of the index that this one goes on from. The last bytes are the hash of all.
    fn shared(&mut self, hash_bytes: usize) -> Option<Option<String>> {
        while self.0.len() > hash_bytes {
            let name = self.take(SHARED.len())?;
            let length = usize::try_from(self.u32()?).ok()?;
            let mut content = Rest(self.take(length)?);
            if name == SHARED {
                let hash = content.take(hash_bytes)?;
                return Some(Some(hash.iter().map(|byte| format!("{byte:02x}")).collect()));
            }
        }
        Some(None)
    }
}

/// Says whether a path is that of a file in the work tree. An entry without a name takes the place of one of the index that this
/// one goes on from; one with a slash at its end stands for a folder that is not checked out; no other leads elsewhere, unless
/// somebody made it.
fn leads_to_a_file(path: &[u8]) -> bool {
    path.split(|byte| *byte == b'/').all(|part| !matches!(part, b"" | b"." | b".."))
}
