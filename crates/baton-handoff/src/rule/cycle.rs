//! Circles in who leads to whom.

/// Most circles that are told of one document.
const CYCLES_MAX: usize = 8;

#[derive(Clone, Copy, PartialEq)]
enum Mark {
    New,
    OnPath,
    Done,
}

/// Returns the circles in a graph, each as the nodes along it. Looks at each edge once, without recursion.
pub(super) fn cycles(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut marks = vec![Mark::New; edges.len()];
    let mut found = Vec::new();
    for start in 0..edges.len() {
        if marks[start] != Mark::New {
            continue;
        }
        // Each step of the path: a node, and how many of its edges were taken.
        let mut path = vec![(start, 0_usize)];
        marks[start] = Mark::OnPath;
        while let Some((node, taken)) = path.last_mut() {
            let Some(&next) = edges[*node].get(*taken) else {
                marks[*node] = Mark::Done;
                path.pop();
                continue;
            };
            *taken += 1;
            match marks[next] {
                Mark::New => {
                    marks[next] = Mark::OnPath;
                    path.push((next, 0));
                }
                Mark::OnPath if found.len() < CYCLES_MAX => {
                    let from = path.iter().position(|(node, _)| *node == next).unwrap_or(0);
                    found.push(path[from..].iter().map(|(node, _)| *node).collect());
                }
                Mark::OnPath | Mark::Done => {}
            }
        }
    }
    found
}

/// Returns a circle as "A → B → A"; a long one is cut in the middle.
pub(super) fn shown(names: &[&str]) -> String {
    const NAMES_MAX: usize = 12;
    let first = names.first().copied().unwrap_or_default();
    match names.len() <= NAMES_MAX {
        true => format!("{} → {first}", names.join(" → ")),
        false => format!("{} → … ({} in all) → {first}", names[..NAMES_MAX].join(" → "), names.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::cycles;

    #[test]
    fn circles_are_found_and_diamonds_are_not() {
        assert_eq!(cycles(&[vec![1], vec![2], vec![0]]), [[0, 1, 2]]);
        assert!(cycles(&[vec![1, 2], vec![3], vec![3], vec![]]).is_empty());
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let count = 200_000;
        let edges: Vec<_> = (0..count).map(|node| vec![(node + 1) % count]).collect();
        assert_eq!(cycles(&edges).len(), 1);
    }
}
