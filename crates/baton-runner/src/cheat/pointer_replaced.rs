//! A file that git only keeps a pointer to, elsewhere than in the repository, is no pointer any more.

use super::line::Lines;
use super::{Change, Scene, Sight, Trick};

pub(super) static TRICK: Trick = Trick { name: "pointer_replaced", look };

/// The first line of every pointer of Git LFS.
const VERSION: &[u8] = b"version https://git-lfs.github.com/spec/v1";
/// What reads pointers takes nothing larger for one.
const POINTER_BYTES_MAX: usize = 1024;
const DIGITS: usize = 64;

fn look(change: &Change<'_>, _: Option<&Lines>, _: &Scene<'_>) -> Vec<Sight> {
    let was_pointer = change.before.is_some_and(|before| before.starts_with(VERSION));
    // A file that is gone is gone in every clone alike.
    match change.after.filter(|_| was_pointer) {
        Some(after) if !is_pointer(after) => {
            vec![Sight { line: None, text: "it was a pointer of Git LFS, and is none any more".to_owned() }]
        }
        Some(_) | None => Vec::new(),
    }
}

/// Says whether something is a pointer by the letter: the version, then keys in order, with a hash and a size among them.
fn is_pointer(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let Some(rest) = text.strip_suffix('\n').filter(|text| text.len() < POINTER_BYTES_MAX) else {
        return false;
    };
    let mut lines = rest.split('\n');
    if lines.next().is_none_or(|first| first.as_bytes() != VERSION) {
        return false;
    }
    let pairs: Vec<(&str, &str)> = lines.filter_map(|line| line.split_once(' ')).collect();
    let value = |key: &str| pairs.iter().find(|(own, _)| *own == key).map(|(_, value)| *value);
    let is_hash = |value: &str| {
        value.strip_prefix("sha256:").is_some_and(|digits| {
            digits.len() == DIGITS && digits.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
        })
    };
    let is_known = |key: &str| matches!(key, "oid" | "size") || key.starts_with("ext-");
    pairs.len() + 1 == rest.split('\n').count()
        && pairs.is_sorted_by(|one, other| one.0 < other.0)
        && pairs.iter().all(|(key, _)| is_known(key))
        && value("oid").is_some_and(is_hash)
        && value("size")
            .is_some_and(|size| !size.is_empty() && size.bytes().all(|byte| byte.is_ascii_digit()))
}
