//! What a verifier does: mostly it judges, and sometimes it lies.

use super::*;

impl Sim {
    pub(super) fn judge(&mut self, process: &Process) {
        let Some(examined) = process.examined.clone() else { return };
        let Some(task) = self.task(&process.task) else { return };
        let receipt = task.run.receipt.as_ref().filter(|_| task.receipt_freshness() == Freshness::Fresh);
        let evidence: Vec<_> = receipt.map(|receipt| receipt.document.id.clone()).into_iter().collect();
        let wanted: Vec<CriterionId> = task.criteria_in_force().into_iter().collect();
        let mut verdict_of = |_: &CriterionId| match self.random.chance(self.rates.bad_work / 4) {
            true => *self.random.pick(&[Verdict::Fail, Verdict::Inconclusive]),
            false => Verdict::Pass,
        };
        let judged = wanted.into_iter().map(|criterion| {
            let verdict = verdict_of(&criterion);
            CriterionVerdict { criterion, verdict, evidence: evidence.clone(), reason: None }
        });
        let mut criteria: Vec<CriterionVerdict> = judged.collect();
        let (mut tree_before, mut tree_after, mut wrote) = (examined.clone(), examined, false);
        if self.random.chance(self.rates.bad_verifier) {
            match self.random.below(4) {
                0 => {
                    self.fault_in_turn(process, "verifier_writes");
                    wrote = true;
                    tree_after =
                        self.world.tree(Tree { passes: true, danger: None, violation: false, error: 0 });
                }
                1 => {
                    self.fault_in_turn(process, "verifier_omits");
                    criteria.pop();
                }
                2 => {
                    self.fault_in_turn(process, "verifier_without_evidence");
                    criteria.iter_mut().for_each(|said| said.evidence.clear());
                }
                _ => {
                    self.fault_in_turn(process, "verifier_on_stale_tree");
                    tree_before =
                        self.world.tree(Tree { passes: true, danger: None, violation: false, error: 0 });
                    tree_after = tree_before.clone();
                }
            }
        }
        let doubts = match self.random.chance(self.rates.bad_verifier / 10) {
            true => vec!["I could not run it".to_owned()],
            false => Vec::new(),
        };
        let key = (process.task.clone(), process.lease.turn.clone());
        self.world.examinations.insert(key, Examination { tree: tree_before.clone(), wrote });
        let document = self.document();
        let confined_by = None;
        let report =
            Report { document, criteria, doubts, tree_before, tree_after, put_back: false, confined_by };
        self.say(process, Act::RecordVerdict { lease: process.lease.clone(), report });
    }
}
