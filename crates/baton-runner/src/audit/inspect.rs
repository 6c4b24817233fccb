//! The inspections: each holds one sort of claim of a chain against what is known.

mod agents;
mod commits;
mod criteria;
mod document;
mod files;
mod lines;
mod logs;
mod pasted;
mod retries;
mod times;
mod totals;
mod unlisted;

use baton_handoff::project::Project;

use super::chain::Chain;
use super::dossier::Dossier;
use super::row::Row;
use super::world::World;

/// One chain under inspection, with everything that may be looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Case<'a> {
    pub(super) dossiers: &'a [Dossier],
    pub(super) chain: &'a Chain,
    pub(super) project: &'a Project,
    pub(super) world: &'a World<'a>,
}

impl<'a> Case<'a> {
    /// Yields the handoffs of the chain in their order, with their indexes.
    pub(super) fn members(&self) -> impl DoubleEndedIterator<Item = (usize, &'a Dossier)> + Clone {
        let dossiers = self.dossiers;
        self.chain.members.iter().map(move |&at| (at, &dossiers[at]))
    }

    /// Yields the handoffs whose place in the workflow is known, with that place.
    pub(super) fn ranked(&self) -> impl Iterator<Item = (usize, usize, &'a Dossier)> {
        let dossiers = self.dossiers;
        let pairs = self.chain.members.iter().zip(&self.chain.ranks);
        pairs.filter_map(move |(&at, rank)| Some(((*rank)?, at, &dossiers[at])))
    }

    /// Yields the groups of handoffs of one stage: a stage with several is one that was tried again.
    pub(super) fn attempts(&self) -> Vec<Vec<(usize, &'a Dossier)>> {
        let mut groups: Vec<Vec<(usize, &'a Dossier)>> = Vec::new();
        for member in self.members().filter(|(_, dossier)| dossier.stage.is_some()) {
            let same = |group: &&mut Vec<(usize, &'a Dossier)>| {
                let (_, first) = group[0];
                let stage =
                    |dossier: &Dossier| dossier.stage.as_ref().map(|stage| stage.text.trim().to_lowercase());
                first.variant == member.1.variant && stage(first) == stage(member.1)
            };
            match groups.iter_mut().find(same) {
                Some(group) => group.push(member),
                None => groups.push(vec![member]),
            }
        }
        groups
    }
}

/// Where rows are put, with the index of the dossier each belongs to.
#[derive(Debug, Default)]
pub(super) struct Rows {
    pub(super) rows: Vec<(usize, Row)>,
}

impl Rows {
    pub(super) fn push(&mut self, dossier: usize, row: Row) {
        self.rows.push((dossier, row));
    }
}

type Inspect = fn(&Case<'_>, &mut Rows);

const INSPECTIONS: &[Inspect] = &[
    document::inspect,
    files::inspect,
    lines::inspect,
    unlisted::inspect,
    commits::inspect,
    logs::inspect,
    times::inspect,
    totals::inspect,
    criteria::inspect,
    retries::inspect,
    agents::inspect,
];

/// Inspects a chain.
pub(super) fn chain(case: &Case<'_>) -> Rows {
    let mut rows = Rows::default();
    INSPECTIONS.iter().for_each(|inspect| inspect(case, &mut rows));
    rows
}

pub(super) use pasted::inspect as texts;
