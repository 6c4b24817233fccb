//! What the holder of a turn brings: an acknowledgment, a handoff, a report, a question, or the wish for a person.

use baton_engine::command::{Act, ActKind};
use baton_engine::decide::unfounded;
use baton_engine::envelope::Actor;
use baton_engine::fact::{
    AnswerSource, BlockReason, ConfinedBy, Document, Outcome, Question, Report, Submission, Understanding,
};
use baton_engine::rejection::{Refusal, Rejection};
use baton_engine::state::{Clarification, Task, Turn};
use baton_engine::word::{ClarificationId, TaskId, TreeHash, TurnId};
use baton_engine::workflow::Role;
use baton_handoff::document;
use baton_handoff::field::Field;
use baton_handoff::project::Project;
use serde_json::json;

use super::brought::{PROBLEMS_MAX, Said, unusable};
use super::own_task::about_another;
use super::paper::{Paper, sources_of_turn, sources_of_work};
use super::{As, Desk, DeskError};
use crate::git::{Seen, WorkTree};

pub(crate) use super::brought::Brought;

impl Desk {
    /// Confirms that the handoff was understood, or says what is missing.
    pub fn acknowledge(&mut self, id: &TaskId, blockers: &[String]) -> Result<(), DeskError> {
        let (task, turn, lease) = self.live(id)?;
        self.only_for_holder(id, &turn, ActKind::Acknowledge)?;
        let Some(handoff) = task.run.inbound else {
            return Err(
                Rejection::new(Refusal::AlreadySo, "the first stage has nothing to acknowledge").into()
            );
        };
        let understanding =
            if blockers.is_empty() { Understanding::Understood } else { Understanding::Partial };
        let missing = self.missing_files(id, &handoff)?;
        let paper = Paper::artifact(
            "acknowledgment",
            &format!("acknowledgment-{}", turn.id),
            (id, turn.role.name(), self.now),
            &[handoff.id.to_string()],
            json!({ "received": true, "handoff": handoff.id.as_str(), "understood": understanding.name(), "blockers": blockers }),
        )?;
        let act = Act::Acknowledge {
            lease,
            document: paper.document.clone(),
            handoff,
            understanding,
            blockers: blockers.to_vec(),
            missing,
        };
        self.act(id.as_str(), &self.visitor.holder(id, &turn), &act, &[&paper.bytes])?;
        self.settle(id)
    }

    /// Returns the files that the handoff before this stage names and that are not there.
    pub fn missing_in_handoff(&self, id: &TaskId) -> Result<Vec<String>, DeskError> {
        match self.task(id)?.run.inbound {
            Some(handoff) => self.missing_files(id, &handoff),
            None => Ok(Vec::new()),
        }
    }

    /// Returns the files that a handoff says it leaves behind and that are not there: nobody can have received them.
    pub(super) fn missing_files(&self, id: &TaskId, handoff: &Document) -> Result<Vec<String>, DeskError> {
        let bytes = self.document(&handoff.blob)?.unwrap_or_default();
        let Ok(text) = document::decode(&bytes) else { return Ok(Vec::new()) };
        let read = document::read(text);
        let tree = WorkTree::new(&self.work_root(id)?);
        let mut missing = Vec::new();
        for record in read.handoffs.iter().map(|handoff| &handoff.record) {
            for field in [Field::Artifacts, Field::FilesCreated, Field::FilesModified] {
                let paths = record.records(field).iter().filter_map(|file| file.str(Field::Path));
                let gone = paths.filter(|path| tree.look(path.trim()) == Seen::Missing);
                missing.extend(gone.take(PROBLEMS_MAX).map(|path| path.trim().to_owned()));
            }
        }
        Ok(missing)
    }

    /// Takes a document at the end of a turn: a handoff of any dialect, or a verifier's report.
    pub fn submit(&mut self, id: &TaskId, bytes: &[u8], project: &Project) -> Result<(), DeskError> {
        let (task, turn, _) = self.live(id)?;
        self.only_for_holder(id, &turn, ActKind::Submit)?;
        let holder = self.visitor.holder(id, &turn);
        let brought =
            Brought::read(bytes, project).and_then(|brought| match about_another(&task, &turn, bytes) {
                Some(why) => Err(unusable(&why)),
                None => Ok(brought),
            });
        let brought =
            brought.map_err(|error| self.refused_document(id, (&holder, ActKind::Submit), error))?;
        if let Some(asked) = &brought.asked {
            return self.clarify(id, &asked.question, &asked.options).map(|_| ());
        }
        // What was handed over can be brought back, whatever becomes of it.
        let after = self.keep(id)?;
        let before = task.tree.unwrap_or_else(|| after.clone());
        self.hand_over(id, &holder, brought, Trees::around(before, after))
    }

