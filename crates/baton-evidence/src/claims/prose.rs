//! Files that running text speaks of: with a verb before or after them, under headings, in tables, as evidence.

use super::sentence::{is_planned_or_denied, sentences, words};
use super::{FileClaim, Judged, ListedFile, Source};
use crate::finding::{Place, Said};
use crate::path;
use baton_handoff::span::Span;

/// Endings of the files that a project has; others may be abbreviations or versions.
const ENDINGS: &[&str] = &[
    "py", "js", "mjs", "cjs", "ts", "tsx", "jsx", "rs", "go", "java", "kt", "swift", "c", "h", "cc", "cpp",
    "hpp", "cs", "rb", "php", "ex", "exs", "sh", "md", "rst", "txt", "toml", "yaml", "yml", "json", "html",
    "css", "scss", "sql", "xml", "cfg", "ini", "csv", "vue", "svelte", "proto", "tf", "log",
];
const CREATED: &[&str] = &["created", "added", "wrote", "introduced", "generated"];
const DELETED: &[&str] = &["deleted", "removed", "dropped"];
const RENAMED: &[&str] = &["renamed", "moved"];
const MODIFIED: &[&str] =
    &["modified", "changed", "updated", "edited", "refactored", "rewrote", "extended", "adjusted", "touched"];
/// The same in the present tense. It speaks of the work only at the begin of a sentence: "Adds shop/tax.py".
const PRESENT: &[(&str, FileClaim)] = &[
    ("adds", FileClaim::Created),
    ("creates", FileClaim::Created),
    ("introduces", FileClaim::Created),
    ("deletes", FileClaim::Deleted),
    ("removes", FileClaim::Deleted),
    ("drops", FileClaim::Deleted),
    ("modifies", FileClaim::Modified),
    ("changes", FileClaim::Modified),
    ("updates", FileClaim::Modified),
    ("edits", FileClaim::Modified),
    ("extends", FileClaim::Modified),
    ("rewrites", FileClaim::Modified),
];
/// Verbs of whoever says where the work is, or what it rests on: the file has to be there.
const PLACED: &[&str] = &[
    "implemented",
    "documented",
    "covered",
    "described",
    "placed",
    "put",
    "built",
    "defined",
    "extracted",
    "split",
    "received",
    "read",
    "reviewed",
    "fixed",
    "tested",
    "recorded",
    "explained",
    "lives",
    "live",
];
/// Words of lists and headings for what happened to a file.
const OF_LISTS: &[(&str, FileClaim)] = &[
    ("new", FileClaim::Created),
    ("add", FileClaim::Created),
    ("create", FileClaim::Created),
    ("a", FileClaim::Created),
    ("modify", FileClaim::Modified),
    ("change", FileClaim::Modified),
    ("update", FileClaim::Modified),
    ("edit", FileClaim::Modified),
    ("m", FileClaim::Modified),
    ("delete", FileClaim::Deleted),
    ("remove", FileClaim::Deleted),
    ("d", FileClaim::Deleted),
];
/// Words by which a sentence speaks of another time or of somebody else's work.
const OF_OTHERS: &[&str] = &[
    "before",
    "previously",
    "earlier",
    "originally",
    "formerly",
    "already",
    "upstream",
    "ago",
    "yesterday",
    "last",
    "main",
    "master",
    "colleague",
    "team",
    "somebody",
    "someone",
    "existing",
];
/// Words between a verb and its file.
const BETWEEN: &[&str] = &[
    "the",
    "a",
    "an",
    "new",
    "old",
    "outdated",
    "unused",
    "file",
    "files",
    "module",
    "script",
    "page",
    "guide",
    "document",
    "doc",
    "docs",
    "test",
    "tests",
    "our",
    "its",
    "both",
    "also",
    "and",
    "config",
    "configuration",
    "helper",
    "obsolete",
    "dead",
];
/// Words between a file and a verb in the passive.
const PASSIVE: &[&str] = &["is", "was", "are", "were", "has", "have", "been", "now", "newly", "and"];
/// Words by which a file is only the place of something.
const BESIDE: &[&str] = &["in", "of", "to", "from", "for", "at", "by", "with"];
/// What is new, as in "new page docs/tax.md".
const KINDS: &[&str] = &["file", "page", "module", "script", "document", "guide", "test", "helper", "doc"];
/// How many words may stand between a file and such a verb.
const PASSIVE_REACH: usize = 4;

