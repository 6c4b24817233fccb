//! What whoever takes a turn is told. One function makes it, for every surface; with the turn it is kept as it was.

pub mod stats;

use std::collections::BTreeSet;

use baton_engine::context::order::{
    Clarified, Observed, ObservedCheck, ObservedFile, Order, REFERENCES_MAX, Reference,
};
use baton_engine::context::{self, Packet};
use baton_engine::event::Event;
use baton_engine::fact::{Document, Submission};
use baton_engine::knowledge::{self, ItemKind, Journal};
use baton_engine::state::{Said, Task};
use baton_engine::token;
use baton_engine::word::{TaskId, TreeHash};
use baton_engine::workflow::Role;
use serde_json::{Value, json};

use super::criteria::order_of;
use super::library::Skill;
use super::paper::Paper;
use super::skill::{self, About};
use super::{Desk, DeskError};
use crate::git::{Seen, WorkTree};

pub use baton_engine::context::explain::explain;
pub use baton_engine::context::fragment::{Fragment, Kind};
pub use baton_engine::context::order::Scope;
pub use baton_engine::context::quoted;
pub use baton_engine::context::{Packet as ContextPacket, rank::Score};
pub use baton_engine::fact::Performer;
pub use baton_engine::token::{VOCABULARY, count as count_tokens};
pub use baton_engine::workflow::Role as ContextRole;

/// A covenant with more tokens is named instead of repeated: agents read such files themselves.
const COVENANT_TOKENS_MAX: usize = 120;
const MS_PER_SECOND: i64 = 1_000;
/// Most files under review that a verifier is shown.
const FILES_UNDER_REVIEW_MAX: usize = 64;

/// Whose context is wanted.
#[derive(Clone, Copy, Debug)]
pub struct ContextRequest {
    /// The role that is due, when not given.
    pub role: Option<Role>,
    /// What the role gets, when not given.
    pub budget_tokens: Option<usize>,
    pub scope: Scope,
    /// Who is told: a person has Baton at hand, a guest its tools, a program hands over in its last message.
    pub performer: Performer,
}

impl Desk {
    /// Makes the context for the turn that is being taken or comes next. It changes nothing.
    pub fn context_for(&self, id: &TaskId, request: ContextRequest) -> Result<Packet, DeskError> {
        let task = self.task(id)?;
        let live = task.turn.as_ref().map(|turn| turn.role);
        let stage = task.stage().map(|stage| stage.role);
        let role = match request.role.or(live) {
            Some(role) => role,
            None => self.due(&task).ok().map(|(role, _)| role).or(stage).unwrap_or_default(),
        };
        let order = self.order(&task, role, (request, self.journal(id)?))?;
        Ok(context::pack(&order))
    }

    pub(super) fn order(
        &self,
        task: &Task,
        role: Role,
        (request, journal): (ContextRequest, Journal),
    ) -> Result<Order, DeskError> {
        let default = match request.scope {
            Scope::Turn => self.budgets.tokens(role),
            Scope::All(_) => usize::MAX,
        };
        let attempts_max = task.allowance().map_or(1, |allowance| allowance.retries_max.saturating_add(1));
        let Some(stage) = task.stage() else {
            return Err(baton_engine::rejection::Refusal::NotNow.into());
        };
        Ok(Order {
            task: task.id.clone(),
            title: task.title.clone(),
            stage: stage.name.clone(),
            role,
            attempt: task.attempt().0,
            attempts_max,
            guidance: self.guidance_lines(task, role, request.performer)?,
            criteria: self.criteria(task)?,
            // What an attempt failed at is the story of whoever built it.
            feedback: task.run.feedback.clone().filter(|_| role != Role::Verifier),
            clarifications: clarifications(task),
            said: task
                .run
                .said
                .iter()
                .map(|said| match role {
                    // So is what was asked.
                    Role::Verifier => Said { asked: String::new(), ..said.clone() }.line(),
                    Role::Builder | Role::Repair | Role::Specialist => said.line(),
                })
                .collect(),
            // A program reads it in its prompt, and a verifier no story.
            is_told_beside: request.performer == Performer::Program
                && request.scope == Scope::Turn
                && role != Role::Verifier,
            drift: self.drift(task, &journal)?,
            observed: self.observed(task)?,
            references: self.references(task, role)?,
            journal,
            budget_tokens: request.budget_tokens.unwrap_or(default),
            scope: request.scope,
        })
    }

