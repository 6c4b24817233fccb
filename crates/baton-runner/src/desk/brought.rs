//! A document that somebody brings at the end of a turn, as it was read: how the work stands, and what it asks for.

use std::collections::{BTreeMap, BTreeSet};

use baton_engine::fact::{Block, BlockReason, CriterionVerdict, Outcome};
use baton_engine::verdict::Verdict;
use baton_engine::word::{AgentName, ArtifactId, CheckpointName, CriterionId, GateName};
use baton_engine::workflow::{FailurePolicy, GateRule, GateWeight};
use baton_evidence::claims::of_document;
use baton_handoff::diagnostic::{Diagnostic, Severity};
use baton_handoff::dialect::Dialect;
use baton_handoff::document::{self, Document};
use baton_handoff::field::Field;
use baton_handoff::handoff::Handoff;
use baton_handoff::judge::judge;
use baton_handoff::outcome;
use baton_handoff::project::Project;
use baton_handoff::record::Record;
use baton_handoff::rule::Code;
use baton_handoff::tree::Node;

use super::DeskError;
use super::paper::{Paper, is_filled_by_host};
use super::plan::is_only_plan;

/// Most problems of a document that go into the feedback.
pub(super) const PROBLEMS_MAX: usize = 20;
/// Rules that want more of a blocker than a person needs who is asked: to say what is in the way is enough.
const ASKING_IS_ENOUGH: &[u16] = &[401, 402, 403];
/// The artifact with which whoever is in doubt asks.
const QUESTION: &str = "clarification-request";
/// The answer to a package, which can ask as well.
const ACKNOWLEDGMENT: &str = "acknowledgment";
/// Artifacts and packages that can stand before the work in one document, and say nothing of how it ended.
const BEFORE_WORK: &[&str] = &[ACKNOWLEDGMENT, "build-plan", "guidance-packet", "context-envelope"];
/// The checkpoints of the built-in workflows `phases` and `steps` that the form of a handoff claims.
const SUMMARY_COMPLETE: &str = "summary_complete";
const ARTIFACTS_LISTED: &str = "artifacts_listed";
/// Keys under which verifiers say why a verdict is what it is.
const NOTES: &[&str] = &["note", "notes", "message", "comment", "details"];
/// Most options of a question that are shown.
const OPTIONS_MAX: usize = 8;
/// Most items of a gate that a package asks for.
const ITEMS_MAX: usize = 20;

/// A document that somebody brought, as it was read.
#[derive(Clone, Debug)]
pub(crate) struct Brought {
    pub(super) bytes: Vec<u8>,
    pub(super) said: Said,
    /// What it says of the criteria, where it is a report.
    pub(super) criteria: Vec<CriterionVerdict>,
    pub(super) doubts: Vec<String>,
    /// Whom it is addressed to.
    pub(super) address: Option<Address>,
    /// What it asks instead of handing anything over.
    pub(crate) asked: Option<Asked>,
    /// The commands and tools that the host heard its agent use, where a program was heard.
    pub(super) commands: Vec<String>,
}

/// A question to a person, with the answers that whoever asks can think of.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) question: String,
    pub(crate) options: Vec<String>,
}

/// The receiver that a document names in a field of its own.
#[derive(Clone, Debug)]
pub(super) struct Address {
    pub(super) to: String,
    /// What the receiver is to deliver, in a package that hands over nothing else.
    pub(super) deliverable: Option<String>,
}

#[derive(Clone, Debug)]
pub(super) struct Said {
    pub(super) outcome: Outcome,
    pub(super) problems: Vec<String>,
    pub(super) claims: BTreeMap<CheckpointName, Verdict>,
    pub(super) block: Option<Block>,
    /// What a person has to answer before the work can be accepted.
    pub(super) question: Option<Asked>,
    pub(super) gate: Option<GateRule>,
    pub(super) on_failure: Option<FailurePolicy>,
}

impl Brought {
    /// Says whether its agent cannot go on, and leaves it to a person in words only.
    pub(crate) fn is_blocked(&self) -> bool {
        self.said.outcome == Outcome::Blocked && self.said.block.is_none() && self.said.problems.is_empty()
    }

    /// Says whether its agent cannot go on, so that there is nothing to plan.
    pub(crate) fn has_block(&self) -> bool {
        self.said.block.is_some()
    }

