//! What happens to files when the work on them is long over.

use super::chain::{Chain, code};
use super::event::{Edit, Event, Place};
use super::integration::Integration;
use crate::project::moment::Moment;
use crate::random::Random;

/// Returns what happens to the files of a chain after the end of all.
pub(super) fn place(chain: &Chain, end: Moment, random: &mut Random) -> Option<Event> {
    if matches!(chain.integration, Integration::Unmerged | Integration::Uncommitted) {
        return None;
    }
    let module = chain.module();
    let (message, edit) = match random.below(5) {
        0 => ("Move", Edit::Move { from: module, to: format!("src/core/{}.rs", chain.slug) }),
        1 => ("Shorten", Edit::Put { path: module, text: code(&chain.title, 0) }),
        2 => ("Delete the tests of", Edit::Delete { path: chain.test() }),
        3 => ("Delete", Edit::Delete { path: module }),
        _ => ("Archive the handoffs of", Edit::Move { from: chain.folder(), to: archive(chain) }),
    };
    let at = end.plus_minutes(60 + random.below(20_000) as i64);
    Some(Event {
        at,
        committed: at,
        person: random.below(4),
        chain: chain.number,
        place: Place::Main,
        message: format!("{message} {}\n", chain.title),
        edits: vec![edit],
        tag: None,
    })
}

fn archive(chain: &Chain) -> String {
    format!("archive/{}", chain.folder())
}
