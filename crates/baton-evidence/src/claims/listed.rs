//! The files that a handoff lists, with what it says happened to each.

use baton_handoff::dialect::Dialect;
use baton_handoff::field::Field;
use baton_handoff::outcome;
use baton_handoff::record::{Confidence, Record, Text};

use super::beyond::{self, said_under};
use super::{FileClaim, ListedFile, Source, prose, verb, words};
use crate::finding::{Place, Said};
use crate::path;

/// Keys of the lines of a file. Of the two ends of a range only the second can be too far.
const LINES_KEYS: &[&str] =
    &["lines", "line_range", "range", "end_line", "line_end", "last_line", "to_line", "line"];

pub(super) fn files(dialect: Dialect, record: &Record<'_>, source: &Source<'_>) -> Vec<ListedFile> {
    let touches = dialect == Dialect::Artifact;
    let lists = [
        (Field::FilesCreated, FileClaim::Created),
        (Field::FilesModified, if touches { FileClaim::Touched } else { FileClaim::Modified }),
        (Field::FilesDeleted, FileClaim::Deleted),
        (Field::Artifacts, FileClaim::Exists),
        (Field::FilesToRead, FileClaim::Exists),
    ];
    let mut files = Vec::new();
    for (field, claim) in lists {
        let list = source.key_place(record, field);
        for item in record.records(field) {
            let Some(path) = item.text(Field::Path).filter(|path| is_listed(path)) else { continue };
            let own = item.extensions.iter().find(|own| LINES_KEYS.contains(&&*own.key));
            let own = own.and_then(|own| Some(Said::new(own.value.text()?, source.place(own.value.span))));
            let lines = source.text(item, Field::Lines).or(own);
            // Of a whole file the type says what happened to it; of some lines, what happened to them.
            let is_whole = lines.as_ref().is_none_or(|lines| lines.text.trim() == "all");
            let claim = match (claim, item.str(Field::ChangeType)) {
                (FileClaim::Touched, Some("delete")) => FileClaim::Deleted,
                (FileClaim::Modified, Some("delete")) if is_whole => FileClaim::Deleted,
                (claim, _) => claim,
            };
            let words::OfFile { removed: says_removed, moved: says_moved, restored: says_restored } =
                words::of_file(item);
            match path::read_rename(path.as_str()) {
                None => files.push(ListedFile {
                    lines,
                    says_removed,
                    says_moved,
                    says_restored,
                    ..ListedFile::at(claim, list, source.said(path))
                }),
                Some(sides) => files.extend(renamed(sides, list, source.place(path.span))),
            }
        }
    }
    files.extend(renames_beyond(record, source));
    files.extend(files_beyond(record, &files, source));
    files.extend(locations(record, source));
    files
}

/// Returns the renames under the keys that speak of such.
fn renames_beyond(record: &Record<'_>, source: &Source<'_>) -> Vec<ListedFile> {
    let mut files = Vec::new();
    for (list, node) in beyond::under(record, |key| key.contains("renamed") || key.contains("moved")) {
        let side = |keys| said_under(node, keys, source);
        let old = side(&["from", "old", "old_path", "source", "before"]);
        let sides = (old, side(&["to", "new", "new_path", "target", "after"]));
        if let (Some(old), Some(new)) = sides {
            files.extend(renamed((&old.text, &new.text), source.place(list), old.place));
        } else if let Some(sides) = node.text().and_then(path::read_rename) {
            files.extend(renamed(sides, source.place(list), source.place(node.span)));
        }
    }
    files
}

