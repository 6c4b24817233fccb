//! A file was changed that the plan does not name.

use super::{Change, Scene, Sight, Trick};
use crate::ecosystem::GENERATED;

pub(super) static TRICK: Trick = Trick { name: "out_of_scope", look };

fn look(change: &Change<'_>, scene: &Scene<'_>) -> Vec<Sight> {
    let name = change.path.rsplit('/').next().unwrap_or(change.path);
    let is_meant = scene.scope.targets.is_empty()
        || GENERATED.contains(&name)
        || scene.scope.targets.iter().any(|target| is_within(change.path, target));
    match is_meant {
        true => Vec::new(),
        false => vec![Sight { line: None, text: "the plan does not name it as a target".to_owned() }],
    }
}

fn is_within(path: &str, target: &str) -> bool {
    let target = target.trim_start_matches("./").trim_end_matches(['/', '*']).trim_end_matches('/');
    path == target || path.strip_prefix(target).is_some_and(|rest| rest.starts_with('/'))
}
