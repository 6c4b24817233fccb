//! What is said before anybody works, while it costs nothing yet.

use std::collections::{BTreeMap, BTreeSet};

use baton_runner::Service;
use baton_runner::desk::{Desk, Id};
use baton_runner::doctor::hooks_off;
use baton_runner::hook::project_of;

use crate::output;

/// Most tasks that are looked at for a warning: they share their workflows.
const LOOKED_AT_MAX: usize = 64;

/// Warns of agents whose hooks are set up in a project and are not run, so that nothing they do is judged.
pub(crate) fn of_hooks() {
    let Ok(here) = std::env::current_dir() else { return };
    let Ok(root) = project_of(&here) else { return };
    for found in hooks_off(&root) {
        let hint = found.next.map(|next| format!("hint: {next}\n")).unwrap_or_default();
        output::talk(&format!(
            "warning: the hooks of @{} are off, so its work in this project is not judged: {}\n{hint}",
            found.subject, found.words
        ));
    }
}

/// Warns of work that is never accepted, since nobody can run its checks.
pub(crate) fn of_unsettled<'a>(service: &Service, desk: &Desk, tasks: impl IntoIterator<Item = &'a Id>) {
    let mut tasks_of: BTreeMap<String, BTreeSet<&Id>> = BTreeMap::new();
    for id in tasks.into_iter().take(LOOKED_AT_MAX) {
        for name in desk.unsettled(id).into_iter().flatten() {
            tasks_of.entry(name.to_string()).or_default().insert(id);
        }
    }
    if tasks_of.is_empty() {
        return;
    }
    let is_named = |name: &str| service.checks.iter().any(|check| check.checkpoint == name);
    let (untrusted, missing): (Vec<_>, Vec<_>) = tasks_of.into_iter().partition(|(name, _)| is_named(name));
    if !untrusted.is_empty() {
        let names = listed(untrusted.iter().map(|(name, _)| name.clone()));
        output::talk(&format!(
            "warning: nobody trusts `baton.toml` as it is now, so its checks for {names} are not run, and no work can pass\n\
             hint: read its commands, and say `baton trust`\n"
        ));
    }
    if !missing.is_empty() {
        let names = listed(missing.iter().map(|(name, _)| name.clone()));
        let tables = listed(missing.iter().map(|(name, _)| format!("[checks.{name}]")));
        let waivers = missing.iter().map(|(name, tasks)| {
            let task = match (tasks.len(), tasks.first()) {
                (1, Some(task)) => task.as_str(),
                _ => "TASK",
            };
            format!("baton waive {task} checkpoint:{name} REASON --until DATE")
        });
        let waivers = listed(waivers);
        output::talk(&format!(
            "warning: `baton.toml` names no trusted check for {names}, so no work can pass\n\
             hint: name a command under {tables} and say `baton trust`, or {waivers}\n"
        ));
    }
}

fn listed(words: impl Iterator<Item = String>) -> String {
    words.map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}