    /// Remembers that a document was not taken, and returns why.
    pub(super) fn refused_document(
        &mut self,
        id: &TaskId,
        (holder, act): (&Actor, ActKind),
        error: DeskError,
    ) -> DeskError {
        let DeskError::Document { what, .. } = &error else { return error };
        let rejection = Rejection::new(Refusal::DocumentRefused, what);
        match self.remember_refusal(id.as_str(), (holder, act.name()), &rejection) {
            Ok(()) => error,
            Err(failed) => failed,
        }
    }

    /// Records what the holder of the turn brought. A package that gives part of the work to somebody else ends nothing: the
    /// turn waits for the result.
    pub(super) fn hand_over(
        &mut self,
        id: &TaskId,
        holder: &Actor,
        brought: Brought,
        trees: Trees,
    ) -> Result<(), DeskError> {
        let (task, turn, lease) = self.live(id)?;
        if let Some(why) = about_another(&task, &turn, &brought.bytes) {
            return Err(self.refused_document(id, (holder, ActKind::Submit), unusable(&why)));
        }
        if turn.role == Role::Verifier {
            return self.report(id, holder, (&task, &turn), (brought, trees));
        }
        if let Some(order) = brought.delegates(&task, &turn) {
            self.order_part(id, (holder, lease), order, Some(&brought.bytes))?;
            return self.settle(id);
        }
        let unlisted = brought.unlisted(&task, &turn);
        let built = self.build_artifact((&task, &turn), &brought, &trees.after)?;
        let paper = Paper::of(&format!("handoff-{}", turn.id), brought.bytes)?;
        let Said { outcome, problems, claims, block, question, gate, on_failure } = brought.said;
        // Completed work is judged together with the checks on it, unless none are run yet.
        let findings = match outcome {
            Outcome::Completed if question.is_none() && problems.is_empty() => Vec::new(),
            Outcome::Completed | Outcome::Partial | Outcome::Failed | Outcome::Blocked => {
                self.judge_claims((&task, &turn.id), &paper.bytes, (&trees.after, None))?
            }
        };
        let number = task.clarifications.len() + 1;
        let question = question.map(|asked| {
            let id = ClarificationId::new(format!("q{number}"))?;
            Ok::<_, DeskError>(Box::new(Question { id, question: asked.question, options: asked.options }))
        });
        let submission = Submission {
            document: paper.document.clone(),
            outcome,
            problems,
            claims,
            block,
            question: question.transpose()?,
            gate: gate.map(Box::new),
            on_failure,
            tree: trees.after,
            files: Some(built.document.clone()),
            findings,
        };
        let act = Act::Submit { lease, submission };
        self.act(id.as_str(), holder, &act, &[&paper.bytes, &built.bytes])?;
        self.refuse_routes(id, holder, &unlisted)?;
        self.settle(id)
    }