    /// What the project and the role demand. The guidance of the project goes in whole where it is short.
    fn guidance_lines(
        &self,
        task: &Task,
        role: Role,
        performer: Performer,
    ) -> Result<Vec<String>, DeskError> {
        let covenant = self.covenant_now()?;
        let text = String::from_utf8_lossy(&covenant.text);
        let mut lines = Vec::new();
        if !covenant.files.is_empty() {
            let names: Vec<&str> = covenant.files.iter().map(|file| file.name).collect();
            let files = names.join(", ");
            lines.push(format!("Follow {files}"));
            if token::count(&text) <= COVENANT_TOKENS_MAX {
                lines.extend(text.lines().map(unmarked).filter(|line| !line.is_empty()).map(str::to_owned));
            }
        }
        if performer == Performer::Program {
            lines.extend(self.skill_lines(task)?);
        }
        lines.extend(role_constraints(&task.id, role, performer));
        lines.extend(stop_conditions(task, role, performer));
        Ok(lines)
    }

    /// Points to the skills that apply: what they are for, and where they are. An agent that needs one reads it there.
    fn skill_lines(&self, task: &Task) -> Result<Vec<String>, DeskError> {
        let line = |skill: &Skill| {
            format!(
                "Skill {}: {} Read {} if it applies",
                skill.name,
                skill.description,
                self.place_of_skill(skill)
            )
        };
        Ok(self.skills_for(task)?.iter().map(line).collect())
    }

    /// Returns where a skill is, from the root of the project.
    pub(super) fn place_of_skill(&self, skill: &Skill) -> String {
        skill.path.strip_prefix(self.root()).unwrap_or(&skill.path).display().to_string()
    }

    /// Returns the skills that apply to a task.
    pub(super) fn skills_for(&self, task: &Task) -> Result<Vec<Skill>, DeskError> {
        let skills = self.skills();
        if skills.is_empty() {
            return Ok(Vec::new());
        }
        let criteria = self.criteria(task)?.into_iter().map(|criterion| criterion.to_string());
        let texts = std::iter::once(task.title.clone()).chain(criteria).collect();
        let files = self.observed(task)?.files.into_iter().map(|file| file.path).collect();
        let about = About { texts, files, stack: skill::stack(self.root()) };
        Ok(skill::applicable(skills, &about))
    }

    /// What the host saw of the work that is to be judged.
    fn observed(&self, task: &Task) -> Result<Observed, DeskError> {
        let receipt = task.run.receipt.iter();
        let checks = receipt.flat_map(|receipt| {
            receipt.checks.iter().map(|check| ObservedCheck {
                checkpoint: check.checkpoint.clone(),
                verdict: receipt.verdict(&check.checkpoint),
                detail: check.detail.clone(),
                receipt: receipt.document.id.clone(),
            })
        });
        let checks = checks.collect();
        let files = match &task.run.submission {
            Some(submission) => match self.changed_files(task, submission)? {
                Some(changed) => changed,
                None => self.named_in(submission)?,
            },
            None => Vec::new(),
        };
        Ok(Observed { checks, files })
    }

    /// What differs between the files at the beginning and those that were handed over, where both are kept.
    fn changed_files(
        &self,
        task: &Task,
        submission: &Submission,
    ) -> Result<Option<Vec<ObservedFile>>, DeskError> {
        let Some(from) = self.tree_at_first(task)? else { return Ok(None) };
        let snapshots = self.snapshots()?;
        if !snapshots.has(from.as_str()) || !snapshots.has(submission.tree.as_str()) {
            return Ok(None);
        }
        let mut changed: Vec<ObservedFile> = Vec::new();
        for difference in snapshots.differing(from.as_str(), submission.tree.as_str())? {
            let (seen, file) = match (difference.before, difference.after) {
                (None, Some(file)) => ("added", file),
                (Some(file), None) => ("removed", file),
                (Some(_), Some(file)) => ("changed", file),
                (None, None) => continue,
            };
            let path = String::from_utf8_lossy(&file.path).into_owned();
            changed.push(ObservedFile { path, seen: seen.to_owned() });
        }
        changed.sort_by(|one, other| one.path.cmp(&other.path));
        let more = changed.len().saturating_sub(FILES_UNDER_REVIEW_MAX);
        changed.truncate(FILES_UNDER_REVIEW_MAX);
        let rest = ObservedFile { path: format!("{more} more files"), seen: "changed too".to_owned() };
        changed.extend((more > 0).then_some(rest));
        Ok(Some(changed))
    }

