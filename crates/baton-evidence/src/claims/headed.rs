//! Files under headings and labels such as "Files created", in list items that say what happened to them, and in tables.

use baton_handoff::span::Span;

use super::prose::{is_path, trimmed, without_lines};
use super::sentence::{is_planned_or_denied, words};
use super::verb::of_list as claim_of_word;
use super::{FileClaim, ListedFile, Source};
use crate::finding::{Place, Said};
use crate::path;

/// Returns the files that are listed under headings and labels such as "Files created", and in tables of files.
pub(super) fn files(source: &Source<'_>, origin: Place) -> Vec<ListedFile> {
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
        let item = item.filter(|item| path::read_rename(item).is_none() && !item.starts_with("[ ]"));
        let Some(item) = item.map(|item| item.trim_start_matches("[x]").trim_start_matches("[X]")) else {
            continue;
        };
        let tokens: Vec<&str> =
            item.split_whitespace().map(trimmed).filter(|token| !token.is_empty()).collect();
        let is_file = |path: &&&str| is_path(without_lines(path).0);
        // "- M shop/cart.py", "- new: shop/tax.py"
        let marked = match tokens.as_slice() {
            [word, path, ..] if is_file(&path) => claim_of_word(word).map(|claim| (*path, claim)),
            [path, ..] if is_file(&path) => remark(item, path).map(|claim| (*path, claim)),
            _ => None,
        };
        let listed = || Some((*tokens.first().filter(is_file)?, claim?));
        if let Some((path, claim)) = marked.or_else(listed) {
            push(path, claim);
        }
    }
    files
}

/// Reads what an item says right behind its path: "shop/tax.py (new file)", "shop/tax.py — deleted".
fn remark(item: &str, path: &str) -> Option<FileClaim> {
    let (_, rest) = item.split_once(path)?;
    let rest = rest.trim_start_matches(['`', '*', ' ']);
    let said = rest.strip_prefix(['(', '—', '–', '-', ':'])?;
    let said = words(said.split([')', ',', ';']).next()?);
    let claim = claim_of_word(said.first()?)?;
    // "shop/cart.py: added a method" is about the method.
    let is_of_file =
        matches!(said.get(1).map(String::as_str), None | Some("file" | "module" | "page" | "now"));
    (is_of_file || claim == FileClaim::Modified).then_some(claim)
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
