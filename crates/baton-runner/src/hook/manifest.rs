//! What the files of a project look like from outside: names, sizes, times. Cheap enough for every prompt, and exact enough to
//! tell what changed while an agent had its turn.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use super::call::Trouble;
use crate::desk::failure::{Change, Changes};
use crate::workspace::{Seen, Workspace};

/// Most files that are looked at.
const FILES_MAX: usize = 200_000;

/// The files of a project at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Manifest(BTreeMap<String, Mark>);

/// Bytes, and nanoseconds since 1970 of the last change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Mark(u64, u64);

impl Manifest {
    pub(super) fn take(workspace: &Workspace) -> Result<Self, Trouble> {
        let files = workspace.seen().map_err(|error| Trouble::new(error.to_string()))?;
        if files.len() > FILES_MAX {
            return Err(Trouble::new(format!(
                "the project has {} files that git does not ignore; at most {FILES_MAX} are looked at",
                files.len()
            )));
        }
        let mut marks = BTreeMap::new();
        for seen in files {
            // A file that goes away while it is looked at is not there.
            let Some(mark) = mark(workspace, &seen) else { continue };
            marks.insert(String::from_utf8_lossy(&seen.file.path).into_owned(), mark);
        }
        Ok(Self(marks))
    }

    /// Returns what happened between this moment and a later one.
    pub(super) fn until(&self, later: &Self) -> Changes {
        let paths: BTreeSet<&String> = self.0.keys().chain(later.0.keys()).collect();
        let change = |path: &String| match (self.0.get(path), later.0.get(path)) {
            (None, Some(_)) => Some(Change::Added),
            (Some(_), None) => Some(Change::Removed),
            (Some(before), Some(after)) if before != after => Some(Change::Changed),
            (_, _) => None,
        };
        paths.into_iter().filter_map(|path| Some((path.clone(), change(path)?))).collect()
    }
}

/// Where whoever found the file was not told enough of it, it is looked at again.
fn mark(workspace: &Workspace, seen: &Seen) -> Option<Mark> {
    if let Some(stamp) = &seen.stamp {
        let (bytes, time) = stamp.size_and_time();
        return Some(Mark(bytes, time));
    }
    let found = fs::symlink_metadata(workspace.place(&seen.file.path)).ok()?;
    let since = found.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let time = since.map_or(0, |since| u64::try_from(since.as_nanos()).unwrap_or(u64::MAX));
    Some(Mark(found.len(), time))
}
