//! The rules of an audit: they hold handoffs against the repository and against each other, so only their names and pages
//! are here; whoever can read a repository does the work.

use super::{Check, Code, Level, Rule};
use crate::diagnostic::Severity;

macro_rules! audit_rules {
    ($($rule:ident $code:literal $name:literal $severity:ident;)*) => {
        $(
            pub static $rule: Rule = Rule {
                code: Code($code),
                name: $name,
                severity: Severity::$severity,
                level: Level::Normalised,
                page: include_str!(concat!("../../../../docs/errors/BT", $code, ".md")),
                check: Check::Audit,
            };
        )*

        pub(super) const ALL: &[&Rule] = &[$(&$rule,)*];
    };
}

/// Says whether a code is one of an audit.
pub fn holds(code: Code) -> bool {
    ALL.iter().any(|rule| rule.code == code)
}

audit_rules! {
    FILE_MISSING 1001 "file-missing" Error;
    LINES_BEYOND_FILE 1002 "lines-beyond-file" Error;
    NOT_CREATED 1003 "not-created" Error;
    NOT_MODIFIED 1004 "not-modified" Error;
    NOT_DELETED 1005 "not-deleted" Error;
    UNLISTED_CHANGE 1006 "unlisted-change" Warning;
    COMMIT_UNKNOWN 1007 "commit-unknown" Warning;
    COMMAND_AGAINST_LOG 1008 "command-against-log" Error;
    COUNT_AGAINST_RECORD 1009 "count-against-record" Error;
    PASS_BESIDE_FAILURE_LOG 1010 "pass-beside-failure-log" Error;
    EVIDENCE_MISSING 1011 "evidence-missing" Warning;
    FAILS_WHEN_RUN 1012 "fails-when-run" Error;
    PASS_BESIDE_EMPTY_RUN 1013 "pass-beside-empty-run" Error;
    NOTHING_CHANGED 1014 "nothing-changed" Error;
    OWN_WORDS 1015 "own-words" Error;
    CRITERION_AGAINST_CHECK 1016 "criterion-against-check" Error;
    BLOCKER_DENIED 1017 "blocker-denied" Error;
    NOT_OF_THIS_TURN 1018 "not-of-this-turn" Error;
    CRITERIA_OF_TASK 1019 "criteria-of-task" Error;
    BEFORE_PREDECESSOR 1101 "before-predecessor" Error;
    OVERLAP 1102 "overlap" Error;
    IMPOSSIBLE_DURATION 1103 "impossible-duration" Error;
    IN_THE_FUTURE 1104 "in-the-future" Error;
    TOTAL_CHANGED 1105 "total-changed" Warning;
    CRITERION_VANISHED 1106 "criterion-vanished" Warning;
    CRITERION_APPEARED 1107 "criterion-appeared" Warning;
    CRITERION_RENAMED 1108 "criterion-renamed" Warning;
    PASTED_TEXT 1109 "pasted-text" Warning;
    RETRIES_WENT_DOWN 1110 "retries-went-down" Error;
    AGENT_NOT_IN_CHAIN 1111 "agent-not-in-chain" Warning;
    HOLE_IN_CHAIN 1112 "hole-in-chain" Warning;
    FLIPPED_WITHOUT_CHANGE 1113 "flipped-without-change" Warning;
    TIME_WITHOUT_ZONE 1114 "time-without-zone" Warning;
    BEFORE_TURN 1115 "before-turn" Error;
    RETRIES_AGAINST_LOG 1116 "retries-against-log" Error;
}
