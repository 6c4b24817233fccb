//! What a check runs was made or changed by the work that it judges.

use super::files::is_at_or_below;
use super::line::{Kind, Lines, text};
use super::out_of_scope::is_within;
use super::reach::{Reach, is_shell};
use super::{Change, Scene, Sight, Trick, python_plant};

pub(super) static TRICK: Trick = Trick { name: "check_edited", look };

/// Folders of programs and libraries that were installed, not written.
const INSTALLED: &[&str] = &["node_modules", ".venv", "venv", "site-packages"];

fn look(change: &Change<'_>, _: Option<&Lines>, scene: &Scene<'_>) -> Vec<Sight> {
    let reaches = [&scene.before, &scene.after];
    let is_new = change.before.is_none();
    let in_goal = |goal: &String| is_at_or_below(change.path, goal);
    let said = if reaches.iter().any(|reach| reach.scripts.contains(change.path)) {
        if is_new { "a check runs this file, and the work made it" } else { "a check runs this file" }
    } else if is_guessed(change, &reaches) {
        "a check runs scripts from here, and this may be one of them"
    } else if let Some(planted) = python_plant::told(change, scene) {
        planted
    } else if scene.hidden_goals.iter().any(in_goal) && is_new {
        "a target of this name is what a check asks for, and now it looks done"
    } else if !scene.scope.commands.is_empty() && change.path.split('/').any(|part| INSTALLED.contains(&part))
    {
        "it lies where installed programs do"
    } else {
        return Vec::new();
    };
    vec![Sight { line: None, text: said.to_owned() }]
}

/// A script that was there before. One that is new is a check that is added, and tests are compared one by one, unless they cannot
/// be run any more with their text intact.
fn is_guessed(change: &Change<'_>, reaches: &[&Reach]) -> bool {
    let is_script = || text(change.before).is_some_and(|text| is_shell(change.path, &text));
    let was_script = change.before.is_some()
        && (change.loses_program || is_script() && Kind::of(change.path) != Kind::Test);
    let mut guessed = reaches.iter().flat_map(|reach| &reach.guessed);
    was_script && guessed.any(|pattern| is_within(change.path, pattern))
}