/// Returns what a word of a list says of a file, as `modify`, `Added` and git's `M` do.
pub(super) fn claim_of_word(word: &str) -> Option<FileClaim> {
    let word = word.trim().to_lowercase();
    let is_one = |verbs: &[&str]| verbs.contains(&word.as_str());
    let of_list = OF_LISTS.iter().chain(PRESENT).find(|(known, _)| *known == word).map(|(_, claim)| *claim);
    match of_list {
        Some(claim) => Some(claim),
        None if is_one(CREATED) => Some(FileClaim::Created),
        None if is_one(DELETED) => Some(FileClaim::Deleted),
        None if is_one(MODIFIED) => Some(FileClaim::Modified),
        None => None,
    }
}

/// Returns the files that sentences about what was done name, with what they say happened.
pub(super) fn files(own_words: &[Said], origin: Place) -> Vec<ListedFile> {
    let mut files = Vec::new();
    for said in own_words {
        for sentence in sentences(&said.text) {
            of_sentence(sentence, said.place, origin, &mut files);
        }
    }
    files
}

fn of_sentence(sentence: &str, place: Place, origin: Place, files: &mut Vec<ListedFile>) {
    let lower = words(sentence);
    if is_planned_or_denied(&lower) || is_taken_back(&lower) {
        return;
    }
    let tokens: Vec<&str> =
        sentence.split_whitespace().map(trimmed).filter(|token| !token.is_empty()).collect();
    let mut push = |path: &str, claim, (says_removed, says_moved)| {
        let (path, lines) = without_lines(path);
        let file = ListedFile::at(claim, origin, Said::new(path, place));
        let lines = lines.map(|lines| Said::new(lines, place));
        files.push(ListedFile { lines, says_removed, says_moved, ..file });
    };
    for (at, token) in tokens.iter().enumerate() {
        let verb = token.to_lowercase();
        let is_one = |verbs: &[&str]| verbs.contains(&verb.as_str());
        let of_present = PRESENT.iter().find(|(known, _)| at == 0 && *known == verb).map(|(_, claim)| *claim);
        let after = &tokens[at + 1..];
        let objects = objects(after);
        if is_one(RENAMED) || at == 0 && is_one(&["renames", "moves"]) {
            if let (Some(old), Some(new)) = (objects.first(), target(after)) {
                push(old, FileClaim::Deleted, (true, false));
                push(new, FileClaim::Exists, (false, true));
            }
            continue;
        }
        let claim = match of_present {
            Some(claim) => claim,
            None if is_one(CREATED) => FileClaim::Created,
            None if verb == "new"
                && after.first().is_some_and(|kind| KINDS.contains(&kind.to_lowercase().as_str())) =>
            {
                FileClaim::Created
            }
            None if is_one(DELETED) => FileClaim::Deleted,
            None if is_one(MODIFIED) => FileClaim::Modified,
            None if is_one(PLACED) => FileClaim::Exists,
            None => continue,
        };
        let is_passive = at > 0 && subject(&tokens[..at]).is_some();
        if is_passive && claim != FileClaim::Exists && !is_of_others(&lower) {
            subject(&tokens[..at]).into_iter().for_each(|path| push(path, claim, (false, false)));
            continue;
        }
        if claim != FileClaim::Exists {
            objects.iter().for_each(|path| push(path, claim, (false, false)));
        }
        // "Wrote the rules in shop/rules.py": the file has to be there, whatever it was before.
        if (objects.is_empty() || claim == FileClaim::Exists) && claim != FileClaim::Deleted {
            let path = after.iter().find(|token| is_path(without_lines(token).0));
            path.into_iter().for_each(|path| push(path, FileClaim::Exists, (false, false)));
        }
    }
    for (path, lines) in line_ranges(&tokens) {
        let file = ListedFile::at(FileClaim::Exists, origin, Said::new(path, place));
        files.push(ListedFile { lines: Some(Said::new(lines, place)), ..file });
    }
}

fn is_of_others(words: &[String]) -> bool {
    words.iter().any(|word| OF_OTHERS.contains(&word.as_str()))
}

/// Says whether a sentence tells of something that was put back as it was.
fn is_taken_back(words: &[String]) -> bool {
    words.iter().any(|word| matches!(word.as_str(), "back" | "reverted" | "restored" | "undone"))
}

/// Returns the file that a verb in the passive is about, as in "shop/tax.py was added".
fn subject<'t>(before: &[&'t str]) -> Option<&'t str> {
    let near = before.iter().rev().take(PASSIVE_REACH);
    let mut near = near.skip_while(|word| PASSIVE.contains(&word.to_lowercase().as_str()));
    let is_passive = before
        .last()
        .is_some_and(|word| matches!(word.to_lowercase().as_str(), "is" | "was" | "been" | "newly" | "now"));
    let path = near.next().filter(|word| is_passive && is_path(word))?;
    // "The loop in shop/cart.py was changed" is about the loop.
    let is_beside = near.next().is_some_and(|word| BESIDE.contains(&word.to_lowercase().as_str()));
    (!is_beside).then_some(*path)
}