    /// Says whether it is a plan and nothing of the work.
    pub(crate) fn is_plan(&self) -> bool {
        is_only_plan(&self.bytes)
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the question that it is, under this name, with the document that asks it.
    pub(super) fn into_question(self, name: &str) -> Result<(Paper, Asked), DeskError> {
        let asked = self.asked.ok_or_else(|| unusable("it asks nothing"))?;
        Ok((Paper::of(name, self.bytes)?, asked))
    }

    /// Adds what the host heard its agent do.
    pub(crate) fn heard(self, commands: &[String]) -> Self {
        Self { commands: commands.iter().map(|command| masked(command)).collect(), ..self }
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
        let Some(handoff) = of_work(&read) else { return Err(unusable("it holds no handoff")) };
        let everything = handoff.everything();
        // A dialect without a status says it under a key of its own, if at all.
        let outcome = stated_outcome(match handoff.dialect {
            Dialect::Package | Dialect::Artifact => &everything,
            _ => &handoff.record,
        });
        let block = block(&everything, outcome);
        let is_moot = |code: Code| block.is_some() && ASKING_IS_ENOUGH.contains(&code.0);
        let counts = |found: &&Diagnostic| {
            found.severity == Severity::Error && !is_moot(found.code) && !is_filled_by_host(found)
        };
        let errors = diagnostics.iter().filter(counts);
        let problems: Vec<String> =
            errors.take(PROBLEMS_MAX).map(|found| format!("{}: {}", found.code, found.message)).collect();
        // A document that goes back asks again when it is right.
        let asks = problems.is_empty() && block.is_none();
        let doubts = handoff.record.texts(Field::Doubts).iter().map(|doubt| doubt.as_str().to_owned());
        Ok(Self {
            bytes: bytes.clone(),
            said: Said {
                outcome,
                claims: claims(handoff, &everything, outcome),
                question: question(&read, (&everything, outcome)).filter(|_| asks),
                gate: gate(&everything).filter(|_| asks),
                on_failure: on_failure(handoff, outcome),
                problems,
                block,
            },
            criteria: criteria(&handoff.record)?,
            doubts: doubts.collect(),
            address: address(handoff),
            asked: asked(handoff),
            commands: Vec::new(),
        })
    }
}

/// Returns the handoff that says how the work ended: what a builder writes before the work may stand before it.
pub(super) fn of_work<'d, 's>(read: &'d Document<'s>) -> Option<&'d Handoff<'s>> {
    let is_of_work = |handoff: &&Handoff<'_>| !BEFORE_WORK.contains(&handoff.variant.name);
    read.handoffs.iter().find(is_of_work).or(read.handoffs.first())
}

pub(super) fn unusable(why: &str) -> DeskError {
    DeskError::Document {
        what: format!("the document was not taken: {why}"),
        next:
            "`baton check FILE` says what is wrong, `baton new` writes an empty one; your turn is still open"
                .to_owned(),
    }
}

/// Returns what the document says of the work; what it does not say counts as not done.
fn stated_outcome(record: &Record<'_>) -> Outcome {
    match outcome::conclude(record).outcome {
        outcome::Outcome::Completed => Outcome::Completed,
        outcome::Outcome::Failed => Outcome::Failed,
        outcome::Outcome::Blocked => Outcome::Blocked,
        outcome::Outcome::Partial
        | outcome::Outcome::InProgress
        | outcome::Outcome::NotStarted
        | outcome::Outcome::Unknown => Outcome::Partial,
    }
}

/// Returns what is claimed of checkpoints. A dialect that has none claims by its form what is said of that form.
fn claims(handoff: &Handoff<'_>, record: &Record<'_>, outcome: Outcome) -> BTreeMap<CheckpointName, Verdict> {
    let one = |item: &Record<'_>| {
        let name = CheckpointName::new(item.str(Field::Name)?.trim()).ok()?;
        Some((name, Verdict::from_words(item.str(Field::Status)?)))
    };
    let by_form = match handoff.dialect {
        Dialect::Summary => Some(SUMMARY_COMPLETE),
        Dialect::Package if !record.records(Field::Artifacts).is_empty() => Some(ARTIFACTS_LISTED),
        _ => None,
    };
    let by_form = by_form.filter(|_| outcome == Outcome::Completed);
    let by_form = by_form.and_then(|name| CheckpointName::new(name).ok()).map(|name| (name, Verdict::Pass));
    by_form.into_iter().chain(record.records(Field::Checkpoints).iter().filter_map(one)).collect()
}

