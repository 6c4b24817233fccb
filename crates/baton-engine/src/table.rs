//! The transition table: which command a task takes in which state. Who may ask is in the list of commands.

use crate::command::ActKind;
use crate::state::StatusKind;

use ActKind::*;

const WHILE_OPEN: &[ActKind] =
    &[Depend, ReleaseDependency, Answer, Waive, ObserveTree, RecordNotice, Spend, Escalate, Cancel];
const IN_TURN: &[ActKind] =
    &[RecordSnapshot, Launch, Renew, RecordPrompt, EndTurn, Expire, Ask, AskGate, Delegate, HandInPlan];

const ROWS: &[(StatusKind, &[ActKind])] = &[
    (StatusKind::None, &[AddTask]),
    (StatusKind::Pending, &[]),
    (StatusKind::Ready, &[StartTurn, Decide]),
    (StatusKind::Working, &[Submit]),
    (StatusKind::Checking, &[RecordReceipt, AskGate, AnswerGate, Decide]),
    (StatusKind::Verifying, &[StartTurn, RecordReceipt, RecordVerdict, AskGate, AnswerGate, Decide]),
    (
        StatusKind::Waiting,
        &[
            Acknowledge,
            Submit,
            AnswerGate,
            AskGate,
            Return,
            Resolve,
            RecordReceipt,
            RecordRollback,
            RecordMerge,
            RecordVerdict,
            Decide,
        ],
    ),
    (StatusKind::Blocked, &[Resolve]),
    (StatusKind::Done, &[]),
    (StatusKind::DoneUnverified, &[]),
    (StatusKind::Failed, &[]),
    (StatusKind::RolledBack, &[]),
    (StatusKind::Cancelled, &[]),
];

/// Says whether a task in this state takes this command at all; the decision looks closer.
pub fn takes(status: StatusKind, act: ActKind) -> bool {
    let open = matches!(
        status,
        StatusKind::Pending
            | StatusKind::Ready
            | StatusKind::Working
            | StatusKind::Checking
            | StatusKind::Verifying
            | StatusKind::Waiting
            | StatusKind::Blocked
    );
    let in_turn = matches!(status, StatusKind::Working | StatusKind::Verifying | StatusKind::Waiting);
    open && WHILE_OPEN.contains(&act)
        || in_turn && IN_TURN.contains(&act)
        || ROWS.iter().any(|(row, acts)| *row == status && acts.contains(&act))
}

/// Writes the reference page of the engine: who may ask for what, and in which state.
pub fn page() -> String {
    let mut page = String::from(
        "# Engine\n\nThis page is made from the engine's own tables; `cargo xtask docs` writes it anew.\n\n\
         ## Who may ask for what\n\n| command | person | agent | orchestrator | host |\n|---|---|---|---|---|\n",
    );
    for act in ActKind::ALL {
        let marks: Vec<&str> = crate::envelope::ActorKind::ALL
            .iter()
            .map(|kind| if act.allowed().contains(kind) { "yes" } else { "" })
            .collect();
        page.push_str(&format!("| `{}` | {} |\n", act.name(), marks.join(" | ")));
    }
    page.push_str(
        "\nAn agent's commands also need the lease of its turn. Everything else is refused, and what somebody may \
         not ask for is\nrecorded.\n\n## Which state takes which command\n\nThese commands of the project's own stream \
         are taken at any time:\n",
    );
    let own: Vec<String> = ActKind::ALL
        .iter()
        .filter(|act| act.is_for_project())
        .map(|act| format!("`{}`", act.name()))
        .collect();
    page.push_str(&own.join(", "));
    page.push_str(".\n\n| state | commands |\n|---|---|\n");
    for status in StatusKind::ALL {
        let taken: Vec<String> = ActKind::ALL
            .iter()
            .filter(|act| takes(*status, **act))
            .map(|act| format!("`{}`", act.name()))
            .collect();
        let taken = if taken.is_empty() { "none".to_owned() } else { taken.join(", ") };
        page.push_str(&format!("| {} | {taken} |\n", status.name()));
    }
    page.push_str(
        "\n## Why a command is refused\n\n| name | what happened | why | what to do |\n|---|---|---|---|\n",
    );
    for refusal in crate::rejection::Refusal::ALL {
        let (name, happened, why, next) = (refusal.name(), refusal.happened(), refusal.why(), refusal.next());
        page.push_str(&format!("| `{name}` | {happened} | {why} | {next} |\n"));
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_page_is_this_table() {
        let written = include_str!("../../../docs/reference/engine.md");
        assert!(written == page(), "docs/reference/engine.md is out of date: run `cargo xtask docs`");
    }

    #[test]
    fn an_ended_task_takes_nothing() {
        use StatusKind::{Cancelled, Done, DoneUnverified, Failed, RolledBack};
        for status in [Done, DoneUnverified, Failed, RolledBack, Cancelled] {
            assert!(ActKind::ALL.iter().all(|act| !takes(status, *act)), "{status:?}");
        }
    }

    #[test]
    fn every_command_has_a_place_and_somebody_who_may_ask() {
        for act in ActKind::ALL {
            assert!(!act.allowed().is_empty());
            let placed = StatusKind::ALL.iter().any(|status| takes(*status, *act));
            assert_eq!(placed, !act.is_for_project(), "{}", act.name());
        }
    }
}
