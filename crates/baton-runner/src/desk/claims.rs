//! The claims of a handoff under the one judgement: gathers the facts about its turn and records what they show.
//!
//! The facts come from the saved files before and after the turn and from the receipts in the log, never from the files as
//! they are today. So a handoff gets the same findings when it is handed over and years later.

mod files;

use std::collections::BTreeMap;

use baton_engine::event::Event;
use baton_engine::fact::{ClaimVerdict, Finding, Receipt};
use baton_engine::state::{Attempt, Task};
use baton_engine::word::{TaskId, TreeHash, TurnId};
use baton_engine::workflow::Role;
use baton_evidence::claims::{self, Claims};
use baton_evidence::facts::{CommitFact, Facts, Run, Turn};
use baton_evidence::finding::{self, Verdict};
use baton_evidence::judge;
use baton_handoff::document;
use serde_json::Value;

use self::files::FilesOfTurn;
pub(super) use self::files::Span;
use super::receipt::{Ran, run_fact};
use super::tell::one_line;
use super::{Desk, DeskError};
use crate::cheat::is_named;
use crate::git::{Named, Repository};

/// Most findings that one receipt or handoff records.
const FINDINGS_MAX: usize = 64;

impl Desk {
    /// Judges the claims of a handoff by the files around its turn and the checks that were run on them.
    pub(super) fn judge_claims(
        &self,
        (task, turn): (&Task, &TurnId),
        bytes: &[u8],
        (after, runs): (&TreeHash, Option<Vec<Run>>),
    ) -> Result<Vec<Finding>, DeskError> {
        let Ok(text) = document::decode(bytes) else { return Ok(Vec::new()) };
        let read = document::read(text);
        let name = format!("handoff-{turn}");
        let Some(claims) = Claims::of_whole(claims::of_document(&name, &read, &[])) else {
            return Ok(Vec::new());
        };
        let facts = self.facts_of_turn((task, turn), &claims, (after, runs))?;
        Ok(recorded(judge::judge(&claims, &facts)))
    }

    /// Judges the claims of the work that was handed over, with what the host's checks showed. What somebody changed after
    /// it was handed over isn't the agent's.
    pub(super) fn judge_work(&self, task: &Task, ran: &[Ran]) -> Result<Vec<Finding>, DeskError> {
        let Some(submission) = &task.run.submission else { return Ok(Vec::new()) };
        let Some(turn) = turn_of(submission.document.id.as_str()) else { return Ok(Vec::new()) };
        let bytes = self.document(&submission.document.blob)?.unwrap_or_default();
        let runs = ran.iter().map(|ran| ran.fact("the receipt")).collect();
        self.judge_claims((task, &turn), &bytes, (&submission.tree, Some(runs)))
    }

    /// Returns everything that the log and the saved files show about the claims of a recorded handoff.
    pub(crate) fn facts_of_recorded(
        &self,
        (id, turn): (&TaskId, &TurnId),
        claims: &Claims,
    ) -> Result<Facts, DeskError> {
        let task = self.task(id)?;
        let (mut tree, mut receipt) = (None, None::<Receipt>);
        for (_, entry) in self.entries(Some(id))? {
            match entry.event {
                Event::HandoffReceived { turn: own, submission, .. } => {
                    tree = (own == *turn).then_some(submission.tree).or(tree.filter(|_| receipt.is_some()));
                    if own != *turn && receipt.is_some() {
                        break;
                    }
                }
                Event::ReceiptRecorded { receipt: own } if tree.as_ref() == Some(&own.tree_before) => {
                    receipt = Some(own);
                }
                _ => {}
            }
        }
        let Some(after) = tree else { return Ok(Facts::default()) };
        let runs = receipt.map(|receipt| self.runs_of(&receipt)).transpose()?;
        self.facts_of_turn((&task, turn), claims, (&after, runs))
    }

