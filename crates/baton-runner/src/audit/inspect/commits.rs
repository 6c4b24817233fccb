//! Commits that a handoff names.

use baton_handoff::rule::audit;

use super::{Case, Rows};
use crate::audit::row::{Row, Said, Verdict};
use crate::git::{Found, Named};

pub(super) fn inspect(case: &Case<'_>, rows: &mut Rows) {
    for (at, dossier) in case.members() {
        for said in &dossier.commits {
            rows.push(at, row(case, said));
        }
    }
}

fn row(case: &Case<'_>, said: &Said) -> Row {
    let Some(archive) = &case.world.archive else {
        return Row::not_checkable("commit", said, "there is no git history to ask");
    };
    let id = said.text.trim();
    match archive.history.find_commit(id) {
        Found::One(_) => return Row::holds("commit", said, "the commit is in the history"),
        Found::Several => return Row::not_checkable("commit", said, "several commits begin like it"),
        Found::None => {}
    }
    match archive.objects.borrow_mut().commit_kind(id) {
        Ok(Named::Commit(_)) => Row::holds("commit", said, "the commit is there, on no branch"),
        Ok(Named::Other(_)) => {
            let reason = "the id names something that is not a commit";
            let row = Row::finding(&audit::COMMIT_UNKNOWN, "commit", said, reason);
            Row { verdict: Verdict::Contradicted, ..row }
        }
        Ok(Named::Ambiguous) => Row::not_checkable("commit", said, "several objects begin like it"),
        Ok(Named::Nothing) if archive.history.is_complete() => {
            let reason = "there is no such commit here: it was rewritten, never pushed, or never made";
            Row::finding(&audit::COMMIT_UNKNOWN, "commit", said, reason)
        }
        Ok(Named::Nothing) | Err(_) => Row::not_checkable("commit", said, "the history is not complete"),
    }
}
