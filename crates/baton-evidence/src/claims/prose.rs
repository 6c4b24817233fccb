//! Files that sentences speak of: with a verb before or after them, with lines, as evidence.

use super::sentence::{is_planned_or_denied, sentences, words};
use super::verb::{self, Act, Form};
use super::{FileClaim, Judged, ListedFile};
use crate::finding::{Place, Said};

/// Endings of the files that a project has; others may be abbreviations or versions.
const ENDINGS: &[&str] = &[
    "py", "js", "mjs", "cjs", "ts", "tsx", "jsx", "rs", "go", "java", "kt", "swift", "c", "h", "cc", "cpp",
    "hpp", "cs", "rb", "php", "ex", "exs", "sh", "md", "rst", "txt", "toml", "yaml", "yml", "json", "html",
    "css", "scss", "sql", "xml", "cfg", "ini", "csv", "vue", "svelte", "proto", "tf", "log",
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
    if is_taken_back(&lower) {
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
        let after = &tokens[at + 1..];
        // "Got rid of docs/old.md"
        let rid = after.strip_prefix(&["of"]).filter(|_| verb == "rid");
        let after = rid.unwrap_or(after);
        let objects = objects(after);
        let is_new =
            verb == "new" && after.first().is_some_and(|kind| KINDS.contains(&kind.to_lowercase().as_str()));
        // "Removed docs/old.md, no page links to it": what follows the file denies nothing.
        let end =
            after.iter().position(|token| is_path(without_lines(token).0)).map_or(at, |next| at + 1 + next);
        if is_planned_or_denied(&words(&tokens[..=end].join(" "))) {
            continue;
        }
        let act = match verb::read(&verb) {
            Some((act, Form::Past)) => act,
            Some((act, Form::Present)) if at == 0 => act,
            None if rid.is_some() => Act::Change(FileClaim::Deleted),
            None if matches!(verb.as_str(), "lives" | "live") => Act::Place,
            None if is_new => Act::Change(FileClaim::Created),
            _ => continue,
        };
        let claim = match act {
            Act::Move => {
                if let (Some(old), Some(new)) = (objects.first(), target(after)) {
                    push(old, FileClaim::Deleted, (true, false));
                    push(new, FileClaim::Exists, (false, true));
                }
                continue;
            }
            Act::Change(claim) => claim,
            Act::Place => FileClaim::Exists,
        };
        let is_passive = at > 0 && subject(&tokens[..at]).is_some();
        if is_passive && claim != FileClaim::Exists && !is_of_others(&lower) {
            subject(&tokens[..at]).into_iter().for_each(|path| push(path, claim, (false, false)));
            continue;
        }
        if claim != FileClaim::Exists {
            objects.iter().for_each(|path| push(path, claim, (false, false)));
        }
        // "Wrote the rules in shop/rules.py": the file has to be there, whatever it was before; a change in it changes it.
        if (objects.is_empty() || claim == FileClaim::Exists) && claim != FileClaim::Deleted {
            let planned = after.iter().position(|word| is_planned_or_denied(&words(word)));
            let told = &after[..planned.unwrap_or(after.len())];
            let is_file = |at: &usize| is_path(without_lines(told[*at]).0);
            let is_inside =
                |at: usize| at > 0 && told[at - 1].eq_ignore_ascii_case("in") && claim == FileClaim::Modified;
            // Whatever is placed is in every file that is named.
            let most = if claim == FileClaim::Exists { told.len() } else { 1 };
            for at in (0..told.len()).filter(is_file).take(most) {
                let claim = if is_inside(at) { FileClaim::Touched } else { FileClaim::Exists };
                push(told[at], claim, (false, false));
            }
        }
    }
    if is_planned_or_denied(&lower) {
        return;
    }
    for (claim, path) in commands(&tokens) {
        let is_target = claim == FileClaim::Exists;
        push(path, claim, (!is_target, is_target));
    }
    for (path, lines) in line_ranges(&tokens).into_iter().filter(|_| !is_of_others(&lower)) {
        let file = ListedFile::at(FileClaim::Exists, origin, Said::new(path, place));
        files.push(ListedFile { lines: Some(Said::new(lines, place)), ..file });
    }
}

/// Returns the files of commands that move or remove them: `git mv a.py b.py`, `git rm a.py`.
fn commands<'t>(tokens: &[&'t str]) -> Vec<(FileClaim, &'t str)> {
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let words = tokens[at + 1..].iter().filter(|word| !word.starts_with('-'));
        let mut paths = words.take_while(|word| is_path(word));
        match *token {
            "mv" => {
                if let (Some(from), Some(to)) = (paths.next(), paths.next()) {
                    found.extend([(FileClaim::Deleted, *from), (FileClaim::Exists, *to)]);
                }
            }
            "rm" => found.extend(paths.map(|path| (FileClaim::Deleted, *path))),
            _ => {}
        }
    }
    found
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

/// Returns the files beside the lines that a sentence names: "shop/cart.py (lines 10-40)", "lines 10 to 40 of shop/cart.py",
/// "shop/cart.py:10-40".
fn line_ranges<'t>(tokens: &[&'t str]) -> Vec<(&'t str, &'t str)> {
    let is_number = |token: &&&str| token.starts_with(|digit: char| digit.is_ascii_digit());
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if let (path, Some(lines)) = without_lines(token) {
            found.push((path, lines));
        }
        if !matches!(token.to_lowercase().as_str(), "line" | "lines") {
            continue;
        }
        let Some(first) = tokens.get(at + 1).filter(is_number) else { continue };
        let is_joined = tokens.get(at + 2).is_some_and(|word| matches!(*word, "to" | "through" | "-" | "–"));
        let second = tokens.get(at + 3).filter(is_number).filter(|_| is_joined);
        let end = if second.is_some() { at + 4 } else { at + 2 };
        let before = at.checked_sub(1).and_then(|at| tokens.get(at)).filter(|path| is_path(path));
        let after = tokens.get(end + 1).filter(|path| is_path(path));
        found.extend(before.or(after).map(|path| (*path, *second.unwrap_or(first))));
    }
    found
}

/// Takes the lines off a path, as in `shop/cart.py:10-40` and `shop/cart.py#L10-L40`.
pub(super) fn without_lines(text: &str) -> (&str, Option<&str>) {
    let cut = text.rsplit_once("#L").or_else(|| text.rsplit_once(':'));
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

/// Says whether a word is the path of a file, or of a folder where it ends in a slash.
pub(super) fn is_path(token: &str) -> bool {
    let is_plain = |part: &str| {
        !part.is_empty()
            && part.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '.' | '_' | '-'))
    };
    if let Some(folder) = token.strip_suffix('/') {
        return folder.trim_start_matches("./").split('/').all(is_plain);
    }
    let name = token.rsplit_once('/').map_or(token, |(_, name)| name);
    let ending = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map_or("", |(_, ending)| ending);
    ENDINGS.contains(&ending) && !token.contains("://") && !token.contains(['*', '(', '<'])
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
                let act = verb::read(word).map(|(act, _)| act);
                matches!(act, Some(Act::Move | Act::Change(FileClaim::Deleted))) || word == "gone"
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
