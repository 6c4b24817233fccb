//! Values of Python that are numbers or texts, and equal others without being held against them.

use super::line::Lines;

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
const COMPARES: &[&str] =
    &["==", "!=", "super()", ".__eq__(", "isclose(", " is ", "hash(", "NotImplementedError"];

/// Returns the lines on which such an equality is defined, where it is new.
pub(super) fn found(after: &str, lines: &Lines) -> Vec<usize> {
    let all: Vec<&str> = after.lines().collect();
    let is_new = |number: usize| lines.added.iter().any(|line| line.number == number);
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
        let count = within.count();
        let mut body = trimmed.split_once(':').map_or("", |(_, rest)| rest).to_owned();
        all[index + 1..=index + count].iter().for_each(|line| body.push_str(line));
        let is_inexact = bases.iter().any(|base| INEXACT.contains(&base.as_str()));
        let compares = COMPARES.iter().any(|mark| body.contains(mark)) || is_inexact && body.contains('<');
        if !compares && (index + 1..=index + 1 + count).any(is_new) {
            found.push(index + 1);
        }
    }
    found
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
