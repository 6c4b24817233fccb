//! Chains: the handoffs of one task, in the order of the work.

use std::collections::BTreeMap;

use baton_handoff::dialect::Dialect;
use baton_handoff::project::Project;

use super::dossier::Dossier;

/// The handoffs of one task.
#[derive(Clone, Debug)]
pub struct Chain {
    /// What the task is called: its id, or where its handoffs are.
    pub name: String,
    /// Indexes of the dossiers, in the order of the work.
    pub members: Vec<usize>,
    /// Where each member stands in the workflow, if that is known.
    pub ranks: Vec<Option<usize>>,
}

/// The artifacts of the builder–verifier protocol in the order in which one rests on another.
const ARTIFACT_ORDER: &[&str] = &[
    "guidance-packet",
    "build-plan",
    "build-artifact",
    "checklist-receipt",
    "verification-request",
    "verification-report",
    "orchestrator-decision",
];

/// Returns where a handoff stands in its workflow, if it says so in words that are known.
fn rank(dossier: &Dossier, project: &Project) -> Option<usize> {
    if dossier.dialect == Dialect::Artifact {
        return ARTIFACT_ORDER.iter().position(|variant| *variant == dossier.variant);
    }
    let stage = dossier.stage.as_ref()?.text.trim();
    let is_it = |name: &str| name.eq_ignore_ascii_case(stage);
    match dossier.dialect {
        Dialect::Summary => project.phases.iter().position(|phase| is_it(phase)),
        _ => project.stages.iter().position(|known| is_it(&known.name)),
    }
}

/// Joins handoffs by task.
pub fn join(dossiers: &[Dossier], project: &Project) -> Vec<Chain> {
    let mut chains: BTreeMap<(String, String), Chain> = BTreeMap::new();
    for (at, dossier) in dossiers.iter().enumerate() {
        let (folder, name) = key(dossier);
        let shown = dossier.task.as_ref().map_or_else(|| name.clone(), |task| task.text.trim().to_owned());
        let chain = chains.entry((name.to_lowercase(), folder)).or_insert_with(|| Chain {
            name: shown,
            members: Vec::new(),
            ranks: Vec::new(),
        });
        chain.members.push(at);
    }
    let mut chains: Vec<Chain> = chains.into_values().collect();
    for chain in &mut chains {
        chain.ranks = ranks(&chain.members, dossiers, project);
        let mut order: Vec<usize> = (0..chain.members.len()).collect();
        order.sort_by_key(|&position| {
            let dossier = &dossiers[chain.members[position]];
            let when = dossier.latest().map(|moment| moment.earliest);
            (chain.ranks[position], when, natural(&dossier.shown_path()), dossier.origin)
        });
        chain.members = order.iter().map(|&position| chain.members[position]).collect();
        chain.ranks = order.iter().map(|&position| chain.ranks[position]).collect();
    }
    chains
}

/// Returns where each member stands: by the numbers that their files begin with, where every one has its own; else by
/// the stages that they name.
fn ranks(members: &[usize], dossiers: &[Dossier], project: &Project) -> Vec<Option<usize>> {
    let numbers: Option<Vec<usize>> = members.iter().map(|&at| file_number(&dossiers[at])).collect();
    let folder = |at: usize| dossiers[at].folder();
    let in_one_folder = members.windows(2).all(|pair| folder(pair[0]) == folder(pair[1]));
    if let Some(numbers) = numbers.filter(|_| in_one_folder && members.len() > 1) {
        let mut distinct = numbers.clone();
        distinct.sort_unstable();
        distinct.dedup();
        if distinct.len() == numbers.len() {
            return numbers.into_iter().map(Some).collect();
        }
    }
    members.iter().map(|&at| rank(&dossiers[at], project)).collect()
}

/// Returns the number that a file's name begins with. A date is none.
fn file_number(dossier: &Dossier) -> Option<usize> {
    let path = dossier.repository_path.as_deref()?;
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    let digits = name.find(|character: char| !character.is_ascii_digit())?;
    name.get(..digits).filter(|digits| (1..=3).contains(&digits.len()))?.parse().ok()
}

/// Returns the folder and the name that handoffs of one task share. An id that is only a number means something in its
/// folder alone; a document without an id stands for itself, or belongs to the others of its kind in its folder.
fn key(dossier: &Dossier) -> (String, String) {
    let path = dossier.shown_path();
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
    match &dossier.task {
        Some(task) if is_telling(&task.text) => (String::new(), task.text.trim().to_owned()),
        Some(task) => {
            let stage = dossier.stage.as_ref().map_or("", |stage| stage.text.trim());
            (folder, format!("{stage} {}", task.text.trim()).trim().to_owned())
        }
        None => match (&dossier.workflow, dossier.dialect) {
            (Some(workflow), _) => (folder, workflow.clone()),
            (None, Dialect::Summary | Dialect::Package) if !folder.is_empty() => (folder.clone(), folder),
            (None, _) => (folder, path),
        },
    }
}

fn is_telling(id: &str) -> bool {
    let id = id.trim();
    id.chars().any(char::is_alphabetic) && id.chars().any(|character| character.is_ascii_digit())
        || id.len() >= 4 && id.chars().any(char::is_alphabetic)
}

/// Returns a key that sorts `step-2` before `step-10`.
pub fn natural(text: &str) -> Vec<(u64, String)> {
    let mut key = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let letters = rest.find(|character: char| character.is_ascii_digit()).unwrap_or(rest.len());
        let (word, after) = rest.split_at(letters);
        let digits = after.find(|character: char| !character.is_ascii_digit()).unwrap_or(after.len());
        let (number, remaining) = after.split_at(digits);
        key.push((0, word.to_lowercase()));
        key.push((number.parse().unwrap_or(u64::MAX), String::new()));
        rest = remaining;
    }
    key
}
