//! Findings that are known already, so that only new ones fail a build.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use baton_store::durable_file;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::report::{Audit, HandoffReport};
use baton_evidence::finding::Finding;

const SHAPE_VERSION: u32 = 1;
/// Largest baseline that is read, in bytes.
const BASELINE_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// Known findings, each by what it is about: lines may move, words may not.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    version: u32,
    findings: Vec<Known>,
}

#[derive(Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(deny_unknown_fields)]
struct Known {
    /// The file, for the person who reads the baseline.
    path: String,
    code: String,
    fingerprint: String,
    /// How often the same finding is there.
    count: usize,
}

impl Baseline {
    /// Reads a baseline.
    pub fn read(path: &Path) -> io::Result<Self> {
        if fs::metadata(path)?.len() > BASELINE_BYTES_MAX {
            return Err(io::Error::other(format!("it is larger than {BASELINE_BYTES_MAX} bytes")));
        }
        let baseline: Self = serde_json::from_slice(&fs::read(path)?)?;
        match baseline.version {
            SHAPE_VERSION => Ok(baseline),
            other => {
                Err(io::Error::other(format!("its version is {other}, this build reads {SHAPE_VERSION}")))
            }
        }
    }

    /// Makes the baseline of an audit: everything that it found.
    pub fn of(audit: &Audit) -> Self {
        let mut counts: BTreeMap<(String, String, String), usize> = BTreeMap::new();
        for (handoff, row) in findings(audit) {
            let key = (handoff.shown.clone(), code(row), fingerprint(handoff, row));
            *counts.entry(key).or_default() += 1;
        }
        let known = |((path, code, fingerprint), count)| Known { path, code, fingerprint, count };
        Self { version: SHAPE_VERSION, findings: counts.into_iter().map(known).collect() }
    }

    pub fn write(&self, path: &Path) -> io::Result<()> {
        let text = format!("{}\n", serde_json::to_string_pretty(self)?);
        match path.exists() {
            true => durable_file::replace_content(path, text.as_bytes()),
            false => fs::write(path, text),
        }
    }

    /// Takes what is known out of an audit and counts it.
    pub fn apply(&self, audit: &mut Audit) {
        let mut left: BTreeMap<&str, usize> = BTreeMap::new();
        for known in &self.findings {
            *left.entry(&known.fingerprint).or_default() += known.count;
        }
        for chain in &mut audit.chains {
            for handoff in &mut chain.handoffs {
                let rows = std::mem::take(&mut handoff.rows);
                for row in rows {
                    let is_known = row.verdict.is_finding()
                        && left.get_mut(fingerprint(handoff, &row).as_str()).is_some_and(|count| {
                            let any = *count > 0;
                            *count = count.saturating_sub(1);
                            any
                        });
                    if is_known {
                        audit.known += 1;
                        for tally in [&mut handoff.tally, &mut chain.tally, &mut audit.tally] {
                            tally.forget(row.verdict);
                        }
                    } else {
                        handoff.rows.push(row);
                    }
                }
            }
        }
    }

    pub fn len(&self) -> usize {
        self.findings.iter().map(|known| known.count).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.findings.is_empty()
    }
}

fn findings(audit: &Audit) -> impl Iterator<Item = (&HandoffReport, &Finding)> {
    let handoffs = audit.chains.iter().flat_map(|chain| &chain.handoffs);
    let rows = handoffs.flat_map(|handoff| handoff.rows.iter().map(move |row| (handoff, row)));
    rows.filter(|(_, row)| row.verdict.is_finding())
}

fn code(row: &Finding) -> String {
    row.code().map(|code| code.to_string()).unwrap_or_default()
}

/// Returns what a finding is about, without the place in the file and without times that pass.
pub fn fingerprint(handoff: &HandoffReport, row: &Finding) -> String {
    let mut hash = Sha256::new();
    let against = row.against.as_ref().map_or("", |against| against.source.as_str());
    for part in [&handoff.shown, &code(row), row.kind, &row.claim, against] {
        hash.update(part.as_bytes());
        hash.update([0]);
    }
    hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}
