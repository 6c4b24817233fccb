//! Which files differ between two trees. Folders that are the same are not looked into.

use std::io::{BufRead, Read};

use super::checkout::{CHECKOUT_FILES_MAX, ENTRY_BYTES_MAX, FileKind, TreeFile};
use super::child::Git;
use super::workshop::Workshop;
use super::{GitError, ObjectId};

/// A file that is not the same in two trees. Nothing stands for no file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub before: Option<TreeFile>,
    pub after: Option<TreeFile>,
}

pub(super) fn between(workshop: &Workshop, from: &str, to: &str) -> Result<Vec<Difference>, GitError> {
    let mut git =
        workshop.start(&["diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", from, to])?;
    let mut differences = Vec::new();
    while let Some(head) = part(&mut git)? {
        let path = part(&mut git)?.unwrap_or_default();
        let Some(difference) = read(&head, &path) else {
            return Err(GitError::failed(format!("how {from} and {to} differ is not understood")));
        };
        differences.push(difference);
        if differences.len() > CHECKOUT_FILES_MAX {
            let message = format!("more than {CHECKOUT_FILES_MAX} files differ");
            return Err(GitError::unsupported(message, "Name what is no work in `.gitignore`"));
        }
    }
    match git.finish()? {
        Ok(()) => Ok(differences),
        Err(trouble) => Err(GitError::failed(format!("{from} and {to} could not be compared: {trouble}"))),
    }
}

/// Reads up to the next end of a word, without it; nothing where all is read.
fn part(git: &mut Git) -> Result<Option<Vec<u8>>, GitError> {
    let mut bytes = Vec::new();
    let read = git.stdout.by_ref().take(ENTRY_BYTES_MAX).read_until(0, &mut bytes);
    if read.map_err(|error| git.error(&error))? == 0 {
        return Ok(None);
    }
    bytes.pop_if(|last| *last == 0);
    Ok(Some(bytes))
}

/// Reads `:MODE MODE ID ID STATUS` and a path. A file that is not there has an id of zeros.
fn read(head: &[u8], path: &[u8]) -> Option<Difference> {
    let words: Vec<&[u8]> = head.strip_prefix(b":")?.split(|byte| *byte == b' ').collect();
    let [before_mode, after_mode, before, after, _] = words[..] else { return None };
    let file = |mode: &[u8], id: &[u8]| match id.iter().all(|digit| *digit == b'0') {
        true => Some(None),
        false => {
            let id = ObjectId::from_hex(id)?;
            Some(Some(TreeFile { path: path.to_vec(), kind: FileKind::of_mode(mode), id }))
        }
    };
    Some(Difference { before: file(before_mode, before)?, after: file(after_mode, after)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_git_are_read_and_nothing_else_is() {
        let (one, none) = ("1".repeat(40), "0".repeat(40));
        let line = |text: &str| read(text.as_bytes(), b"a b");
        let added = line(&format!(":000000 100755 {none} {one} A")).unwrap();
        assert_eq!(added.before, None);
        assert_eq!(
            added.after.map(|file| (file.path, file.kind)),
            Some((b"a b".to_vec(), FileKind::Program))
        );
        let gone = line(&format!(":120000 000000 {one} {none} D")).unwrap();
        assert_eq!((gone.before.map(|file| file.kind), gone.after), (Some(FileKind::Link), None));
        for nonsense in ["", ":", ":100644 100644 x y M", "100644 100644 1 1 M"] {
            assert_eq!(line(nonsense), None, "{nonsense}");
        }
    }
}
