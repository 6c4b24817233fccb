//! What is to be decided about a task, or what is still missing before anything can be.
//!
//! In order of weight: a person is needed, the work is unsafe, the work failed, the work passes. Whatever is not
//! shown to pass does not.

mod failure;

use crate::decide::expected_worker;
use crate::fact::{Charge, Danger, Disposition, Ending, Hindrance, NextTurn, Outcome, Reason, Waivable};
use crate::feedback::{Feedback, FeedbackItem, Subject};
use crate::progress::Fingerprint;
use crate::state::{Freshness, Gate, Merge, Rollback, Task};
use crate::verdict::Verdict;
use crate::word::{ArtifactId, ClarificationId, GateName, TaskId};
use crate::workflow::{GateWeight, PROVIDER_FAULTS_MAX, Role, SettledBy, VERIFICATIONS_MAX};
use failure::{Failure, failed};

/// The decision that follows from what is recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ruling {
    pub disposition: Disposition,
    pub reason: Reason,
    pub charge: Charge,
    /// What the decision rests on.
    pub refs: Vec<ArtifactId>,
    pub next: Option<NextTurn>,
    pub feedback: Option<Feedback>,
    pub fingerprint: Option<Fingerprint>,
    pub waived: Vec<Waivable>,
}

/// What is missing before there can be a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotYet {
    Ended,
    LiesWithPerson,
    LiesWithHost,
    Dependencies(Vec<TaskId>),
    Delegation,
    Turn,
    Clarification(ClarificationId),
    /// The cost of this turn or delegation is not settled.
    Usage(String),
    Work,
    Checks,
    Verification,
    Gate(GateName),
    GateAnswer(GateName),
}

impl NotYet {
    /// Says in words what is missing.
    pub fn words(&self) -> String {
        match self {
            Self::Ended => "the task has ended".to_owned(),
            Self::LiesWithPerson => "a person has to act".to_owned(),
            Self::LiesWithHost => "the host still has to stop, merge or roll back".to_owned(),
            Self::Dependencies(on) => {
                let names: Vec<&str> = on.iter().map(TaskId::as_str).collect();
                format!("it depends on {}", names.join(", "))
            }
            Self::Delegation => "delegated work has not returned".to_owned(),
            Self::Turn => "a turn is being taken".to_owned(),
            Self::Clarification(id) => format!("the question {id} is open"),
            Self::Usage(whom) => format!("the cost of {whom} is not settled"),
            Self::Work => "the next turn has not been taken".to_owned(),
            Self::Checks => {
                "the host has not checked this tree, or its checks, tools or environment are others now"
                    .to_owned()
            }
            Self::Verification => "the verifier has not judged this tree".to_owned(),
            Self::Gate(name) => format!("the gate {name} has not been asked for this version"),
            Self::GateAnswer(name) => format!("the gate {name} is not answered"),
        }
    }
}

/// Returns the decision that is due.
pub fn consider(task: &Task, now: i64) -> Result<Ruling, NotYet> {
    standing(task)?;
    if let Some(ruling) = needs_person(task)? {
        return Ok(ruling);
    }
    match task.run.lost {
        Some(Ending::Asked) => return Ok(failure::goes_on(task, Reason::ClarificationAnswered)),
        Some(Ending::Delegated) => return Ok(failure::goes_on(task, Reason::DelegationReturned)),
        _ => {}
    }
    if let Some(ending) = task.run.lost {
        if task.is_stopped_for_free(ending) {
            return Ok(failure::goes_on(task, Reason::TurnStopped));
        }
        let failure = match ending.is_provider_fault() {
            true if task.run.provider_faults >= PROVIDER_FAULTS_MAX => {
                return Ok(escalate(task, Reason::ProviderUnavailable));
            }
            true => Failure::free(Reason::ProviderFault, Subject::Provider, ending.name()),
            false if ending == Ending::AccessRefused => return Ok(escalate(task, Reason::AccessRefused)),
            false if ending == Ending::HandoffRefused => {
                Failure::plain(Reason::HandoffInvalid, Subject::Handoff, failure::why(task))
            }
            false if ending == Ending::PlanRefused => {
                Failure::plain(Reason::PlanInvalid, Subject::Plan, failure::why(task))
            }
            false => Failure::lost(ending, failure::why(task)),
        };
        return Ok(failed(task, failure.with_unanswered(task)));
    }
    if let Some(details) = &task.run.merge_conflict {
        return Ok(failed(task, Failure::plain(Reason::MergeConflict, Subject::Merge, details)));
    }
    let Some(submission) = &task.run.submission else {
        return match task.affords_turn(expected_worker(task).0, now) {
            true => Err(NotYet::Work),
            false => Ok(escalate(task, Reason::BudgetExhausted)),
        };
    };
    if let Some(block) = &submission.block {
        return Ok(escalate(task, crate::event::Event::block_reason(block.reason)));
    }
    if submission.question.is_some() {
        return Ok(failure::goes_on(task, Reason::ClarificationAnswered));
    }
    if !submission.problems.is_empty() {
        let item = |what: &String| FeedbackItem::new(Subject::Handoff, Verdict::Fail, what);
        let items = submission.problems.iter().map(item);
        let failure = Failure::of(Reason::HandoffInvalid, items.collect());
        return Ok(failed(task, failure.with_contradicted(&submission.findings)));
    }
    if submission.outcome != Outcome::Completed {
        let failure = Failure::plain(Reason::WorkIncomplete, Subject::Outcome, submission.outcome.name());
        return Ok(failed(task, failure.with_contradicted(&submission.findings)));
    }
    judge(task, now)
}

