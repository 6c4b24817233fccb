//! What a plan must hold. Pure: everything that it is judged by is in the [`Order`].

use std::collections::BTreeMap;

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

use crate::cheat::is_named;
use crate::desk::brought::PROBLEMS_MAX;
use crate::desk::{DeskError, paper, targets};

/// The artifact that is a plan.
pub(crate) const PLAN: &str = "build-plan";
/// Longest plan that is taken, in bytes: an agent without a session gets it back in its prompt.
const PLAN_BYTES_MAX: usize = 32 * 1024;
/// The keys of a budget that count tokens.
const TOKENS: &[&str] = &["tokens", "turn_tokens", "max_tokens"];

/// What a plan is judged by.
#[derive(Debug, Default)]
pub(super) struct Order {
    pub(super) criteria: Vec<String>,
    /// What the task may change; all, where nothing is named.
    pub(super) targets: Vec<String>,
    /// What one turn may use.
    pub(super) turn_tokens: Option<u64>,
    /// The stage is about changing files.
    pub(super) must_change: bool,
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

/// A plan as it was read.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) targets: Vec<String>,
    /// What its agent says that it rests on.
    pub(super) source_refs: Vec<String>,
    /// Everything but the common keys, which the host fills.
    pub(super) own: Map<String, Value>,
}

/// Reads a plan and judges it. Returns everything that is wrong with it, each as what to do about it.
pub(super) fn read(bytes: &[u8], order: &Order, project: &Project) -> Result<Plan, Vec<String>> {
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
        return vec![format!("{}. {}.", sentence(&what), sentence(&next))];
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

/// Begins a sentence with words that were written to follow others.
fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
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
