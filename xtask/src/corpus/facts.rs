//! What Baton found in a document, in a form that can be compared.

use baton_handoff::convert;
use baton_handoff::dialect::find as dialect;
use baton_handoff::document::{self, Document};
use baton_handoff::field::{Field, Shape};
use baton_handoff::handoff::Handoff;
use baton_handoff::outcome::{self, Outcome};
use baton_handoff::project::Project;
use baton_handoff::tree::{Kind, Node};
use baton_handoff::{judge, rule};

#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) is_handoff: bool,
    pub(crate) outcome: Option<Outcome>,
    pub(crate) next_steps: Vec<String>,
    pub(crate) blockers: Vec<String>,
    pub(crate) gotchas: Vec<String>,
    /// Whether lines of YAML were repaired, and whether each value is text of the document.
    pub(crate) repaired: bool,
    pub(crate) altered: Vec<String>,
    /// Key paths that writing the same dialect again would lose.
    pub(crate) lost_keys: Vec<String>,
}

pub(crate) fn find(source: &str, read: &Document<'_>) -> Found {
    let mut found = Found { is_handoff: !read.handoffs.is_empty(), ..Found::default() };
    let Some(first) = read.handoffs.first() else { return found };
    found.outcome = Some(outcome::conclude(&first.record).outcome);
    for handoff in &read.handoffs {
        found.next_steps.extend(items(handoff, Field::NextSteps));
        found.blockers.extend(items(handoff, Field::Blockers));
        found.gotchas.extend(items(handoff, Field::Gotchas));
        found.lost_keys.extend(lost_keys(handoff));
    }
    let findings = judge::judge(&mut document::read(source), &Project::default());
    let repairs = [rule::REPAIRED, rule::UNCLOSED_FRONTMATTER];
    found.repaired = findings.iter().any(|finding| repairs.contains(&finding.code));
    let words = squeezed(source);
    for tree in read.handoffs.iter().filter_map(|handoff| handoff.tree.as_ref()) {
        altered(tree, &words, &mut found.altered);
    }
    found
}

fn items(handoff: &Handoff<'_>, field: Field) -> Vec<String> {
    let Shape::Records(primary) = field.shape() else { return Vec::new() };
    let records = handoff.record.records(field).iter();
    records
        .filter_map(|record| record.str(primary))
        .filter(|text| !outcome::is_none_word(text))
        .map(str::to_owned)
        .collect()
}

/// Returns text without blanks and quotes, so that folding and quoting make no difference.
fn squeezed(text: &str) -> String {
    text.chars().filter(|mark| !mark.is_whitespace() && !matches!(mark, '\'' | '"' | '\\')).collect()
}

fn altered(node: &Node<'_>, words: &str, out: &mut Vec<String>) {
    match &node.kind {
        Kind::Scalar { text, .. } => {
            if !words.contains(&squeezed(text)) {
                out.push(text.to_string());
            }
        }
        Kind::List(items) => items.iter().for_each(|item| altered(item, words, out)),
        Kind::Map(pairs) => pairs.iter().for_each(|pair| altered(&pair.value, words, out)),
    }
}

/// Writes the handoff in its own dialect, reads it again, and compares the keys.
fn lost_keys(handoff: &Handoff<'_>) -> Vec<String> {
    let (Some(tree), Some((definition, variant))) = (&handoff.tree, dialect(handoff.dialect.name())) else {
        return Vec::new();
    };
    let written = convert::convert(handoff, definition, variant);
    let again = document::read(&written.text);
    let kept =
        again.handoffs.iter().filter_map(|handoff| handoff.tree.as_ref()).find(|kept| tree.same_data(kept));
    match kept {
        Some(_) => Vec::new(),
        None => vec![format!("{} as a whole", handoff.dialect.name())],
    }
}
