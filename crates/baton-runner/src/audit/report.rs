//! The answer of an audit: chains with their handoffs and rows, the worst first.

use std::cmp::Reverse;
use std::path::PathBuf;

use baton_handoff::project::Project;
use baton_handoff::report::Weight;
use baton_handoff::rule::{Code, Rule, audit};

use super::chain::{Chain, natural};
use super::dossier::Dossier;
use baton_evidence::finding::{self, Finding, Verdict};
use baton_evidence::moment::Moment;

/// Which rows an audit keeps; all are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    Findings,
    All,
}

/// How many rows came to which verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tally {
    pub contradicted: usize,
    pub unsupported: usize,
    pub holds: usize,
    pub not_checkable: usize,
}

impl Tally {
    pub fn count(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Contradicted => self.contradicted += 1,
            Verdict::Unsupported => self.unsupported += 1,
            Verdict::Holds => self.holds += 1,
            Verdict::NotCheckable => self.not_checkable += 1,
        }
    }

    /// Takes one back.
    pub fn forget(&mut self, verdict: Verdict) {
        let count = match verdict {
            Verdict::Contradicted => &mut self.contradicted,
            Verdict::Unsupported => &mut self.unsupported,
            Verdict::Holds => &mut self.holds,
            Verdict::NotCheckable => &mut self.not_checkable,
        };
        *count = count.saturating_sub(1);
    }

    fn add(&mut self, other: Self) {
        self.contradicted += other.contradicted;
        self.unsupported += other.unsupported;
        self.holds += other.holds;
        self.not_checkable += other.not_checkable;
    }

    pub fn findings(self) -> usize {
        self.contradicted + self.unsupported
    }
}

/// One handoff with what came of its claims.
#[derive(Clone, Debug)]
pub struct HandoffReport {
    /// As it was found.
    pub path: PathBuf,
    /// From the root, with the commit where it is an older version.
    pub shown: String,
    /// Whether this is how the file is now.
    pub is_current: bool,
    pub line: u32,
    pub dialect: &'static str,
    pub stage: Option<String>,
    pub from: Option<String>,
    pub to: Option<String>,
    pub started: Option<Moment>,
    pub ended: Option<Moment>,
    pub outcome: &'static str,
    pub rows: Vec<Finding>,
    pub tally: Tally,
}

/// One chain.
#[derive(Clone, Debug)]
pub struct ChainReport {
    pub task: String,
    pub handoffs: Vec<HandoffReport>,
    pub tally: Tally,
}

impl ChainReport {
    /// Returns the findings, the most telling first.
    pub fn findings(&self) -> Vec<(&HandoffReport, &Finding)> {
        let rows =
            self.handoffs.iter().flat_map(|handoff| handoff.rows.iter().map(move |row| (handoff, row)));
        let mut found: Vec<_> = rows.filter(|(_, row)| row.verdict.is_finding()).collect();
        found.sort_by_key(|(_, row)| (Reverse(row.verdict), telling(row)));
        found
    }
}

/// Findings of an audit, each with the index of the dossier that it belongs to.
#[derive(Debug, Default)]
pub(super) struct Rows {
    pub(super) rows: Vec<(usize, Finding)>,
}

impl Rows {
    pub(super) fn push(&mut self, dossier: usize, finding: Finding) {
        self.rows.push((dossier, finding));
    }
}

/// The whole answer.
#[derive(Clone, Debug)]
pub struct Audit {
    pub root: PathBuf,
    /// The worst first.
    pub chains: Vec<ChainReport>,
    pub tally: Tally,
    pub files: usize,
    pub handoffs: usize,
    pub commits: usize,
    /// What could not be looked at, in words.
    pub notes: Vec<String>,
    /// Findings that a baseline knows already.
    pub known: usize,
}

impl Audit {
    /// Keeps one task alone; says whether there is such a task.
    pub fn keep_task(&mut self, task: &str) -> bool {
        self.chains.retain(|chain| chain.task.eq_ignore_ascii_case(task.trim()));
        self.tally = Tally::default();
        self.chains.iter().for_each(|chain| self.tally.add(chain.tally));
        self.handoffs = self.chains.iter().map(|chain| chain.handoffs.len()).sum();
        !self.chains.is_empty()
    }
}

