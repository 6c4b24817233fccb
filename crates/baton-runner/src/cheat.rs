//! Tricks that make checks pass without the work: seen in what changed, whoever changed it.
//!
//! One file for each trick, of one shape. A sighting is no proof of intent: it says that the checks of this project no
//! longer mean what they meant, and that a person has to look before the work can pass.

mod assertion_weakened;
mod check_detected;
mod check_edited;
mod early_exit;
mod entry;
mod failure_swallowed;
mod files;
mod forged;
mod framework;
mod guard_edited;
mod imports;
mod line;
mod lint_silence;
mod loose_equality;
mod neutralised;
mod out_of_scope;
mod places;
mod pointer_replaced;
mod python_plant;
mod reach;
mod rules;
mod runner_changed;
mod settings;
mod shell;
mod source_exit;
mod submodule_replaced;
mod test_removed;
mod test_skipped;
mod threshold_lowered;
mod unit;
mod unread;
mod vanished;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use files::{Files, Side};
use line::Lines;
use places::Places;
use reach::Reach;
use vanished::Vanished;

pub(crate) use entry::{module_at, unwrapped};
pub use line::Kind;
pub(crate) use out_of_scope::is_named;
pub(crate) use unit::{is_judge, tests_in};

/// Most sightings of one trick in one file; one is enough to stop, a few help to understand.
const SIGHTINGS_PER_FILE_MAX: usize = 5;
/// Largest file that is compared line by line; that a larger one was changed is itself told where it could matter.
pub const COMPARED_BYTES_MAX: usize = 1024 * 1024;

/// Every trick, in the order in which they are reported.
pub const ALL: &[&Trick] = &[
    &check_edited::TRICK,
    &guard_edited::TRICK,
    &out_of_scope::TRICK,
    &submodule_replaced::TRICK,
    &pointer_replaced::TRICK,
    &unread::TRICK,
    &test_removed::TRICK,
    &test_skipped::TRICK,
    &assertion_weakened::TRICK,
    &failure_swallowed::TRICK,
    &early_exit::TRICK,
    &check_detected::TRICK,
    &threshold_lowered::TRICK,
    &runner_changed::TRICK,
];

/// A way to make checks pass without the work.
#[derive(Debug)]
pub struct Trick {
    pub name: &'static str,
    /// The lines are those that came and went; nothing where the file is too large.
    look: fn(&Change<'_>, Option<&Lines>, &Scene<'_>) -> Vec<Sight>,
}

/// A file before and after a turn.
#[derive(Clone, Copy, Debug)]
pub struct Change<'a> {
    /// From the root of the project, with `/` between its parts.
    pub path: &'a str,
    /// Nothing where it did not exist.
    pub before: Option<&'a [u8]>,
    pub after: Option<&'a [u8]>,
    /// Not so where the bytes were cut.
    pub is_whole: bool,
    /// It could be run as a program, and cannot any more.
    pub loses_program: bool,
}

/// What a turn was allowed to change, and what judges it.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Files and folders that the task names; empty when it names none, and then all may be changed.
    pub targets: Vec<String>,
    /// The same, as the plans for the stage name them.
    pub planned: Vec<String>,
    /// What the checks of the stage run: each a program and its arguments.
    pub commands: Vec<Vec<String>>,
    /// Where the commit that the work began with names other repositories.
    pub submodules: Vec<String>,
    /// Where the files lie that did not change; without it, only what changed is known.
    pub root: Option<PathBuf>,
}

impl Scope {
    /// Says whether anybody said beforehand what will be changed.
    pub fn is_declared(&self) -> bool {
        !self.targets.is_empty() || !self.planned.is_empty()
    }
}

/// Everything that a trick may look at: what changed, and what was worked out from it once.
struct Scene<'a> {
    scope: &'a Scope,
    before: Reach,
    after: Reach,
    /// Targets of checks that no file had the name of before.
    hidden_goals: Vec<String>,
    /// What tests no longer do, by their files.
    vanished: BTreeMap<String, Vec<Vanished>>,
    /// Files without which tests beside them are not found.
    unlinked: BTreeSet<String>,
    /// New files that changed code loads.
    pulled_in: BTreeSet<String>,
    /// Files in the place of other repositories, each with where that is.
    replaced: BTreeMap<String, String>,
    /// Where rules and manifests say something else than before, by the files that changed it.
    said_anew: BTreeMap<String, Vec<Sight>>,
}

impl<'a> Scene<'a> {
    fn new(changes: &[Change<'_>], scope: &'a Scope) -> Self {
        let files = Files::new(changes, scope.root.as_deref());
        let reach = |side| Reach::of(&scope.commands, &files, side);
        let (before, after) = (reach(Side::Before), reach(Side::After));
        let goals = before.goals.union(&after.goals);
        let hidden_goals = goals.filter(|goal| !files.existed(goal)).cloned().collect();
        let changed = changes.iter().map(|change| change.path).collect();
        let said_anew = runner_changed::said_anew(&before, &after, &changed);
        let places = Places::of(&before, &after);
        let (vanished, replaced) =
            (vanished::find(changes, &places), submodule_replaced::find(changes, scope));
        let unlinked = test_removed::unlinked(changes, &files, &places);
        let pulled_in = framework::pulled_in(changes);
        Self { scope, before, after, hidden_goals, vanished, unlinked, pulled_in, replaced, said_anew }
    }
}

/// Where a trick was seen in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Sight {
    /// In the file as it is now, where the place still exists.
    line: Option<usize>,
    text: String,
}

/// A trick that was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting {
    pub trick: &'static str,
    pub path: String,
    pub line: Option<usize>,
    pub text: String,
}

impl Sighting {
    /// Says it in one line.
    pub fn words(&self) -> String {
        let place = self.line.map(|line| format!(":{line}")).unwrap_or_default();
        format!("{}: {}{place}: {}", self.trick, self.path, self.text)
    }
}

/// Looks for every trick in everything that changed: one trick after the other, each in the order of the changes.
pub fn look(changes: &[Change<'_>], scope: &Scope) -> Vec<Sighting> {
    let scene = Scene::new(changes, scope);
    let mut seen: Vec<Vec<Sighting>> = ALL.iter().map(|_| Vec::new()).collect();
    for change in changes {
        // Compared once for all tricks: there may be thousands of files.
        let lines = Lines::of(change);
        for (trick, seen) in ALL.iter().zip(&mut seen) {
            let sights = (trick.look)(change, lines.as_ref(), &scene);
            seen.extend(sights.into_iter().take(SIGHTINGS_PER_FILE_MAX).map(|sight| Sighting {
                trick: trick.name,
                path: change.path.to_owned(),
                line: sight.line,
                text: crate::secret::mask(&sight.text).into_owned(),
            }));
        }
    }
    seen.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests;
