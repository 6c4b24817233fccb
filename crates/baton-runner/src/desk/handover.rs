//! What the holder of a turn brings: an acknowledgment, a handoff, a report, a question, or the wish for a person.

use std::collections::BTreeMap;

use baton_engine::command::Act;
use baton_engine::fact::{
    AnswerSource, Block, BlockReason, CriterionVerdict, GateChoice, Outcome, Report, Submission,
    Understanding,
};
use baton_engine::rejection::{Refusal, Rejection};
use baton_engine::verdict::Verdict;
use baton_engine::word::{
    AgentName, ArtifactId, CheckpointName, ClarificationId, CriterionId, GateName, TaskId,
};
use baton_engine::workflow::{FailurePolicy, Role};
use baton_handoff::diagnostic::Severity;
use baton_handoff::document;
use baton_handoff::field::Field;
use baton_handoff::handoff::Handoff;
use baton_handoff::judge::judge;
use baton_handoff::outcome;
use baton_handoff::project::Project;
use baton_handoff::record::Record;
use serde_json::json;

use super::paper::Paper;
use super::{As, Desk, DeskError, tree};

/// Most problems of a document that go into the feedback.
const PROBLEMS_MAX: usize = 20;

impl Desk {
    fn holder(&self, turn: &str) -> baton_engine::envelope::Actor {
        self.actor(As::Person).with_turn(turn)
    }

    /// Confirms that the handoff was understood, or says what is missing.
    pub fn acknowledge(&mut self, id: &TaskId, blockers: &[String]) -> Result<(), DeskError> {
        let (task, turn, lease) = self.live(id)?;
        let Some(handoff) = task.run.inbound else {
            return Err(
                Rejection::new(Refusal::AlreadySo, "the first stage has nothing to acknowledge").into()
            );
        };
        let understanding =
            if blockers.is_empty() { Understanding::Understood } else { Understanding::Partial };
        let paper = Paper::artifact(
            "acknowledgment",
            &format!("acknowledgment-{}", turn.id),
            (id, turn.role.name(), self.now),
            json!({ "received": true, "handoff": handoff.id.as_str(), "understood": understanding.name(), "blockers": blockers }),
        )?;
        let act = Act::Acknowledge {
            lease,
            document: paper.document.clone(),
            handoff,
            understanding,
            blockers: blockers.to_vec(),
            missing: Vec::new(),
        };
        self.act(id.as_str(), &self.holder(turn.id.as_str()), &act, &[&paper.bytes]).map(|_| ())
    }

    /// Takes a document at the end of a turn: a handoff of any dialect, or a verifier's report.
    pub fn submit(&mut self, id: &TaskId, bytes: &[u8], project: &Project) -> Result<(), DeskError> {
        let (task, turn, lease) = self.live(id)?;
        let text = document::decode(bytes).map_err(|diagnostic| unusable(&diagnostic.message))?;
        let mut read = document::read(text);
        let diagnostics = judge(&mut read, project);
        if let Some(refusal) = &read.refusal {
            return Err(unusable(&refusal.reason));
        }
        let Some(handoff) = read.handoffs.first() else { return Err(unusable("it holds no handoff")) };
        let tree = tree::measure(&self.root)?;
        if turn.role == Role::Verifier {
            let paper = Paper::of(&format!("report-{}", turn.id), bytes.to_vec())?;
            let before = task.tree.unwrap_or_else(|| tree.clone());
            let report = Report {
                document: paper.document.clone(),
                criteria: criteria(&handoff.record)?,
                doubts: handoff
                    .record
                    .texts(Field::Doubts)
                    .iter()
                    .map(|doubt| doubt.as_str().to_owned())
                    .collect(),
                tree_before: before,
                tree_after: tree,
            };
            let act = Act::RecordVerdict { lease, report };
            return self.act(id.as_str(), &self.holder(turn.id.as_str()), &act, &[&paper.bytes]).map(|_| ());
        }
        let paper = Paper::of(&format!("handoff-{}", turn.id), bytes.to_vec())?;
        let errors = diagnostics.iter().filter(|found| found.severity == Severity::Error);
        let problems =
            errors.take(PROBLEMS_MAX).map(|found| format!("{}: {}", found.code, found.message)).collect();
        let submission = Submission {
            document: paper.document.clone(),
            outcome: stated_outcome(handoff),
            problems,
            claims: claims(&handoff.record),
            block: block(&handoff.record),
            on_failure: on_failure(&handoff.record),
            tree: tree.clone(),
        };
        let act = Act::Submit { lease, submission };
        self.act(id.as_str(), &self.holder(turn.id.as_str()), &act, &[&paper.bytes])?;
        self.observe(id, tree)?;
        self.rebuild().map(|_| ())
    }

