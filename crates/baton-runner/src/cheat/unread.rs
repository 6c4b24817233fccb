//! A test, a build file or a check was changed, and is too large to be compared.

use super::line::{Kind, text};
use super::unit::is_code_file;
use super::{COMPARED_BYTES_MAX, Change, Scene, Sight, Trick};
use crate::ecosystem::GENERATED;

pub(super) static TRICK: Trick = Trick { name: "not_compared", look };

fn look(change: &Change<'_>, _: &Scene<'_>) -> Vec<Sight> {
    let name = change.path.rsplit('/').next().unwrap_or(change.path);
    let is_read = change.is_whole && text(change.before).is_some() && text(change.after).is_some();
    let judges = match Kind::of(change.path) {
        // Data that is new is what new tests read.
        Kind::Test | Kind::Build => change.before.is_some() || is_code_file(change.path),
        Kind::Document | Kind::Source => false,
    };
    if is_read || !judges || GENERATED.contains(&name) {
        return Vec::new();
    }
    let bound = COMPARED_BYTES_MAX / 1024 / 1024;
    vec![Sight { line: None, text: format!("it was changed, and files above {bound} MiB are not compared") }]
}
