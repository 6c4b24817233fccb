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

/// One token in so many is a signpost.
const STRIDE: usize = 64;
/// Bytes of a token that its signpost has.
const SIGN_BYTES: usize = 8;

/// The first bytes of one token in every stride of each length, in order. All of them lie close together, so that halving
/// touches few places of a table that nobody has read since the program began.
static SIGNPOSTS: [u64; SIGNPOSTS_COUNT] = signposts();
const SIGNPOSTS_COUNT: usize = SIGNPOSTS_AT[TOKEN_BYTES_MAX] + GROUPS[TOKEN_BYTES_MAX].count.div_ceil(STRIDE);
/// Where the signposts of each length begin.
const SIGNPOSTS_AT: [usize; TOKEN_BYTES_MAX + 1] = {
    let mut at = [0; TOKEN_BYTES_MAX + 1];
    let mut length = 1;
    while length <= TOKEN_BYTES_MAX {
        at[length] = at[length - 1] + GROUPS[length - 1].count.div_ceil(STRIDE);
        length += 1;
    }
    at
};

const fn signposts() -> [u64; SIGNPOSTS_COUNT] {
    let mut signposts = [0; SIGNPOSTS_COUNT];
    let mut length = 1;
    while length <= TOKEN_BYTES_MAX {
        let mut number = 0;
        while number < GROUPS[length].count {
            let at = GROUPS[length].at + number * (length + RANK_BYTES);
            let (_, record) = TABLE.split_at(at);
            let (token, _) = record.split_at(length);
            signposts[SIGNPOSTS_AT[length] + number / STRIDE] = sign(token);
            number += STRIDE;
        }
        length += 1;
    }
    signposts
}

/// Returns the first bytes of a token as a number that has their order.
const fn sign(token: &[u8]) -> u64 {
    let mut bytes = [0; SIGN_BYTES];
    let mut at = 0;
    while at < SIGN_BYTES && at < token.len() {
        bytes[at] = token[at];
        at += 1;
    }
    u64::from_be_bytes(bytes)
}

/// Returns between which tokens of its length a token must be.
fn between(token: &[u8], count: usize) -> (usize, usize) {
    let at = SIGNPOSTS_AT[token.len()];
    let signposts = &SIGNPOSTS[at..at + count.div_ceil(STRIDE)];
    let sign = sign(token);
    let (first, last) =
        (signposts.partition_point(|known| *known < sign), signposts.partition_point(|known| *known <= sign));
    (first.saturating_sub(1) * STRIDE, (last * STRIDE).min(count))
}

/// Returns the rank of a token: the lower, the sooner two halves are joined to it.
pub(super) fn rank(token: &[u8]) -> Option<u32> {
    let group = GROUPS.get(token.len())?;
    let record = token.len() + RANK_BYTES;
    let (mut low, mut high) = between(token, group.count);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_token_is_found_and_nothing_else() {
        let mut found = 0;
        for (length, group) in GROUPS.iter().enumerate() {
            for number in 0..group.count {
                let at = group.at + number * (length + RANK_BYTES);
                let (token, known) = TABLE[at..at + length + RANK_BYTES].split_at(length);
                assert_eq!(
                    rank(token),
                    Some(u32::from_le_bytes([known[0], known[1], known[2], 0])),
                    "{token:?}"
                );
                found += 1;
            }
        }
        assert!(found > 199_000, "{found}");
        for strange in [&b""[..], b"\xff\xff\xff", b"\0\0\0", b" thesee", &[b'z'; TOKEN_BYTES_MAX + 1]] {
            assert_eq!(rank(strange), None, "{strange:?}");
        }
    }
}
