//! The vocabulary: every token with its rank, the shortest first and in order, so that a token is found by halving.

/// Made by `cargo xtask tokens`: for each length from 1 to the longest how many tokens have it, four bytes each; then the
/// tokens, each followed by its rank in three bytes.
const TABLE: &[u8] = include_bytes!("o200k.bin");
/// Longest token in bytes.
pub(super) const TOKEN_BYTES_MAX: usize = 128;
const COUNT_BYTES: usize = 4;
const RANK_BYTES: usize = 3;

/// The tokens of one length: where they begin, and how many there are.
#[derive(Clone, Copy)]
struct Group {
    at: usize,
    count: usize,
}

const GROUPS: [Group; TOKEN_BYTES_MAX + 1] = groups();

const fn groups() -> [Group; TOKEN_BYTES_MAX + 1] {
    let mut groups = [Group { at: 0, count: 0 }; TOKEN_BYTES_MAX + 1];
    let mut at = TOKEN_BYTES_MAX * COUNT_BYTES;
    let mut length = 1;
    while length <= TOKEN_BYTES_MAX {
        let from = (length - 1) * COUNT_BYTES;
        let bytes = [TABLE[from], TABLE[from + 1], TABLE[from + 2], TABLE[from + 3]];
        let count = u32::from_le_bytes(bytes) as usize;
        groups[length] = Group { at, count };
        at += count * (length + RANK_BYTES);
        length += 1;
    }
    assert!(at == TABLE.len(), "the table is whole");
    groups
}

/// Returns the rank of a token: the lower, the sooner two halves are joined to it.
pub(super) fn rank(token: &[u8]) -> Option<u32> {
    let group = GROUPS.get(token.len())?;
    let record = token.len() + RANK_BYTES;
    let (mut low, mut high) = (0, group.count);
    while low < high {
        let middle = low + (high - low) / 2;
        let at = group.at + middle * record;
        let (known, rank) = TABLE.get(at..at + record)?.split_at(token.len());
        match known.cmp(token) {
            std::cmp::Ordering::Less => low = middle + 1,
            std::cmp::Ordering::Greater => high = middle,
            std::cmp::Ordering::Equal => return Some(u32::from_le_bytes([rank[0], rank[1], rank[2], 0])),
        }
    }
    None
}