/// Returns the files of lists whose keys no dialect has, as `new_files` or `changes: [{file: …, lines: …}]`.
fn files_beyond(record: &Record<'_>, known: &[ListedFile], source: &Source<'_>) -> Vec<ListedFile> {
    let mut files = Vec::new();
    for one in beyond::all(record) {
        let of_key = claim_of_key(&one.name());
        for node in one.nodes() {
            let path = said_under(node, &["path", "file", "filename", "file_path"], source);
            let plain = || of_key.and_then(|_| Some(Said::new(node.text()?.trim(), source.place(node.span))));
            let Some(path) =
                path.or_else(plain).filter(|path| prose::is_path(prose::without_lines(&path.text).0))
            else {
                continue;
            };
            if known.iter().any(|file| file.path.place.span == path.place.span) {
                continue;
            }
            let action =
                said_under(node, &["change_type", "action", "change", "type", "status", "operation"], source);
            let of_action = action.and_then(|action| verb::of_list(&action.text));
            let (name, own_lines) = prose::without_lines(&path.text);
            let own_lines = own_lines.map(|lines| Said::new(lines, path.place));
            let claim = of_action.or(of_key).unwrap_or(FileClaim::Exists);
            let file = ListedFile::at(claim, source.place(one.key_span), Said::new(name, path.place));
            let lines = said_under(node, LINES_KEYS, source).or(own_lines);
            files.push(ListedFile { lines, ..file });
        }
    }
    files
}

/// Returns the files that an acknowledgment says were received, whatever it calls the list of them.
pub(super) fn received(record: &Record<'_>, source: &Source<'_>) -> Vec<ListedFile> {
    let mut files = Vec::new();
    for one in beyond::all(record) {
        let texts = one
            .nodes()
            .iter()
            .filter_map(|node| Some(Said::new(node.text()?.trim(), source.place(node.span))));
        let named = texts.filter(|said| prose::is_path(&said.text));
        files.extend(named.map(|said| ListedFile::at(FileClaim::Exists, source.place(one.key_span), said)));
    }
    files
}

/// Returns what a key says of the files under it, as `new_files`, `deleted_files` and `created` do.
fn claim_of_key(key: &str) -> Option<FileClaim> {
    let words: Vec<&str> = key.split('_').collect();
    let is_of_files =
        words.len() == 1 || words.iter().any(|word| matches!(*word, "file" | "files" | "paths" | "modules"));
    words.iter().filter(|word| word.len() > 1).find_map(|word| verb::of_list(word)).filter(|_| is_of_files)
}

/// Returns both sides of a rename: the old file is gone, and the new one is there.
fn renamed((old, new): (&str, &str), list: Place, place: Place) -> [ListedFile; 2] {
    let side = |text: &str, claim| ListedFile::at(claim, list, Said::new(text.trim_matches('`'), place));
    let old = ListedFile { says_removed: true, ..side(old, FileClaim::Deleted) };
    [old, ListedFile { says_moved: true, ..side(new, FileClaim::Exists) }]
}

/// Returns the files where patterns and gotchas are said to be.
fn locations(record: &Record<'_>, source: &Source<'_>) -> Vec<ListedFile> {
    let fields = [(Field::Patterns, Field::Location), (Field::Gotchas, Field::DiscoveredIn)];
    let mut files = Vec::new();
    for (list, field) in fields {
        for item in record.records(list) {
            let Some(text) = item.text(field).filter(|path| is_listed(path)) else { continue };
            let (path, lines) = match text.as_str().trim().split_once(':') {
                Some((path, lines)) if lines.starts_with(|first: char| first.is_ascii_digit()) => {
                    (path, Some(lines))
                }
                _ => (text.as_str().trim(), None),
            };
            if path.contains('/') && prose::is_path(path) {
                let place = source.place(text.span);
                files.push(ListedFile {
                    lines: lines.map(|lines| Said::new(lines, place)),
                    ..ListedFile::at(
                        FileClaim::Exists,
                        source.key_place(record, list),
                        Said::new(path, place),
                    )
                });
            }
        }
    }
    files
}

/// A path that was read out of running text is a mention, not a claim.
fn is_listed(path: &Text<'_>) -> bool {
    path.confidence == Confidence::Stated && !path.is_blank() && !outcome::is_none_word(path.as_str())
}
