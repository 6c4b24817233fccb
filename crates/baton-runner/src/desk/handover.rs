//! What the holder of a turn brings: an acknowledgment, a handoff, a report, a question, or the wish for a person.

use std::collections::BTreeMap;

use baton_engine::command::{Act, ActKind};
use baton_engine::envelope::Actor;
use baton_engine::fact::{
    AnswerSource, Block, BlockReason, ConfinedBy, CriterionVerdict, Document, Outcome, Report, Submission,
    Understanding,
};
use baton_engine::rejection::{Refusal, Rejection};
use baton_engine::state::{Clarification, Task};
use baton_engine::verdict::Verdict;
use baton_engine::word::{
    AgentName, ArtifactId, CheckpointName, ClarificationId, CriterionId, TaskId, TreeHash, TurnId,
};
use baton_engine::workflow::{FailurePolicy, Role};
use baton_handoff::diagnostic::Severity;
use baton_handoff::dialect::Dialect;
use baton_handoff::document;
use baton_handoff::field::Field;
use baton_handoff::handoff::Handoff;
use baton_handoff::judge::judge;
use baton_handoff::outcome;
use baton_handoff::project::Project;
use baton_handoff::record::Record;
use baton_handoff::rule::Code;
use serde_json::json;

use super::own_task::named_task;
use super::paper::Paper;
use super::plan::steps;
use super::{As, Desk, DeskError};
use crate::git::{Seen, WorkTree};

/// Most problems of a document that go into the feedback.
const PROBLEMS_MAX: usize = 20;
/// Rules that want more of a blocker than a person needs who is asked: to say what is in the way is enough.
const ASKING_IS_ENOUGH: &[u16] = &[401, 402, 403];
/// The artifact with which whoever is in doubt asks.
const QUESTION: &str = "clarification-request";
/// Most options of a question that are shown.
const OPTIONS_MAX: usize = 8;

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
        let read =
            Brought::read(bytes, project).and_then(|brought| match self.about_another(id, &brought)? {
                Some(why) => Err(unusable(&why)),
                None => Ok(brought),
            });
        if let Err(DeskError::Document { what, .. }) = &read {
            let (actor, rejection) =
                (self.actor(As::Visitor), Rejection::new(Refusal::DocumentRefused, what));
            self.remember_refusal(id.as_str(), (&actor, ActKind::Submit.name()), &rejection)?;
        }
        let brought = read?;
        // What was handed over can be brought back, whatever becomes of it.
        let after = self.keep(id)?;
        let before = task.tree.unwrap_or_else(|| after.clone());
        let holder = self.visitor.holder(id, &turn);
        self.take_plan(id, &holder, &brought)?;
        self.hand_over(id, &holder, brought, Trees::around(before, after))
    }

    /// Records what the holder of the turn brought.
    pub(super) fn hand_over(
        &mut self,
        id: &TaskId,
        holder: &Actor,
        brought: Brought,
        trees: Trees,
    ) -> Result<(), DeskError> {
        let (task, turn, lease) = self.live(id)?;
        let Brought { bytes, said, criteria, doubts, .. } = brought;
        let (act, papers) = if turn.role == Role::Verifier {
            let paper = Paper::of(&format!("report-{}", turn.id), bytes)?;
            self.refuse_contradicted((&task, &turn.id), &paper.bytes, &trees.after)?;
            let report = Report {
                document: paper.document.clone(),
                criteria,
                doubts,
                tree_before: trees.before,
                tree_after: trees.after,
                put_back: trees.put_back,
                confined_by: trees.confined_by,
            };
            (Act::RecordVerdict { lease, report }, vec![paper])
        } else {
            let files = self.named_files((&task, &turn.id), &bytes, &trees.after)?;
            let paper = Paper::of(&format!("handoff-{}", turn.id), bytes)?;
            let Said { outcome, problems, claims, block, on_failure } = said;
            // Completed work is judged together with the checks on it.
            let findings = match outcome {
                Outcome::Completed => Vec::new(),
                Outcome::Partial | Outcome::Failed | Outcome::Blocked => {
                    self.judge_claims((&task, &turn.id), &paper.bytes, (&trees.after, None))?
                }
            };
            let submission = Submission {
                document: paper.document.clone(),
                outcome,
                problems,
                claims,
                block,
                on_failure,
                tree: trees.after,
                files: Some(files.document.clone()),
                findings,
            };
            (Act::Submit { lease, submission }, vec![paper, files])
        };
        let papers: Vec<&[u8]> = papers.iter().map(|paper| paper.bytes.as_slice()).collect();
        self.act(id.as_str(), holder, &act, &papers)?;
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
        let paper = Paper::artifact(
            "escalation-request",
            &format!("escalation-{serial}"),
            (id, "human", self.now),
            json!({ "reason": reason.name(), "details": details }),
        )?;
        let act =
            Act::Escalate { lease, reason, details: details.to_owned(), document: paper.document.clone() };
        self.act(id.as_str(), &actor, &act, &[&paper.bytes])?;
        self.settle(id)
    }
}

