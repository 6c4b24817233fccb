//! What git printed and somebody pasted: the files that changed, how many they are, and commits.

use baton_handoff::span::Span;

use super::prose::{is_path, trimmed};
use super::region::Regions;
use super::{FileClaim, ListedFile, Source};
use crate::finding::{Place, Said};
use crate::path;

/// What pasted output of git says.
#[derive(Debug, Default)]
pub(super) struct GitOutput {
    pub(super) files: Vec<ListedFile>,
    pub(super) counts: Vec<(FileClaim, u64, Said)>,
    pub(super) commits: Vec<Said>,
}

/// Reads everything in a document that git printed, but for what stands there as an example or as an earlier state.
pub(super) fn read(source: &Source<'_>, regions: &Regions, origin: Place) -> GitOutput {
    let (mut output, mut start) = (GitOutput::default(), 0);
    let (mut in_log, mut old) = (false, None);
    for (number, line) in source.text.split_inclusive('\n').enumerate() {
        let span = Span::new(start, start + line.trim_end().len());
        start += line.len();
        let (text, is_fenced) = (line.trim(), regions.is_fenced(number));
        if text.is_empty() || regions.is_other(number) || text.starts_with("```") || text.starts_with("~~~") {
            (in_log, old) = (in_log && !text.starts_with(['`', '~']), None);
            continue;
        }
        let place = source.place(span);
        let mut push = |path: &str, claim, (says_removed, says_moved)| {
            let file = ListedFile::at(claim, origin, Said::new(trimmed(path), place));
            output.files.push(ListedFile { says_removed, says_moved, ..file });
        };
        match change(text, is_fenced) {
            Some(Change::One(path, claim)) => push(path, claim, (false, false)),
            Some(Change::Moved(from, to)) => {
                push(from, FileClaim::Deleted, (true, false));
                push(to, FileClaim::Exists, (false, true));
            }
            None => {}
        }
        if let Some(side) = text.strip_prefix("--- ").filter(|_| is_fenced) {
            old = Some(side.trim());
        } else if let (Some(from), Some(to)) = (old.take(), text.strip_prefix("+++ "))
            && let Some((path, claim)) = sides(from, to.trim())
        {
            push(path, claim, (false, false));
        }
        output.counts.extend(total(text).map(|number| (FileClaim::Touched, number, Said::new(text, place))));
        in_log |= text.trim_start_matches(['$', '>', ' ']).starts_with("git log");
        output.commits.extend(commits(text, is_fenced && in_log).map(|id| Said::new(id, place)));
    }
    output
}

enum Change<'t> {
    One(&'t str, FileClaim),
    Moved(&'t str, &'t str),
}

/// Reads a line of `git status`, `git diff --name-status`, `git diff --stat` or `git commit` about one file.
fn change(text: &str, is_fenced: bool) -> Option<Change<'_>> {
    let spelled = [
        ("create mode ", FileClaim::Created),
        ("delete mode ", FileClaim::Deleted),
        ("new file:", FileClaim::Created),
        ("modified:", FileClaim::Modified),
        ("deleted:", FileClaim::Deleted),
    ];
    if let Some((rest, claim)) =
        spelled.iter().find_map(|(start, claim)| Some((text.strip_prefix(start)?, claim)))
    {
        let path = rest.split_whitespace().last()?;
        return is_path(path).then_some(Change::One(path, *claim));
    }
    if let Some(rest) = text.strip_prefix("rename ").or_else(|| text.strip_prefix("renamed:")) {
        let (from, to) = path::read_rename(rest.split(" (").next().unwrap_or(rest))?;
        return (is_path(from) && is_path(to)).then_some(Change::Moved(from, to));
    }
    if let Some((path, rest)) = text.split_once(" |") {
        return (is_path(path.trim()) && is_stat(rest)).then(|| Change::One(path.trim(), FileClaim::Touched));
    }
    if !is_fenced {
        return None;
    }
    let tokens: Vec<&str> = text.split_whitespace().collect();
    let state = *tokens.first()?;
    match tokens.as_slice() {
        [_, path] if is_path(path) => Some(Change::One(path, claim_of_state(state)?)),
        [_, from, to] | [_, from, "->", to] if is_path(from) && is_path(to) => {
            state.starts_with('R').then_some(Change::Moved(from, to))
        }
        _ => None,
    }
}

/// Reads the letters of `git status --short` and `git diff --name-status`.
fn claim_of_state(state: &str) -> Option<FileClaim> {
    match state {
        "A" | "??" | "AM" => Some(FileClaim::Created),
        "M" | "MM" | "T" => Some(FileClaim::Modified),
        "D" => Some(FileClaim::Deleted),
        _ => None,
    }
}