/// Returns why its agent cannot go on. Whoever is blocked and says what by, but not by which sort of thing, needs a person, and
/// so does a package that is addressed to one.
fn block(record: &Record<'_>, outcome: Outcome) -> Option<Block> {
    let blockers = blockers(record);
    let of_blocker = record.records(Field::Blockers).iter().find_map(|one| one.str(Field::BlockReason));
    let said = record.str(Field::BlockReason).or(of_blocker).map(str::trim);
    let known = said.and_then(|said| BlockReason::ALL.iter().copied().find(|known| known.name() == said));
    let asks_person = outcome::is_for_person(record) && !record.has(Field::Gate);
    let is_asking = outcome == Outcome::Blocked && (!blockers.is_empty() || asks_person);
    let reason = known.or(is_asking.then_some(BlockReason::NeedsHumanInput))?;
    let mut details: Vec<String> = match record.str(Field::BlockDetails) {
        Some(details) => vec![details.to_owned()],
        None => blockers,
    };
    if asks_person {
        details.extend(record.str(Field::ToReason).map(str::to_owned));
        let pending = record.records(Field::Decisions).iter();
        let pending = pending.filter(|one| one.str(Field::Id).is_some_and(|id| id.trim() == "pending"));
        details.extend(pending.filter_map(|one| one.str(Field::Decision)).map(str::to_owned));
    }
    let is_open = |one: &&Record<'_>| asks_person || outcome::holds_up(record, one);
    details.extend(record.records(Field::Questions).iter().filter(is_open).filter_map(in_words));
    details.truncate(PROBLEMS_MAX);
    Some(Block { reason, details: masked(&details.join("; ")) })
}

fn blockers(record: &Record<'_>) -> Vec<String> {
    let named = record.records(Field::Blockers).iter().filter_map(|blocker| blocker.str(Field::Blocker));
    let plain = record.texts(Field::Blockers).iter().map(|text| text.as_str());
    let all = named.chain(plain).map(str::trim).filter(|text| !text.is_empty());
    all.take(PROBLEMS_MAX).map(str::to_owned).collect()
}

/// Returns the open questions without whose answers the work can't be accepted, as one question. Every handoff of the document
/// may ask.
fn question(read: &Document<'_>, (record, outcome): (&Record<'_>, Outcome)) -> Option<Asked> {
    if record.has(Field::Gate) {
        return None;
    }
    let all: Vec<Record<'_>> = read.handoffs.iter().map(Handoff::everything).collect();
    let of_one = |record| {
        let questions = Record::records(record, Field::Questions).iter();
        questions.filter(move |one| outcome::holds_up(record, one))
    };
    let open: Vec<&Record<'_>> = all.iter().flat_map(of_one).take(OPTIONS_MAX).collect();
    let mut words: Vec<String> =
        open.iter().filter_map(|one| in_words(one)).map(|text| masked(&text)).collect();
    // Running text may ask as well, beside work that is said to be done.
    if words.is_empty() && outcome == Outcome::Completed {
        // Whoever says that nothing is open is contradicted instead.
        let asks = of_document("", read, &[]).into_iter().filter(|claims| !claims.denies_questions());
        let blocking = asks.flat_map(|claims| claims.blocking);
        words.extend(blocking.take(OPTIONS_MAX).map(|said| masked(said.text.trim())));
    }
    let options = match open.as_slice() {
        [only] => {
            let listed = only.texts(Field::Options).iter().map(|option| option.as_str());
            let recommended = only.str(Field::Recommendation);
            let all = listed.chain(recommended).map(|text| masked(text.trim()));
            let mut seen = BTreeSet::new();
            all.filter(|text| !text.is_empty() && seen.insert(text.clone())).take(OPTIONS_MAX).collect()
        }
        _ => Vec::new(),
    };
    (!words.is_empty()).then(|| Asked { question: words.join("; "), options })
}

/// Returns a question with what one should know to answer it.
fn in_words(question: &Record<'_>) -> Option<String> {
    let text = |field| question.str(field).map(str::trim).filter(|text| !text.is_empty());
    let asked = text(Field::Question)?;
    let more = [("context", Field::QuestionContext), ("recommended", Field::Recommendation)];
    let more = more.into_iter().filter_map(|(name, field)| Some(format!("{name}: {}", text(field)?)));
    let more: Vec<String> = more.collect();
    Some(if more.is_empty() { asked.to_owned() } else { format!("{asked} ({})", more.join("; ")) })
}