/// Refuses to consider a task that others have to act on first.
fn standing(task: &Task) -> Result<(), NotYet> {
    if task.end.is_some() {
        return Err(NotYet::Ended);
    }
    if task.cancel_requested_at.is_some() || task.rollback != Rollback::None || task.merge != Merge::None {
        return Err(NotYet::LiesWithHost);
    }
    if task.escalation.is_some() {
        return Err(NotYet::LiesWithPerson);
    }
    let waits: Vec<TaskId> = task.waits_for_dependencies().into_iter().collect();
    if !waits.is_empty() {
        return Err(NotYet::Dependencies(waits));
    }
    let is_left_to_person = task.raised.is_none() && task.turn.is_none() && task.awaits_answer().is_none();
    if task.status().waits_for_person() && is_left_to_person {
        if let Some((name, _)) = task.open_gate() {
            return Err(NotYet::GateAnswer(name.clone()));
        }
        return Err(NotYet::LiesWithPerson);
    }
    Ok(())
}

/// Escalations that no check can change.
fn needs_person(task: &Task) -> Result<Option<Ruling>, NotYet> {
    if task.open_delegation().is_some() {
        return Err(NotYet::Delegation);
    }
    let open = task.open_clarifications().next().map(|(id, _)| id.clone());
    if task.turn.is_some() {
        return Err(open.map_or(NotYet::Turn, NotYet::Clarification));
    }
    if let Some((whom, _)) = task.budget.reserved_tokens.iter().next() {
        return Err(NotYet::Usage(whom.clone()));
    }
    if let Some(raised) = &task.raised {
        return Ok(Some(escalate(task, raised.reason)));
    }
    if let Some((id, _)) = task.awaits_answer() {
        return Err(NotYet::Clarification(id.clone()));
    }
    Ok(open.map(|_| escalate(task, Reason::ClarificationUnresolved)))
}

/// Judges work that is handed over as complete.
fn judge(task: &Task, now: i64) -> Result<Ruling, NotYet> {
    let Some(receipt) = task.run.receipt.as_ref().filter(|_| task.receipt_freshness() == Freshness::Fresh)
    else {
        return Err(NotYet::Checks);
    };
    if let Some(danger) = receipt.danger {
        let reason = match danger {
            Danger::Safety => Reason::Safety,
            Danger::Regression => Reason::Regression,
        };
        return Ok(match task.snapshot_good {
            Some(_) => ruling(task, Disposition::Rollback, reason),
            None => escalate(task, Reason::RollbackUnavailable),
        });
    }
    let mut waived = Vec::new();
    match receipt.waivable() {
        Some(seen) if task.is_waived(&seen, now) => waived.push(seen),
        Some(_) if receipt.contradicted().next().is_some() => {
            let failing = checkpoints(task, now, &mut waived).map(Failure::into_items).unwrap_or_default();
            let failure =
                Failure::of(Reason::ClaimContradicted, failing).with_contradicted(&receipt.findings);
            return Ok(failed(task, failure));
        }
        Some(_) => return Ok(escalate(task, Reason::PolicyConflict)),
        None => {}
    }
    if let Some(failure) = checkpoints(task, now, &mut waived) {
        return Ok(match hindrance(task, now, &failure) {
            Some(reason) => escalate(task, reason),
            None => failed(task, failure),
        });
    }
    if task.verifier().is_some() {
        if task.report_freshness() != Freshness::Fresh {
            return match (
                task.run.verifications_lost >= VERIFICATIONS_MAX,
                task.affords_turn(Role::Verifier, now),
            ) {
                (true, _) => Ok(escalate(task, Reason::VerificationExhausted)),
                (false, false) => Ok(escalate(task, Reason::BudgetExhausted)),
                (false, true) => Err(NotYet::Verification),
            };
        }
        if let Some(failure) = criteria(task, now, &mut waived) {
            return Ok(failed(task, failure));
        }
    }
    if let Some(ruling) = gates(task)? {
        return Ok(ruling);
    }
    Ok(accept(task, waived))
}

