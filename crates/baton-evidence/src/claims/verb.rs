//! Verbs that say what happened to a file, in the forms in which handoffs use them.

use super::FileClaim;

/// What a verb says of the file beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Act {
    Change(FileClaim),
    /// It has another place or name now.
    Move,
    /// The work is there, or rests on it.
    Place,
}

/// The form of a verb: only the past tells what was done wherever it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Past,
    /// "Adds": it tells what was done at the begin of a sentence.
    Present,
    /// "Add": it tells what was done in lists and keys.
    Base,
}

const CREATED: Act = Act::Change(FileClaim::Created);
const MODIFIED: Act = Act::Change(FileClaim::Modified);
const DELETED: Act = Act::Change(FileClaim::Deleted);

/// Verbs with their past, where `-ed` alone doesn't make it.
const VERBS: &[(&str, &str, Act)] = &[
    ("create", "", CREATED),
    ("add", "", CREATED),
    ("write", "wrote", CREATED),
    ("introduce", "", CREATED),
    ("generate", "", CREATED),
    ("scaffold", "", CREATED),
    ("author", "", CREATED),
    ("delete", "", DELETED),
    ("remove", "", DELETED),
    ("drop", "dropped", DELETED),
    ("erase", "", DELETED),
    ("purge", "", DELETED),
    ("eliminate", "", DELETED),
    ("retire", "", DELETED),
    ("scrap", "scrapped", DELETED),
    ("modify", "", MODIFIED),
    ("change", "", MODIFIED),
    ("update", "", MODIFIED),
    ("edit", "", MODIFIED),
    ("refactor", "", MODIFIED),
    ("rewrite", "rewrote", MODIFIED),
    ("rework", "", MODIFIED),
    ("extend", "", MODIFIED),
    ("adjust", "", MODIFIED),
    ("alter", "", MODIFIED),
    ("amend", "", MODIFIED),
    ("tweak", "", MODIFIED),
    ("patch", "", MODIFIED),
    ("touch", "", MODIFIED),
    ("bump", "", MODIFIED),
    ("adapt", "", MODIFIED),
    ("rename", "", Act::Move),
    ("move", "", Act::Move),
    ("relocate", "", Act::Move),
    ("implement", "", Act::Place),
    ("document", "", Act::Place),
    ("cover", "", Act::Place),
    ("describe", "", Act::Place),
    ("place", "", Act::Place),
    ("put", "put", Act::Place),
    ("build", "built", Act::Place),
    ("define", "", Act::Place),
    ("extract", "", Act::Place),
    ("split", "split", Act::Place),
    ("receive", "", Act::Place),
    ("read", "read", Act::Place),
    ("review", "", Act::Place),
    ("fix", "", Act::Place),
    ("test", "", Act::Place),
    ("record", "", Act::Place),
    ("explain", "", Act::Place),
];

/// Reads a verb in lower case.
pub(super) fn read(word: &str) -> Option<(Act, Form)> {
    VERBS.iter().find_map(|(base, past, act)| Some((*act, form(word, base, past)?)))
}

fn form(word: &str, base: &str, past: &str) -> Option<Form> {
    if !past.is_empty() && word == past {
        return Some(Form::Past);
    }
    let stem = base.strip_suffix(['e', 'y']).unwrap_or(base);
    // The first letters settle it for nearly every word.
    let ending = word.strip_prefix(stem)?;
    let (own_past, present) = match base.as_bytes().last() {
        Some(b'e') => ("ed", "es"),
        Some(b'y') => ("ied", "ies"),
        Some(b'h' | b'x') => ("ed", "es"),
        _ => ("ed", "s"),
    };
    if past.is_empty() && ending == own_past {
        Some(Form::Past)
    } else if ending == present {
        Some(Form::Present)
    } else {
        (word == base).then_some(Form::Base)
    }
}

/// Returns what a word of a list or a key says of a file, as `modify`, `Added`, `new` and git's `M` do.
pub(super) fn of_list(word: &str) -> Option<FileClaim> {
    let word = word.trim().to_lowercase();
    match (word.as_str(), read(&word)) {
        ("new" | "a", _) => Some(FileClaim::Created),
        ("m", _) => Some(FileClaim::Modified),
        ("d", _) => Some(FileClaim::Deleted),
        (_, Some((Act::Change(claim), _))) => Some(claim),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_are_read_in_every_form() {
        for (word, act, form) in [
            ("created", CREATED, Form::Past),
            ("wrote", CREATED, Form::Past),
            ("dropped", DELETED, Form::Past),
            ("modified", MODIFIED, Form::Past),
            ("modifies", MODIFIED, Form::Present),
            ("touches", MODIFIED, Form::Present),
            ("adds", CREATED, Form::Present),
            ("add", CREATED, Form::Base),
            ("moved", Act::Move, Form::Past),
            ("built", Act::Place, Form::Past),
            ("fixed", Act::Place, Form::Past),
        ] {
            assert_eq!(read(word), Some((act, form)), "{word}");
        }
        for word in ["creation", "address", "dropping", "droped", "testing", "cart"] {
            assert_eq!(read(word), None, "{word}");
        }
    }
}
