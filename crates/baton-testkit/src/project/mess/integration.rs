//! How the work of a chain came into the repository.

use std::io;

use super::chain::{Chain, Stage};
use super::document;
use super::event::{Edit, Event, Place};
use crate::project::moment::Moment;
use crate::random::Random;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Integration {
    /// Commits on the main branch, as they come.
    Direct,
    /// A branch that is merged.
    Merge,
    /// A branch that became one commit; its own are gone.
    Squash,
    /// Commits with later dates of the committer; the old ones are gone.
    Rebase,
    /// All code in the first commit, by the date of the first.
    Fixup,
    /// The code on two branches.
    CherryPick,
    /// The handoffs on the main branch, and the code on one that was never merged.
    Unmerged,
    /// Nothing was committed yet.
    Uncommitted,
}

impl Integration {
    pub(super) const ALL: &[Integration] = &[
        Integration::Direct,
        Integration::Direct,
        Integration::Merge,
        Integration::Squash,
        Integration::Rebase,
        Integration::Fixup,
        Integration::CherryPick,
        Integration::Unmerged,
        Integration::Uncommitted,
    ];

    /// Says whether the commits that the people saw are still there.
    pub(super) fn keeps_commits(self) -> bool {
        matches!(
            self,
            Integration::Direct | Integration::Merge | Integration::CherryPick | Integration::Unmerged
        )
    }
}

/// Returns the commits of a chain.
pub(super) fn place(chain: &Chain, random: &mut Random) -> io::Result<Vec<Event>> {
    let mut code = Vec::new();
    let mut handoffs = Vec::new();
    for (number, stage) in chain.stages.iter().enumerate() {
        let length = (stage.ended.second - stage.began.second) / 60;
        let worked = match chain.habits.handoff_first {
            true => stage.ended.plus_minutes(random.between(5, 55) as i64),
            false => stage.began.plus_minutes(random.between(1, length as usize) as i64),
        };
        let told = stage.ended.plus_minutes(random.between(1, 4) as i64);
        code.push(event(chain, stage, worked, stage.edits.clone()));
        handoffs.push(event(chain, stage, told, handoff_edits(chain, number)?));
    }
    let later = chain.stages.iter().map(|stage| stage.ended).max().unwrap_or(code[0].at);
    let later = later.plus_minutes(random.between(60, 4000) as i64);
    let branch = format!("feature/{}", chain.slug.replace('_', "-"));
    Ok(match chain.integration {
        Integration::Direct => joined(code, handoffs),
        Integration::Merge => merged(joined(code, handoffs), &branch, later),
        Integration::Squash => squashed(&joined(code, handoffs), later),
        Integration::Rebase => rebased(joined(code, handoffs), later),
        Integration::Fixup => joined(vec![folded(&code, later)], rebased(handoffs, later.plus_minutes(1))),
        Integration::CherryPick => joined(picked(&code, chain.number, later), handoffs),
        Integration::Unmerged => joined(moved(code, &Place::Branch(branch)), handoffs),
        Integration::Uncommitted => moved(joined(code, handoffs), &Place::WorkTree),
    })
}

fn event(chain: &Chain, stage: &Stage, at: Moment, edits: Vec<Edit>) -> Event {
    let is_release = chain.number % 7 == 3 && stage.name == "qa";
    Event {
        at,
        committed: at,
        person: stage.person,
        chain: chain.number,
        place: Place::Main,
        message: format!("{}: {} of {}\n", chain.id, stage.name, chain.title),
        edits,
        tag: is_release.then(|| format!("v0.{}.{}", chain.number, stage.retries)),
    }
}

fn handoff_edits(chain: &Chain, number: usize) -> io::Result<Vec<Edit>> {
    let (path, text) = document::handoff(chain, number)?;
    let logs = document::logs(chain, &chain.stages[number]);
    let logs =
        logs.into_iter().map(|(file, text)| Edit::Put { path: format!("{}/{file}", chain.folder()), text });
    Ok([Edit::Handoff { path, text }].into_iter().chain(logs).collect())
}

fn joined(code: Vec<Event>, handoffs: Vec<Event>) -> Vec<Event> {
    let mut events: Vec<Event> = code.into_iter().chain(handoffs).collect();
    events.sort_by_key(|event| event.committed);
    events
}

fn moved(mut events: Vec<Event>, place: &Place) -> Vec<Event> {
    for event in &mut events {
        event.place = place.clone();
        event.tag = None;
    }
    events
}

fn all_edits(events: &[Event]) -> Vec<Edit> {
    events.iter().flat_map(|event| event.edits.iter().cloned()).collect()
}

fn merged(events: Vec<Event>, branch: &str, later: Moment) -> Vec<Event> {
    let mut merge = Event { at: later, committed: later, tag: None, ..events[0].clone() };
    merge.place = Place::Merge(branch.to_owned());
    merge.message = format!("Merge branch '{branch}'\n");
    merge.edits = all_edits(&events);
    let mut events = moved(events, &Place::Branch(branch.to_owned()));
    events.push(merge);
    events
}

fn squashed(events: &[Event], later: Moment) -> Vec<Event> {
    let message = format!("{} (#{})\n", events[0].message.trim_end(), 100 + events[0].chain);
    vec![Event {
        at: later,
        committed: later,
        edits: all_edits(events),
        message,
        tag: None,
        ..events[0].clone()
    }]
}

fn rebased(mut events: Vec<Event>, later: Moment) -> Vec<Event> {
    for (number, event) in events.iter_mut().enumerate() {
        event.committed = Moment { second: later.second + number as i64 };
    }
    events
}

fn folded(events: &[Event], later: Moment) -> Event {
    Event { committed: later, edits: all_edits(events), tag: None, ..events[0].clone() }
}

/// The code as it was made on a release branch, and once more on the main one.
fn picked(events: &[Event], number: usize, later: Moment) -> Vec<Event> {
    let release = Place::Branch(format!("release/{}", number / 5));
    let first = moved(events.to_vec(), &release);
    let second = rebased(events.to_vec(), later).into_iter().map(|event| {
        let message = format!("{}\n(cherry picked from the release)\n", event.message);
        Event { message, ..event }
    });
    first.into_iter().chain(second).collect()
}