/// What a person should see first: what a machine saw, then what git knows, then what does not fit together.
const TELLING: &[&Rule] = &[
    &audit::FAILS_WHEN_RUN,
    &audit::PASS_BESIDE_FAILURE_LOG,
    &audit::PASS_BESIDE_EMPTY_RUN,
    &audit::COMMAND_AGAINST_LOG,
    &audit::COUNT_AGAINST_RECORD,
    &audit::FILE_MISSING,
    &audit::NOT_MODIFIED,
    &audit::NOT_CREATED,
    &audit::NOT_DELETED,
    &audit::LINES_BEYOND_FILE,
];

/// Returns how telling a finding is; 0 is the most.
fn telling(row: &Finding) -> usize {
    let position = |code: Code| TELLING.iter().position(|rule| rule.code == code);
    row.code().and_then(position).unwrap_or(TELLING.len())
}

pub(super) struct Builder<'a> {
    dossiers: &'a [Dossier],
    chains: &'a [Chain],
    project: &'a Project,
    keep: Keep,
    rows: Vec<Vec<Finding>>,
    tallies: Vec<Tally>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(
        dossiers: &'a [Dossier],
        chains: &'a [Chain],
        project: &'a Project,
        keep: Keep,
    ) -> Self {
        let rows = vec![Vec::new(); dossiers.len()];
        Self { dossiers, chains, project, keep, rows, tallies: vec![Tally::default(); dossiers.len()] }
    }

    pub(super) fn take(&mut self, rows: Rows) {
        for (at, mut row) in rows.rows {
            if let Some(rule) = row.rule {
                match self.project.weights.rules.get(&rule.code) {
                    Some(Weight::Off) => continue,
                    Some(Weight::Severity(severity)) => row.verdict = Verdict::of_severity(*severity),
                    None => {}
                }
            }
            self.tallies[at].count(row.verdict);
            if self.keep == Keep::All || row.verdict.is_finding() {
                self.rows[at].push(row);
            }
        }
    }

    pub(super) fn finish(mut self, files: usize, commits: usize, root: PathBuf, notes: Vec<String>) -> Audit {
        let mut chains: Vec<ChainReport> = Vec::with_capacity(self.chains.len());
        let mut whole = Tally::default();
        for chain in self.chains {
            let mut tally = Tally::default();
            let handoffs: Vec<HandoffReport> = chain
                .members
                .iter()
                .map(|&at| {
                    tally.add(self.tallies[at]);
                    handoff(&self.dossiers[at], std::mem::take(&mut self.rows[at]), self.tallies[at])
                })
                .collect();
            whole.add(tally);
            chains.push(ChainReport { task: masked(&chain.name), handoffs, tally });
        }
        chains.sort_by_cached_key(|chain| {
            let counts = (chain.tally.contradicted, chain.tally.unsupported);
            let first = chain.findings().first().map(|(_, row)| telling(row));
            (Reverse(counts), first, natural(&chain.task))
        });
        Audit { root, chains, tally: whole, files, handoffs: self.dossiers.len(), commits, notes, known: 0 }
    }
}

fn masked(text: &str) -> String {
    crate::secret::mask(text.trim()).into_owned()
}

fn handoff(dossier: &Dossier, mut rows: Vec<Finding>, tally: Tally) -> HandoffReport {
    rows.sort_by_key(|row| row.place);
    let text = |said: &Option<finding::Said>| said.as_ref().map(|said| masked(&said.text));
    HandoffReport {
        path: dossier.path.clone(),
        shown: dossier.shown_path(),
        is_current: dossier.version.is_none(),
        line: dossier.origin.line,
        dialect: dossier.variant,
        stage: text(&dossier.stage),
        from: text(&dossier.from),
        to: text(&dossier.to),
        started: dossier.started.clone(),
        ended: dossier.ended().cloned(),
        outcome: dossier.outcome.name(),
        rows,
        tally,
    }
}
