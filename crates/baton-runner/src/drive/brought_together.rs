//! What whoever has to bring its work together with that of others is told: what is in its folder now, and what is missing there.

use std::collections::BTreeSet;

use baton_engine::word::{TaskId, TreeHash};

use super::Drive;
use crate::desk::DeskError;
use crate::git::ObjectId;
use crate::workspace::{FileChange, Outlook, TARGET_DEFAULT};

/// Most files of one sort that are named.
const FILES_NAMED_MAX: usize = 12;
/// Longest difference that is told, in characters: it shares its place with what was seen.
const DIFFERENCE_CHARS_MAX: usize = 1_100;

impl Drive<'_> {
    /// Says what the folder of a task holds after it was made anew. It is asked before that, for then the record has it whatever
    /// happens.
    pub(super) fn told_of_renewal(
        &self,
        id: &TaskId,
        (tree, since): (&TreeHash, ObjectId),
    ) -> Result<String, DeskError> {
        let renewal = self.desk.workspaces()?.outlook(id, tree, since)?;
        let work = self.desk.work_of(&self.desk.task(id)?)?.unwrap_or_default();
        let left: BTreeSet<&String> = renewal.left.iter().collect();
        let missing: Vec<&FileChange> = work.iter().filter(|change| left.contains(&change.path)).collect();
        Ok(words(&renewal, &missing))
    }
}

fn words(renewal: &Outlook, missing: &[&FileChange]) -> String {
    let mut lines = vec![format!(
        "Others' work was accepted on {TARGET_DEFAULT} while you worked. Your folder was made anew with it, and it must stay: {}",
        named(&renewal.theirs)
    )];
    if !renewal.kept.is_empty() {
        lines.push(format!("Your own changes are still there in: {}", named(&renewal.kept)));
    }
    if !renewal.left.is_empty() {
        lines.push(format!(
            "Your own changes are missing in these files, which are as the others left them: {}",
            named(&renewal.left)
        ));
    }
    if !missing.is_empty() {
        let (shown, is_whole) = beginning(missing);
        let cut = if is_whole { "" } else { " (the beginning of it)" };
        lines.push(format!("What you had changed in them{cut}:\n{shown}"));
    }
    lines.join("\n")
}

/// Returns the differences of files as far as they are told, and whether that is all. No more files are compared than are shown.
fn beginning(changes: &[&FileChange]) -> (String, bool) {
    let (mut shown, mut left) = (String::new(), DIFFERENCE_CHARS_MAX);
    for change in changes {
        let difference = change.difference();
        let length = difference.chars().count();
        shown.extend(difference.chars().take(left));
        if length > left {
            return (shown, false);
        }
        left -= length;
    }
    (shown, true)
}

/// Names the first of many files.
pub(super) fn named(paths: &[String]) -> String {
    let more = paths.len().saturating_sub(FILES_NAMED_MAX);
    let shown: Vec<String> =
        paths.iter().take(FILES_NAMED_MAX).map(|path| path.replace(char::is_control, " ")).collect();
    match more {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_much_is_told_as_there_is_room_for() {
        let change = |number: usize| FileChange {
            path: format!("{number}.txt"),
            before: Some(b"old\n".to_vec()),
            after: Some(b"new\n".to_vec()),
            is_whole: true,
            loses_program: false,
        };
        let changes: Vec<FileChange> = (0..1_000).map(change).collect();
        let changes: Vec<&FileChange> = changes.iter().collect();
        let (shown, is_whole) = beginning(&changes[..2]);
        assert!(is_whole && shown.contains("b/0.txt") && shown.contains("b/1.txt"), "{shown}");
        let (shown, is_whole) = beginning(&changes);
        assert_eq!((shown.chars().count(), is_whole), (DIFFERENCE_CHARS_MAX, false));
        let names: Vec<String> = changes.iter().map(|change| change.path.clone()).collect();
        assert!(named(&names).ends_with("11.txt and 988 more"), "{}", named(&names));
    }
}
