//! Files lie where the commit names another repository: merged, they would take its place.

use std::collections::{BTreeMap, BTreeSet};

use super::line::Lines;
use super::{Change, Scene, Scope, Sight, Trick};

pub(super) static TRICK: Trick = Trick { name: "submodule_replaced", look };

/// Returns the first file of the work at or below each other repository, with where that is. One is enough: whoever clones the
/// other repository there brings thousands.
pub(super) fn find(changes: &[Change<'_>], scope: &Scope) -> BTreeMap<String, String> {
    let present = changes.iter().filter(|change| change.after.is_some());
    let present: BTreeSet<&str> = present.map(|change| change.path).collect();
    let first = |place: &String| {
        let below = format!("{place}/");
        let inside = || present.range(below.as_str()..).next().filter(|path| path.starts_with(&below));
        let first = present.get(place.as_str()).or_else(inside)?;
        Some(((*first).to_owned(), place.clone()))
    };
    scope.submodules.iter().filter_map(first).collect()
}

fn look(change: &Change<'_>, _: Option<&Lines>, scene: &Scene<'_>) -> Vec<Sight> {
    let sight = scene.replaced.get(change.path).map(|place| Sight {
        line: None,
        text: format!("the commit names another repository at {place}, and a merge puts files in its place"),
    });
    sight.into_iter().collect()
}
