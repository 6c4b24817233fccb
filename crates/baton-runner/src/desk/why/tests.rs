use baton_engine::fact::Reason;

/// Reasons for which nobody is asked: the work is accepted, goes back to its agent, or goes back to good files.
const WITHOUT_PERSON: &[Reason] = &[
    Reason::AllCriteriaPass,
    Reason::StageChecksPass,
    Reason::SelfChecked,
    Reason::AcceptedWithWaiver,
    Reason::ChecksFailed,
    Reason::CriteriaFailed,
    Reason::InsufficientEvidence,
    Reason::HandoffInvalid,
    Reason::PlanInvalid,
    Reason::WorkIncomplete,
    Reason::TurnLost,
    Reason::ProviderFault,
    Reason::TurnStopped,
    Reason::ClarificationAnswered,
    Reason::DelegationReturned,
    Reason::GateRejected,
    Reason::GateQuestioned,
    Reason::MergeConflict,
    Reason::Safety,
    Reason::Regression,
];

#[test]
fn the_guide_names_every_reason_for_which_a_person_is_asked() {
    let guide = include_str!("../../../../../docs/guides/when-it-asks.md");
    for reason in Reason::ALL.iter().filter(|reason| !WITHOUT_PERSON.contains(reason)) {
        assert!(guide.contains(&format!("| `{}` |", reason.name())), "{} is missing", reason.name());
    }
}
