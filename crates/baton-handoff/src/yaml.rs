//! YAML into the tree: no anchors, no tags, no merge keys, no types, every value as it was written.

mod events;
mod plain;

use crate::trouble::Parsed;

/// Parses the YAML in `text`, which starts at byte `base` of the document.
pub(crate) fn parse(text: &str, base: usize) -> Parsed<'_> {
    plain::parse(text, base).unwrap_or_else(|| events::parse(text, base))
}

#[cfg(test)]
mod tests;
