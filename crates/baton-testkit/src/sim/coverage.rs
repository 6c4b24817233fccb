//! What a run has reached. A run that did not reach everything proves less than it seems.

use std::collections::{BTreeMap, BTreeSet};

use baton_engine::event::KINDS;
use baton_engine::fact::{Disposition, Reason};
use baton_engine::state::StatusKind;

use super::pair::{self, Expected};

/// Not reached as reasons of a decision: a snapshot is always there before anybody works, and a rollback that failed
/// lies with a person without one.
const UNREACHED_REASONS: &[&str] = &["rollback_unavailable", "rollback_failed"];

#[derive(Clone, Debug, Default)]
pub struct Coverage {
    reached: BTreeMap<&'static str, BTreeSet<String>>,
    /// Which fault came in which state of a task, and how often.
    pairs: BTreeMap<(&'static str, StatusKind), usize>,
}

impl Coverage {
    pub(crate) fn reach(&mut self, list: &'static str, what: &str) {
        let names = self.reached.entry(list).or_default();
        if !names.contains(what) {
            names.insert(what.to_owned());
        }
    }

    pub(crate) fn pair(&mut self, fault: &'static str, state: StatusKind) {
        *self.pairs.entry((fault, state)).or_default() += 1;
    }

    pub fn merge(&mut self, other: &Self) {
        for (list, names) in &other.reached {
            self.reached.entry(list).or_default().extend(names.iter().cloned());
        }
        for (pair, count) in &other.pairs {
            *self.pairs.entry(*pair).or_default() += count;
        }
    }

    /// Returns how often a fault came while a task was in a state.
    pub fn times(&self, fault: &'static str, state: StatusKind) -> usize {
        self.pairs.get(&(fault, state)).copied().unwrap_or(0)
    }

    pub fn count(&self, list: &str) -> usize {
        self.reached.get(list).map_or(0, BTreeSet::len)
    }

    /// Returns what every long run must have reached and this one did not.
    pub fn missing(&self) -> Vec<String> {
        let states = pair::states().iter().map(|kind| kind.name());
        let dispositions = Disposition::ALL.iter().map(|disposition| disposition.name());
        let reasons =
            Reason::ALL.iter().map(|reason| reason.name()).filter(|name| !UNREACHED_REASONS.contains(name));
        let events = KINDS.iter().map(|(kind, _)| *kind);
        let mut missing = Vec::new();
        let mut expect = |list: &str, names: &mut dyn Iterator<Item = &'static str>| {
            let reached = self.reached.get(list);
            let unseen = names.filter(|name| !reached.is_some_and(|reached| reached.contains(*name)));
            missing.extend(unseen.map(|name| format!("{list} {name}")));
        };
        expect("fault", &mut pair::faults());
        expect("state", &mut states.into_iter());
        expect("disposition", &mut dispositions.into_iter());
        expect("reason", &mut reasons.into_iter());
        expect("event", &mut events.into_iter());
        missing
    }

    /// Returns the pairs of a fault and a state that a full run must have reached and this one did not, and those that
    /// it reached though they cannot be.
    pub fn wrong_pairs(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        for (fault, state) in
            pair::faults().flat_map(|fault| pair::states().iter().map(move |state| (fault, *state)))
        {
            let times = self.times(fault, state);
            match pair::expected(fault, state) {
                Expected::Must if times == 0 => {
                    wrong.push(format!("{fault} never came while {}", state.name()))
                }
                Expected::Never(why) if times > 0 => {
                    wrong.push(format!("{fault} came while {}, though {why}", state.name()));
                }
                Expected::Must | Expected::Seldom(_) | Expected::Never(_) => {}
            }
        }
        wrong
    }
}