    /// Takes a build plan.
    pub fn hand_in_plan(&mut self, id: &TaskId, bytes: &[u8]) -> Result<(), DeskError> {
        let (_, turn, lease) = self.live(id)?;
        let paper = Paper::of(&format!("plan-{}", turn.id), bytes.to_vec())?;
        let act = Act::HandInPlan { lease, document: paper.document.clone() };
        self.act(id.as_str(), &self.holder(turn.id.as_str()), &act, &[&paper.bytes]).map(|_| ())
    }

    /// Notes what the workspace looks like, if it is not as it was.
    pub(super) fn observe(
        &mut self,
        id: &TaskId,
        tree: baton_engine::word::TreeHash,
    ) -> Result<(), DeskError> {
        match self.act(id.as_str(), &self.actor(As::Host), &Act::ObserveTree { tree }, &[]) {
            Ok(_) => Ok(()),
            Err(DeskError::Refused(rejection)) if rejection.refusal == Refusal::AlreadySo => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Asks a person in the middle of a turn.
    pub fn clarify(&mut self, id: &TaskId, question: &str, options: &[String]) -> Result<String, DeskError> {
        let (task, turn, lease) = self.live(id)?;
        let clarification = format!("q{}", task.clarifications.len() + 1);
        let paper = Paper::artifact(
            "clarification-request",
            &clarification,
            (id, turn.role.name(), self.now),
            json!({
                "blocking_question": question,
                "decision_context": { "stage": task.stage().map(|stage| stage.name.as_str()) },
                "confidence": "low",
                "requested_options": options,
            }),
        )?;
        let act = Act::Ask {
            lease,
            clarification: ClarificationId::new(clarification.as_str())?,
            document: paper.document.clone(),
            question: question.to_owned(),
            options: options.to_vec(),
        };
        self.act(id.as_str(), &self.holder(turn.id.as_str()), &act, &[&paper.bytes])?;
        Ok(clarification)
    }

    /// Answers a question, as a person.
    pub fn answer(&mut self, id: &TaskId, clarification: &str, answer: &str) -> Result<(), DeskError> {
        let paper = Paper::artifact(
            "clarification-response",
            &format!("answer-{clarification}"),
            (id, "human", self.now),
            json!({ "answer": answer, "rationale": format!("answered by {}", self.person) }),
        )?;
        let act = Act::Answer {
            clarification: ClarificationId::new(clarification)?,
            document: paper.document.clone(),
            answer: answer.to_owned(),
            source: AnswerSource::Person,
            covenant_place: None,
        };
        self.act(id.as_str(), &self.actor(As::Person), &act, &[&paper.bytes]).map(|_| ())
    }

    /// Answers a gate, as a person, for exactly what it shows.
    pub fn answer_gate(
        &mut self,
        id: &TaskId,
        gate: &str,
        choice: GateChoice,
        words: &str,
    ) -> Result<(), DeskError> {
        let task = self.task(id)?;
        let name = GateName::new(gate)?;
        let Some(asked) = task.gates.get(&name) else {
            return Err(Rejection::new(Refusal::UnknownGate, gate).into());
        };
        let act = Act::AnswerGate { gate: name, choice, shown: asked.shown.clone(), words: words.to_owned() };
        self.act(id.as_str(), &self.actor(As::Person), &act, &[]).map(|_| ())
    }

    /// Hands a task to a person instead of going on.
    pub fn escalate(&mut self, id: &TaskId, reason: BlockReason, details: &str) -> Result<(), DeskError> {
        let task = self.task(id)?;
        let (actor, lease) = match &task.turn {
            Some(_) => {
                let (_, turn, lease) = self.live(id)?;
                (self.holder(turn.id.as_str()), Some(lease))
            }
            None => (self.actor(As::Person), None),
        };
        let serial = task.artifacts.len();
        let paper = Paper::artifact(
            "escalation-request",
            &format!("escalation-{serial}"),
            (id, "human", self.now),
            json!({ "reason": reason.name(), "details": details }),
        )?;
        let act =
            Act::Escalate { lease, reason, details: details.to_owned(), document: paper.document.clone() };
        self.act(id.as_str(), &actor, &act, &[&paper.bytes]).map(|_| ())
    }
}

fn unusable(why: &str) -> DeskError {
    DeskError::Document {
        what: format!("the document was not taken: {why}"),
        next:
            "`baton check FILE` says what is wrong, `baton new` writes an empty one; your turn is still open"
                .to_owned(),
    }
}

/// Returns what the document says of the work; what it does not say counts as not done.
fn stated_outcome(handoff: &Handoff<'_>) -> Outcome {
    match outcome::conclude(&handoff.record).outcome {
        outcome::Outcome::Completed => Outcome::Completed,
        outcome::Outcome::Unknown if claims_completion(&handoff.record) => Outcome::Completed,
        outcome::Outcome::Failed => Outcome::Failed,
        outcome::Outcome::Blocked => Outcome::Blocked,
        outcome::Outcome::Partial
        | outcome::Outcome::InProgress
        | outcome::Outcome::NotStarted
        | outcome::Outcome::Unknown => Outcome::Partial,
    }
}

/// A build artifact says in its completion claim how the work stands.
fn claims_completion(record: &Record<'_>) -> bool {
    let Some(claim) = record.tree(Field::CompletionClaim) else { return false };
    let said = ["status", "outcome", "claim"].iter().find_map(|key| claim.get(key)).unwrap_or(claim);
    said.text().and_then(outcome::from_words) == Some(outcome::Outcome::Completed)
}

fn claims(record: &Record<'_>) -> BTreeMap<CheckpointName, Verdict> {
    let one = |item: &Record<'_>| {
        let name = CheckpointName::new(item.str(Field::Name)?.trim()).ok()?;
        Some((name, Verdict::from_words(item.str(Field::Status)?)))
    };
    record.records(Field::Checkpoints).iter().filter_map(one).collect()
}

fn block(record: &Record<'_>) -> Option<Block> {
    let reason = record.str(Field::BlockReason)?.trim();
    let reason = BlockReason::ALL.iter().copied().find(|known| known.name() == reason)?;
    Some(Block { reason, details: record.str(Field::BlockDetails).unwrap_or_default().to_owned() })
}

fn on_failure(record: &Record<'_>) -> Option<FailurePolicy> {
    let policy = record.record(Field::OnFailure)?;
    let number = |field| policy.str(field).and_then(|text| text.trim().parse().ok());
    let agent =
        |field| policy.str(field).and_then(|text| AgentName::new(text.trim().trim_start_matches('@')).ok());
    Some(FailurePolicy {
        retry: number(Field::Retry),
        route_to: agent(Field::RouteTo),
        notify: agent(Field::Notify),
        escalate_after: number(Field::EscalateAfter),
        context: policy.str(Field::FailureContext).map(str::to_owned),
    })
}

fn criteria(record: &Record<'_>) -> Result<Vec<CriterionVerdict>, DeskError> {
    let one = |item: &Record<'_>| {
        let own = item.extensions.iter().find(|extension| extension.key == "id");
        let id = item.str(Field::Id).or_else(|| own?.value.text()).or_else(|| item.str(Field::Criterion));
        let criterion = CriterionId::new(id.unwrap_or_default().trim()).ok()?;
        let evidence =
            item.texts(Field::Evidence).iter().filter_map(|text| ArtifactId::new(text.as_str()).ok());
        let verdict = item.str(Field::Verdict).map_or(Verdict::Inconclusive, Verdict::from_words);
        Some(CriterionVerdict { criterion, verdict, evidence: evidence.collect() })
    };
    Ok(record.records(Field::Criteria).iter().filter_map(one).collect())
}
