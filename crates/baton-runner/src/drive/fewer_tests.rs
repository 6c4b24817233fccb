//! Fewer tests run than before the work, though nobody took one out.

use std::collections::BTreeSet;

use baton_engine::verdict::Verdict;
use baton_engine::word::TreeHash;

use super::Drive;
use crate::cheat::{Kind, tests_in};
use crate::desk::receipt::Ran;
use crate::workspace::FileChange;

/// Makes a package of its folder, and holds no tests.
const PACKAGE: &str = "__init__.py";

/// How many tests a check ran on the files before the work, as far as that is known.
pub(super) struct Before {
    pub(super) tests: Option<u64>,
    /// Tests were taken out of the files: whether they may go is judged where they stood.
    pub(super) drops_tests: bool,
}

impl Before {
    /// Says that a check which passes ran fewer tests than before.
    pub(super) fn sighting(&self, ran: &Ran) -> Option<String> {
        let (before, now) = self.tests.zip(ran.tests)?;
        let is_seen = ran.result.verdict == Verdict::Pass && now < before && !self.drops_tests;
        let check = &ran.result.checkpoint;
        is_seen.then(|| format!("fewer_tests: {check}: {before} tests ran before the work, {now} run now"))
    }
}

impl Drive<'_> {
    /// Remembers how many tests checks ran on these files.
    pub(super) fn count_tests(&mut self, tree: &TreeHash, ran: &[Ran]) {
        let counted = |ran: &Ran| Some(((tree.clone(), ran.result.checkpoint.clone()), ran.tests?));
        self.tests_counted.extend(ran.iter().filter_map(counted));
    }
}

/// Says whether files hold fewer tests than before.
pub(super) fn drops_tests(changes: &[FileChange]) -> bool {
    let count = |path: &str, bytes: &Option<Vec<u8>>| bytes.as_ref().map_or(0, |bytes| tests_in(path, bytes));
    let (mut before, mut after) = (0, 0);
    for change in changes {
        before += count(&change.path, &change.before);
        after += count(&change.path, &change.after);
    }
    // What only moved, or held no test, is not taken out: if fewer run now, they are no longer found.
    // Of what was cut nobody knows whether the rest is the same.
    let new = changes.iter().filter(|change| change.before.is_none() && change.is_whole);
    let new: BTreeSet<&[u8]> = new.filter_map(|change| change.after.as_deref()).collect();
    let is_moved = |gone: &FileChange| {
        gone.is_whole && gone.before.as_deref().is_some_and(|before| new.contains(before))
    };
    let is_deleted = |change: &FileChange| {
        let is_test = Kind::of(&change.path) == Kind::Test && !change.path.ends_with(PACKAGE);
        change.after.is_none() && is_test && !is_moved(change)
    };
    after < before || changes.iter().any(is_deleted)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: &str = "def test_a():\n    assert a\ndef test_b():\n    assert b\n";
    const ONE: &str = "def test_a():\n    assert a\n";

    fn change(path: &str, before: Option<&str>, after: Option<&str>) -> FileChange {
        let bytes = |text: Option<&str>| text.map(|text| text.as_bytes().to_vec());
        FileChange {
            path: path.to_owned(),
            before: bytes(before),
            after: bytes(after),
            is_whole: true,
            loses_program: false,
        }
    }

    #[test]
    fn tests_that_were_taken_out_are_judged_where_they_stood() {
        assert!(drops_tests(&[change("test_a.py", Some(TWO), Some(ONE))]));
        assert!(drops_tests(&[change("tests/case.txt", Some("1"), None)]));
        assert!(!drops_tests(&[change(
            "test_a.py",
            Some(TWO),
            Some("x = 1\ndef test_a():\n    pass\ndef test_c():\n    pass\n")
        )]));
        assert!(!drops_tests(&[change("add.py", Some("a"), None)]));
        let moved = [change("test_a.py", Some(TWO), Some(ONE)), change("test_b.py", None, Some(ONE))];
        assert!(!drops_tests(&moved));
        let hidden = [change("test_a.py", Some(TWO), None), change("a_test.py", None, Some(TWO))];
        assert!(!drops_tests(&hidden));
        assert!(drops_tests(&hidden.map(|change| FileChange { is_whole: false, ..change })));
        assert!(!drops_tests(&[change("tests/__init__.py", Some(""), None)]));
    }

    #[test]
    fn fewer_tests_are_seen_where_the_check_passes() {
        let told = |before, drops_tests, now, verdict| {
            Before { tests: before, drops_tests }.sighting(&Ran::counted(now, verdict))
        };
        let seen = Some("fewer_tests: validation: 3 tests ran before the work, 2 run now".to_owned());
        assert_eq!(told(Some(3), false, Some(2), Verdict::Pass), seen);
        for (before, drops, now, verdict) in [
            (Some(3), true, Some(2), Verdict::Pass),
            (Some(3), false, Some(3), Verdict::Pass),
            (None, false, Some(2), Verdict::Pass),
            (Some(3), false, None, Verdict::Pass),
            (Some(3), false, Some(2), Verdict::Fail),
        ] {
            assert_eq!(told(before, drops, now, verdict), None);
        }
    }
}
