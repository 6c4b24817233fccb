//! Build plans: judged before the work by one function, whichever way they come in, and kept as artifacts of the host.

use std::collections::BTreeMap;

use baton_engine::command::{Act, ActKind};
use baton_engine::envelope::Actor;
use baton_engine::state::{Task, Turn};
use baton_engine::word::TaskId;
use baton_engine::workflow::Role;
use baton_handoff::diagnostic::Severity;
use baton_handoff::document::{self, Document};
use baton_handoff::field::Field;
use baton_handoff::handoff::Handoff;
use baton_handoff::judge::judge;
use baton_handoff::outcome::is_none_word;
use baton_handoff::project::Project;
use baton_handoff::record::Record;
use baton_handoff::tree::Node;
use baton_handoff::write::to_json;
use serde_json::{Map, Value};

use super::brought::PROBLEMS_MAX;
use super::own_task::about_another;
use super::paper::{self, Paper};
use super::program::{NotTaken, agent, lease_of};
use super::targets;
use super::{Desk, DeskError};
use crate::cheat::is_named;

/// The artifact that is a plan.
pub(crate) const PLAN: &str = "build-plan";
/// Longest plan that is taken, in bytes: an agent without a session gets it back in its prompt.
const PLAN_BYTES_MAX: usize = 32 * 1024;
/// How a refusal begins that isn't told as one.
const NOT_TAKEN: &str = "the plan was not taken: ";
/// The keys of a budget that count tokens.
const TOKENS: &[&str] = &["tokens", "turn_tokens", "max_tokens"];

/// What a plan is judged by.
#[derive(Debug, Default)]
struct Order {
    criteria: Vec<String>,
    /// What the task may change; all, where nothing is named.
    targets: Vec<String>,
    /// What one turn may use.
    turn_tokens: Option<u64>,
    /// The stage is about changing files.
    must_change: bool,
}

/// A plan that was taken: what its work may change.
#[derive(Debug)]
pub(crate) struct Taken {
    pub(crate) targets: Vec<String>,
}

impl Desk {
    /// Takes a build plan from the holder of the turn, or says everything that is wrong with it.
    pub fn hand_in_plan(&mut self, id: &TaskId, bytes: &[u8], project: &Project) -> Result<(), DeskError> {
        let (task, turn, _) = self.live(id)?;
        self.only_for_holder(id, &turn, ActKind::HandInPlan)?;
        let begun = match &turn.snapshot {
            Some(before) if task.owes_plan() => {
                let after = self.keep(id)?;
                let differing = self.snapshots()?.differing(before.tree.as_str(), after.as_str())?;
                let files = differing.into_iter().filter_map(|one| one.after.or(one.before));
                files.map(|file| String::from_utf8_lossy(&file.path).into_owned()).collect()
            }
            _ => Vec::new(),
        };
        let holder = self.visitor.holder(id, &turn);
        // Somebody else may work in the same folder: only what the plan is about was begun too early.
        let is_too_early =
            |path: &String, targets: &[String]| is_named(path, targets) && begun.contains(path);
        self.take_plan(
            (id, &holder),
            (&task, &turn),
            bytes,
            (project, &|targets| begun.iter().filter(|path| is_too_early(path, targets)).cloned().collect()),
        )?;
        self.settle(id)
    }

    /// Takes the plan that a program brought in its step before the work, with the files that it had changed by then.
    pub(crate) fn plan_for(
        &mut self,
        id: &TaskId,
        turn: &Turn,
        bytes: &[u8],
        (project, changed): (&Project, &[String]),
    ) -> Result<Taken, NotTaken> {
        let task = self.task(id)?;
        let taken =
            self.take_plan((id, &agent(turn)), (&task, turn), bytes, (project, &|_| changed.to_vec()));
        taken.map_err(|error| match NotTaken::from(error) {
            NotTaken::Refused(why) => NotTaken::Refused(why.trim_start_matches(NOT_TAKEN).to_owned()),
            failed @ NotTaken::Failed(_) => failed,
        })
    }