/// Returns the files beside the lines that a sentence names: "shop/cart.py (lines 10-40)", "lines 10-40 of shop/cart.py".
fn line_ranges<'t>(tokens: &[&'t str]) -> Vec<(&'t str, &'t str)> {
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if !matches!(token.to_lowercase().as_str(), "line" | "lines") {
            continue;
        }
        let Some(range) =
            tokens.get(at + 1).filter(|range| range.starts_with(|digit: char| digit.is_ascii_digit()))
        else {
            continue;
        };
        let before = at.checked_sub(1).and_then(|at| tokens.get(at)).filter(|path| is_path(path));
        let after = tokens.get(at + 3).filter(|path| is_path(path));
        found.extend(before.or(after).map(|path| (*path, *range)));
    }
    found
}

/// Takes the lines off a path, as in `shop/cart.py:10-40` and `shop/cart.py#L10-L40`.
pub(super) fn without_lines(text: &str) -> (&str, Option<&str>) {
    let cut = text.rsplit_once(':').or_else(|| text.rsplit_once("#L"));
    match cut {
        Some((path, lines)) if lines.starts_with(|digit: char| digit.is_ascii_digit()) && is_path(path) => {
            (path, Some(lines))
        }
        _ => (text, None),
    }
}

pub(super) fn trimmed(token: &str) -> &str {
    token
        .trim_matches(|mark: char| {
            matches!(mark, '`' | '"' | '\'' | '*' | ',' | ';' | ':' | '(' | ')' | '[' | ']' | '!' | '?')
        })
        .trim_end_matches('.')
}

/// Returns the files that directly follow a verb.
fn objects<'t>(tokens: &[&'t str]) -> Vec<&'t str> {
    let path = |token: &str| is_path(without_lines(token).0);
    let fits = |token: &&&str| path(token) || BETWEEN.contains(&token.to_lowercase().as_str());
    tokens.iter().take_while(fits).filter(|token| path(token)).copied().collect()
}

/// Returns the file after "to", as in "renamed a.py to b.py".
fn target<'t>(tokens: &[&'t str]) -> Option<&'t str> {
    let at = tokens.iter().position(|token| {
        matches!(token.to_lowercase().as_str(), "to" | "into" | "as" | "->" | "→" | "=>")
    })?;
    tokens.get(at + 1).copied().filter(|token| is_path(token))
}

pub(super) fn is_path(token: &str) -> bool {
    let name = token.rsplit_once('/').map_or(token, |(_, name)| name);
    let ending = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map_or("", |(_, ending)| ending);
    ENDINGS.contains(&ending) && !token.contains("://") && !token.contains(['*', '(', '<'])
}

/// Returns the files that are listed under headings and labels such as "Files created", and in tables of files.
pub(super) fn under_headings(source: &Source<'_>, origin: Place) -> Vec<ListedFile> {
    let (mut files, mut claim, mut is_fenced, mut start) = (Vec::new(), None, false, 0);
    for line in source.text.split_inclusive('\n') {
        let span = Span::new(start, start + line.trim_end().len());
        start += line.len();
        let text = line.trim();
        is_fenced ^= text.starts_with("```") || text.starts_with("~~~");
        if is_fenced {
            continue;
        }
        if text.starts_with('#') || is_label(text) {
            claim = of_heading(text);
            continue;
        }
        let mut push = |path: &str, claim| {
            let (path, lines) = without_lines(path);
            let place = source.place(span);
            let file = ListedFile::at(claim, origin, Said::new(path, place));
            files.push(ListedFile { lines: lines.map(|lines| Said::new(lines, place)), ..file });
        };
        if let Some((path, claim)) = of_row(text) {
            push(path, claim);
            continue;
        }
        let item = text.strip_prefix("- ").or_else(|| text.strip_prefix("* "));
        let Some(item) = item.filter(|item| path::read_rename(item).is_none()) else { continue };
        let tokens: Vec<&str> =
            item.split_whitespace().map(trimmed).filter(|token| !token.is_empty()).collect();
        let is_file = |path: &&&str| is_path(without_lines(path).0);
        // "- M shop/cart.py", "- new: shop/tax.py"
        let marked = match tokens.as_slice() {
            [word, path, ..] if is_file(&path) => claim_of_word(word).map(|claim| (*path, claim)),
            _ => None,
        };
        let listed = || Some((*tokens.first().filter(is_file)?, claim?));
        if let Some((path, claim)) = marked.or_else(listed) {
            push(path, claim);
        }
    }
    files
}

