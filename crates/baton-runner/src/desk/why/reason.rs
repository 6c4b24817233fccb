//! Why a decision was taken, in sentences.

use baton_engine::fact::{Disposition, Reason};

/// Says a reason in a sentence; its name stands with it, for it is what the record holds.
pub(super) fn reason_words(reason: Reason) -> String {
    let words = match reason {
        Reason::AllCriteriaPass => "an independent verifier found every criterion met",
        Reason::StageChecksPass => "everything that this stage must show is shown",
        Reason::SelfChecked => "no check of the host fails; nobody independent has judged it",
        Reason::AcceptedWithWaiver => "a person let something pass that was not shown",
        Reason::ChecksFailed => "a check of the host failed",
        Reason::ClaimContradicted => "the evidence denies what the handoff claims",
        Reason::CriteriaFailed => "the verifier found a criterion not met",
        Reason::InsufficientEvidence => "something was not shown either way",
        Reason::CheckUnavailable => "a check cannot be run here, so nothing is known of the work",
        Reason::FailedBefore => "a check fails, and failed in the same way before the work began",
        Reason::HandoffInvalid => "the handoff itself is wrong",
        Reason::PlanInvalid => "the build plan is wrong",
        Reason::WorkIncomplete => "whoever worked says that it is not finished",
        Reason::TurnLost => "the turn ended without a handoff",
        Reason::ProviderFault => "the provider of the agent failed",
        Reason::TurnStopped => "a person stopped the run, so whoever had the turn goes on",
        Reason::GateRejected => "a person rejected it at a gate",
        Reason::GateQuestioned => "a person asked something at a gate",
        Reason::MergeConflict => "it could not be merged",
        Reason::Safety => "the host saw something unsafe",
        Reason::Regression => "the host saw something break that worked before",
        Reason::ClarificationUnresolved => "a question was left open",
        Reason::ClarificationAnswered => "the question was answered, so whoever asked goes on",
        Reason::DelegationReturned => "the delegated work came back, so the agent that delegated it resumes",
        Reason::AccessRefused => "the provider of the agent does not let the account in",
        Reason::ClarificationExhausted => "too many questions were asked",
        Reason::PolicyConflict => "the change goes beyond what was allowed",
        Reason::RetriesExhausted => "all attempts are used up",
        Reason::NoProgress => "the same failure came again and nothing had changed",
        Reason::BudgetExhausted => "the budget is used up",
        Reason::VerificationExhausted => "no verification came to anything",
        Reason::ProviderUnavailable => "the provider of the agent failed too often",
        Reason::RollbackUnavailable => "it should be rolled back, and there is no good snapshot",
        Reason::RollbackFailed => "it could not be rolled back",
        Reason::NeedsHumanInput => "only a person can decide this",
        Reason::ExternalDependency => "it needs something from outside that is not there",
        Reason::ScopeChange => "it turned out to be another task than was ordered",
    };
    format!("{words} [{}]", reason.name())
}

pub(super) fn verb(disposition: Disposition) -> &'static str {
    match disposition {
        Disposition::Accept => "accept",
        Disposition::Rework => "rework",
        Disposition::Rollback => "roll back",
        Disposition::Escalate => "escalate to a person",
    }
}
