//! Facts that only a word in running text points to. Labels come first; these are guesses and are marked as such.

use crate::field::Field;
use crate::record::Confidence;
use crate::span::Span;

use super::facts::Facts;
use super::label::place;
use super::lexicon::Meaning;
use super::outline::{Outline, UnitKind};

/// Longest sentence that is taken, in bytes.
const SENTENCE_BYTES_MAX: usize = 400;

const WARNINGS: &[&str] = &[
    "watch out",
    "be careful",
    "careful with",
    "beware",
    "gotcha",
    "caveat",
    "don't forget",
    "make sure not",
];
const PATTERNS: &[&str] = &["always use", "never use", "pattern:", "the pattern", "convention:"];
const QUESTIONS: &[&str] = &["question:", "unclear", "not sure whether", "open question"];
const STEPS: &[&str] = &[
    "next step",
    "next:",
    "next,",
    "then we ",
    "should be done",
    "should also",
    "still need",
    "needs to be",
];

/// Looks for trigger words where no label says what the text is.
pub(super) fn gather(source: &str, outline: &Outline, facts: &mut Facts<'_>) {
    let wanted = [
        (Field::Gotchas, WARNINGS),
        (Field::Patterns, PATTERNS),
        (Field::Questions, QUESTIONS),
        (Field::NextSteps, STEPS),
    ];
    let wanted: Vec<_> = wanted.into_iter().filter(|(field, _)| !facts.has(*field)).collect();
    for section in
        outline.sections.iter().filter(|section| matches!(section.meaning, None | Some(Meaning::Header)))
    {
        for unit in &section.units {
            if facts.is_full() {
                return;
            }
            if matches!(unit.kind, UnitKind::Paragraph { .. } | UnitKind::Item { checked: None, .. }) {
                for sentence in sentences(unit.text.text(source)) {
                    let lower = sentence.to_lowercase();
                    let found = wanted.iter().find(|(field, words)| points(&lower, *field, words));
                    if let Some((field, _)) = found {
                        let span: Span = place(source, sentence);
                        facts.add(*field, section.label, span, Confidence::Low);
                    }
                }
            }
        }
    }
}

fn points(sentence: &str, field: Field, words: &[&str]) -> bool {
    let opens = field == Field::NextSteps && ["next ", "then "].iter().any(|word| sentence.starts_with(word));
    let asks = field == Field::Questions && sentence.ends_with('?');
    opens
        || asks
        || words.iter().any(|word| sentence.contains(word))
        || field == Field::NextSteps && sentence.contains(" should ")
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(['.', '!', '?', '\n', '。'])
        .map(|sentence| sentence.trim().trim_end_matches(['.', '!', '。']))
        .filter(|sentence| sentence.len() > 8 && sentence.len() <= SENTENCE_BYTES_MAX)
}