    /// Records the report of a verifier.
    fn report(
        &mut self,
        id: &TaskId,
        holder: &Actor,
        (task, turn): (&Task, &Turn),
        (brought, trees): (Brought, Trees),
    ) -> Result<(), DeskError> {
        let paper = Paper::of(&format!("report-{}", turn.id), brought.bytes)?;
        self.refuse_contradicted((task, &turn.id), &paper.bytes, &trees.after)?;
        let report = Report {
            document: paper.document.clone(),
            criteria: brought.criteria,
            doubts: brought.doubts,
            tree_before: trees.before,
            tree_after: trees.after,
            put_back: trees.put_back,
            confined_by: trees.confined_by,
        };
        let receipt = task.run.receipt.as_ref().map(|receipt| receipt.document.id.as_str());
        if let (Some(said), Some(receipt)) = (unfounded(task, &report), receipt) {
            let cited = match said.evidence.is_empty() {
                true => String::new(),
                false => {
                    said.evidence.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", ") + ": "
                }
            };
            return Err(unusable(&format!(
                "BT1011: {cited}{} passes without a receipt of these files; add `{receipt}` to its evidence, and no other receipt",
                said.criterion
            )));
        }
        let act = Act::RecordVerdict { lease: super::program::lease_of(turn), report };
        self.act(id.as_str(), holder, &act, &[&paper.bytes])?;
        self.settle(id)
    }

    /// Refuses a report that is contradicted: a verdict counts only where the rest of its document holds.
    fn refuse_contradicted(
        &self,
        (task, turn): (&Task, &TurnId),
        bytes: &[u8],
        after: &TreeHash,
    ) -> Result<(), DeskError> {
        let runs = task.run.receipt.as_ref().map(|receipt| self.runs_of(receipt)).transpose()?;
        let findings = self.judge_claims((task, turn), bytes, (after, runs))?;
        let contradicted = findings.iter().filter(|finding| finding.is_contradicted());
        let told: Vec<String> = contradicted
            .take(PROBLEMS_MAX)
            .map(|finding| {
                let fix = finding.fix.as_deref().map(|fix| format!("; {fix}")).unwrap_or_default();
                format!("{}: `{}`: {}{fix}", finding.code, finding.claim, finding.reason)
            })
            .collect();
        match told.is_empty() {
            true => Ok(()),
            false => Err(unusable(&told.join(" "))),
        }
    }

    /// Looks at the workspace again before something is said of it that was handed over, unless it was `seen` this moment.
    pub(super) fn look_again(&mut self, id: &TaskId, seen: Option<TreeHash>) -> Result<(), DeskError> {
        let task = self.task(id)?;
        if task.end.is_some() || task.turn.is_some() || task.run.submission.is_none() {
            return Ok(());
        }
        let tree = seen.map_or_else(|| self.measure(id), Ok)?;
        self.observe(id, tree)
    }

    /// Notes what the workspace looks like and how the checks are defined, if that is not as it was.
    pub(crate) fn observe(&mut self, id: &TaskId, tree: TreeHash) -> Result<(), DeskError> {
        let definition = self.definition(&self.task(id)?);
        let act = Act::ObserveTree { tree, definition };
        self.see_to(id.as_str(), &self.actor(As::Host), &act, &[])
    }

    /// Asks a person in the middle of a turn.
    pub fn clarify(&mut self, id: &TaskId, question: &str, options: &[String]) -> Result<String, DeskError> {
        let (task, turn, lease) = self.live(id)?;
        // Whoever was cut short before the answer came, and asks again, has asked already.
        let is_same = |asked: &Clarification| {
            asked.turn == turn.id && asked.question == question && asked.options == options
        };
        let asked = task.open_clarifications().find(|(_, asked)| is_same(asked));
        if let Some((known, _)) = asked.filter(|_| self.visitor.holds(id, &turn)) {
            return Ok(known.as_str().to_owned());
        }
        let clarification = format!("q{}", task.clarifications.len() + 1);
        let paper = Paper::artifact(
            "clarification-request",
            &clarification,
            (id, turn.role.name(), self.now),
            &sources_of_turn(&task, &turn),
            json!({
                "blocking_question": question,
                "decision_context": { "stage": task.stage().map(|stage| stage.name.as_str()) },
                "confidence": "not stated",
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
        self.act(id.as_str(), &self.visitor.holder(id, &turn), &act, &[&paper.bytes])?;
        self.settle(id)?;
        Ok(clarification)
    }

    /// Answers a question, as a person.
    pub fn answer(&mut self, id: &TaskId, clarification: &str, answer: &str) -> Result<(), DeskError> {
        let paper = Paper::artifact(
            "clarification-response",
            &format!("answer-{clarification}"),
            (id, "human", self.now),
            &[clarification.to_owned()],
            json!({ "answer": answer, "rationale": format!("answered by {}", self.visitor.name()) }),
        )?;
        let act = Act::Answer {
            clarification: ClarificationId::new(clarification)?,
            document: paper.document.clone(),
            answer: answer.to_owned(),
            source: AnswerSource::Person,
            covenant_place: None,
        };
        self.act(id.as_str(), &self.actor(As::Visitor), &act, &[&paper.bytes])?;
        self.settle(id)
    }

    /// Hands a task to a person instead of going on.
    pub fn escalate(&mut self, id: &TaskId, reason: BlockReason, details: &str) -> Result<(), DeskError> {
        let task = self.task(id)?;
        let (actor, lease) = match &task.turn {
            Some(_) => {
                let (_, turn, lease) = self.live(id)?;
                (self.visitor.holder(id, &turn), Some(lease))
            }
            None => (self.actor(As::Visitor), None),
        };
        let serial = task.artifacts.len();
        let sources = match &task.turn {
            Some(turn) => sources_of_turn(&task, turn),
            None => sources_of_work(&task),
        };
        let paper = Paper::artifact(
            "escalation-request",
            &format!("escalation-{serial}"),
            (id, "human", self.now),
            &sources,
            json!({ "reason": reason.name(), "details": details }),
        )?;
        let act =
            Act::Escalate { lease, reason, details: details.to_owned(), document: paper.document.clone() };
        self.act(id.as_str(), &actor, &act, &[&paper.bytes])?;
        self.settle(id)
    }
}

/// The workspace before and after somebody looked at it.
#[derive(Clone, Debug)]
pub(crate) struct Trees {
    pub(crate) before: TreeHash,
    pub(crate) after: TreeHash,
    /// They are the same, and files were written in between.
    pub(crate) put_back: bool,
    /// What kept whoever looked from changing it, where a program did.
    pub(crate) confined_by: Option<ConfinedBy>,
}

impl Trees {
    /// Around the work of whoever may write.
    pub(crate) fn around(before: TreeHash, after: TreeHash) -> Self {
        Self { before, after, put_back: false, confined_by: None }
    }
}
