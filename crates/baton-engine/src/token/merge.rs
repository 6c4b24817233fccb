//! Joins the bytes of a piece to tokens: always the pair of neighbours with the lowest rank, the leftmost first.
//!
//! The neighbours are a linked list and the pairs a heap, so that a piece of a million letters takes a million times the
//! logarithm, and not a million squared.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::vocabulary::{TOKEN_BYTES_MAX, rank};

/// Room that is used again for every piece.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    /// For each byte of the piece where a part begins: where the next begins. Zero where a part was joined to the one before.
    next: Vec<usize>,
    previous: Vec<usize>,
    /// Pairs by rank and place, with where the pair ends; some are out of date.
    pairs: BinaryHeap<Reverse<(u32, usize, usize)>>,
}

/// Returns how many tokens a piece has.
pub(super) fn count(piece: &[u8], buffers: &mut Buffers) -> usize {
    if piece.len() <= 1 || rank(piece).is_some() {
        return piece.len().min(1);
    }
    let Buffers { next, previous, pairs } = buffers;
    let length = piece.len();
    next.clear();
    next.extend(1..=length);
    previous.clear();
    previous.extend((0..length).map(|at| at.saturating_sub(1)));
    pairs.clear();
    let pair = |start: usize, end: usize| {
        let bytes = (end - start <= TOKEN_BYTES_MAX).then(|| &piece[start..end])?;
        rank(bytes).map(|rank| Reverse((rank, start, end)))
    };
    pairs.extend((0..length - 1).filter_map(|start| pair(start, start + 2)));
    let mut parts = length;
    while let Some(Reverse((_, start, end))) = pairs.pop() {
        let middle = next[start];
        let is_current = middle != 0 && middle < length && next[middle] == end;
        if !is_current {
            continue;
        }
        next[start] = end;
        next[middle] = 0;
        parts -= 1;
        if end < length {
            previous[end] = start;
            pairs.extend(pair(start, next[end]));
        }
        if start > 0 {
            pairs.extend(pair(previous[start], end));
        }
    }
    parts
}
