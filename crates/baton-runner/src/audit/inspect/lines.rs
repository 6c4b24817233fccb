//! Line ranges against the files of that time.

use baton_handoff::rule::audit;

use super::{Case, Rows};
use crate::audit::row::{Against, Row, Said};
use crate::audit::world::{CLOCK_SLACK, Whereabouts};
use crate::git::{Change, ChangeKind};

/// Most versions of a file that are looked at for one range.
const VERSIONS_MAX: usize = 20;

pub(super) fn inspect(case: &Case<'_>, rows: &mut Rows) {
    for (at, dossier) in case.members() {
        for file in &dossier.files {
            let Some(lines) = &file.lines else { continue };
            let Some(last) = last_line(&lines.text) else { continue };
            let (path, is_there) = match case.world.whereabouts(dossier, &file.path.text) {
                Whereabouts::Now { path, .. } => (path, true),
                Whereabouts::Before { path, .. } => (path, false),
                Whereabouts::Nowhere | Whereabouts::Unknown(_) => continue,
            };
            rows.push(at, row(case, at, &path, is_there, lines, last));
        }
    }
}

/// Returns the last line of a range such as `10-40`, or of several.
fn last_line(text: &str) -> Option<u64> {
    let numbers =
        text.split(|character: char| !character.is_ascii_digit()).filter_map(|part| part.parse().ok());
    numbers.max()
}

fn row(case: &Case<'_>, at: usize, path: &str, is_there: bool, lines: &Said, last: u64) -> Row {
    let window = case.world.window(at);
    let history = case.world.history();
    let changes = case.world.changes_of(path);
    let time = |change: &Change| {
        history.map_or(0, |history| {
            let commit = history.commit(change.commit);
            commit.author_time.max(commit.committer_time)
        })
    };
    let covered = |change: &&Change| {
        history.is_some_and(|history| window.covers(change.commit, history.commit(change.commit)))
    };
    let until = window.end.unwrap_or(case.world.now) + CLOCK_SLACK;
    let in_force = changes.iter().rev().find(|change| time(change) <= until);
    let mut versions: Vec<&Change> = changes.iter().rev().filter(covered).take(VERSIONS_MAX).collect();
    versions.extend(in_force);
    versions.retain(|change| change.kind != ChangeKind::Deleted);
    let has_newer = changes.iter().any(|change| time(change) > until);
    let now = (is_there && !has_newer).then(|| case.world.lines_now(path)).flatten();
    let counted = versions.iter().filter_map(|change| case.world.lines_of(change)).chain(now);
    let Some(most) = counted.max() else {
        return Row::not_checkable("lines", lines, "no version of that time can be read");
    };
    // A file may or may not count the empty line after its last.
    if last <= most + 1 {
        return Row::holds("lines", lines, format!("the file had {most} lines"));
    }
    let ever = changes.iter().rev().filter(|change| change.kind != ChangeKind::Deleted).take(VERSIONS_MAX);
    let ever = ever.filter_map(|change| case.world.lines_of(change)).max().unwrap_or(0);
    let fits_another = last <= ever + 1;
    if fits_another && window.end.is_none() {
        return Row::holds("lines", lines, "a version of the file has these lines");
    }
    let reason = format!("the file had {most} lines at most");
    let row = Row::finding(&audit::LINES_BEYOND_FILE, "lines", lines, reason);
    // Where several handoffs came with one commit, a version between them may be lost.
    let shares = |other: usize| {
        other != at
            && case
                .world
                .window(other)
                .own
                .iter()
                .any(|commit| versions.iter().any(|change| change.commit == *commit))
    };
    let is_shared = case.chain.members.iter().any(|&other| shares(other));
    let is_known = history.is_some_and(|history| history.is_complete());
    let row = row.against(Against::file(path, None, format!("{most} lines")));
    if is_shared || fits_another || !is_known { row.unsupported() } else { row }
}
