//! Finds what stands twice in a list.

/// Returns each item whose key was there before, after the first item with that key.
pub(super) fn repeats<'a, Item: Copy>(items: impl Iterator<Item = (&'a str, Item)>) -> Vec<(Item, Item)> {
    let mut items: Vec<_> = items.collect();
    items.sort_by_key(|(key, _)| *key);
    let mut found = Vec::new();
    let mut first = 0;
    for at in 1..items.len() {
        match items[at].0 == items[first].0 {
            true => found.push((items[first].1, items[at].1)),
            false => first = at,
        }
    }
    found
}