/// Says whether a line only names what follows it: "**Created:**", "New files:".
fn is_label(text: &str) -> bool {
    let plain = text.trim_matches(['*', '_']);
    plain.ends_with(':') && !text.starts_with(['-', '|', '`']) && plain.split_whitespace().count() <= 4
}

/// Reads a row of a table that has a file and, in a cell of its own, what happened to it.
fn of_row(text: &str) -> Option<(&str, FileClaim)> {
    let cells: Vec<&str> = text.strip_prefix('|')?.split('|').map(|cell| trimmed(cell.trim())).collect();
    let path = cells.iter().find(|cell| is_path(without_lines(cell).0))?;
    let claim = cells.iter().filter(|cell| *cell != path).find_map(|cell| claim_of_word(cell))?;
    Some((path, claim))
}

/// Reads a heading or label. "Added" alone may be about what came into a file, "files added" is about files.
fn of_heading(heading: &str) -> Option<FileClaim> {
    let words = words(heading);
    let is_of_files = words.iter().any(|word| matches!(word.as_str(), "file" | "files"));
    let claim = words.iter().filter(|word| word.len() > 1).find_map(|word| claim_of_word(word))?;
    let claim = match claim {
        FileClaim::Created if !is_of_files => FileClaim::Touched,
        claim => claim,
    };
    ((is_of_files || words.len() == 1) && !is_planned_or_denied(&words)).then_some(claim)
}

/// Returns the files that a passing checkpoint or criterion names in its own words: what it rests on has to be there.
pub(super) fn in_messages<'j>(judged: impl Iterator<Item = &'j Judged>, origin: Place) -> Vec<ListedFile> {
    let messages = judged.filter(|one| one.passes).filter_map(|one| one.message.as_ref());
    let mut files = Vec::new();
    for message in messages {
        let own = files.len();
        for sentence in sentences(&message.text) {
            of_sentence(sentence, message.place, origin, &mut files);
            let lower = words(sentence);
            let is_gone = |word: &String| {
                DELETED.contains(&word.as_str()) || RENAMED.contains(&word.as_str()) || word == "gone"
            };
            if is_planned_or_denied(&lower) || lower.iter().any(is_gone) {
                continue;
            }
            for token in sentence.split_whitespace().map(trimmed) {
                let (path, lines) = without_lines(token.split("::").next().unwrap_or(token));
                let is_known = files[own..].iter().any(|file: &ListedFile| file.path.text == path);
                if is_path(path) && path.contains('/') && !is_known {
                    let file = ListedFile::at(FileClaim::Exists, origin, Said::new(path, message.place));
                    let lines = lines.map(|lines| Said::new(lines, message.place));
                    files.push(ListedFile { lines, ..file });
                }
            }
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(FileClaim, String)> {
        let said = [Said::new(text, Place::default())];
        files(&said, Place::default()).into_iter().map(|file| (file.claim, file.path.text)).collect()
    }

    #[test]
    fn sentences_say_what_happened_to_files() {
        use FileClaim::{Created, Deleted, Exists, Modified};
        let one = |claim, path: &str| vec![(claim, path.to_owned())];
        assert_eq!(read("Created `shop/coupon.py`."), one(Created, "shop/coupon.py"));
        assert_eq!(read("I removed the outdated guide docs/old.md"), one(Deleted, "docs/old.md"));
        assert_eq!(
            read("Updated README.md and docs/cart.md"),
            [one(Modified, "README.md"), one(Modified, "docs/cart.md")].concat()
        );
        assert_eq!(read("Wrote the rules in shop/rules.py"), one(Exists, "shop/rules.py"));
        assert_eq!(read("Renamed a.py to b.py"), [one(Deleted, "a.py"), one(Exists, "b.py")].concat());
        assert_eq!(read("shop/tax.py was added."), one(Created, "shop/tax.py"));
        assert_eq!(read("docs/old.md has been removed"), one(Deleted, "docs/old.md"));
        assert_eq!(read("Adds shop/tax.py"), one(Created, "shop/tax.py"));
        assert_eq!(read("Documented in docs/tax.md"), one(Exists, "docs/tax.md"));
        assert_eq!(read("The loop is in shop/cart.py (lines 10-40)"), one(Exists, "shop/cart.py"));
    }

    #[test]
    fn plans_denials_and_names_of_code_are_no_claims() {
        for text in [
            "Next: create shop/coupon.py",
            "I didn't create shop/coupon.py",
            "Added Cart.discount with v1.2 semantics",
            "shop/cart.py has the rules",
            "We could have removed docs/old.md",
            "The command creates out/report.csv on each run",
            "docs/old.md was removed earlier by the team",
        ] {
            assert!(read(text).is_empty(), "{text}");
        }
    }
}
