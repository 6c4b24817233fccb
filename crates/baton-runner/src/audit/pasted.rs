//! The same long text in handoffs of different tasks.

use std::collections::BTreeMap;

use baton_handoff::rule::audit;

use baton_evidence::finding::{Against, Finding, Place, Provenance, Said};

use super::chain::Chain;
use super::dossier::Dossier;
use super::report::Rows;

/// Inspects all chains together: the first place of a text, by path, is the original.
pub(super) fn judge(dossiers: &[Dossier], chains: &[Chain], rows: &mut Rows) {
    let mut of_chain = vec![0; dossiers.len()];
    for (number, chain) in chains.iter().enumerate() {
        chain.members.iter().for_each(|&member| of_chain[member] = number);
    }
    let mut by_path: Vec<usize> = (0..dossiers.len()).collect();
    by_path.sort_by_key(|&at| (dossiers[at].shown_path(), dossiers[at].origin));
    let mut first: BTreeMap<u64, (usize, Place)> = BTreeMap::new();
    for at in by_path {
        for text in &dossiers[at].long_texts {
            let &mut (original, place) = first.entry(text.hash).or_insert((at, text.place));
            let (there, here) = (&dossiers[original], &dossiers[at]);
            if of_chain[original] == of_chain[at] || there.path == here.path {
                continue;
            }
            let task = there.task.as_ref().map_or("another task", |task| task.text.as_str());
            let reason = format!("word for word the text of {task}");
            let against = Against::file(there.shown_path(), Some(place.line), "the same text");
            let said = Said::new("", text.place);
            let row = Finding::of_rule(&audit::PASTED_TEXT, "text", &said, reason).against(against);
            rows.push(at, row.from(Provenance::Inherited));
        }
    }
}
