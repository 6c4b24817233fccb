//! The hashes of files that were read before and have not changed since, so that a large project is not read again and again.
//!
//! Whether a file changed is told by its inode, size and times. Nobody can set the time of its last change, and a file that
//! changed shortly before it was read is read again: it could have changed once more within the same tick of the clock.
//! Most file systems have ticks of a few milliseconds; one that tells whole seconds only is given more time.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use baton_engine::word::TreeHash;
use sha2::{Digest as _, Sha256};

use super::WorkFile;
use crate::git::FileKind;

/// What was written less than this before it was read is not trusted to stay as it was read.
const SETTLED_AFTER: Duration = Duration::from_millis(100);
/// The same where the file system may count in seconds.
const SETTLED_AFTER_COARSE: Duration = Duration::from_secs(3);

/// The hash of the bytes of one file.
pub(crate) type Digest = [u8; 32];

/// The files of a workspace with their hashes, by their paths.
pub(crate) type Listing = BTreeMap<Vec<u8>, (FileKind, Digest)>;

#[derive(Debug, Default)]
pub(crate) struct Digests {
    files: Mutex<BTreeMap<Vec<u8>, (Stamp, Digest)>>,
    /// What was saved last, so that only what is new is saved.
    saved: Mutex<Option<(TreeHash, Listing)>>,
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

    #[cfg(not(unix))]
    pub(crate) fn of(_: &Metadata) -> Option<Self> {
        None
    }

    fn is_settled(&self, now: SystemTime) -> bool {
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
    /// Returns the hash of a file that is still as it was when it was read.
    pub(crate) fn known(&self, file: &WorkFile, stamp: Option<&Stamp>) -> Option<Digest> {
        let files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let (known, digest) = files.get(&file.path)?;
        (Some(known) == stamp).then_some(*digest)
    }

    /// Remembers the hash of a file that looked so before it was read, at this time.
    pub(crate) fn learn(&self, file: &WorkFile, stamp: Option<Stamp>, read: (SystemTime, Digest)) {
        let (at, digest) = read;
        if let Some(stamp) = stamp.filter(|stamp| stamp.is_settled(at)) {
            let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
            files.insert(file.path.clone(), (stamp, digest));
        }
    }

    pub(crate) fn saved(&self) -> Option<(TreeHash, Listing)> {
        self.saved.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn note_saved(&self, tree: &TreeHash, listing: Listing) {
        *self.saved.lock().unwrap_or_else(PoisonError::into_inner) = Some((tree.clone(), listing));
    }
}

pub(crate) fn digest(bytes: &[u8]) -> Digest {
    Sha256::digest(bytes).into()
}
