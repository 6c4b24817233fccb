//! Names that stand twice in a list.

use crate::record::Text;

/// Up to this many names, comparing each pair is cheaper than sorting, and needs no memory.
const PAIRWISE_NAMES_MAX: usize = 32;

/// Calls `take` with the first place of a name and each later one.
pub(super) fn each<'a, 's: 'a>(
    names: impl Iterator<Item = &'a Text<'s>> + Clone,
    take: &mut dyn FnMut(&'a Text<'s>, &'a Text<'s>),
) {
    if names.clone().nth(PAIRWISE_NAMES_MAX).is_none() {
        for (at, again) in names.clone().enumerate().skip(1) {
            if let Some(first) = names.clone().take(at).find(|first| first.value.trim() == again.value.trim())
            {
                take(first, again);
            }
        }
        return;
    }
    let mut order: Vec<_> = names.collect();
    order.sort_by_key(|name| (name.value.trim(), name.span));
    for run in order.chunk_by(|a, b| a.value.trim() == b.value.trim()) {
        run[1..].iter().for_each(|again| take(run[0], again));
    }
}
