//! Paths in prose, and what is said to have happened to the files.

use crate::field::Field;
use crate::limit;
use crate::span::Span;

use super::label::place;

/// Most paths taken from one item.
const PATHS_PER_ITEM_MAX: usize = 12;

/// The paths an item names, with what the item says of them.
#[derive(Debug)]
pub(super) struct Mention<'s> {
    pub paths: Vec<&'s str>,
    /// What stands after the paths.
    pub remark: Option<Span>,
}

/// Finds the paths that an item of a list of files begins with.
pub(super) fn mention<'s>(source: &'s str, item: Span) -> Mention<'s> {
    let text = item.text(source);
    let end = remark_start(text);
    let paths = paths(&text[..end]);
    // "Migration: `a.sql`" names the file after the lead-in.
    if paths.is_empty() && end < text.len() {
        let rest = &text[end..];
        let rest =
            rest.trim_start_matches(|char: char| !char.is_alphanumeric() && !"`./~_@[(".contains(char));
        let end = remark_start(rest);
        let found = self::paths(&rest[..end]);
        if !found.is_empty() {
            return Mention { paths: found, remark: remark(source, &rest[end..]) };
        }
    }
    Mention { paths, remark: remark(source, &text[end..]) }
}

/// Finds the paths in backticks anywhere in a text.
pub(super) fn quoted_paths(text: &str) -> Vec<&str> {
    text.split('`')
        .skip(1)
        .step_by(2)
        .map(str::trim)
        .filter(|part| is_path(part))
        .take(PATHS_PER_ITEM_MAX)
        .collect()
}

/// Returns what a remark or a table's change column says happened to a file, if it says so.
pub(super) fn change(remark: &str) -> Option<Field> {
    let trimmed = remark.trim_matches(|char: char| !char.is_alphanumeric());
    let lower = trimmed[..trimmed.floor_char_boundary(80)].to_lowercase();
    let mut words = lower.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty());
    let (first, second) = (words.next()?, words.next());
    let shouted = trimmed.starts_with("DELETED") || trimmed.starts_with("REMOVED");
    Some(match first {
        "deleted" | "removed" | "supprimé" | "eliminado" | "borrado" | "gelöscht" | "entfernt"
        | "removido" | "borttagen" | "удалён" | "удалено" | "eliminato" | "usunięto" | "dihapus" | "删除"
        | "已删除" | "削除" | "삭제"
            if second.is_none() || shouted || remark.trim_start().starts_with('(') =>
        {
            Field::FilesDeleted
        }
        "delete" | "removal" | "d" if second.is_none() => Field::FilesDeleted,
        "new" | "created" | "create" | "creado" | "créé" | "neu" | "erstellt" | "criado" | "novo"
        | "skapad" | "ny" | "создан" | "новый" | "creato" | "nuovo" | "utworzono" | "nowy" | "nowe"
        | "dibuat" | "baru" | "新建" | "新增" | "新規" | "作成" | "생성" => Field::FilesCreated,
        "added" | "add" | "a" | "scaffolded" if second.is_none() => Field::FilesCreated,
        "verified" | "unchanged" | "reviewed" | "checked" | "read" | "inspected" | "no"
            if second.is_none_or(|word| word != "and") =>
        {
            Field::FilesMentioned
        }
        "modified" | "updated" | "changed" | "edited" | "stubbed" | "fixed" | "refactored" | "extended"
        | "renamed" | "rewritten" | "extracted" | "removed" | "deleted" | "added" | "replaced" | "moved"
        | "m" | "modify" | "update" => Field::FilesModified,
        _ => return None,
    })
}

/// Says whether a word is a path: it has a separator or an extension, and nothing that paths do not have.
pub(crate) fn is_path(word: &str) -> bool {
    let word = word.trim_end_matches(['.', ',', ';']);
    if word.len() < 3 || word.len() > limit::PATH_BYTES_MAX || word.contains("://") || word.starts_with("//")
    {
        return false;
    }
    if word.contains(|char: char| char.is_whitespace() || "\"'<>|?;=,$".contains(char))
        || word.ends_with("()")
        || word.starts_with('-')
    {
        return false;
    }
    let bare = word.split(':').next().filter(|bare| bare.len() > 1).unwrap_or(word);
    let name = bare.rsplit(['/', '\\']).next().unwrap_or(bare);
    let extension = name.rsplit_once('.');
    let has_extension = extension.is_some_and(|(stem, extension)| {
        (1..=12).contains(&extension.len())
            && extension.starts_with(|char: char| char.is_ascii_alphabetic())
            && extension.chars().all(|char| char.is_ascii_alphanumeric() || char == '_')
            && !stem.contains('(')
            && (extension.len() <= 5 || bare.contains(['/', '\\']) || stem.is_empty())
    });
    let separated = bare.contains(['/', '\\']);
    let letters = bare.chars().any(char::is_alphabetic);
    // "and/or", "read/write" have a separator and are words; a path of words has more to it.
    let rooted = separated
        && (bare.ends_with('/')
            || bare.starts_with(['/', '.', '~', '@'])
            || bare.matches(['/', '\\']).count() > 1);
    letters && (has_extension || rooted)
}

fn paths(text: &str) -> Vec<&str> {
    if text.contains('`') {
        let quoted = quoted_paths(text);
        if !quoted.is_empty() {
            return quoted;
        }
    }
    text.split([' ', ',', '+', '\t', '、', '，'])
        .map(|word| {
            word.trim_matches(|char: char| "`*()\"'".contains(char)).trim_end_matches([':', '.', ';'])
        })
        .filter(|word| is_path(word))
        .take(PATHS_PER_ITEM_MAX)
        .collect()
}

/// Returns where the remark after the paths begins: at a dash, a colon, an opening bracket or an ellipsis.
fn remark_start(text: &str) -> usize {
    let marks = [" — ", " – ", " - ", ": ", "：", " (", " … ", " → ", " -> ", " … ", "（", " | "];
    let mut in_code = false;
    for (at, char) in text.char_indices() {
        if char == '`' {
            in_code = !in_code;
        }
        if !in_code && marks.iter().any(|mark| text[at..].starts_with(mark)) {
            return at;
        }
    }
    text.len()
}

fn remark(source: &str, rest: &str) -> Option<Span> {
    let remark =
        rest.trim_start_matches(|char: char| char.is_whitespace() || "-–—:：…→>|".contains(char)).trim_end();
    (!remark.is_empty()).then(|| place(source, remark))
}