/// Returns the gate that a package asks for. What each answer means and what is still open are among its items.
fn gate(record: &Record<'_>) -> Option<GateRule> {
    let gate = record.record(Field::Gate)?;
    let name: String = gate.str(Field::Name)?.trim().chars().map(plain).collect();
    let name = GateName::new(name.trim_matches('-')).ok()?;
    let weight = match gate.str(Field::Type).map(str::trim) {
        Some("informing") => GateWeight::Informing,
        Some(_) | None => GateWeight::Blocking,
    };
    let request = record.record(Field::ValidationRequest);
    let items = request.map(|request| request.texts(Field::Items)).unwrap_or_default();
    let items = items.iter().map(|item| item.as_str().to_owned());
    let open = record.records(Field::Questions).iter().filter_map(in_words);
    let open = open.map(|question| format!("open question: {question}"));
    let options = request.and_then(|request| request.tree(Field::GateOptions)).and_then(Node::pairs);
    let options = options.unwrap_or_default().iter();
    let options = options.filter_map(|pair| Some(format!("{}: {}", pair.key, pair.value.text()?)));
    let items = items.chain(open).chain(options).take(ITEMS_MAX).map(|item| masked(&item)).collect();
    Some(GateRule { name, weight, items })
}

fn plain(letter: char) -> char {
    if letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_') { letter } else { '-' }
}

/// Returns whom a document is addressed to, where its dialect has a field for that.
fn address(handoff: &Handoff<'_>) -> Option<Address> {
    let record = &handoff.record;
    let to =
        record.str(Field::To).map(str::trim).filter(|to| !to.is_empty() && !outcome::is_none_word(to))?;
    let deliverable = match handoff.dialect {
        Dialect::Package => record.str(Field::Deliverable).map(|text| masked(text.trim())),
        Dialect::Summary => None,
        _ => return None,
    };
    (!outcome::is_for_person(record)).then(|| Address {
        to: to.trim_start_matches('@').to_owned(),
        deliverable: deliverable.filter(|text| !text.is_empty()),
    })
}

/// Returns the question that a document is: a request of its own, or an acknowledgment that something is missing.
fn asked(handoff: &Handoff<'_>) -> Option<Asked> {
    let record = &handoff.record;
    let (question, options) = match (handoff.dialect, handoff.variant.name) {
        (Dialect::Artifact, QUESTION) => {
            let options = record.texts(Field::Options).iter().take(OPTIONS_MAX);
            let options = options.map(|option| masked(option.as_str().trim())).collect();
            (record.str(Field::Question)?.trim().to_owned(), options)
        }
        (Dialect::Package, ACKNOWLEDGMENT) => {
            let questions = record.records(Field::Questions).iter().filter_map(in_words);
            (blockers(record).into_iter().chain(questions).collect::<Vec<_>>().join("; "), Vec::new())
        }
        _ => return None,
    };
    (!question.is_empty()).then(|| Asked { question: masked(&question), options })
}

/// Returns what the handoff says of failures. Unfinished work that names its receiver is routed there.
fn on_failure(handoff: &Handoff<'_>, outcome: Outcome) -> Option<FailurePolicy> {
    let agent = |record: &Record<'_>, field| {
        record.str(field).and_then(|text| AgentName::new(text.trim().trim_start_matches('@')).ok())
    };
    let receiver = agent(&handoff.record, Field::To);
    let receiver = receiver.filter(|_| handoff.dialect == Dialect::Summary && outcome == Outcome::Failed);
    let Some(policy) = handoff.record.record(Field::OnFailure) else {
        return receiver.map(|to| FailurePolicy { route_to: Some(to), ..FailurePolicy::default() });
    };
    let number = |field| policy.str(field).and_then(|text| text.trim().parse().ok());
    Some(FailurePolicy {
        retry: number(Field::Retry),
        route_to: agent(policy, Field::RouteTo).or(receiver),
        notify: agent(policy, Field::Notify),
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
        let reason = item.str(Field::Reason).or_else(|| note(item)).map(str::trim);
        let reason = reason.filter(|reason| !reason.is_empty()).map(masked);
        Some(CriterionVerdict { criterion, verdict, evidence: evidence.collect(), reason })
    };
    Ok(record.records(Field::Criteria).iter().filter_map(one).collect())
}

/// Returns what is written beside a verdict under a key that its dialect doesn't have.
fn note<'r>(item: &'r Record<'_>) -> Option<&'r str> {
    let own = item.extensions.iter().find(|own| NOTES.contains(&&*own.key))?;
    own.value.text()
}

fn masked(text: &str) -> String {
    crate::secret::mask(text).into_owned()
}
