//! Counts tokens as the o200k vocabulary cuts them. The tables are used where they lie, so the first count costs what
//! every other does: a hook that starts, counts once and ends has nothing to load.
//!
//! Not every model uses this vocabulary, and not every vocabulary is public: a count is an estimate for all others.

mod class;
mod merge;
mod split;
mod vocabulary;

/// The vocabulary by which is counted, as reports name it.
pub const VOCABULARY: &str = "o200k";

/// Returns how many tokens a text has.
pub fn count(text: &str) -> usize {
    let mut buffers = merge::Buffers::default();
    split::pieces(text).map(|piece| merge::count(piece.as_bytes(), &mut buffers)).sum()
}

#[cfg(test)]
mod tests;
