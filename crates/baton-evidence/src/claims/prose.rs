//! Files and commits that running text speaks of.

use super::sentence::{is_planned_or_denied, sentences, words};
use super::{FileClaim, Judged, ListedFile, Source, is_commit_id};
use crate::finding::{Place, Said};
use baton_handoff::span::Span;

/// Endings of the files that a project has; others may be abbreviations or versions.
const ENDINGS: &[&str] = &[
    "py", "js", "mjs", "cjs", "ts", "tsx", "jsx", "rs", "go", "java", "kt", "swift", "c", "h", "cc", "cpp",
    "hpp", "cs", "rb", "php", "ex", "exs", "sh", "md", "rst", "txt", "toml", "yaml", "yml", "json", "html",
    "css", "scss", "sql", "xml", "cfg", "ini", "csv", "vue", "svelte", "proto", "tf",
];
const CREATED: &[&str] = &["created", "added", "wrote", "introduced", "generated"];
const DELETED: &[&str] = &["deleted", "removed", "dropped"];
const RENAMED: &[&str] = &["renamed", "moved"];
const MODIFIED: &[&str] = &["modified", "changed", "updated", "edited", "refactored", "rewrote"];
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
];

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
    if is_planned_or_denied(&lower) {
        return;
    }
    let tokens: Vec<&str> =
        sentence.split_whitespace().map(trimmed).filter(|token| !token.is_empty()).collect();
    let mut push = |path: &str, claim, (says_removed, says_moved)| {
        let file = ListedFile::at(claim, origin, Said::new(path, place));
        files.push(ListedFile { says_removed, says_moved, ..file });
    };
    for (at, token) in tokens.iter().enumerate() {
        let verb = token.to_lowercase();
        let is_one = |verbs: &[&str]| verbs.contains(&verb.as_str());
        let claim = if is_one(CREATED) {
            FileClaim::Created
        } else if is_one(DELETED) {
            FileClaim::Deleted
        } else if is_one(MODIFIED) {
            FileClaim::Modified
        } else if is_one(RENAMED) {
            FileClaim::Exists
        } else {
            continue;
        };
        let objects = objects(&tokens[at + 1..]);
        if is_one(RENAMED) {
            if let (Some(old), Some(new)) = (objects.first(), target(&tokens[at + 1..])) {
                push(old, FileClaim::Deleted, (true, false));
                push(new, FileClaim::Exists, (false, true));
            }
            continue;
        }
        objects.iter().for_each(|path| push(path, claim, (false, false)));
        // "Wrote the rules in shop/rules.py": the file has to be there, whatever it was before.
        if objects.is_empty() && claim != FileClaim::Deleted {
            let rest = &tokens[at + 1..];
            rest.iter()
                .find(|token| is_path(token))
                .into_iter()
                .for_each(|path| push(path, FileClaim::Exists, (false, false)));
        }
    }
}

fn trimmed(token: &str) -> &str {
    token
        .trim_matches(|mark: char| {
            matches!(mark, '`' | '"' | '\'' | '*' | ',' | ';' | ':' | '(' | ')' | '[' | ']' | '!' | '?')
        })
        .trim_end_matches('.')
}

/// Returns the files that directly follow a verb.
fn objects<'t>(tokens: &[&'t str]) -> Vec<&'t str> {
    let fits = |token: &&&str| is_path(token) || BETWEEN.contains(&token.to_lowercase().as_str());
    tokens.iter().take_while(fits).filter(|token| is_path(token)).copied().collect()
}

/// Returns the file after "to", as in "renamed a.py to b.py".
fn target<'t>(tokens: &[&'t str]) -> Option<&'t str> {
    let at = tokens.iter().position(|token| matches!(token.to_lowercase().as_str(), "to" | "into" | "as"))?;
    tokens.get(at + 1).copied().filter(|token| is_path(token))
}

pub(super) fn is_path(token: &str) -> bool {
    let name = token.rsplit_once('/').map_or(token, |(_, name)| name);
    let ending = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map_or("", |(_, ending)| ending);
    ENDINGS.contains(&ending) && !token.contains("://") && !token.contains('*')
}

/// Returns the files that are listed under headings such as "Files created".
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
        if text.starts_with('#') {
            claim = of_heading(text);
            continue;
        }
        let item = text.strip_prefix("- ").or_else(|| text.strip_prefix("* "));
        let (Some(claim), Some(item)) = (claim, item) else { continue };
        let path = item.split_whitespace().next().map(trimmed).filter(|path| is_path(path));
        if let Some(path) = path.filter(|path| !item.contains(" -> ") && path.contains('/')) {
            files.push(ListedFile::at(claim, origin, Said::new(path, source.place(span))));
        }
    }
    files
}

fn of_heading(heading: &str) -> Option<FileClaim> {
    let words = words(heading);
    let has = |one: &[&str]| words.iter().any(|word| one.contains(&word.as_str()));
    let is_list = has(&["file", "files"]) && !is_planned_or_denied(&words);
    match is_list {
        true if has(CREATED) || has(&["new"]) => Some(FileClaim::Created),
        true if has(DELETED) => Some(FileClaim::Deleted),
        true if has(MODIFIED) || has(&["touched"]) => Some(FileClaim::Modified),
        _ => None,
    }
}

/// Returns the files that the message of a passing checkpoint consists of.
pub(super) fn in_messages(checkpoints: &[Judged], origin: Place) -> Vec<ListedFile> {
    let messages = checkpoints.iter().filter(|one| one.passes).filter_map(|one| one.message.as_ref());
    let mut files = Vec::new();
    for message in messages {
        let tokens: Vec<&str> = message.text.split_whitespace().map(trimmed).collect();
        if tokens.iter().all(|token| is_path(token) && token.contains('/')) {
            let file =
                |token: &&str| ListedFile::at(FileClaim::Exists, origin, Said::new(*token, message.place));
            files.extend(tokens.iter().map(file));
        }
    }
    files
}

/// Returns the commit ids that sentences name as commits.
pub(super) fn commits(own_words: &[Said]) -> Vec<Said> {
    let mut commits = Vec::new();
    for said in own_words {
        let tokens: Vec<&str> = said.text.split_whitespace().map(trimmed).collect();
        for pair in tokens.windows(2) {
            let is_commit =
                matches!(pair[0].to_lowercase().as_str(), "commit" | "commits" | "sha" | "committed");
            if is_commit && is_commit_id(pair[1]) {
                commits.push(Said::new(pair[1], said.place));
            }
        }
    }
    commits
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
    }

    #[test]
    fn plans_denials_and_names_of_code_are_no_claims() {
        for text in [
            "Next: create shop/coupon.py",
            "I didn't create shop/coupon.py",
            "Added Cart.discount with v1.2 semantics",
            "shop/cart.py has the rules",
            "We could have removed docs/old.md",
        ] {
            assert!(read(text).is_empty(), "{text}");
        }
    }
}
