//! The files of the work on either side of a change: what changed from the change, all others from the disk.

use std::collections::BTreeMap;
use std::path::Path;

use super::out_of_scope::is_within;
use super::{COMPARED_BYTES_MAX, Change, line};
use crate::file::read_plain_text;

/// Most entries of a folder that are looked at to find one that was there before.
const ENTRIES_MAX: usize = 4096;

/// Which of the two is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Before,
    After,
}

pub(super) struct Files<'a> {
    changes: BTreeMap<&'a str, &'a Change<'a>>,
    root: Option<&'a Path>,
}

impl<'a> Files<'a> {
    pub(super) fn new(changes: &'a [Change<'a>], root: Option<&'a Path>) -> Self {
        Self { changes: changes.iter().map(|change| (change.path, change)).collect(), root }
    }

    /// Returns the text of a file, if it is there and not too large.
    pub(super) fn read(&self, path: &str, side: Side) -> Option<String> {
        if let Some(change) = self.changes.get(path) {
            let bytes = match side {
                Side::Before => change.before,
                Side::After => change.after,
            };
            return line::text(Some(bytes?)).map(|text| text.into_owned());
        }
        read_plain_text(&self.root?.join(path), COMPARED_BYTES_MAX as u64).ok()
    }

    /// Returns the files that a pattern fits; below folders that are patterns themselves, only those that changed.
    pub(super) fn fitting(&self, pattern: &str, side: Side) -> Vec<String> {
        let is_there = |change: &&&Change<'_>| match side {
            Side::Before => change.before.is_some(),
            Side::After => change.after.is_some(),
        };
        let changed = self.changes.values().filter(is_there).map(|change| change.path);
        let mut found: Vec<String> =
            changed.filter(|path| is_within(path, pattern)).map(str::to_owned).collect();
        found.extend(self.unchanged(pattern));
        found.sort();
        found
    }

    /// Returns the files that a pattern fits and that did not change.
    pub(super) fn unchanged(&self, pattern: &str) -> Vec<String> {
        let folder = folder_of(pattern);
        let entries = self.root.filter(|_| !folder.contains('*')).map(|root| root.join(folder));
        let entries = entries.and_then(|place| std::fs::read_dir(place).ok()).into_iter().flatten().flatten();
        entries
            .take(ENTRIES_MAX)
            .filter_map(|entry| joined(folder, &entry.file_name().to_string_lossy()))
            .filter(|path| !self.changes.contains_key(path.as_str()) && is_within(path, pattern))
            .collect()
    }

    /// Says whether there was a file or a folder of this name before.
    pub(super) fn existed(&self, path: &str) -> bool {
        let is_before = |change: &&Change<'_>| is_at_or_below(change.path, path) && change.before.is_some();
        let was_changed = self.changes.values().any(is_before);
        was_changed || self.has_unchanged(path, &mut 0)
    }

    fn has_unchanged(&self, path: &str, looked: &mut usize) -> bool {
        *looked += 1;
        let Some(place) = self.root.map(|root| root.join(path)) else { return false };
        if place.symlink_metadata().is_ok_and(|found| !found.is_dir()) {
            return !self.changes.contains_key(path);
        }
        let names = std::fs::read_dir(place).into_iter().flatten().flatten();
        let names = names.map(|entry| entry.file_name().to_string_lossy().into_owned());
        *looked > ENTRIES_MAX
            || names.into_iter().any(|name| self.has_unchanged(&format!("{path}/{name}"), looked))
    }
}

/// Joins a path to a folder of the work, as a path from the root; nothing when it leads out of it.
pub(super) fn joined(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    if path.starts_with('/') {
        return None;
    }
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Returns the folder that a file is in; empty for the root.
pub(super) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Says whether a path is this file or folder, or lies in it.
pub(super) fn is_at_or_below(path: &str, place: &str) -> bool {
    path.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