/// A document that somebody brought, as it was read.
#[derive(Clone, Debug)]
pub(crate) struct Brought {
    pub(super) bytes: Vec<u8>,
    said: Said,
    /// What it says of the criteria, where it is a report.
    criteria: Vec<CriterionVerdict>,
    doubts: Vec<String>,
    /// The task that it names as its own, where it names one.
    pub(super) task: Option<String>,
    /// What was meant to be done, where it says so.
    pub(crate) plan: Vec<String>,
    /// What it asks instead of handing anything over.
    pub(crate) asked: Option<Asked>,
}

/// A question to a person, with the answers that whoever asks can think of.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) question: String,
    pub(crate) options: Vec<String>,
}

#[derive(Clone, Debug)]
struct Said {
    outcome: Outcome,
    problems: Vec<String>,
    claims: BTreeMap<CheckpointName, Verdict>,
    block: Option<Block>,
    on_failure: Option<FailurePolicy>,
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

impl Brought {
    /// Says whether its agent cannot go on, and leaves it to a person in words only.
    pub(crate) fn is_blocked(&self) -> bool {
        self.said.outcome == Outcome::Blocked && self.said.block.is_none() && self.said.problems.is_empty()
    }

    /// Returns the question that it is, under this name, with the document that asks it.
    pub(super) fn into_question(self, name: &str) -> Result<(Paper, Asked), DeskError> {
        let asked = self.asked.ok_or_else(|| unusable("it asks nothing"))?;
        Ok((Paper::of(name, self.bytes)?, asked))
    }

    /// Adds what the host itself found wrong with it.
    pub(crate) fn blame(&mut self, problems: impl IntoIterator<Item = String>) {
        self.said.problems.extend(problems.into_iter().take(PROBLEMS_MAX));
    }

    /// Reads a handoff of any dialect, or a verifier's report.
    pub(crate) fn read(bytes: &[u8], project: &Project) -> Result<Self, DeskError> {
        let bytes = crate::secret::mask_known(bytes.to_vec());
        let text = document::decode(&bytes).map_err(|diagnostic| unusable(&diagnostic.message))?;
        let mut read = document::read(text);
        let diagnostics = judge(&mut read, project);
        if let Some(refusal) = &read.refusal {
            return Err(unusable(&refusal.reason));
        }
        let Some(handoff) = read.handoffs.first() else { return Err(unusable("it holds no handoff")) };
        let everything = handoff.everything();
        let outcome = stated_outcome(handoff);
        let block = block(&everything, outcome);
        let is_moot = |code: Code| block.is_some() && ASKING_IS_ENOUGH.contains(&code.0);
        let errors =
            diagnostics.iter().filter(|found| found.severity == Severity::Error && !is_moot(found.code));
        let problems =
            errors.take(PROBLEMS_MAX).map(|found| format!("{}: {}", found.code, found.message)).collect();
        let doubts = handoff.record.texts(Field::Doubts).iter().map(|doubt| doubt.as_str().to_owned());
        Ok(Self {
            bytes: bytes.clone(),
            said: Said {
                outcome,
                problems,
                claims: claims(&everything),
                block,
                on_failure: on_failure(&handoff.record),
            },
            criteria: criteria(&handoff.record)?,
            doubts: doubts.collect(),
            task: named_task(&handoff.record).map(str::to_owned),
            plan: steps(&handoff.record),
            asked: asked(handoff),
        })
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

/// Returns why its agent cannot go on. Whoever is blocked and says what by, but not by which sort of thing, needs a person.
fn block(record: &Record<'_>, outcome: Outcome) -> Option<Block> {
    let blockers = blockers(record);
    let said = record.str(Field::BlockReason).map(str::trim);
    let known = said.and_then(|said| BlockReason::ALL.iter().copied().find(|known| known.name() == said));
    let is_asking = outcome == Outcome::Blocked && !blockers.is_empty();
    let reason = known.or(is_asking.then_some(BlockReason::NeedsHumanInput))?;
    let details = match record.str(Field::BlockDetails) {
        Some(details) => details.to_owned(),
        None => blockers.join("; "),
    };
    Some(Block { reason, details: crate::secret::mask(&details).into_owned() })
}

fn blockers(record: &Record<'_>) -> Vec<String> {
    let named = record.records(Field::Blockers).iter().filter_map(|blocker| blocker.str(Field::Blocker));
    let plain = record.texts(Field::Blockers).iter().map(|text| text.as_str());
    let all = named.chain(plain).map(str::trim).filter(|text| !text.is_empty());
    all.take(PROBLEMS_MAX).map(str::to_owned).collect()
}

fn asked(handoff: &Handoff<'_>) -> Option<Asked> {
    if handoff.dialect != Dialect::Artifact || handoff.variant.name != QUESTION {
        return None;
    }
    let words = |text: &str| crate::secret::mask(text.trim()).into_owned();
    let question = words(handoff.record.str(Field::Question)?);
    let options = handoff.record.texts(Field::Options).iter().take(OPTIONS_MAX);
    let options = options.map(|option| words(option.as_str())).collect();
    (!question.is_empty()).then_some(Asked { question, options })
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