    /// Says whether a document is a plan and nothing else, so that it comes before the work.
    pub fn is_plan(&self, id: &TaskId, bytes: &[u8]) -> Result<bool, DeskError> {
        let (_, turn, _) = self.live(id)?;
        Ok(turn.role != Role::Verifier && is_only_plan(bytes))
    }

    fn take_plan(
        &mut self,
        (id, holder): (&TaskId, &Actor),
        (task, turn): (&Task, &Turn),
        bytes: &[u8],
        (project, changed): (&Project, &dyn Fn(&[String]) -> Vec<String>),
    ) -> Result<Taken, DeskError> {
        let bytes = crate::secret::mask_known(bytes.to_vec());
        let order = Order {
            criteria: task.criteria_in_force().iter().map(ToString::to_string).collect(),
            targets: self.targets(task)?,
            turn_tokens: task.limits_for(turn.role).map(|limits| limits.turn_tokens),
            must_change: task.stage().is_some_and(|stage| stage.must_change),
        };
        let plan = read(&bytes, &order, project).and_then(|plan| {
            let named: Vec<String> = about_another(task, turn, &bytes).into_iter().collect();
            let early = changed(&plan.targets).into_iter().take(PROBLEMS_MAX).map(|path| {
                format!("`{path}` was changed before the plan was taken. Hand in the plan first, then change files.")
            });
            let wrong: Vec<String> = named.into_iter().chain(early).collect();
            if wrong.is_empty() { Ok(plan) } else { Err(wrong) }
        });
        let plan =
            plan.map_err(|wrong| self.refused_document(id, (holder, ActKind::HandInPlan), refused(&wrong)))?;
        let mut sources = paper::sources_of_turn(task, turn);
        sources.extend(plan.source_refs);
        let paper = Paper::artifact(
            PLAN,
            &plan_of(turn.id.as_str()),
            (id, turn.role.name(), self.now),
            &sources,
            Value::Object(plan.own),
        )?;
        let act = Act::HandInPlan { lease: lease_of(turn), document: paper.document.clone() };
        self.act(id.as_str(), holder, &act, &[&paper.bytes])?;
        Ok(Taken { targets: plan.targets })
    }

    /// Returns the plan that binds the work of the stage at hand, as it is kept.
    pub(super) fn plan_text(&self, task: &Task) -> Result<Option<String>, DeskError> {
        let Some(taken) = &task.run.plan else { return Ok(None) };
        let bytes = self.document(&taken.document.blob)?;
        Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    }
}

/// Returns the name of the plan that was handed in during a turn.
pub(super) fn plan_of(turn: &str) -> String {
    format!("plan-{turn}")
}

/// Says whether a document holds one plan and nothing of the work.
pub(crate) fn is_only_plan(bytes: &[u8]) -> bool {
    let Ok(text) = document::decode(bytes) else { return false };
    let read = document::read(text);
    !read.handoffs.is_empty() && read.handoffs.iter().all(is_plan)
}

fn is_plan(handoff: &Handoff<'_>) -> bool {
    handoff.variant.name == PLAN
}

fn refused(wrong: &[String]) -> DeskError {
    DeskError::Document {
        what: format!("{NOT_TAKEN}{}", wrong.join(" ")),
        next: "correct the plan and hand it in again; `baton new build-plan` writes an empty one, and your turn is still open"
            .to_owned(),
    }
}

/// A plan as it was read.
#[derive(Debug)]
struct Plan {
    targets: Vec<String>,
    /// What its agent says that it rests on.
    source_refs: Vec<String>,
    /// Everything but the common keys, which the host fills.
    own: Map<String, Value>,
}

