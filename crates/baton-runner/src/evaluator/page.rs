//! A document by its entries: list items, table rows, headings, paragraphs and data, each with what it is about.

mod data;
mod markdown;

use baton_handoff::document;

use super::id::{Id, Mentions};
use super::topic::Topic;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// An item of a list, a row of a table, or an item of data.
    Entry,
    Heading,
    Prose,
}

/// One thing that a document says.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) form: Form,
    pub(super) topics: Vec<Topic>,
    pub(super) id: Option<Id>,
    /// All of it, without marks and without its id.
    pub(super) text: String,
    /// The columns of a row, or the keys of data, with what stands there.
    pub(super) cells: Vec<(String, String)>,
    /// Its box is ticked.
    pub(super) is_ticked: bool,
}

impl Item {
    pub(super) fn is_about(&self, topic: Topic) -> bool {
        self.topics.contains(&topic)
    }

    /// Returns what stands in the first of the cells whose column or key satisfies a predicate.
    pub(super) fn cell(&self, wanted: impl Fn(&str) -> bool) -> Option<&str> {
        self.cells.iter().find(|(name, _)| wanted(&name.to_lowercase())).map(|(_, text)| text.as_str())
    }

    /// Returns what stands in the first of these columns or keys that holds words, and not an id; else all of it.
    pub(super) fn words_under(&self, names: &[&str]) -> &str {
        let words = names.iter().filter_map(|wanted| self.cell(|name| name == *wanted));
        words.into_iter().find(|words| !words.is_empty() && Id::read(words).is_none()).unwrap_or(&self.text)
    }

    /// Says whether it is a thing of its own, and not a paragraph around such things.
    pub(super) fn is_thing(&self) -> bool {
        match self.form {
            Form::Entry => true,
            Form::Heading | Form::Prose => self.id.is_some(),
        }
    }
}

/// A document in its entries.
#[derive(Clone, Debug, Default)]
pub(super) struct Page {
    pub(super) items: Vec<Item>,
}

impl Page {
    /// Reads a handoff: its data and the text around it.
    pub(super) fn of_handoff(text: &str) -> Self {
        let read = document::read(text);
        let mut page = Self::default();
        for handoff in &read.handoffs {
            data::read(&handoff.everything(), &mut page.items);
        }
        let blocks: Vec<_> = read.handoffs.iter().map(|handoff| handoff.span).collect();
        markdown::read(text, &blocks, &mut page.items);
        page
    }

    /// Reads a document of the project.
    pub(super) fn of_document(text: &str) -> Self {
        let mut page = Self::default();
        markdown::read(text, &[], &mut page.items);
        page
    }

    pub(super) fn about(&self, topic: Topic) -> impl Iterator<Item = &Item> {
        self.items.iter().filter(move |item| item.is_about(topic))
    }

    /// Returns everything that is said, or everything about a topic, as one text.
    pub(super) fn text(&self, topic: Option<Topic>) -> String {
        let mut text = String::new();
        for item in self.items.iter().filter(|item| topic.is_none_or(|topic| item.is_about(topic))) {
            if let Some(id) = &item.id {
                text.push_str(&id.shown);
                text.push_str(": ");
            }
            text.push_str(&item.text);
            text.push('\n');
        }
        text
    }

    pub(super) fn mentions(&self, topic: Option<Topic>) -> Mentions {
        Mentions::of(&self.text(topic))
    }
}

/// Takes the marks of Markdown off a text.
fn plain(text: &str) -> String {
    text.trim().replace("**", "").replace("__", "").replace('~', "").trim_matches('*').trim().to_owned()
}

/// Returns an item of a text, with the id that it begins with.
fn item(form: Form, text: &str, topics: Vec<Topic>) -> Item {
    let text = plain(text);
    let bare = text.trim_start_matches(['`', '[', '(', '*', '_']);
    let (id, text) = match Id::leading(bare) {
        Some((id, rest)) => (Some(id), rest.to_owned()),
        None => (None, text),
    };
    Item { form, topics, id, text, cells: Vec::new(), is_ticked: false }
}
