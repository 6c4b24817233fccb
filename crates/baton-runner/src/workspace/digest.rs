//! The hashes of files that were read before and have not changed since, so that a large project is not read again and again.
//!
//! Whether a file changed is told by its inode, size and times. Nobody can set the time of its last change, and a file that
//! changed shortly before it was read is read again: it could have changed once more within the same tick of the clock.
//! Most file systems have ticks of a few milliseconds; one that tells whole seconds only is given more time.

use std::fs::Metadata;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use baton_engine::word::TreeHash;
use sha2::{Digest as _, Sha256};

use super::folder::Folders;
use crate::git::FileKind;

/// What was written less than this before it was read is not trusted to stay as it was read.
const SETTLED_AFTER: Duration = Duration::from_millis(100);
/// The same where the file system may count in seconds.
const SETTLED_AFTER_COARSE: Duration = Duration::from_secs(3);

/// Those of a mode by which a file may be run.
const PROGRAM_BITS: u32 = 0o111;

/// The hash of the bytes of one file.
pub(crate) type Digest = [u8; 32];

/// A file of a workspace with the hash of its bytes.
#[derive(Clone, Debug)]
pub(crate) struct Listed {
    /// From the root, with slashes.
    pub(crate) path: Arc<[u8]>,
    pub(crate) kind: FileKind,
    pub(crate) digest: Digest,
    /// Nothing where it has to be read again, whatever the file system says.
    pub(crate) stamp: Option<Stamp>,
}

impl Listed {
    fn is_like(&self, other: &Self) -> bool {
        self.path == other.path && self.kind == other.kind && self.digest == other.digest
    }
}

/// The files of a workspace at one moment, by their paths, and the hash over them all.
#[derive(Debug)]
pub(crate) struct Listing {
    pub(crate) tree: TreeHash,
    pub(crate) files: Vec<Listed>,
}

impl Listing {
    /// Returns what another listing has and this one has not, and what this one has not so: both by their paths.
    pub(crate) fn since<'a>(&'a self, before: &'a [Listed]) -> (Vec<&'a Listed>, Vec<&'a Listed>) {
        let (mut gone, mut new) = (Vec::new(), Vec::new());
        let mut before = before.iter().peekable();
        for file in &self.files {
            while let Some(other) = before.next_if(|other| other.path < file.path) {
                gone.push(other);
            }
            let known = before.next_if(|other| other.path == file.path);
            if !known.is_some_and(|known| known.is_like(file)) {
                new.push(file);
            }
        }
        gone.extend(before);
        (gone, new)
    }
}

#[derive(Debug, Default)]
pub(crate) struct Digests {
    /// What was seen last.
    seen: Mutex<Option<Arc<Listing>>>,
    /// What was saved last, so that only what is new is saved.
    saved: Mutex<Option<Arc<Listing>>>,
    /// The names in the folders that were seen last.
    folders: Mutex<Arc<Folders>>,
}

/// What the file system says of a file, as long as it says the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    device: u64,
    inode: u64,
    mode: u32,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    /// Returns nothing where the file system tells too little.
    #[cfg(unix)]
    pub(crate) fn of(metadata: &Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        Some(Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            mode: metadata.mode(),
            size: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        })
    }

    #[cfg(target_os = "linux")]
    pub(crate) fn of_statx(told: &rustix::fs::Statx) -> Self {
        let time = |time: &rustix::fs::StatxTimestamp| (time.tv_sec, i64::from(time.tv_nsec));
        Self {
            device: rustix::fs::makedev(told.stx_dev_major, told.stx_dev_minor),
            inode: told.stx_ino,
            mode: told.stx_mode.into(),
            size: told.stx_size,
            modified: time(&told.stx_mtime),
            changed: time(&told.stx_ctime),
        }
    }

    #[cfg(not(unix))]
    pub(crate) fn of(_: &Metadata) -> Option<Self> {
        None
    }

    /// Says whether the file was written, moved or replaced since, whatever it holds now. Who says again that a program may be run,
    /// as scripts do before they run it, changes nothing but the time of the last change.
    pub(crate) fn was_written(&self, since: &Self) -> bool {
        let is_program = self.mode & since.mode & PROGRAM_BITS != 0;
        let written = |stamp: &Self| (stamp.device, stamp.inode, stamp.size, stamp.modified);
        written(self) != written(since) || (!is_program && self.changed != since.changed)
    }

    /// Returns the bytes, and the nanoseconds since 1970 of the last change.
    pub(crate) fn size_and_time(&self) -> (u64, u64) {
        let (seconds, nanoseconds) = self.modified;
        let seconds = u64::try_from(seconds).map(|seconds| seconds.saturating_mul(1_000_000_000));
        let nanoseconds = u64::try_from(nanoseconds).unwrap_or(0);
        (self.size, seconds.map_or(0, |seconds| seconds.saturating_add(nanoseconds)))
    }

    pub(crate) fn is_settled(&self, now: SystemTime) -> bool {
        let (Ok(seconds), Ok(nanoseconds)) = (u64::try_from(self.changed.0), u32::try_from(self.changed.1))
        else {
            return false;
        };
        let wait = if nanoseconds == 0 { SETTLED_AFTER_COARSE } else { SETTLED_AFTER };
        let settled = Duration::new(seconds, 0).checked_add(Duration::from_nanos(nanoseconds.into()) + wait);
        settled
            .and_then(|settled| SystemTime::UNIX_EPOCH.checked_add(settled))
            .is_some_and(|settled| settled < now)
    }
}

impl Digests {
    pub(crate) fn seen(&self) -> Option<Arc<Listing>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn note_seen(&self, listing: &Arc<Listing>) {
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(listing));
    }

    pub(super) fn folders(&self) -> Arc<Folders> {
        Arc::clone(&self.folders.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn note_folders(&self, folders: Folders) {
        *self.folders.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(folders);
    }

    pub(crate) fn saved(&self) -> Option<Arc<Listing>> {
        self.saved.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn note_saved(&self, listing: &Arc<Listing>) {
        *self.saved.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(listing));
    }
}

pub(crate) fn digest(bytes: &[u8]) -> Digest {
    Sha256::digest(bytes).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp() -> Stamp {
        Stamp { device: 1, inode: 2, mode: 0o100_644, size: 3, modified: (4, 0), changed: (4, 0) }
    }

    #[test]
    fn a_file_that_was_put_back_is_known_by_its_times() {
        let file = stamp();
        assert!(!file.was_written(&stamp()));
        for other in [
            Stamp { modified: (5, 0), changed: (5, 0), ..stamp() },
            Stamp { inode: 9, ..stamp() },
            // The time of the last change cannot be set, as the other can.
            Stamp { changed: (5, 0), ..stamp() },
        ] {
            assert!(file.was_written(&other), "{other:?}");
        }
        let program = Stamp { mode: 0o100_755, ..stamp() };
        assert!(!program.was_written(&Stamp { changed: (5, 0), ..program.clone() }), "chmod +x");
        assert!(program.was_written(&Stamp { modified: (5, 0), changed: (5, 0), ..program.clone() }));
    }
}