/// Says whether what follows a path is the right side of a stat: `14 ++++---`, `Bin 0 -> 12 bytes`.
fn is_stat(rest: &str) -> bool {
    let rest = rest.trim();
    let marks = rest.trim_start_matches(|digit: char| digit.is_ascii_digit());
    rest.starts_with("Bin ")
        || marks.len() < rest.len() && marks.trim().bytes().all(|mark| matches!(mark, b'+' | b'-'))
}

/// Returns the files of the two heads of a hunk.
fn sides<'t>(from: &'t str, to: &'t str) -> Option<(&'t str, FileClaim)> {
    let plain = |side: &'t str, mark: &str| side.strip_prefix(mark).unwrap_or(side);
    let (path, claim) = match (from, to) {
        ("/dev/null", to) => (plain(to, "b/"), FileClaim::Created),
        (from, "/dev/null") => (plain(from, "a/"), FileClaim::Deleted),
        (_, to) => (plain(to, "b/"), FileClaim::Modified),
    };
    is_path(path).then_some((path, claim))
}

/// Reads the last line of a stat: `2 files changed, 16 insertions(+)`.
fn total(text: &str) -> Option<u64> {
    let (number, rest) = text.split_once(' ')?;
    let is_total = ["file changed", "files changed"].iter().any(|known| rest.starts_with(known));
    (is_total && (rest.contains("insertion") || rest.contains("deletion")))
        .then(|| number.parse().ok())
        .flatten()
}

/// Returns the ids of commits in a line: of a log, of `git commit`, `git reset` and `git push`.
fn commits(text: &str, in_log: bool) -> impl Iterator<Item = &str> {
    let logged = || text.split_whitespace().next().filter(|_| in_log);
    let full = || text.strip_prefix("commit ").filter(|id| id.len() == 40);
    // `[main 4be71ac] Add a tip`
    let made = || text.strip_prefix('[')?.split_once("] ")?.0.split_whitespace().last();
    let head = || text.split_once("HEAD is now at ")?.1.split_whitespace().next();
    let pushed = || {
        let (range, rest) = text.split_once(' ')?;
        range.split_once("..").filter(|_| rest.contains("->")).map(|(_, new)| new)
    };
    let all = [logged(), full(), made(), head(), pushed()];
    all.into_iter().flatten().map(trimmed).filter(|id| super::commits::is_id(id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use baton_handoff::span::LineIndex;

    fn read_text(text: &str) -> GitOutput {
        read(&Source { text, index: LineIndex::new(text) }, &Regions::read(text), Place::default())
    }

    fn files(text: &str) -> Vec<(FileClaim, String)> {
        read_text(text).files.into_iter().map(|file| (file.claim, file.path.text)).collect()
    }

    #[test]
    fn changed_files_are_read_from_what_git_prints() {
        use FileClaim::{Created, Deleted, Exists, Modified, Touched};
        let one = |claim, path: &str| vec![(claim, path.to_owned())];
        assert_eq!(files("```\nM\tshop/cart.py\n```"), one(Modified, "shop/cart.py"));
        assert_eq!(files("```\n?? shop/tax.py\n```"), one(Created, "shop/tax.py"));
        assert_eq!(files(" docs/cart.md | 14 +++++-----"), one(Touched, "docs/cart.md"));
        assert_eq!(files(" delete mode 100644 docs/old.md"), one(Deleted, "docs/old.md"));
        assert_eq!(files("```diff\n--- /dev/null\n+++ b/shop/tax.py\n```"), one(Created, "shop/tax.py"));
        assert_eq!(files("```\nR100\ta.py\tb.py\n```"), [one(Deleted, "a.py"), one(Exists, "b.py")].concat());
        assert_eq!(files("Before the change:\n\n```\nM\tshop/cart.py\n```"), []);
        assert_eq!(files("| shop/cart.py | 2 |\n\nM shop/cart.py"), []);
    }

    #[test]
    fn totals_and_commits_are_read_from_what_git_prints() {
        let output = read_text(
            "```\n$ git log --oneline\n9d3e1f0 Add carts\n```\n 3 files changed, 1 insertion(+)\n[main 4be71ac] Add a tip\n",
        );
        assert_eq!(output.counts[0].1, 3);
        let ids: Vec<&str> = output.commits.iter().map(|said| said.text.as_str()).collect();
        assert_eq!(ids, ["9d3e1f0", "4be71ac"]);
        assert!(read_text("9d3e1f0 is the color\n[see 4be71ac]").commits.is_empty());
    }
}