    /// What the files looked like when the task began: whoever judges its last stage judges all that it has changed.
    fn tree_at_first(&self, task: &Task) -> Result<Option<TreeHash>, DeskError> {
        let good = task.snapshot_good.as_ref().map(|snapshot| snapshot.tree.clone());
        if task.stage_index == 0 {
            return Ok(good);
        }
        let first = self.entries(Some(&task.id))?.into_iter().find_map(|(_, entry)| match entry.event {
            Event::SnapshotTaken { tree, .. } => Some(tree),
            _ => None,
        });
        Ok(first.or(good))
    }

    /// The files that the work names, with what is at their paths.
    fn named_in(&self, submission: &Submission) -> Result<Vec<ObservedFile>, DeskError> {
        let bytes = self.document(&submission.document.blob)?.unwrap_or_default();
        let items = knowledge::read(&bytes);
        let paths: BTreeSet<&str> = items
            .iter()
            .filter(|item| item.kind == ItemKind::File)
            .filter_map(|item| item.path.as_deref())
            .take(FILES_UNDER_REVIEW_MAX)
            .collect();
        let tree = WorkTree::new(self.root());
        let look = |path: &str| ObservedFile { path: path.to_owned(), seen: seen(tree.look(path)) };
        Ok(paths.into_iter().map(look).collect())
    }

    /// The documents that are worth reading whole, the newest last.
    fn references(&self, task: &Task, role: Role) -> Result<Vec<Reference>, DeskError> {
        let refer = |task: &TaskId, document: &Document| Reference {
            task: task.clone(),
            document: document.id.clone(),
        };
        let mut references: Vec<Reference> =
            task.run.receipt.iter().map(|receipt| refer(&task.id, &receipt.document)).collect();
        if role != Role::Verifier {
            references.extend(task.run.inbound.iter().map(|inbound| refer(&task.id, inbound)));
            // A packet names a few; there can be a thousand.
            for on in task.dependencies.keys().rev() {
                if references.len() >= REFERENCES_MAX {
                    break;
                }
                let submission = self.task(on)?.run.submission;
                references.extend(submission.map(|submission| refer(on, &submission.document)));
            }
        }
        references.reverse();
        Ok(references)
    }

    /// Returns the context that was given with a turn, as it was, or none if that turn had none.
    pub fn context_of_turn(&self, id: &TaskId, turn: &str) -> Result<Option<Value>, DeskError> {
        let task = self.task(id)?;
        let name = format!("context-{turn}");
        let Some((_, artifact)) = task.artifacts.iter().find(|(known, _)| known.as_str() == name) else {
            return Ok(None);
        };
        let bytes = self.document(&artifact.blob)?.unwrap_or_default();
        Ok(serde_json::from_slice(&bytes).ok())
    }
}

/// How much of a packet whoever takes the turn is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Given {
    Whole,
    /// What is new, and the guidance: its session knows the rest.
    News,
}

impl Given {
    fn name(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::News => "news",
        }
    }
}

/// Writes a packet as the artifact that is kept with its turn.
pub(super) fn envelope(
    task: &Task,
    role: Role,
    (packet, given): (&Packet, Given),
    at: i64,
) -> Result<Paper, DeskError> {
    let fragments: Vec<Value> = packet.kept.iter().map(describe).collect();
    let of_fragments: BTreeSet<String> = packet
        .kept
        .iter()
        .flat_map(|fragment| &fragment.sources)
        .map(|source| format!("{}/{}", source.task, source.handoff))
        .collect();
    let own = [order_of(&task.id), format!("guidance-{}", task.turns_count + 1)];
    let sources: Vec<String> = own.into_iter().chain(of_fragments).collect();
    Paper::artifact(
        "context-envelope",
        &format!("context-{}", task.next_turn_id()),
        (&task.id, "orchestrator", at),
        &sources,
        json!({
            "audience_role": role.name(),
            "given": given.name(),
            "budget": {
                "tokens": packet.budget_tokens,
                "used": packet.tokens,
                "vocabulary": VOCABULARY,
                "over": packet.over_budget,
            },
            "text": packet.text,
            "sha256": packet.hash,
            "fragments": fragments,
            "left_out": left_out(packet),
            "stripped_characters": packet.stripped_characters,
        }),
    )
}

/// Returns what the project and the role demand, as it is kept with a turn.
pub(super) fn demands(envelope: &Value) -> Vec<String> {
    let fragments = envelope["fragments"].as_array().into_iter().flatten();
    let demands = fragments.filter(|fragment| fragment["kind"] == Kind::Guidance.name());
    demands.filter_map(|fragment| fragment["text"].as_str()).map(str::to_owned).collect()
}

