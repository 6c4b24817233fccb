//! Says of every fragment what it scored, what it cost, and what became of it.

use std::fmt::Write as _;

use super::Packet;
use super::fragment::{Fate, Fragment};
use super::rank::FLOOR;
use crate::token;

/// Longest text of a fragment in an explanation, in characters.
const TEXT_CHARS_MAX: usize = 72;

/// Writes a table of all fragments of a packet.
pub fn explain(packet: &Packet) -> String {
    let mut text = format!(
        "{} of {} tokens ({} estimate), {} fragments kept, {} left out\n\
         score = relevance + weight + recency + support + returned; below {FLOOR} is weak: no word or file in common with the\n\
         task, not said lately, and neither a decision, a high warning, approved, nor blocking\n\n\
         fate          tokens score  rel  wgt  rec  sup  ret  kind           text\n",
        packet.tokens,
        packet.budget_tokens,
        token::VOCABULARY,
        packet.kept.len(),
        packet.left_out.values().sum::<usize>(),
    );
    for fragment in packet.kept.iter().chain(&packet.cut) {
        row(fragment, &mut text);
    }
    let shown = packet.cut.len();
    let all: usize = packet.left_out.values().sum();
    if all > shown {
        let _ = writeln!(text, "and {} more that were left out", all - shown);
    }
    if packet.over_budget {
        text.push_str("what is reserved is more than the budget allows; it was not cut\n");
    }
    text
}

fn row(fragment: &Fragment, text: &mut String) {
    let score = fragment.score;
    let words: String = fragment.text.chars().take(TEXT_CHARS_MAX).collect();
    let numbers = match fragment.fate {
        Fate::Reserved => format!("{:>5}", "-").repeat(6),
        Fate::Kept | Fate::Weak | Fate::Crowded | Fate::Unaffordable | Fate::Outside => {
            [score.total(), score.relevance, score.weight, score.recency, score.support, score.returned]
                .iter()
                .map(|number| format!("{number:>5}"))
                .collect()
        }
    };
    let (fate, kind) = (fragment.fate.name(), fragment.kind.name());
    let _ = writeln!(text, "{fate:<12}  {:>6} {numbers}  {kind:<14} {words}", fragment.tokens);
}
