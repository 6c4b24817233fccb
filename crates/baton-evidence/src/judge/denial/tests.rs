use super::*;
use crate::claims::sentence::sentences;

fn denies(text: &str) -> bool {
    sentences(text).any(|sentence| denies_completion(sentence).is_some())
}

#[test]
fn words_about_the_present_result_count() {
    let all = [
        "2 failed, 2 passed",
        "Test run: 2 passed, 1 failed.",
        "All done. 3 of 5 tests pass.",
        "Result: 4/6 tests passing",
        "I wired it up but test_refund still fails",
        "A critical bug remains in the parser.",
        "Known critical issue: totals are wrong",
        "AC-2 is not met yet",
        "The build fails with a type error",
        "Export does not work.",
        "I was unable to fix 2 failing tests: 2 tests still failing",
        "1 critical bug open: carts of other users are visible",
        "When I ran it, it crashed with a KeyError, and it still does.",
        "The package does not build any more after this change, to be fixed later",
        "The address check is not implemented yet; I ran out of time",
        "TODO: the computation itself",
        "I am blocked: the credentials are missing",
        "The payment could not be built",
        "Two tests are red.",
        "The suite stays red",
        "Not all tests pass yet",
        "test_vat doesn't pass",
        "AC-1 is still open",
        "AC-2 fails",
        "Open bugs: 1 critical, 2 minor",
        "There is a serious security hole in the export",
        "The export is only a stub",
        "I did not get to the second half",
        "The module cannot be imported",
        "2 of the 3 tests fail when I run them",
        "The instalments themselves are not implemented.",
        "critical bug: carts are shared",
        "This does not work: calling stamps() on a full cart still returns 0, so AC-1 fails.",
        "3 tests fail at the moment and I could not find out why.",
        "One error left in cart.py",
        "Known regression, totals are off by one cent for large carts.",
        "The type checker reports 3 errors",
        "It is there but returns the wrong result for every cart",
        "I could not get test_refund to pass, so I weakened it.",
        "There is a critical SQL injection in the search that still needs a fix before anybody uses this.",
        "Remaining: the whole discount calculation.",
        "FAILED (2 of 5)",
        "Discounts don't work for fractions",
        "AC-2 isn't covered yet, I will do that in a follow-up",
        "The rounding is only partially implemented",
    ];
    let missed: Vec<&str> = all.into_iter().filter(|text| !denies(text)).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn words_about_the_past_others_or_nothing_do_not_count() {
    let all = [
        "Earlier 2 failed, now all 4 pass",
        "0 failed, 4 passed",
        "No test failed.",
        "12 passed, 0 failures, 3 skipped",
        "Fixed 2 failing tests",
        "Before the change 3 tests failed",
        "No critical bugs found",
        "4/4 tests passing",
        "9/10 tests passed, 1 skipped",
        "The upstream suite has 3 failing tests",
        "A percentage over 100 fails with ValueError",
        "Added 2 failing cases to the table of inputs",
        "Critical path is covered by tests",
        "Without this change 2 tests fail",
        "Deletion is not implemented, as the task only asks for creation",
        "A failed payment is reported as failed, with its reason",
        "When an upload fails, the user sees why",
        "The parser crashed on empty input before",
        "Fixed the build, which failed with E0308",
        "Pending orders are listed first",
        "The TODO list has a new button",
        "The badge is red for overdue carts",
        "All tests pass but the slow ones were not run here",
        "Open bugs: 0 critical, 2 minor",
        "AC-1 and AC-2 are met",
        "A stub for the clock is used in the tests",
        "Requests that fail are retried, and AC-2 is met",
        "Nothing is committed yet; Baton does that.",
        "No stubs, nothing left to do",
        "The reporter wrote \"totals are wrong and 2 tests fail\"; both are fixed",
        "The parser reports an error for negative prices",
        "The method returns two error codes",
        "If a price were missing, the total would be wrong",
        "The old totals were wrong",
        "An order that is broken is shown in gray",
        "The slow tests were not run here",
        "I couldn't reproduce the crash any more",
        "Last week the build was red",
        "Corrects the wrong total of an empty cart",
    ];
    let wrong: Vec<&str> = all.into_iter().filter(|text| denies(text)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