    /// Reads the runs of a receipt back from its document.
    pub(super) fn runs_of(&self, receipt: &Receipt) -> Result<Vec<Run>, DeskError> {
        let bytes = self.document(&receipt.document.blob)?.unwrap_or_default();
        let body: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        let mut runs = Vec::new();
        for result in &receipt.checks {
            let is_own = |ledger: &&Value| {
                ledger["evidence_ref"][0].as_str() == Some(&format!("checkpoints/{}", result.checkpoint))
            };
            let ledger = body["command_ledger"].as_array().into_iter().flatten().find(is_own);
            let output = match &result.output {
                Some(output) => self.document(&output.blob)?.unwrap_or_default(),
                None => Vec::new(),
            };
            let output = String::from_utf8_lossy(&output);
            runs.push(run_fact(ledger.unwrap_or(&Value::Null), &output, (result, "the receipt")));
        }
        Ok(runs)
    }

    fn facts_of_turn(
        &self,
        (task, turn): (&Task, &TurnId),
        claims: &Claims,
        (after, runs): (&TreeHash, Option<Vec<Run>>),
    ) -> Result<Facts, DeskError> {
        let mut facts = Facts { now: Some(self.now / 1000), runs, ..Facts::default() };
        facts.commits = self.commit_facts(task, claims)?;
        let Some(span) = self.span(task, turn, after)? else { return Ok(facts) };
        let files = FilesOfTurn::read(self, span)?;
        files.gather(claims, &mut facts)?;
        facts.turn = Some(self.turn_facts(&files)?);
        Ok(facts)
    }

    /// Returns the states of the files around a turn; nothing where those before it weren't saved.
    pub(super) fn span<'t>(
        &self,
        task: &'t Task,
        turn: &TurnId,
        after: &TreeHash,
    ) -> Result<Option<Span<'t>>, DeskError> {
        let Some(at) = task.history.iter().position(|attempt| attempt.turn == *turn) else { return Ok(None) };
        let attempt = &task.history[at];
        let works = |other: &&Attempt| other.role != Role::Verifier;
        let of_stage = task.history[..=at].iter().filter(works).find(|other| other.stage == attempt.stage);
        let first = task.history[..=at].iter().find(works);
        let saved: BTreeMap<String, TreeHash> = self
            .saved(&task.id)?
            .into_iter()
            .filter(|saved| saved.is_kept)
            .map(|saved| (saved.name, saved.tree))
            .collect();
        let before = |attempt: &Attempt| saved.get(&format!("before-{}", attempt.turn)).cloned();
        // What others did before the work was brought to a newer commit isn't this work.
        let renewed = self.own_workspace(&task.id)?.and_then(|own| own.renewed().cloned());
        let renewed = renewed.filter(|tree| saved.values().any(|known| known == tree) || self.is_saved(tree));
        // A verifier judges the work of the turn before.
        let of_work = task.history[..=at].iter().rfind(|other| works(other) && other.stage == attempt.stage);
        let own = of_work.and_then(before);
        let Some(turn_tree) = own.or_else(|| renewed.clone()) else { return Ok(None) };
        let of_stage = of_stage.and_then(before);
        let mut trees = match &renewed {
            Some(renewed) => vec![renewed.clone()],
            None => first.and_then(before).into_iter().chain(of_stage.clone()).collect(),
        };
        trees.push(turn_tree.clone());
        trees.dedup();
        let stage = renewed.or(of_stage).unwrap_or_else(|| turn_tree.clone());
        Ok(Some(Span { task, attempt, before: trees, stage, turn: turn_tree, after: after.clone() }))
    }

    fn is_saved(&self, tree: &TreeHash) -> bool {
        self.snapshots().is_ok_and(|snapshots| snapshots.has(tree.as_str()))
    }

    fn turn_facts(&self, files: &FilesOfTurn<'_>) -> Result<Turn, DeskError> {
        let Span { task, attempt, .. } = &files.span;
        let stage = task.workflow.stages.iter().find(|stage| stage.name == attempt.stage);
        let targets = self.targets(task)?;
        let outside = files.changed_in_turn().filter(|path| !targets.is_empty() && !is_named(path, &targets));
        Ok(Turn {
            began: Some(attempt.started_at / 1000),
            failures: attempt.attempt.0.saturating_sub(1),
            must_change: stage.is_some_and(|stage| stage.must_change),
            has_changed: files.has_changed_in_stage()?,
            changed_outside: outside.map(str::to_owned).collect(),
            tasks: std::iter::once(&task.id)
                .chain(task.lineage.iter().map(|above| &above.task))
                .map(ToString::to_string)
                .collect(),
            stage: attempt.stage.to_string(),
            stages: task.workflow.stages.iter().map(|stage| stage.name.to_string()).collect(),
            role: attempt.role.name().to_owned(),
            criteria: task.criteria_in_force().iter().map(ToString::to_string).collect(),
            artifacts: task.artifacts.keys().map(ToString::to_string).collect(),
        })
    }

    /// Looks the commits up that a handoff names: in the project, and in the workspace of the task.
    fn commit_facts(&self, task: &Task, claims: &Claims) -> Result<BTreeMap<String, CommitFact>, DeskError> {
        let mut facts = BTreeMap::new();
        if claims.commits.is_empty() {
            return Ok(facts);
        }
        let own = self.own_workspace(&task.id)?.map(|own| own.root().to_owned());
        let folders = std::iter::once(self.root().to_owned()).chain(own);
        let repositories: Vec<Repository> =
            folders.filter_map(|folder| Repository::open(&folder).ok().flatten()).collect();
        for said in &claims.commits {
            let id = said.text.trim();
            let mut named = repositories.iter().filter_map(|repository| {
                repository.objects().and_then(|mut objects| objects.commit_kind(id)).ok()
            });
            let is_complete = repositories.iter().all(|repository| !repository.is_shallow());
            let fact = named.find_map(|named| match named {
                Named::Commit(_) => Some(CommitFact::OnBranch),
                Named::Other(_) => Some(CommitFact::NotACommit),
                Named::Ambiguous => Some(CommitFact::Ambiguous),
                Named::Nothing => None,
            });
            let is_own = is_complete && !repositories.is_empty();
            facts.insert(id.to_owned(), fact.unwrap_or(CommitFact::Unknown { is_complete, is_own }));
        }
        Ok(facts)
    }
}

