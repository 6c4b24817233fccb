//! Tests and scripts that the work rewrote while they judged it.

use baton_engine::verdict::Verdict;

use crate::desk::receipt::Ran;

/// Most files that are told one by one.
const TOLD_MAX: usize = 5;

/// Says whether it has to be known how the check went before the work: a check may have the habit to write what it reads.
pub(super) fn is_doubtful(ran: &Ran) -> bool {
    ran.result.verdict == Verdict::Pass && !ran.put_back.is_empty()
}

/// Returns what a check that passes wrote and put back, where it did not do so before the work.
pub(super) fn sightings(ran: &Ran, before: &Ran) -> Vec<String> {
    let check = &ran.result.checkpoint;
    let new = ran.put_back.difference(&before.put_back).take(TOLD_MAX);
    new.map(|path| format!("put_back: {path}: it was written while {check} ran, and is as it was before"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ran(verdict: Verdict, put_back: &[&str]) -> Ran {
        let mut ran = Ran::counted(None, verdict);
        ran.put_back = put_back.iter().map(|&path| path.to_owned()).collect();
        ran
    }

    #[test]
    fn only_what_a_check_did_not_write_before_the_work_is_told() {
        let now = ran(Verdict::Pass, &["tests/a.py", "tests/made.py"]);
        assert!(is_doubtful(&now));
        let habit = ran(Verdict::Fail, &["tests/made.py"]);
        let seen = "put_back: tests/a.py: it was written while validation ran, and is as it was before";
        assert_eq!(sightings(&now, &habit), [seen]);
        assert!(sightings(&habit, &habit).is_empty());
        assert!(!is_doubtful(&ran(Verdict::Fail, &["tests/a.py"])));
        assert!(!is_doubtful(&ran(Verdict::Pass, &[])));
    }
}
