//! What a check runs was made or changed by the work that it judges.

use super::files::is_at_or_below;
use super::{Change, Scene, Sight, Trick};

pub(super) static TRICK: Trick = Trick { name: "check_edited", look };

/// Folders of programs and libraries that were installed, not written.
const INSTALLED: &[&str] = &["node_modules", ".venv", "venv", "site-packages"];

fn look(change: &Change<'_>, scene: &Scene<'_>) -> Vec<Sight> {
    let reaches = [&scene.before, &scene.after];
    let is_new = change.before.is_none();
    let in_goal = |goal: &String| is_at_or_below(change.path, goal);
    let text = if reaches.iter().any(|reach| reach.scripts.contains(change.path)) {
        if is_new { "a check runs this file, and the work made it" } else { "a check runs this file" }
    } else if scene.hidden_goals.iter().any(in_goal) && is_new {
        "a target of this name is what a check asks for, and now it looks done"
    } else if !scene.scope.commands.is_empty() && change.path.split('/').any(|part| INSTALLED.contains(&part))
    {
        "it lies where installed programs do"
    } else {
        return Vec::new();
    };
    vec![Sight { line: None, text: text.to_owned() }]
}