/// Reads a plan and judges it. Returns everything that is wrong with it, each as what to do about it.
fn read(bytes: &[u8], order: &Order, project: &Project) -> Result<Plan, Vec<String>> {
    if bytes.len() > PLAN_BYTES_MAX {
        return Err(vec![format!("It has {} bytes. Write at most {PLAN_BYTES_MAX}.", bytes.len())]);
    }
    let text = document::decode(bytes).map_err(|diagnostic| vec![diagnostic.message])?;
    let mut read = document::read(text);
    let form = form_errors(&mut read, project);
    let plans: Vec<&Handoff<'_>> = read.handoffs.iter().filter(|handoff| is_plan(handoff)).collect();
    let [plan] = plans.as_slice() else {
        return Err(vec![format!(
            "It holds {} build plans. Hand in one JSON block with `\"artifact_type\": \"{PLAN}\"`.",
            if plans.is_empty() { "no".to_owned() } else { plans.len().to_string() }
        )]);
    };
    let record = &plan.record;
    let mut wrong = form;
    let targets = texts(record, Field::FileTargets);
    wrong.extend(wrong_targets(record, &targets, order));
    wrong.extend(wrong_validation(record));
    wrong.extend(
        record.tree(Field::CriterionCoverage).iter().flat_map(|node| wrong_coverage(node, &order.criteria)),
    );
    wrong.extend(record.tree(Field::Budget).and_then(|node| wrong_budget(node, order.turn_tokens)));
    if !wrong.is_empty() {
        wrong.truncate(PROBLEMS_MAX);
        return Err(wrong);
    }
    Ok(Plan { own: own(record), source_refs: texts(record, Field::SourceRefs), targets })
}

/// Returns the errors of form, but for the keys that the host fills.
fn form_errors(read: &mut Document<'_>, project: &Project) -> Vec<String> {
    let found = judge(read, project).into_iter().filter(|found| found.severity == Severity::Error);
    let own = found.filter(|found| !paper::is_filled_by_host(found));
    own.map(|found| format!("{}: {}.", found.code, found.message)).collect()
}

fn texts(record: &Record<'_>, field: Field) -> Vec<String> {
    let texts = record.texts(field).iter().map(|text| text.as_str().trim());
    texts.filter(|text| !text.is_empty()).map(str::to_owned).collect()
}

fn wrong_targets(record: &Record<'_>, named: &[String], order: &Order) -> Vec<String> {
    if named.is_empty() {
        let is_wanted = order.must_change && record.has(Field::FileTargets);
        let missing = "`file_targets` is empty. Name each file, folder or pattern that the work will change.";
        return is_wanted.then(|| missing.to_owned()).into_iter().collect();
    }
    if let Err(DeskError::Document { what, next }) = targets::judged(named) {
        return vec![format!("{what}. {next}.")];
    }
    let is_of_nothing =
        |target: &&String| target.chars().all(|letter| matches!(letter, '*' | '?' | '/' | '.'));
    let nothing = named.iter().filter(is_of_nothing);
    let nothing = nothing
        .map(|target| format!("The target `{target}` stands for every file. Name the files or folders."));
    let is_outside = |target: &&String| !order.targets.is_empty() && !is_named(target, &order.targets);
    let outside = named.iter().filter(is_outside).map(|target| {
        format!("The target `{target}` is outside of the task's targets: {}.", order.targets.join(", "))
    });
    nothing.chain(outside).collect()
}

fn wrong_validation(record: &Record<'_>) -> Option<String> {
    let plan = texts(record, Field::ValidationPlan);
    let says_nothing = plan.iter().all(|text| is_none_word(text));
    (record.has(Field::ValidationPlan) && says_nothing).then(|| {
        "`validation_plan` has no validation. Say how you will show that the work is right, such as a command.".to_owned()
    })
}

