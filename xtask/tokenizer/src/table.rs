//! The two tables, as the engine reads them.

use regex::Regex;
use tiktoken_rs::CoreBPE;

/// The ordinary tokens have the ranks below this.
const RANKS: u32 = 199_998;
const TOKEN_BYTES_MAX: usize = 128;

pub(crate) fn vocabulary(reference: &CoreBPE) -> Result<Vec<u8>, String> {
    let mut tokens: Vec<(Vec<u8>, u32)> = Vec::new();
    for rank in 0..RANKS {
        let bytes = reference.decode_bytes(&[rank]).map_err(|error| format!("rank {rank}: {error:?}"))?;
        tokens.push((bytes, rank));
    }
    tokens.sort_by(|(one, _), (other, _)| (one.len(), one).cmp(&(other.len(), other)));
    let mut table = Vec::new();
    for length in 1..=TOKEN_BYTES_MAX {
        let count = tokens.iter().filter(|(bytes, _)| bytes.len() == length).count();
        table.extend(u32::try_from(count).map_err(|error| error.to_string())?.to_le_bytes());
    }
    for (bytes, rank) in tokens {
        table.extend(bytes);
        table.extend(&rank.to_le_bytes()[..3]);
    }
    Ok(table)
}

/// The classes by their numbers in the table; all else is 0.
const CLASSES: &[(u32, &str)] =
    &[(1, r"^[\p{Lu}\p{Lt}]$"), (2, r"^\p{Ll}$"), (3, r"^[\p{Lm}\p{Lo}]$"), (4, r"^\p{M}$"), (5, r"^\p{N}$")];

pub(crate) fn classes() -> Result<Vec<u8>, String> {
    let mut patterns = Vec::new();
    for (number, pattern) in CLASSES {
        patterns.push((*number, Regex::new(pattern).map_err(|error| error.to_string())?));
    }
    let mut table = Vec::new();
    let mut last = None;
    for character in '\u{80}'..=char::MAX {
        let text = character.to_string();
        let class =
            patterns.iter().find(|(_, pattern)| pattern.is_match(&text)).map_or(0, |(number, _)| *number);
        if last != Some(class) {
            table.extend((u32::from(character) << 3 | class).to_le_bytes());
            last = Some(class);
        }
    }
    Ok(table)
}
