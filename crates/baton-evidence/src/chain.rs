//! The handoffs of one task beside each other: times, totals, criteria, retries and agents along the chain.

mod agents;
mod criteria;
mod retries;
mod times;
mod totals;

use baton_handoff::project::Project;

use crate::claims::Claims;
use crate::finding::Finding;

/// One handoff of a chain.
#[derive(Clone, Copy, Debug)]
pub struct Member<'a> {
    pub claims: &'a Claims,
    /// Its place in the workflow, where that is known.
    pub rank: Option<usize>,
}

/// The handoffs of one task, in the order of the work.
#[derive(Clone, Copy)]
pub struct Chain<'a> {
    pub members: &'a [Member<'a>],
    pub project: &'a Project,
    /// Says whether anything but handoffs changed between two members, where that is known.
    pub changed_between: &'a dyn Fn(usize, usize) -> Option<bool>,
}

impl std::fmt::Debug for Chain<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Chain").field("members", &self.members).finish_non_exhaustive()
    }
}

impl<'a> Chain<'a> {
    fn members(&self) -> impl DoubleEndedIterator<Item = (usize, &'a Claims)> + Clone {
        self.members.iter().enumerate().map(|(at, member)| (at, member.claims))
    }

    /// Yields the handoffs whose place in the workflow is known, with that place.
    fn ranked(&self) -> impl Iterator<Item = (usize, usize, &'a Claims)> {
        self.members.iter().enumerate().filter_map(|(at, member)| Some((member.rank?, at, member.claims)))
    }

    /// Yields the groups of handoffs of one stage: a stage with several is one that was tried again.
    fn attempts(&self) -> Vec<Vec<(usize, &'a Claims)>> {
        let mut groups: Vec<Vec<(usize, &'a Claims)>> = Vec::new();
        for member in self.members().filter(|(_, claims)| claims.stage.is_some()) {
            let same = |group: &&mut Vec<(usize, &'a Claims)>| {
                let (_, first) = group[0];
                let stage =
                    |claims: &Claims| claims.stage.as_ref().map(|stage| stage.text.trim().to_lowercase());
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

/// Where findings are put, with the index of the member that each belongs to.
#[derive(Debug, Default)]
struct Found {
    all: Vec<(usize, Finding)>,
}

impl Found {
    fn push(&mut self, member: usize, finding: Finding) {
        self.all.push((member, finding));
    }
}

type Judge = fn(&Chain<'_>, &mut Found);

const JUDGES: &[Judge] = &[times::judge, totals::judge, criteria::judge, retries::judge, agents::judge];

/// Judges the handoffs of a task beside each other, and returns each finding with the index of its member.
pub fn judge(chain: &Chain<'_>) -> Vec<(usize, Finding)> {
    let mut found = Found::default();
    JUDGES.iter().for_each(|judge| judge(chain, &mut found));
    found.all
}
