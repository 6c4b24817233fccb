//! How the work stands as a whole, by whatever the dialect says it with.

use baton_handoff::dialect::Dialect;
use baton_handoff::field::Field;
use baton_handoff::handoff::Handoff;
use baton_handoff::marker::Marker;
use baton_handoff::outcome::{self, Outcome};
use baton_handoff::record::Record;

/// Who is asked and isn't an agent.
const PEOPLE: &[&str] = &["human", "user", "person"];

/// Keys of a completion claim that say how the work stands.
const COMPLETION_KEYS: &[&str] =
    &["status", "outcome", "claim", "state", "result", "complete", "completed", "done", "finished", "ready"];

/// Returns the outcome that the handoff states.
pub(super) fn outcome(handoff: &Handoff<'_>) -> Outcome {
    match outcome::conclude(&handoff.everything()).outcome {
        Outcome::Unknown => completion_claim(&handoff.record).unwrap_or(Outcome::Unknown),
        stated => stated,
    }
}

/// Says whether it hands over as done what its turn was for. A package says so by passing the work on, an artifact by its
/// marker.
pub(super) fn finishes(handoff: &Handoff<'_>, markers: &[Marker<'_>]) -> bool {
    match outcome(handoff) {
        Outcome::Completed => true,
        Outcome::Unknown => {
            let is_marked = markers.iter().any(|marker| marker.name == "waypoint-complete");
            is_marked || passes_on(handoff)
        }
        _ => false,
    }
}

/// A build artifact says in its completion claim how the work stands.
fn completion_claim(record: &Record<'_>) -> Option<Outcome> {
    let claim = record.tree(Field::CompletionClaim)?;
    let said = COMPLETION_KEYS.iter().find_map(|key| claim.get(key)).unwrap_or(claim);
    match said.text()?.trim() {
        "true" | "yes" => Some(Outcome::Completed),
        "false" | "no" => Some(Outcome::InProgress),
        text => outcome::from_words(text),
    }
}

/// A package to another agent passes the work on; one to a person asks for something.
fn passes_on(handoff: &Handoff<'_>) -> bool {
    let to = handoff.record.str(Field::To).map(|to| to.trim().to_lowercase());
    handoff.dialect == Dialect::Package
        && handoff.variant.name == "package"
        && to.is_some_and(|to| !PEOPLE.contains(&to.as_str()))
}
