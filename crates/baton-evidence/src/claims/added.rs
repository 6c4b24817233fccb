//! What a handoff claims outside of the lists of its dialect: under other keys, in markers and in running text.

use baton_handoff::marker::Marker;
use baton_handoff::record::Record;
use baton_handoff::tree::Node;

use super::region::Regions;
use super::{Claims, FileClaim, Judged, ListedFile, Source, beyond, git_output, headed, judged, prose};
use crate::finding::Said;

impl Claims {
    /// Adds the checkpoints and criteria that stand elsewhere than in the lists of the dialect.
    pub(super) fn judged_beyond(
        &mut self,
        (record, tree): (&Record<'_>, Option<&Node<'_>>),
        markers: &[Marker<'_>],
        source: &Source<'_>,
    ) {
        if self.criteria.iter().all(|criterion| criterion.status.is_none()) {
            let mut beyond = judged::criteria_beyond(record, source);
            if beyond.is_empty() {
                let own = record.extensions.iter().filter(|own| !beyond::is_other(&own.key));
                let trees = tree.into_iter().chain(own.map(|own| &own.value));
                beyond = trees.flat_map(|tree| judged::criteria_in(tree, source)).collect();
            }
            if !beyond.is_empty() {
                self.criteria.clear();
            }
            for (list, criterion) in beyond {
                self.criteria_place = list;
                self.criteria.push(criterion);
            }
        }
        let (checkpoints, criteria) =
            if self.is_report { Default::default() } else { judged::ticked(source) };
        let is_known = |all: &[Judged], one: &Judged| {
            let name =
                |judged: &Judged| judged.id.clone().unwrap_or_else(|| judged.name.text.trim().to_owned());
            all.iter().any(|known| known.status.is_some() && name(known) == name(one))
        };
        for one in judged::checks_marked(markers, source).into_iter().chain(checkpoints) {
            if !is_known(&self.checkpoints, &one) {
                self.checkpoints.push(one);
            }
        }
        for one in judged::criteria_marked(markers, source).into_iter().chain(criteria) {
            if !is_known(&self.criteria, &one) {
                self.criteria.push(one);
            }
        }
    }

    /// Takes the tests that passing checkpoints and criteria name for evidence, and writes lines in one way:
    /// `shop/cart.py#L10-L40` is `shop/cart.py:10-40`.
    pub(super) fn evidence_of_words(&mut self) {
        for judged in self.criteria.iter_mut().chain(&mut self.checkpoints).filter(|judged| judged.passes) {
            let Some(message) = &judged.message else { continue };
            let tokens = message.text.split_whitespace().map(prose::trimmed);
            let tests = tokens.filter(|token| {
                token.split_once("::").is_some_and(|(path, test)| prose::is_path(path) && !test.is_empty())
            });
            let named: Vec<Said> = tests.map(|test| Said::new(test, message.place)).collect();
            judged.evidence.extend(named);
        }
        let criteria = self.criteria.iter_mut().flat_map(|criterion| &mut criterion.evidence);
        let commands = self.ledger.iter_mut().flat_map(|entry| &mut entry.evidence);
        for said in self.evidence.iter_mut().chain(criteria).chain(commands) {
            if said.text.contains("#L") {
                said.text = said.text.replace("#L", ":").replace("-L", "-");
            }
        }
    }

    /// Adds the files that running text names.
    pub(super) fn files_beyond(&mut self, source: &Source<'_>, regions: &Regions) {
        let mut named = prose::files(&self.own_words, self.origin);
        named.extend(headed::files(source, self.origin));
        let pasted = git_output::read(source, regions, self.origin);
        named.extend(pasted.files);
        self.file_counts.extend(pasted.counts);
        self.commits.extend(pasted.commits);
        named.extend(prose::in_messages(self.checkpoints.iter().chain(&self.criteria), self.origin));
        named.retain(|named| named.adds_to(&self.files));
        self.prose_files = named;
    }
}

impl ListedFile {
    /// Says whether running text says more of a file than the lists: its lines, or what happened to it.
    pub(super) fn adds_to(&self, listed: &[Self]) -> bool {
        let mut known = listed.iter().filter(|file| file.path.text == self.path.text).peekable();
        if known.peek().is_none() {
            return true;
        }
        known.all(|known| {
            let adds_lines = known.lines.is_none() && self.lines.is_some();
            let is_open = matches!(known.claim, FileClaim::Touched | FileClaim::Exists);
            let is_only_there = known.claim == FileClaim::Exists && self.claim != FileClaim::Exists;
            let adds_end = matches!(self.claim, FileClaim::Created | FileClaim::Deleted);
            adds_lines || is_only_there || is_open && adds_end
        })
    }
}
