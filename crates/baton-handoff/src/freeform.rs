//! Handoffs written as prose: what they say, found by their labels, and whether they are handoffs at all.
//!
//! People mark the parts of a note with headings, bold words, plain lines, brackets, tags and keys, in many languages. The
//! labels carry the meaning; words in running text only hint at it. Every fact keeps its place in the source.

mod entry;
mod evidence;
mod facts;
mod file;
mod gather;
mod item;
mod label;
mod lexicon;
mod outline;
mod path;
mod placeholder;
mod section;
mod standing;
mod text;
mod trigger;
mod vocabulary;
mod wording;

use std::sync::LazyLock;

use crate::markdown::Markdown;
use crate::record::Record;

pub(crate) use path::is_path;
pub use standing::{Refusal, Standing};

/// Built once: a table of a thousand labels is dearer than most documents.
static LEXICON: LazyLock<lexicon::Lexicon> = LazyLock::new(lexicon::Lexicon::new);

/// What a document says when it is read as a freeform handoff.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading<'s> {
    pub record: Record<'s>,
    pub standing: Standing,
}

/// Reads a document as prose. The facts are given even when it is refused as a handoff.
pub fn read<'s>(source: &'s str, markdown: &Markdown) -> Reading<'s> {
    let outline = section::outline(source, markdown, &LEXICON);
    let mut facts = gather::gather(source, &outline);
    trigger::gather(source, &outline, &mut facts);
    let standing = standing::judge(source, markdown, &outline, &facts);
    Reading { record: facts.into_record(), standing }
}

#[cfg(test)]
mod tests;
