//! Which fault has to come in which state of a task, and why the other pairs are not asked for.

use baton_engine::state::StatusKind::{
    self, Blocked, Cancelled, Checking, Done, Pending, Ready, RolledBack, Verifying, Waiting, Working,
};

/// Whether a fault has to be seen in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// A full run that does not reach it fails.
    Must,
    /// It can happen, and nothing makes it likely.
    Seldom(&'static str),
    /// It cannot happen; a run that reaches it fails, because then this table is wrong.
    Never(&'static str),
}

/// One row: the fault, the states in which it must come, and what holds for all other states.
struct Row {
    fault: &'static str,
    must: &'static [StatusKind],
    else_: Expected,
}

/// All but that of a task that was never added.
const EVERY: &[StatusKind] = match StatusKind::ALL {
    [StatusKind::None, added @ ..] => added,
    _ => &[],
};
const OPEN: &[StatusKind] = &[Pending, Ready, Working, Checking, Verifying, Waiting, Blocked];
const IN_TURN: &[StatusKind] = &[Working, Verifying, Waiting];

const NOTHING_LEFT: Expected = Expected::Never("every state is asked for");
const NOT_WRITTEN: Expected = Expected::Never("nothing is written to a task that has ended");
const NO_WORKSPACE: Expected = Expected::Never("the workspace of an ended task concerns nobody");
const NO_TURN: Expected = Expected::Never("no turn is being taken, so no agent is at work");
const NO_VERIFIER: Expected = Expected::Never("no verifier is at work");
const OLD_NEWS: Expected = Expected::Seldom("only a host that has not read on still tries it then");
const OPEN_GATE: Expected = Expected::Seldom("a gate is seldom open then");

const ROWS: &[Row] = &[
    Row { fault: "crash", must: EVERY, else_: NOTHING_LEFT },
    Row { fault: "crash_before_effect", must: IN_TURN, else_: OLD_NEWS },
    Row { fault: "power_cut", must: EVERY, else_: NOTHING_LEFT },
    Row { fault: "lost_race", must: EVERY, else_: NOTHING_LEFT },
    Row { fault: "storage_error", must: OPEN, else_: NOT_WRITTEN },
    Row { fault: "unknown_kept", must: OPEN, else_: NOT_WRITTEN },
    Row { fault: "unknown_lost", must: OPEN, else_: NOT_WRITTEN },
    Row { fault: "clock_jump", must: EVERY, else_: NOTHING_LEFT },
    Row { fault: "mail_duplicated", must: EVERY, else_: NOTHING_LEFT },
    Row { fault: "mail_late", must: EVERY, else_: NOTHING_LEFT },
    Row { fault: "forged_lease", must: EVERY, else_: NOTHING_LEFT },
    Row { fault: "forged_role", must: EVERY, else_: NOTHING_LEFT },
    Row { fault: "agent_hangs", must: IN_TURN, else_: NO_TURN },
    Row { fault: "agent_crashes", must: IN_TURN, else_: NO_TURN },
    Row { fault: "provider_fails", must: IN_TURN, else_: NO_TURN },
    Row { fault: "tree_changes", must: OPEN, else_: NO_WORKSPACE },
    Row { fault: "check_times_out", must: &[Checking, Verifying, Waiting], else_: OLD_NEWS },
    Row { fault: "check_writes", must: &[Checking, Verifying, Waiting], else_: OLD_NEWS },
    Row { fault: "verifier_writes", must: &[Verifying, Waiting], else_: NO_VERIFIER },
    Row { fault: "verifier_omits", must: &[Verifying, Waiting], else_: NO_VERIFIER },
    Row { fault: "verifier_without_evidence", must: &[Verifying, Waiting], else_: NO_VERIFIER },
    Row { fault: "verifier_on_stale_tree", must: &[Verifying, Waiting], else_: NO_VERIFIER },
    Row { fault: "merge_conflict", must: &[Waiting], else_: OLD_NEWS },
    Row { fault: "rollback_fails", must: &[Waiting, RolledBack], else_: OLD_NEWS },
    Row { fault: "gate_answer_late", must: &[Waiting, Done, Cancelled], else_: OPEN_GATE },
    Row { fault: "covenant_changes", must: EVERY, else_: NOTHING_LEFT },
    Row { fault: "usage_overrun", must: IN_TURN, else_: NO_TURN },
];

/// Returns the names of all faults.
pub fn faults() -> impl Iterator<Item = &'static str> {
    ROWS.iter().map(|row| row.fault)
}

/// Returns the states that a task can be in.
pub fn states() -> &'static [StatusKind] {
    EVERY
}

/// Says whether a fault has to come in a state.
pub fn expected(fault: &str, state: StatusKind) -> Expected {
    match ROWS.iter().find(|row| row.fault == fault) {
        Some(row) if row.must.contains(&state) => Expected::Must,
        Some(row) => row.else_,
        None => Expected::Never("there is no such fault"),
    }
}