/// Returns the turn whose handoff a document is.
pub(crate) fn turn_of(document: &str) -> Option<TurnId> {
    TurnId::new(document.strip_prefix("handoff-")?).ok()
}

/// Returns the findings that are recorded: all but the claims that hold, the worst first.
fn recorded(findings: Vec<finding::Finding>) -> Vec<Finding> {
    let verdict = |verdict| match verdict {
        Verdict::Contradicted => Some(ClaimVerdict::Contradicted),
        Verdict::Unsupported => Some(ClaimVerdict::Unsupported),
        Verdict::NotCheckable => Some(ClaimVerdict::NotCheckable),
        Verdict::Holds => None,
    };
    let one = |finding: finding::Finding| {
        // The name of a file may hold anything, and begins no line of what people and agents read.
        let mask = |text: &str| one_line(&crate::secret::mask(text));
        let against = finding.against.as_ref().map(|against| {
            let line = against.line.map(|line| format!(":{line}")).unwrap_or_default();
            let text = if against.text.is_empty() { String::new() } else { format!(" {}", against.text) };
            mask(&format!("{}{line}{text}", against.source))
        });
        Some(Finding {
            code: finding.code().map(|code| code.to_string()).unwrap_or_default(),
            claim_kind: finding.kind.to_owned(),
            verdict: verdict(finding.verdict)?,
            claim: mask(&finding.claim),
            line: finding.place.line,
            reason: mask(&finding.reason),
            evidence: against,
            fix: finding.fix,
        })
    };
    let mut all: Vec<Finding> = findings.into_iter().filter_map(one).collect();
    all.sort_by_key(|finding| std::cmp::Reverse(finding.verdict));
    all.truncate(FINDINGS_MAX);
    all
}
