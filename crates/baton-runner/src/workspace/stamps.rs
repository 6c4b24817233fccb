//! What the file system says of the files of a workspace at two moments: which of them somebody wrote in between, whatever they
//! hold now.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;

use super::digest::Stamp;
use super::{Listed, Listing, Workspace};

/// One of these moments.
#[derive(Debug, Default)]
pub(crate) struct Stamps {
    /// What was seen last, which has most of the stamps already.
    listing: Option<Arc<Listing>>,
    /// Those of files that were too new then to be known by one.
    fresh: BTreeMap<Arc<[u8]>, Stamp>,
}

impl Stamps {
    pub(super) fn of(workspace: &Workspace) -> Self {
        let listing = workspace.digests.seen();
        let asked = |file: &Listed| {
            let found = fs::symlink_metadata(workspace.place(&file.path)).ok()?;
            Some((Arc::clone(&file.path), Stamp::of(&found)?))
        };
        let files = listing.iter().flat_map(|listing| &listing.files);
        let fresh = files.filter(|file| file.stamp.is_none()).filter_map(asked).collect();
        Self { listing, fresh }
    }

    fn files(&self) -> &[Listed] {
        self.listing.as_ref().map_or(&[], |listing| &listing.files)
    }

    fn stamp<'s>(&'s self, file: &'s Listed) -> Option<&'s Stamp> {
        file.stamp.as_ref().or_else(|| self.fresh.get(&file.path))
    }

    /// Returns the files of now that were there before and were written since.
    pub(crate) fn written_since<'s>(&'s self, before: &'s Self) -> impl Iterator<Item = &'s str> {
        let mut earlier = before.files().iter().peekable();
        let is_written = move |file: &&'s Listed| {
            while earlier.next_if(|other| other.path < file.path).is_some() {}
            let was = earlier.next_if(|other| other.path == file.path).and_then(|other| before.stamp(other));
            was.zip(self.stamp(file)).is_some_and(|(was, is)| was.was_written(is))
        };
        let written = self.files().iter().filter(is_written);
        written.filter_map(|file| std::str::from_utf8(&file.path).ok())
    }
}