/// Returns every checkpoint of the stage at hand that nothing shows to hold and no waiver lets pass, with what is known of it.
pub fn unshown(task: &Task, now: i64) -> Vec<FeedbackItem> {
    checkpoints(task, now, &mut Vec::new()).map(Failure::into_items).unwrap_or_default()
}

fn checkpoints(task: &Task, now: i64, waived: &mut Vec<Waivable>) -> Option<Failure> {
    let (stage, run) = (task.stage()?, &task.run);
    let mut items = Vec::new();
    for checkpoint in &stage.checkpoints {
        let name = &checkpoint.name;
        let (verdict, details) = match checkpoint.settled_by {
            SettledBy::Host => {
                let receipt = run.receipt.as_ref();
                let said =
                    receipt.and_then(|receipt| receipt.checks.iter().find(|check| check.checkpoint == *name));
                let verdict = receipt.map_or(Verdict::Inconclusive, |receipt| receipt.verdict(name));
                (verdict, said.map_or("", |check| check.detail.as_str()))
            }
            SettledBy::Agent => {
                let claims = run.submission.as_ref().map(|submission| &submission.claims);
                let said = claims.and_then(|claims| claims.get(name)).copied();
                // What the host sees to be false, no claim makes true; what it sees to hold has still to be claimed.
                let refuted = run.receipt.iter().flat_map(|receipt| &receipt.checks);
                let mut refuted = refuted.filter(|check| check.checkpoint == *name && check.is_refutation());
                match refuted.next() {
                    Some(check) => (Verdict::Fail, check.detail.as_str()),
                    None => match said {
                        Some(said) => (said, "as the agent says itself"),
                        None => (Verdict::Inconclusive, "the handoff does not claim it"),
                    },
                }
            }
        };
        let what = Waivable::Checkpoint(name.clone());
        match verdict {
            Verdict::Pass => {}
            Verdict::Fail | Verdict::Inconclusive if task.is_waived(&what, now) => waived.push(what),
            Verdict::Fail | Verdict::Inconclusive => {
                let subject = match checkpoint.settled_by {
                    SettledBy::Host => Subject::Checkpoint(name),
                    SettledBy::Agent => Subject::Claim(name),
                };
                items.push(FeedbackItem::new(subject, verdict, details));
            }
        }
    }
    Failure::from_items(Reason::ChecksFailed, items)
}

/// Returns why no agent can mend what keeps a stage from passing. What has failed because of the work is mended first, unless a
/// check cannot be run at all.
fn hindrance(task: &Task, now: i64, failure: &Failure) -> Option<Reason> {
    let checks = task.run.receipt.iter().flat_map(|receipt| &receipt.checks);
    let in_force =
        checks.filter(|check| !task.is_waived(&Waivable::Checkpoint(check.checkpoint.clone()), now));
    let found: Vec<Hindrance> = in_force.filter_map(|check| check.hindrance).collect();
    let cannot_run = |hindrance: &Hindrance| match hindrance {
        Hindrance::NotStarted | Hindrance::NotNamed => true,
        // The work may be what hangs, so whoever made it hears of it once.
        Hindrance::TimedOut => task.run.told_of_timeout,
        Hindrance::FailedBefore => false,
    };
    if found.iter().any(cannot_run) {
        return Some(Reason::CheckUnavailable);
    }
    (found.contains(&Hindrance::FailedBefore) && !failure.has_fail()).then_some(Reason::FailedBefore)
}

