//! What the host measured of the files around a turn, and how much of what a handoff says it bears out.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::extract::place_of;
use super::{FileChange, Item, ItemKind};

/// Shortest name of a file by which a text speaks of it, in characters.
const STEM_CHARS_MIN: usize = 3;

/// What the host notes beside a handoff.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    /// The files that the handoff names, each with its hash; nothing where there is no file.
    pub named: BTreeMap<String, Option<String>>,
    /// The files that the work of the stage changed so far; nothing where the files before it weren't saved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed: Option<BTreeMap<String, ChangedFile>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedFile {
    pub change: FileChange,
    /// The lines from the first that changed to the last, as they are now; only where the handoff names lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<String>,
}

/// Keeps of what a handoff says about files what the host measured, and marks the lessons about something that changed.
pub fn bear_out(items: Vec<Item>, measured: &Measured) -> Vec<Item> {
    let is_missing = |path: &str| matches!(measured.named.get(path), Some(None));
    let one = |mut item: Item| {
        match (item.kind, item.path.as_deref()) {
            (ItemKind::File, Some(path)) => match &measured.changed {
                Some(changed) => {
                    let found = changed.get(path)?;
                    item.change = Some(found.change);
                    item.lines.clone_from(&found.lines);
                }
                None => {
                    item.change = Some(FileChange::Mentioned);
                    item.lines = None;
                }
            },
            (ItemKind::FileToRead, Some(path)) if is_missing(path) => return None,
            (kind, _) if kind.is_lesson() => {
                let mut changed = measured.changed.iter().flat_map(BTreeMap::keys);
                item.has_changed_subject = changed.any(|path| speaks_of(&item, path));
            }
            _ => {}
        }
        Some(item)
    };
    items.into_iter().filter_map(one).collect()
}

/// Says whether an item is about a file: its place or its words name the file or a folder around it, or, where it names no
/// place at all, its words or tags have the name of the file.
fn speaks_of(item: &Item, path: &str) -> bool {
    let texts = [Some(&item.text), item.detail.as_ref()];
    let words = || texts.into_iter().flatten().flat_map(|text| text.split_whitespace());
    let edges = |char: char| !char.is_alphanumeric() && !matches!(char, '.' | '_' | '/' | '-');
    let place = |word: &str| {
        let word = word.trim_matches(edges).trim_end_matches('.');
        // A slash at its end makes any word a folder.
        match word.strip_suffix('/').filter(|folder| !folder.is_empty()) {
            Some(folder) => Some(folder.to_owned()),
            None => place_of(word).map(|(place, _)| place),
        }
    };
    let mut places: Vec<String> = words().filter_map(place).collect();
    places.extend(item.path.clone());
    if !places.is_empty() {
        return places.iter().any(|place| is_around(place, path));
    }
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    let stem = name.trim_start_matches('.').split('.').next().unwrap_or(name);
    let stem = plain(stem);
    let said = words().chain(item.tags.iter().map(String::as_str)).map(plain).collect::<Vec<_>>().join(" ");
    stem.chars().count() >= STEM_CHARS_MIN && format!(" {said} ").contains(&format!(" {stem} "))
}

/// Says whether a place is a file itself, a folder around it, or the end of its path.
fn is_around(place: &str, path: &str) -> bool {
    let is_inside = path.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    is_inside || path.strip_suffix(place).is_some_and(|rest| rest.ends_with('/'))
}

/// Returns words without their signs, so that `rate_limit` is the same as "rate limit".
fn plain(text: &str) -> String {
    let signs = |char: char| if char.is_alphanumeric() { char.to_ascii_lowercase() } else { ' ' };
    text.chars().map(signs).collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}
