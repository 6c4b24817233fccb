//! What a stage document says, in the words of its dialect.

use super::{Subject, choice};
use crate::dialect::Dialect;
use crate::field::Field;
use crate::outcome;
use crate::record::{Record, Text};

/// A handoff of the frontmatter dialect with what its rules need.
#[derive(Clone, Copy, Debug)]
pub(super) struct StageDocument<'a, 's> {
    pub(super) record: &'a Record<'s>,
    /// One of the dialect's words, whatever was written for it.
    pub(super) status: Option<&'static str>,
    pub(super) ready: Option<bool>,
    /// The checkpoints its stage must show; nothing where the project does not know the stage.
    pub(super) required: Option<&'a [String]>,
}

impl<'a, 's> StageDocument<'a, 's> {
    pub(super) fn of(subject: &Subject<'a, 's>) -> Option<Self> {
        if subject.handoff.dialect != Dialect::Frontmatter {
            return None;
        }
        let record = &subject.handoff.record;
        let status = choice::said(subject.handoff, Field::Status);
        let ready = record.str(Field::Ready).and_then(flag);
        let stages = &subject.project.stages;
        let required = record.str(Field::Stage).and_then(|written| {
            let same = |name: &str| name == written || name.eq_ignore_ascii_case(written.trim());
            stages.iter().find(|stage| same(&stage.name)).map(|stage| stage.checkpoints.as_slice())
        });
        Some(Self { record, status, ready, required })
    }

    pub(super) fn checkpoints(&self) -> &'a [Record<'s>] {
        self.record.records(Field::Checkpoints)
    }

    /// Returns the required checkpoints that are not listed.
    pub(super) fn missing(&self) -> impl Iterator<Item = &'a str> {
        let listed = self.checkpoints();
        let is_listed = |name: &str| {
            listed.iter().any(|checkpoint| name_of(checkpoint).is_some_and(|known| known == name))
        };
        self.required.unwrap_or_default().iter().map(String::as_str).filter(move |name| !is_listed(name))
    }

    /// Returns the listed checkpoints that did not pass.
    pub(super) fn not_passed(&self) -> impl Iterator<Item = &'a Record<'s>> {
        self.checkpoints().iter().filter(|checkpoint| !has_passed(checkpoint))
    }

    /// Returns a text that says something: not blank, and no word for nothing.
    pub(super) fn said(&self, field: Field) -> Option<&'a Text<'s>> {
        self.record.text(field).filter(|text| !text.is_blank() && !outcome::is_none_word(text.as_str()))
    }
}

pub(super) fn name_of<'a>(checkpoint: &'a Record<'_>) -> Option<&'a str> {
    checkpoint.str(Field::Name).map(str::trim)
}

fn has_passed(checkpoint: &Record<'_>) -> bool {
    checkpoint
        .str(Field::Status)
        .is_some_and(|status| choice::meant(status, &["pass", "fail", "skip"]) == Some("pass"))
}

fn flag(text: &str) -> Option<bool> {
    let is = |word: &str| text.trim().eq_ignore_ascii_case(word);
    if is("true") || is("yes") {
        return Some(true);
    }
    (is("false") || is("no")).then_some(false)
}