fn criteria(task: &Task, now: i64, waived: &mut Vec<Waivable>) -> Option<Failure> {
    let report = task.run.report.as_ref()?;
    let mut items = Vec::new();
    for doubt in &report.doubts {
        items.push(FeedbackItem::new(Subject::Doubt, Verdict::Inconclusive, doubt));
    }
    for criterion in task.criteria_in_force() {
        let said = report.criteria.iter().find(|said| said.criterion == criterion);
        let verdict = said.map_or(Verdict::Inconclusive, |said| said.verdict);
        let what = Waivable::Criterion(criterion.clone());
        match verdict {
            Verdict::Pass => {}
            Verdict::Fail | Verdict::Inconclusive if task.is_waived(&what, now) => waived.push(what),
            Verdict::Fail | Verdict::Inconclusive => {
                // On a line of its own, the verifier's reason is quoted.
                let reason = said.and_then(|said| said.reason.as_deref());
                let details =
                    reason.map_or("by the verifier".to_owned(), |why| format!("by the verifier\n{why}"));
                items.push(FeedbackItem::new(Subject::Criterion(&criterion), verdict, &details));
            }
        }
    }
    Failure::from_items(Reason::CriteriaFailed, items)
}

fn gates(task: &Task) -> Result<Option<Ruling>, NotYet> {
    use crate::fact::GateChoice::{Approve, Question, Reject};
    let shown = task.shown();
    for rule in task.gate_rules() {
        let Some(gate) = task.gates.get(&rule.name).filter(|gate| Some(&gate.shown) == shown.as_ref()) else {
            return Err(NotYet::Gate(rule.name));
        };
        if rule.weight == GateWeight::Informing {
            continue;
        }
        match gate.answer {
            Some(Approve) => {}
            Some(Reject) => {
                let words = told(gate);
                let failure = Failure::plain(Reason::GateRejected, Subject::Rejection(&rule.name), &words);
                return Ok(Some(failed(task, failure)));
            }
            Some(Question) if task.clarification_rounds > task.workflow.clarification_rounds_max => {
                return Ok(Some(escalate(task, Reason::ClarificationExhausted)));
            }
            Some(Question) => {
                let subject = Subject::Question(&rule.name);
                return Ok(Some(failed(task, Failure::free(Reason::GateQuestioned, subject, &told(gate)))));
            }
            None => return Err(NotYet::GateAnswer(rule.name)),
        }
    }
    Ok(None)
}

/// What a person said at a gate, with who it was.
fn told(gate: &Gate) -> String {
    match gate.by.is_empty() {
        true => gate.words.clone(),
        false => format!("{} (said by {})", gate.words, gate.by),
    }
}

fn accept(task: &Task, waived: Vec<Waivable>) -> Ruling {
    let reason = match task.verifier() {
        _ if !waived.is_empty() => Reason::AcceptedWithWaiver,
        Some(_) => Reason::AllCriteriaPass,
        None if task.is_last_stage() => Reason::SelfChecked,
        None => Reason::StageChecksPass,
    };
    Ruling { waived, ..ruling(task, Disposition::Accept, reason) }
}

/// Says whether work that is accepted now has been verified: judged independently, by criteria, without waivers.
pub fn is_verified(task: &Task) -> bool {
    task.verifier().is_some() && !task.leaned_on_waiver && !task.criteria_in_force().is_empty()
}

fn escalate(task: &Task, reason: Reason) -> Ruling {
    ruling(task, Disposition::Escalate, reason)
}

fn ruling(task: &Task, disposition: Disposition, reason: Reason) -> Ruling {
    Ruling {
        disposition,
        reason,
        charge: Charge::Nothing,
        refs: refs(task),
        next: None,
        feedback: None,
        fingerprint: None,
        waived: Vec::new(),
    }
}

/// Returns what a decision about the attempt at hand rests on; the last thing recorded when there is nothing else.
fn refs(task: &Task) -> Vec<ArtifactId> {
    let run = &task.run;
    let failure = run.failure.as_ref().map(|document| &document.id);
    let submission = run.submission.as_ref().map(|submission| &submission.document.id);
    let receipt = run.receipt.as_ref().map(|receipt| &receipt.document.id);
    let report = run.report.as_ref().map(|report| &report.document.id);
    let found: Vec<ArtifactId> =
        failure.into_iter().chain(submission).chain(receipt).chain(report).cloned().collect();
    match found.is_empty() {
        true => task.artifacts.keys().next_back().cloned().into_iter().collect(),
        false => found,
    }
}

#[cfg(test)]
mod tests;
