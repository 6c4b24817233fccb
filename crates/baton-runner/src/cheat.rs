//! Tricks that make checks pass without the work: seen in what changed, whoever changed it.
//!
//! One file for each trick, of one shape. A sighting is no proof of intent: it says that the checks of this project no
//! longer mean what they meant, and that a person has to look before the work can pass.

mod assertion_weakened;
mod check_detected;
mod early_exit;
mod failure_swallowed;
mod guard_edited;
mod line;
mod out_of_scope;
mod runner_changed;
mod test_removed;
mod test_skipped;
mod threshold_lowered;

pub use line::Kind;
pub(crate) use test_removed::begins_test;

/// Most sightings of one trick in one file; one is enough to stop, a few help to understand.
const SIGHTINGS_PER_FILE_MAX: usize = 5;
/// Largest file that is compared line by line; a larger one is only looked at by its name.
pub const COMPARED_BYTES_MAX: usize = 1024 * 1024;

/// Every trick, in the order in which they are reported.
pub const ALL: &[&Trick] = &[
    &guard_edited::TRICK,
    &out_of_scope::TRICK,
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
    look: fn(&Change<'_>, &Scope) -> Vec<Sight>,
}

/// A file before and after a turn.
#[derive(Clone, Copy, Debug)]
pub struct Change<'a> {
    /// From the root of the project, with `/` between its parts.
    pub path: &'a str,
    /// Nothing where it did not exist.
    pub before: Option<&'a [u8]>,
    pub after: Option<&'a [u8]>,
}

/// What a turn was allowed to change.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Files and folders that the plan names; empty when it names none, and then all may be changed.
    pub targets: Vec<String>,
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

/// Looks for every trick in everything that changed, in the order of the changes.
pub fn look(changes: &[Change<'_>], scope: &Scope) -> Vec<Sighting> {
    let mut seen = Vec::new();
    for trick in ALL {
        for change in changes {
            let sights = (trick.look)(change, scope);
            seen.extend(sights.into_iter().take(SIGHTINGS_PER_FILE_MAX).map(|sight| Sighting {
                trick: trick.name,
                path: change.path.to_owned(),
                line: sight.line,
                text: baton_handoff::secret::mask(&sight.text).into_owned(),
            }));
        }
    }
    seen
}

#[cfg(test)]
mod tests;
