//! A test, a build file or a check was changed, and was not compared: it is too large, or too much has changed beside it.

use super::line::{Kind, Lines, text};
use super::unit::is_code_file;
use super::{COMPARED_BYTES_MAX, Change, Scene, Sight, Trick};
use crate::ecosystem::GENERATED;

pub(super) static TRICK: Trick = Trick { name: "not_compared", look };

fn look(change: &Change<'_>, _: Option<&Lines>, _: &Scene<'_>) -> Vec<Sight> {
    let name = change.path.rsplit('/').next().unwrap_or(change.path);
    let is_small = text(change.before).is_some() && text(change.after).is_some();
    let judges = match Kind::of(change.path) {
        // Data that is new is what new tests read.
        Kind::Test | Kind::Build => change.before.is_some() || is_code_file(change.path),
        Kind::Document | Kind::Source => false,
    };
    if is_small && change.is_whole || !judges || GENERATED.contains(&name) {
        return Vec::new();
    }
    let why = match is_small {
        false => format!("files above {} MiB are not compared", COMPARED_BYTES_MAX / 1024 / 1024),
        true => "too much else was changed to compare it".to_owned(),
    };
    vec![Sight { line: None, text: format!("it was changed, and {why}") }]
}
