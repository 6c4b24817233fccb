//! What a run has reached. A run that did not reach everything proves less than it seems.

use std::collections::{BTreeMap, BTreeSet};

use baton_engine::event::KINDS;
use baton_engine::fact::{Disposition, Reason};
use baton_engine::state::StatusKind;

/// Everything that can go wrong in the simulated world.
pub const FAULTS: &[&str] = &[
    "crash",
    "crash_before_effect",
    "power_cut",
    "lost_race",
    "storage_error",
    "unknown_kept",
    "unknown_lost",
    "clock_jump",
    "mail_duplicated",
    "mail_late",
    "forged_lease",
    "forged_role",
    "agent_hangs",
    "agent_crashes",
    "provider_fails",
    "tree_changes",
    "check_times_out",
    "check_writes",
    "verifier_writes",
    "verifier_omits",
    "verifier_without_evidence",
    "verifier_on_stale_tree",
    "merge_conflict",
    "rollback_fails",
    "gate_answer_late",
    "covenant_changes",
    "usage_overrun",
];

/// Not reached as reasons of a decision: a snapshot is always there before anybody works, and a rollback that failed
/// lies with a person without one.
const UNREACHED_REASONS: &[&str] = &["rollback_unavailable", "rollback_failed"];

#[derive(Clone, Debug, Default)]
pub struct Coverage {
    reached: BTreeMap<&'static str, BTreeSet<String>>,
}

impl Coverage {
    pub(crate) fn reach(&mut self, list: &'static str, what: &str) {
        let names = self.reached.entry(list).or_default();
        if !names.contains(what) {
            names.insert(what.to_owned());
        }
    }

    pub fn merge(&mut self, other: &Self) {
        for (list, names) in &other.reached {
            self.reached.entry(list).or_default().extend(names.iter().cloned());
        }
    }

    pub fn count(&self, list: &str) -> usize {
        self.reached.get(list).map_or(0, BTreeSet::len)
    }

    /// Returns what every long run must have reached and this one did not.
    pub fn missing(&self) -> Vec<String> {
        let states = StatusKind::ALL.iter().filter(|kind| **kind != StatusKind::None).map(|kind| kind.name());
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
        expect("fault", &mut FAULTS.iter().copied());
        expect("state", &mut states.into_iter());
        expect("disposition", &mut dispositions.into_iter());
        expect("reason", &mut reasons.into_iter());
        expect("event", &mut events.into_iter());
        missing
    }
}