/// Returns how much of each kind a packet leaves out, by the names of the kinds.
pub fn left_out(packet: &Packet) -> Value {
    let counts = packet.left_out.iter().map(|(kind, count)| (kind.name().to_owned(), json!(count)));
    Value::Object(counts.collect())
}

/// Returns a fragment with everything that is known of it.
pub fn describe(fragment: &Fragment) -> Value {
    let sources: Vec<Value> = fragment
        .sources
        .iter()
        .map(|source| {
            json!({
                "task": source.task.as_str(),
                "turn": source.turn.as_str(),
                "stage": source.stage.as_str(),
                "agent": source.agent.as_str(),
                "handoff": source.handoff.as_str(),
                "sequence": source.sequence,
            })
        })
        .collect();
    let score = fragment.score;
    json!({
        "kind": fragment.kind.name(),
        "text": fragment.text,
        "place": fragment.place,
        "id": fragment.id.as_ref().map(|id| id.as_str()),
        "standing": fragment.standing.map(|standing| standing.name()),
        "sources": sources,
        "tokens": fragment.tokens,
        "fate": fragment.fate.name(),
        "score": {
            "total": score.total(),
            "relevance": score.relevance,
            "weight": score.weight,
            "recency": score.recency,
            "support": score.support,
            "returned": score.returned,
        },
    })
}

/// Returns a line of guidance without the mark of a heading or of a list: in a packet it is a line of a list anyway.
fn unmarked(line: &str) -> &str {
    let line = line.trim();
    let bare = line.trim_start_matches('#');
    let rest = if bare.len() < line.len() { Some(bare) } else { line.strip_prefix(['-', '*', '+']) };
    rest.filter(|rest| rest.is_empty() || rest.starts_with(' ')).map_or(line, str::trim)
}

/// What the holder of a turn may do and must do, by role.
pub(super) fn role_constraints(id: &TaskId, role: Role, performer: Performer) -> Vec<String> {
    let mut lines = vec![match performer {
        Performer::Person => format!("Hand over with `baton submit {id} FILE`"),
        Performer::Guest => "Hand over with the tool `submit`, or at the end of your last message".to_owned(),
        Performer::Program => "Hand over at the end of your last message".to_owned(),
    }];
    if role == Role::Verifier {
        lines.push("Judge each criterion by evidence you can name; change nothing".to_owned());
    }
    lines
}

/// When whoever takes a turn has to stop: where a person must decide, and where its time, tokens or attempts end.
pub(super) fn stop_conditions(task: &Task, role: Role, performer: Performer) -> Vec<String> {
    let mut lines = vec![where_a_person_decides(&task.id, performer)];
    if let (Performer::Program, Some(limits)) = (performer, task.limits_for(role)) {
        let attempts_max = task.allowance().map_or(1, |allowance| allowance.retries_max.saturating_add(1));
        lines.push(format!(
            "Hand over in time: this turn ends after {} seconds or {} tokens{}; it is attempt {} of {attempts_max}",
            limits.turn_ms / MS_PER_SECOND,
            limits.turn_tokens,
            limits.turn_commands.map(|most| format!(" or {most} commands")).unwrap_or_default(),
            task.attempt()
        ));
    }
    lines
}

fn where_a_person_decides(id: &TaskId, performer: Performer) -> String {
    match performer {
        Performer::Person => {
            format!("Stop and ask with `baton clarify {id} QUESTION` where a person must decide")
        }
        Performer::Guest => {
            "Where a person must decide, stop: ask with the tool `ask`, or hand over as blocked".to_owned()
        }
        Performer::Program => "Where a person must decide, stop and hand over as blocked".to_owned(),
    }
}

fn clarifications(task: &Task) -> Vec<Clarified> {
    let all = task.clarifications.iter();
    all.map(|(id, clarification)| Clarified {
        id: id.clone(),
        question: clarification.question.clone(),
        answer: clarification.answer.as_ref().map(|(answer, _)| answer.clone()),
    })
    .collect()
}

fn seen(seen: Seen) -> String {
    match seen {
        Seen::File { bytes } => format!("{bytes} bytes"),
        Seen::Folder => "a folder".to_owned(),
        Seen::Missing => "missing".to_owned(),
        Seen::Link => "a link, not followed".to_owned(),
        Seen::Unreadable => "unreadable".to_owned(),
        Seen::OutsideOrNotRelative => "outside of the project".to_owned(),
    }
}
