//! What holds in every reachable state: each rule is a named check over the log of one task, and over nothing else.
//!
//! They read the events as they were recorded and share no code with deciding or folding, so that a mistake there
//! does not hide itself here.

mod bound;
mod protocol;
mod walk;

use crate::event::Entry;

/// One rule.
#[derive(Clone, Copy)]
pub struct Invariant {
    pub name: &'static str,
    /// The file of the rule: the nine of the protocol have one of their own.
    group: &'static str,
    /// What holds, in a sentence.
    pub holds: &'static str,
    pub check: fn(&[Entry]) -> Result<(), String>,
}

impl Invariant {
    /// Says whether it is one of the nine invariants of the handoff protocol.
    pub fn is_of_protocol(&self) -> bool {
        self.group == "protocol"
    }
}

impl std::fmt::Debug for Invariant {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(self.name)
    }
}

macro_rules! invariants {
    ($($module:ident::$name:ident $holds:literal;)*) => {
        pub const ALL: &[Invariant] = &[
            $(Invariant {
                name: stringify!($name),
                group: stringify!($module),
                holds: $holds,
                check: $module::$name,
            },)*
        ];
    };
}

invariants! {
    protocol::single_authority "Only the orchestrator changes the status of a task; people and the host do only what is theirs.";
    protocol::verifier_cannot_write "A verdict that counts left the tree as it was.";
    protocol::criterion_has_evidence "Accepted work has, for every criterion, a pass with a receipt of the host for the same tree.";
    protocol::rollback_has_remediation "A rollback that could not be done says what a person must do.";
    protocol::completion_claim_is_not_the_end "Nothing is accepted without the host's receipt after the handoff, and a verifier who did not build.";
    protocol::guidance_with_every_turn "Every turn has its guidance directly before it.";
    protocol::doubt_is_answered_by_authority "A question is answered by a person, or by a named place in the covenant.";
    protocol::decision_has_reason_and_references "Every decision has a reason that fits it and refers to what was recorded before.";
    protocol::open_clarification_forbids "No turn starts and nothing is accepted while a question is open.";
    bound::versions_without_gap "Versions are 1, 2, 3 and so on.";
    bound::refusals_recorded_once "The same refusal to the same caller is one event; its repeats are counted.";
    bound::nothing_after_the_end "After the end of a task nothing happens to it.";
    bound::retries_bounded "At most three retries in a stage and round, and attempts are counted from the log.";
    bound::turn_launched_once "A turn is launched at most once, after its start and its snapshot.";
    bound::turn_ends_once "A turn has one end.";
    bound::acknowledged_before_work "Work on a handoff is handed over only after the handoff was acknowledged.";
    bound::planned_before_work "Where a stage wants a plan, work is handed over only after one was taken.";
    bound::gate_answered_for_this_version "Nothing passes a blocking gate without a person's approval of exactly this version.";
    bound::budget_within_cap "No turn starts whose tokens are not covered.";
    bound::dollars_and_time_within_cap "No program begins when the dollars of its task are used up, and none gets more time than its task has.";
    bound::artifacts_never_rewritten "An id stands for the same bytes for ever.";
    bound::waiver_is_a_human_act "A waiver has a person, a reason and an end that lay ahead.";
    bound::delegation_bounded "Delegations are few, not deep, and go in no circle.";
    bound::self_checked_is_not_verified "Only independently judged work without waivers ends as done.";
    bound::dependencies_first "No turn starts before everything it depends on was released.";
    bound::merged_once "Work is merged at most once, only after it was accepted, and never with what its checks failed beside.";
    bound::clarifications_bounded "Questions are bounded.";
}

/// Returns the first rule that a log breaks, and how.
pub fn violation(log: &[Entry]) -> Option<(&'static str, String)> {
    ALL.iter().find_map(|rule| (rule.check)(log).err().map(|how| (rule.name, how)))
}

/// Checks a rule in the state after each event of a log; returns the number of states it was checked in, and how the last of
/// them breaks it.
pub fn replay(rule: &Invariant, log: &[Entry]) -> (usize, Option<String>) {
    for states in 1..=log.len() {
        if let Err(how) = (rule.check)(&log[..states]) {
            return (states, Some(how));
        }
    }
    (log.len(), None)
}

#[cfg(test)]
mod tests;
