//! Which files differ between two trees. Folders that are the same are not looked into.

use super::checkout::{CHECKOUT_FILES_MAX, FileKind, TreeFile};
use super::objects::Objects;
use super::tree::{DEPTH_MAX, Entries, Entry};
use super::{GitError, ObjectId};

/// A file that is not the same in two trees. Nothing stands for no file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub before: Option<TreeFile>,
    pub after: Option<TreeFile>,
}

/// Returns the files that differ, those of one folder together.
pub(super) fn between(
    objects: &mut Objects<'_>,
    from: ObjectId,
    to: ObjectId,
) -> Result<Vec<Difference>, GitError> {
    let mut differences = Vec::new();
    let mut folders = vec![(Vec::new(), [Some(from), Some(to)], 0)];
    while let Some((prefix, sides, depth)) = folders.pop() {
        if differences.len() + folders.len() > CHECKOUT_FILES_MAX || depth > DEPTH_MAX {
            let message = format!("more than {CHECKOUT_FILES_MAX} files differ, or lie too deep");
            return Err(GitError::unsupported(message, "Name what is no work in `.gitignore`"));
        }
        let [before, after] = sides.map(|id| id.map_or_else(|| Ok(Entries::new()), |id| objects.tree(id)));
        let (before, after) = (before?, after?);
        let gone = before.keys().filter(|name| !after.contains_key(*name));
        for name in after.keys().chain(gone) {
            let (before, after) = (before.get(name), after.get(name));
            if before == after {
                continue;
            }
            let path = [prefix.as_slice(), name].concat();
            let folder =
                |entry: Option<&Entry>| entry.filter(|entry| entry.is_folder()).map(|entry| entry.id);
            let file = |entry: Option<&Entry>| {
                let entry = entry.filter(|entry| !entry.is_folder())?;
                Some(TreeFile { path: path.clone(), kind: FileKind::of_mode(entry.mode), id: entry.id })
            };
            let difference = Difference { before: file(before), after: file(after) };
            if difference.before.is_some() || difference.after.is_some() {
                differences.push(difference);
            }
            let below = [folder(before), folder(after)];
            if below.iter().any(Option::is_some) && below[0] != below[1] {
                folders.push(([path.as_slice(), b"/"].concat(), below, depth + 1));
            }
        }
    }
    Ok(differences)
}
