//! Whether a document is a handoff at all: by what it says, never by its name.

use crate::markdown::Markdown;

use super::evidence::{Evidence, title, weigh};
use super::facts::Facts;
use super::outline::Outline;
use super::placeholder::{has_placeholder, is_placeholder};
use super::wording::{self, TitleKind};

/// Whether a document was taken for a handoff.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    Handoff,
    Refused(Refusal),
}

/// Why a document was not taken for a handoff.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Refusal {
    Nothing,
    Template,
    Specification,
    Instructions,
    OtherMeaning,
    Empty,
}

impl Refusal {
    /// Returns the reason in a sentence for a person.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Nothing => {
                "too little in it hands work over, such as a status, work on named files, a next step"
            }
            Self::Template => "it is a template that nobody has filled in",
            Self::Specification => {
                "it describes what a handoff should look like, or what should be built, and hands nothing over"
            }
            Self::Instructions => {
                "it tells an agent how to work or how to write a handoff, and hands nothing over"
            }
            Self::OtherMeaning => "it speaks of another sort of handoff than work passed between agents",
            Self::Empty => "it has no content",
        }
    }
}

pub(super) fn speaks_of_handoff(text: &str) -> bool {
    wording::names_handoff(&text.to_lowercase())
}

pub(super) fn judge(source: &str, markdown: &Markdown, outline: &Outline, facts: &Facts<'_>) -> Standing {
    let title = title(source, outline);
    let evidence = weigh(source, markdown, outline, facts);
    match refusal(title, &evidence) {
        Some(refusal) => Standing::Refused(refusal),
        None => Standing::Handoff,
    }
}

fn refusal(title: &str, evidence: &Evidence) -> Option<Refusal> {
    let share = evidence.placeholders as f64 / evidence.units.max(1) as f64;
    let unfilled = evidence.empty_labels >= 4 && evidence.empty_labels * 2 > evidence.labels;
    if has_placeholder(title)
        || is_placeholder(title)
        || (evidence.placeholders >= 3 && share >= 0.25)
        || unfilled
    {
        return Some(Refusal::Template);
    }
    if evidence.units == 0 || evidence.says_nothing {
        return Some(Refusal::Empty);
    }
    match wording::title_kind(title) {
        Some(TitleKind::Template) => return Some(Refusal::Template),
        Some(TitleKind::Specification) => return Some(Refusal::Specification),
        Some(TitleKind::Instructions) => return Some(Refusal::Instructions),
        None => {}
    }
    // A handoff of work on software for hospitals or sales speaks of both; it has files and calls itself a handoff.
    let called = !evidence.title_names_handoff || wording::is_called_handoff(&title.to_lowercase());
    let senses_max = if evidence.title_names_handoff && !evidence.technical { 1 } else { 2 };
    if evidence.other_senses > senses_max && !(evidence.technical && called) {
        return Some(Refusal::OtherMeaning);
    }
    if evidence.tracker && !evidence.title_names_handoff && !evidence.heading_names_handoff {
        return Some(Refusal::Nothing);
    }
    let score = evidence.score();
    if evidence.instruction_marks >= 2
        && !evidence.dated
        && !evidence.placed
        && evidence.instruction_marks * 2 > evidence.kinds.len()
    {
        return Some(Refusal::Instructions);
    }
    // "TESTING COMPLETE" above the next agent is the plain form of a summary.
    let is_plain_summary = evidence.title_completes && evidence.addresses_successor;
    if (score >= 4 && !evidence.kinds.is_empty()) || is_plain_summary || evidence.is_plain_note() {
        return None;
    }
    Some(if evidence.instruction_marks > 0 {
        Refusal::Instructions
    } else if evidence.design_headings > 1 {
        Refusal::Specification
    } else if evidence.kinds.is_empty() && evidence.title_names_handoff {
        Refusal::Empty
    } else {
        Refusal::Nothing
    })
}
