//! A file was changed that the task, or the plan for it, does not name.

use super::line::Lines;
use super::{Change, Scene, Sight, Trick};
use crate::ecosystem::GENERATED;

pub(super) static TRICK: Trick = Trick { name: "out_of_scope", look };

fn look(change: &Change<'_>, _: Option<&Lines>, scene: &Scene<'_>) -> Vec<Sight> {
    let scope = scene.scope;
    let outside = [(&scope.targets, "the task"), (&scope.planned, "the plan")];
    let outside = outside.iter().find(|(targets, _)| !targets.is_empty() && !is_named(change.path, targets));
    let sight =
        outside.map(|(_, who)| Sight { line: None, text: format!("{who} does not name it as a target") });
    sight.into_iter().collect()
}

/// Says whether a path is one of these files, or lies in one of these folders. What tools write along needs no name.
pub(crate) fn is_named(path: &str, targets: &[String]) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    GENERATED.contains(&name) || targets.iter().any(|target| is_within(path, target))
}

/// `*` stands for anything within a name, `**` for folders; what lies in a folder that is named is named.
pub(super) fn is_within(path: &str, target: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    // How many parts of the path may have been read so far.
    let mut read: Vec<bool> = std::iter::once(true).chain(parts.iter().map(|_| false)).collect();
    for wanted in target.split('/').filter(|part| !matches!(*part, "" | ".")) {
        let mut next = vec![false; read.len()];
        for (index, _) in read.iter().enumerate().filter(|(_, is_read)| **is_read) {
            match wanted {
                "**" => next[index..].fill(true),
                wanted if parts.get(index).is_some_and(|part| fits(part, wanted)) => next[index + 1] = true,
                _ => {}
            }
        }
        read = next;
    }
    read.contains(&true)
}

fn fits(part: &str, wanted: &str) -> bool {
    let mut pieces = wanted.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = part.strip_prefix(first) else { return false };
    let mut pieces = pieces.peekable();
    if pieces.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(piece) = pieces.next() {
        if pieces.peek().is_none() {
            return rest.ends_with(piece);
        }
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    true
}
