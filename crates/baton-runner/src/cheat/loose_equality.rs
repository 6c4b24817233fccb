//! Values of Python that are numbers or texts, and equal others without being held against them.

use super::line::{Bag, holds};

/// What a value is made of that tests compare; elsewhere, what equals what is the author's to say.
const VALUES: &[&str] = &[
    "Decimal",
    "Fraction",
    "bool",
    "bytes",
    "complex",
    "dict",
    "float",
    "frozenset",
    "int",
    "list",
    "set",
    "str",
    "tuple",
];
/// Those that are seldom exact, and are compared with a margin.
const INEXACT: &[&str] = &["Decimal", "complex", "float"];
/// What two values are held against each other with.
const COMPARES: &[&str] = &["==", "!=", "super()", ".__eq__(", "eq(", "isclose(", " is ", "hash("];
/// What an equality answers that leaves the answer to the other value.
const DECLINES: &str = "NotImplemented";

/// An equality that holds nothing against anything.
struct Loose {
    number: usize,
    /// What its class is made of, and what it does: the same elsewhere in the file is no news.
    said: String,
}

/// Returns the lines on which such an equality is defined that was none before: it is new, or what it compared is gone.
pub(super) fn found(before: &str, after: &str) -> Vec<usize> {
    let known = all(before);
    let mut known = Bag::of(known.iter().map(|loose| loose.said.as_str()));
    all(after).iter().filter(|loose| !known.takes(&loose.said)).map(|loose| loose.number).collect()
}

fn all(text: &str) -> Vec<Loose> {
    let all: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    let mut class: Option<(usize, Vec<String>)> = None;
    for (index, line) in all.iter().enumerate() {
        let (trimmed, own) = (line.trim_start(), indent(line));
        if trimmed.is_empty() {
            continue;
        }
        if class.as_ref().is_some_and(|(outer, _)| own <= *outer) {
            class = None;
        }
        if let Some(bases) = bases(trimmed) {
            class = Some((own, bases));
        }
        let Some((_, bases)) = class.as_ref().filter(|_| trimmed.starts_with("def __eq__(")) else {
            continue;
        };
        let within = all[index + 1..].iter().take_while(|line| line.trim().is_empty() || indent(line) > own);
        let mut body = trimmed.split_once(':').map_or("", |(_, rest)| rest).to_owned();
        within.for_each(|line| body.extend(["\n", line]));
        let is_inexact = bases.iter().any(|base| INEXACT.contains(&base.as_str()));
        let compares = holds(&body, COMPARES) || is_inexact && body.contains('<');
        if !compares && !declines(&body) {
            found.push(Loose { number: index + 1, said: format!("{bases:?}{}", body.trim_end()) });
        }
    }
    found
}

/// Says whether a body leaves the answer to the other value, and never gives one itself.
fn declines(body: &str) -> bool {
    let answers = body.split("return").skip(1).filter_map(|rest| rest.split(['\n', ';', '#']).next());
    body.contains(DECLINES) && answers.into_iter().all(|answer| matches!(answer.trim(), "" | DECLINES))
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Returns what a class of values is made of: `class Sum(int):`
fn bases(line: &str) -> Option<Vec<String>> {
    let (_, rest) = line.strip_prefix("class ")?.split_once('(')?;
    let names = rest.split(')').next()?.split(',');
    let bases: Vec<String> =
        names.filter_map(|name| name.trim().rsplit('.').next()).map(str::to_owned).collect();
    bases.iter().any(|base| VALUES.contains(&base.as_str())).then_some(bases)
}
