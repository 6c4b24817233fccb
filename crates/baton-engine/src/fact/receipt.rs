//! What the host itself ran and saw.

use serde::{Deserialize, Serialize};

use super::{ConfinedBy, Danger, Document, Finding, Hindrance, Waivable};
use crate::verdict::{Provenance, Verdict};
use crate::word::{BlobId, CheckpointName, TreeHash};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckResult {
    pub checkpoint: CheckpointName,
    pub verdict: Verdict,
    pub provenance: Provenance,
    pub detail: String,
    /// What the command printed; nothing where none was run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Document>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hindrance: Option<Hindrance>,
}

impl CheckResult {
    /// Says whether the host saw, without running anything, that the checkpoint does not hold.
    pub fn is_refutation(&self) -> bool {
        self.provenance == Provenance::Derived && self.verdict == Verdict::Fail
    }

    /// Returns what settled the checkpoint, in one word.
    pub fn settled_by(&self) -> &'static str {
        if self.provenance == Provenance::Derived { "rule" } else { "command" }
    }
}

/// What the host itself ran and saw.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    pub document: Document,
    pub checks: Vec<CheckResult>,
    pub tree_before: TreeHash,
    pub tree_after: TreeHash,
    pub danger: Option<Danger>,
    /// Changes outside what was allowed, and tricks seen in the diff.
    pub violations: Vec<String>,
    /// The claims of the handoff that the files and these checks don't support.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// Checkpoints that neither a command nor a rule settled: only the agent speaks for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asserted: Vec<CheckpointName>,
    /// The weakest that held for a command; nothing where none was run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confined_by: Option<ConfinedBy>,
    /// The hash of how the checks were defined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<BlobId>,
}

impl Receipt {
    /// Returns the receipt itself, and then what each command printed.
    pub fn documents(&self) -> impl Iterator<Item = &Document> {
        std::iter::once(&self.document).chain(self.outputs())
    }

    /// Says whether something kept a check from saying anything of the work.
    pub fn has(&self, hindrance: Hindrance) -> bool {
        self.checks.iter().any(|check| check.hindrance == Some(hindrance))
    }

    pub fn outputs(&self) -> impl Iterator<Item = &Document> {
        self.checks.iter().filter_map(|check| check.output.as_ref())
    }

    /// Yields the claims that the evidence denies.
    pub fn contradicted(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.is_contradicted())
    }

    /// Returns what a waiver has to name so that the work can be accepted as it is; nothing when nothing stands against it.
    pub fn waivable(&self) -> Option<Waivable> {
        let mut seen = self.violations.clone();
        seen.extend(self.contradicted().map(Finding::statement));
        (!seen.is_empty()).then(|| Waivable::Violations { tree: self.tree_before.clone(), seen })
    }

    /// Returns what the receipt says of a checkpoint. Silence, contradiction and checks that changed the tree are
    /// inconclusive.
    pub fn verdict(&self, checkpoint: &CheckpointName) -> Verdict {
        let mut said = self.checks.iter().filter(|check| check.checkpoint == *checkpoint);
        let Some(first) = said.next() else { return Verdict::Inconclusive };
        let seen = matches!(first.provenance, Provenance::Observed | Provenance::Derived);
        match said.next().is_none() && seen && self.tree_before == self.tree_after {
            true => first.verdict,
            false => Verdict::Inconclusive,
        }
    }
}
