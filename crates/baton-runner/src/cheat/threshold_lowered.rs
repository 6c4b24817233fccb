//! A bound that the work has to keep was moved: less coverage is enough, more warnings are allowed.

use super::line::{Kind, Lines, is_code};
use super::{Change, Scene, Sight, Trick};

pub(super) static TRICK: Trick = Trick { name: "threshold_lowered", look };

/// Which way a bound is loosened.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Looser {
    Lower,
    Higher,
}

const BOUNDS: &[(&str, Looser)] = &[
    ("fail_under", Looser::Lower),
    ("fail-under", Looser::Lower),
    ("cov-fail-under", Looser::Lower),
    ("branches", Looser::Lower),
    ("functions", Looser::Lower),
    ("statements", Looser::Lower),
    ("lines", Looser::Lower),
    ("threshold", Looser::Lower),
    ("minimum_coverage", Looser::Lower),
    ("min_coverage", Looser::Lower),
    ("max-warnings", Looser::Higher),
    ("max_warnings", Looser::Higher),
    ("max-complexity", Looser::Higher),
    ("max_complexity", Looser::Higher),
    ("cognitive-complexity-threshold", Looser::Higher),
];

fn look(change: &Change<'_>, lines: Option<&Lines>, _: &Scene<'_>) -> Vec<Sight> {
    if Kind::of(change.path) != Kind::Build {
        return Vec::new();
    }
    let Some(lines) = lines.filter(|_| change.before.is_some()) else { return Vec::new() };
    let mut seen = Vec::new();
    for (name, looser) in BOUNDS {
        let old: Vec<f64> = lines.removed.iter().filter_map(|line| bound(&line.text, name)).collect();
        let new = lines.added.iter().filter_map(|line| Some((line, bound(&line.text, name)?)));
        for ((line, now), before) in new.zip(&old) {
            let is_looser = match looser {
                Looser::Lower => now < *before,
                Looser::Higher => now > *before,
            };
            if is_looser {
                seen.push(Sight { text: format!("{name}: {before} before, {now} now"), ..line.sight() });
            }
        }
        let is_bound = |text: &str| is_code(text) && bound(text, name).is_some();
        let come = lines.added.iter().filter(|line| is_bound(&line.text)).count();
        if is_named_fully(name) {
            let lost = lines.removed.iter().filter(|line| is_bound(&line.text)).skip(come);
            seen.extend(lost.map(|line| line.lost()));
        }
    }
    seen
}

/// Says whether a name stands for a bound wherever it is; plain words like `lines` need a change of their number.
fn is_named_fully(name: &str) -> bool {
    name.contains(['-', '_'])
}

/// Returns the number that follows the name of a bound as a whole word.
fn bound(line: &str, name: &str) -> Option<f64> {
    let start = line.find(name)?;
    let before = line[..start].chars().next_back();
    if before.is_some_and(|character| {
        character.is_alphanumeric() || matches!(character, '_' | '-') && !name.contains('-')
    }) {
        return None;
    }
    let after = line[start + name.len()..].trim_start_matches(['"', '\'', ' ', ':', '=', '\t']);
    let digits: String =
        after.chars().take_while(|character| character.is_ascii_digit() || *character == '.').collect();
    digits.parse().ok()
}
