//! Files lie where the commit names another repository: merged, they would take its place.

use std::collections::BTreeMap;

use super::files::is_at_or_below;
use super::{Change, Scene, Scope, Sight, Trick};

pub(super) static TRICK: Trick = Trick { name: "submodule_replaced", look };

/// Returns the first file of the work at or below each other repository, with where that is. One is enough: whoever clones the
/// other repository there brings thousands.
pub(super) fn find(changes: &[Change<'_>], scope: &Scope) -> BTreeMap<String, String> {
    let first = |place: &String| {
        let mut present = changes.iter().filter(|change| change.after.is_some());
        let first = present.find(|change| is_at_or_below(change.path, place))?;
        Some((first.path.to_owned(), place.clone()))
    };
    scope.submodules.iter().filter_map(first).collect()
}

fn look(change: &Change<'_>, scene: &Scene<'_>) -> Vec<Sight> {
    let sight = scene.replaced.get(change.path).map(|place| Sight {
        line: None,
        text: format!("the commit names another repository at {place}, and a merge puts files in its place"),
    });
    sight.into_iter().collect()
}
