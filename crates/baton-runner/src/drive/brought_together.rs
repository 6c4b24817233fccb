//! What whoever has to bring its work together with that of others is told: what is in its folder now, and what is missing there.

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
        let missing: Vec<&FileChange> =
            work.iter().filter(|change| renewal.left.contains(&change.path)).collect();
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
        let whole: String = missing.iter().map(|change| change.difference()).collect();
        let shown: String = whole.chars().take(DIFFERENCE_CHARS_MAX).collect();
        let cut = if shown.len() < whole.len() { " (the beginning of it)" } else { "" };
        lines.push(format!("What you had changed in them{cut}:\n{shown}"));
    }
    lines.join("\n")
}

fn named(paths: &[String]) -> String {
    let more = paths.len().saturating_sub(FILES_NAMED_MAX);
    let shown: Vec<String> =
        paths.iter().take(FILES_NAMED_MAX).map(|path| path.replace(char::is_control, " ")).collect();
    match more {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