/// Every criterion is covered, and no other.
fn wrong_coverage(node: &Node<'_>, criteria: &[String]) -> Vec<String> {
    let covered = covered(node);
    let is = |name: &str, criterion: &str| name.eq_ignore_ascii_case(criterion);
    let missing = criteria
        .iter()
        .filter(|criterion| !covered.iter().any(|(name, is_covered)| *is_covered && is(name, criterion)));
    let missing = missing.map(|criterion| {
        format!("`criterion_coverage` doesn't cover the criterion `{criterion}`. Say which change and which validation cover it.")
    });
    let invented = covered.keys().filter(|name| !criteria.iter().any(|criterion| is(name, criterion)));
    let known = if criteria.is_empty() { "it has none".to_owned() } else { criteria.join(", ") };
    let invented = invented
        .map(|name| format!("`criterion_coverage` names `{name}`, and no criterion of the task is called so ({known}). Remove it."));
    missing.chain(invented).collect()
}

/// Returns what a coverage names, and whether it says anything of it: a map by criterion, or a list with one entry for each.
fn covered(node: &Node<'_>) -> BTreeMap<String, bool> {
    let says = |value: &Node<'_>| !value.is_blank() && !value.text().is_some_and(is_none_word);
    let of_pairs =
        node.pairs().unwrap_or_default().iter().map(|pair| (pair.key.trim().to_owned(), says(&pair.value)));
    let of_item = |item: &Node<'_>| {
        let is_name = |key: &str| matches!(key, "criterion" | "criterion_id" | "id");
        let pairs = item.pairs()?;
        let name = pairs.iter().find(|pair| is_name(&pair.key))?.value.text()?;
        let is_covered = pairs.iter().any(|pair| !is_name(&pair.key) && says(&pair.value));
        Some((name.trim().to_owned(), is_covered))
    };
    of_pairs.chain(node.items().unwrap_or_default().iter().filter_map(of_item)).collect()
}

/// A budget says at least one amount, and no more tokens than the turn has.
fn wrong_budget(node: &Node<'_>, turn_tokens: Option<u64>) -> Option<String> {
    let pairs = node.pairs().unwrap_or_default();
    if !pairs.iter().any(|pair| amount(&pair.value).is_some_and(|amount| amount > 0.0)) {
        return Some(
            "`budget` says no amount. Say what the work may use, such as `{\"tokens\": 50000}`.".to_owned(),
        );
    }
    let tokens =
        pairs.iter().filter(|pair| TOKENS.contains(&&*pair.key)).filter_map(|pair| amount(&pair.value));
    let (most, max) = (tokens.fold(0.0, f64::max), turn_tokens?);
    #[expect(clippy::cast_precision_loss, reason = "a limit that large bounds nothing")]
    let is_over = most > max as f64;
    is_over.then(|| format!("`budget` wants {most} tokens, and the turn has {max}. Plan for less."))
}

/// Reads an amount, with or without a unit.
fn amount(node: &Node<'_>) -> Option<f64> {
    let text = node.text()?.trim();
    let number: String = text
        .chars()
        .take_while(|letter| letter.is_ascii_digit() || matches!(letter, '.' | '_' | ','))
        .collect();
    number.replace(['_', ','], "").parse().ok()
}

/// Returns what a plan says under its own keys and under those that no dialect knows.
fn own(record: &Record<'_>) -> Map<String, Value> {
    let list = |field| Value::from(texts(record, field));
    let tree = |field| record.tree(field).map_or(Value::Null, value);
    let mut own = Map::new();
    own.insert("file_targets".to_owned(), list(Field::FileTargets));
    own.insert("validation_plan".to_owned(), list(Field::ValidationPlan));
    own.insert("criterion_coverage".to_owned(), tree(Field::CriterionCoverage));
    own.insert("budget".to_owned(), tree(Field::Budget));
    for extension in &record.extensions {
        own.entry(extension.key.to_string()).or_insert_with(|| value(&extension.value));
    }
    own
}

fn value(node: &Node<'_>) -> Value {
    serde_json::from_str(&to_json(node)).unwrap_or_default()
}

#[cfg(test)]
mod tests;
