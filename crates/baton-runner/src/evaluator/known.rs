//! Criteria and requirements that a task is held to, and whether a text names them.

use baton_engine::context::order::Criterion;

use super::id::{Id, Mentions};
use super::page::{Item, Page};
use super::topic::Topic;

/// Ids that begin so are of criteria, wherever they stand.
const OF_CRITERIA: &[&str] = &["AC"];
/// Ids that begin so are of requirements, wherever they stand.
const OF_REQUIREMENTS: &[&str] = &["R", "FR", "REQ", "US"];
/// Ids that begin so are of something else, wherever they stand.
const OF_OTHERS: &[&str] = &["NFR", "CON", "C", "Q", "RISK", "ADR", "A", "D", "F", "TASK", "T", "BUG", "TC"];

/// A criterion or requirement.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) name: String,
    id: Option<Id>,
    words: Option<String>,
}

impl Known {
    fn is_named_by_id(&self) -> bool {
        self.id.as_ref().is_some_and(|id| id.shown == self.name)
    }

    /// Says whether a text names it: by its id, by its name, or in its own words.
    pub(super) fn is_in(&self, text: &str, mentions: &Mentions) -> bool {
        let text = loosened(text);
        match &self.id {
            Some(id) if mentions.has(id) => true,
            _ if !self.is_named_by_id() && has_words(&text, &loosened(&self.name)) => true,
            _ => self.words.as_ref().is_some_and(|words| has_words(&text, words)),
        }
    }
}

/// Returns the names of those that a text doesn't name.
pub(super) fn missing(all: &[Known], text: &str) -> Vec<String> {
    let mentions = Mentions::of(text);
    all.iter().filter(|known| !known.is_in(text, &mentions)).map(|known| known.name.clone()).collect()
}

/// Returns the criteria of a task with those that earlier documents define, none twice.
pub(super) fn criteria(of_task: &[Criterion], earlier: &[Page]) -> Vec<Known> {
    let mut all: Vec<Known> = of_task
        .iter()
        .map(|own| {
            let name = own.id.to_string();
            let words = own.text.as_deref().map(loosened);
            Known { id: Id::read(&name).filter(|id| id.shown == name), name, words }
        })
        .collect();
    // A document that defines requirements lists the criteria; another may only speak of some.
    for item in earlier.iter().flat_map(|page| &page.items).filter(|item| is_criterion(item)) {
        // `AC-1 (rounds-totals): …` gives a criterion of the task another name.
        match all.iter_mut().find(|known| known.id.is_none() && is_marked(&item.text, &known.name)) {
            Some(known) => known.id.clone_from(&item.id),
            None => add(&mut all, item),
        }
    }
    all
}

/// Says whether a text names something between marks.
fn is_marked(text: &str, name: &str) -> bool {
    let marks = [('(', ')'), ('[', ']'), ('`', '`')];
    marks.iter().any(|(open, close)| text.contains(&format!("{open}{name}{close}")))
}

/// Returns the requirements that earlier documents define, none twice.
pub(super) fn requirements(earlier: &[Page]) -> Vec<Known> {
    let mut all = Vec::new();
    for item in earlier.iter().flat_map(|page| &page.items).filter(|item| is_requirement(item)) {
        add(&mut all, item);
    }
    all
}

/// Says whether an entry defines a criterion.
pub(super) fn is_criterion(item: &Item) -> bool {
    match &item.id {
        Some(id) if OF_CRITERIA.contains(&id.prefix()) => item.is_thing(),
        Some(id) => {
            let is_other = OF_OTHERS.contains(&id.prefix()) || OF_REQUIREMENTS.contains(&id.prefix());
            item.is_about(Topic::Criterion) && item.is_thing() && !is_other
        }
        None => item.is_about(Topic::Criterion) && item.is_thing(),
    }
}

/// Says whether an entry defines a requirement.
pub(super) fn is_requirement(item: &Item) -> bool {
    let is_about = item.is_about(Topic::Requirement) && !item.is_about(Topic::Criterion);
    match &item.id {
        Some(id) if OF_REQUIREMENTS.contains(&id.prefix()) => item.is_thing(),
        Some(id) => is_about && !OF_OTHERS.contains(&id.prefix()) && !OF_CRITERIA.contains(&id.prefix()),
        None => is_about && item.is_thing(),
    }
}

/// Adds what has an id: later documents can name nothing else.
fn add(all: &mut Vec<Known>, item: &Item) {
    let Some(id) = &item.id else { return };
    if all.iter().all(|known| known.id.as_ref().is_none_or(|own| own.key != id.key)) {
        all.push(Known { name: id.shown.clone(), id: Some(id.clone()), words: None });
    }
}

/// Returns the words of a text in small letters, with one space between them.
fn loosened(text: &str) -> String {
    let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ").to_lowercase()
}

fn has_words(text: &str, words: &str) -> bool {
    !words.is_empty() && format!(" {text} ").contains(&format!(" {words} "))
}
