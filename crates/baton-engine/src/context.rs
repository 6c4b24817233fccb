//! What the next agent is told: one packet of text, made from what is known, within a budget of tokens.
//!
//! One function makes it for every surface, and it is pure: the same order gives the same bytes. Reading order: [`order`],
//! [`fragment`], `gather`, `term`, [`rank`], [`budget`], `clean`, `fence`, `render`, [`explain`].

pub mod budget;
mod clean;
pub mod explain;
mod fence;
pub mod fragment;
mod gather;
pub mod order;
pub mod rank;
mod render;
mod term;

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use crate::token;
pub use clean::RESERVED_CHARS_MAX;
pub use fence::{fenced, quoted, salted};
use fragment::{Fragment, Kind};
use order::{Order, Scope};

/// Most fragments that were left out which a packet describes; the rest is counted.
pub const CUT_SHOWN_MAX: usize = 200;

/// What one agent is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    pub text: String,
    /// Of the whole text, counted with the vocabulary that [`token`] names.
    pub tokens: usize,
    pub budget_tokens: usize,
    /// What cannot be left out is more than the budget allows. It was not cut.
    pub over_budget: bool,
    /// SHA-256 of the text, in hexadecimal digits.
    pub hash: String,
    /// What is in the text, in its order.
    pub kept: Vec<Fragment>,
    /// What is not, the best first; at most [`CUT_SHOWN_MAX`].
    pub cut: Vec<Fragment>,
    /// How much of each kind was left out.
    pub left_out: BTreeMap<Kind, usize>,
    /// Invisible characters, escapes and comments that were taken out of the text.
    pub stripped_characters: usize,
}

/// Makes the packet for one turn.
pub fn pack(order: &Order) -> Packet {
    let (chosen, text) = write(order);
    let budget::Chosen { kept, cut, left_out, over_budget } = chosen;
    Packet {
        hash: hash(&text),
        tokens: token::count(&text),
        budget_tokens: order.budget_tokens,
        over_budget,
        stripped_characters: stripped(&kept),
        kept,
        cut,
        left_out,
        text,
    }
}

/// Makes only the text of the packet.
pub fn text(order: &Order) -> String {
    write(order).1
}

fn write(order: &Order) -> (budget::Chosen, String) {
    let mut candidates = gather::candidates(order);
    rank::rank(&mut candidates, order);
    let chosen = match order.scope {
        Scope::Turn => budget::choose(candidates, order),
        Scope::All(kind) => budget::choose_all(&candidates, kind, order),
    };
    let text = render::text(order, &chosen.kept, &chosen.left_out, stripped(&chosen.kept));
    (chosen, text)
}

fn stripped(kept: &[Fragment]) -> usize {
    kept.iter().map(|kept| kept.stripped).sum()
}

/// Returns the SHA-256 of a text, in hexadecimal digits.
pub fn hash(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests;
