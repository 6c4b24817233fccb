//! The lies. A [`Plan`] is an honest task, the edits that make it lie, and where it must be caught.
//!
//! To add a lie, add a plan to the table of its kind of contradiction. Edits name files of the task's folder and
//! work on the text of the template, holes and all; a text that is not there exactly once is an error. A claim
//! names the file and a text that stands in it once when everything is written: the line on which that text ends
//! is the place.

mod chain;
mod combined;
mod document;
mod evidence;
mod files;
mod times;

use super::kind::{Change, Kind};

#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) kind: &'static Kind,
    pub(crate) edits: &'static [Edit],
    pub(crate) claims: &'static [Claim],
}

#[derive(Debug)]
pub(crate) struct Claim {
    pub(crate) name: &'static str,
    pub(crate) code: u16,
    pub(crate) file: &'static str,
    pub(crate) text: &'static str,
}

#[derive(Debug)]
pub(crate) enum Edit {
    /// Replaces a text that stands in the file once.
    Replace { file: &'static str, old: &'static str, new: &'static str },
    /// Gives a log another text.
    Text { file: &'static str, text: &'static str },
    /// Leaves a file out.
    Remove { file: &'static str },
    /// Lets a commit change something more.
    Change { step: &'static str, change: Change },
    /// Leaves a commit out.
    Drop { step: &'static str },
}

pub(crate) fn plans() -> impl Iterator<Item = &'static Plan> {
    [files::PLANS, evidence::PLANS, times::PLANS, chain::PLANS, document::PLANS, combined::PLANS]
        .into_iter()
        .flatten()
}
