//! What the run of a check settles. Only what is shown to pass passes.

use crate::sandbox::Rung;
use crate::supervise::{Ended, How};
use crate::test_command::{self, ToldFailure};
use baton_evidence::tool_output::{self, Showing};

/// Codes that stand for the signals from 1 to 31.
const SIGNAL_CODES: std::ops::RangeInclusive<i32> = 129..=159;
const NO_TEST_SEEN: &str = "no test was seen to run: it ended with 0 and told no count of tests";
/// Agents read it too, and the configuration guards against them.
const SAY_IN_A_FILE: &str = "a person can let it write a JUnit file and name that as `junit` in `baton.toml`, which is not for \
                             agents to change";

/// What a check answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Settled {
    Pass,
    Fail,
    /// A failure too: it ended with 0, and said in this line that tests fail.
    Contradicts(String),
    /// It settles nothing, for this reason.
    Inconclusive(String),
}

impl Settled {
    /// Only an end with 0 in which something was run is a pass; what could not run settles nothing.
    pub fn by(ended: &Ended) -> Self {
        match (&ended.how, &ended.confinement.rung) {
            // Bubblewrap tells an end by a signal as a code.
            (How::Code(code), Rung::Bubblewrap) if SIGNAL_CODES.contains(code) => {
                Self::of(&How::Signal(code - SIGNAL_CODES.start() + 1), &ended.output.bytes)
            }
            (how, _) => Self::of(how, &ended.output.bytes),
        }
    }

    /// The same of a command: a tool for tests that says itself that they fail does not pass, however it ended. What it runs can
    /// end the program in its place.
    pub fn of_command(argv: &[String], ended: &Ended) -> Self {
        Self::with_what_is_told(argv, ended).0
    }

    /// The same where nothing but the output tells of tests: a tool for tests that passes and tells of none was ended before it
    /// could run any.
    pub fn of_command_alone(argv: &[String], ended: &Ended) -> Self {
        let is_whole = ended.output.left_out_bytes == 0;
        let is_silent = || !test_command::tells_of_tests(&String::from_utf8_lossy(&ended.output.bytes));
        match Self::with_what_is_told(argv, ended) {
            (Self::Pass, Some(ToldFailure::BesideSuccess(line))) => Self::Inconclusive(format!(
                "it ended with 0, and told of success first and of failure last: {line}; {SAY_IN_A_FILE}"
            )),
            (Self::Pass, _) if is_whole && test_command::tells_tests(argv) && is_silent() => {
                Self::Inconclusive(format!("{NO_TEST_SEEN}; where it keeps that elsewhere, {SAY_IN_A_FILE}"))
            }
            (settled, _) => settled,
        }
    }

    /// Returns what a command settles, with what it told of failure where it passes all the same.
    fn with_what_is_told(argv: &[String], ended: &Ended) -> (Self, Option<ToldFailure>) {
        let settled = Self::by(ended);
        if settled != Self::Pass {
            return (settled, None);
        }
        match test_command::told_failure(argv, &String::from_utf8_lossy(&ended.output.bytes)) {
            Some(ToldFailure::Clear(line)) => (Self::Contradicts(line), None),
            told => (Self::Pass, told),
        }
    }

    fn of(how: &How, output: &[u8]) -> Self {
        match how {
            How::Code(0) => match nothing_run(output) {
                Some(line) => Self::Inconclusive(format!("no test was run: {line}")),
                None => Self::Pass,
            },
            How::Code(126 | 127) => Self::Inconclusive("the command was not found".to_owned()),
            How::Code(_) => Self::Fail,
            How::NotStarted(why) => Self::Inconclusive(why.told.clone()),
            How::Signal(_) | How::TimedOut | How::Stopped | How::OverBound(_) | How::KeeperLost => {
                Self::Inconclusive(format!("it {}", how.told()))
            }
        }
    }
}

/// Returns the line that says that no test ran, where no other tool says that one did.
fn nothing_run(output: &[u8]) -> Option<String> {
    let readings = tool_output::read(&String::from_utf8_lossy(output));
    let last = tool_output::last_of_each(&readings);
    let any_ran = last.iter().any(|reading| reading.counts.is_some_and(|counts| counts.passed > 0));
    let empty = last.iter().find(|reading| reading.showing == Showing::NothingRun);
    empty.filter(|_| !any_ran).map(|reading| reading.place.text.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::supervise::{Bound, NotStarted, Reason};

    #[test]
    fn only_a_run_that_ran_something_passes() {
        assert_eq!(Settled::of(&How::Code(0), b""), Settled::Pass);
        assert_eq!(Settled::of(&How::Code(1), b""), Settled::Fail);
        let empty = "collected 0 items\n\n============ no tests ran in 0.01s ============\n";
        assert!(matches!(Settled::of(&How::Code(0), empty.as_bytes()), Settled::Inconclusive(_)));
        let doubts = [
            How::Code(127),
            How::Signal(11),
            How::TimedOut,
            How::Stopped,
            How::OverBound(Bound::Memory),
            How::KeeperLost,
            How::NotStarted(NotStarted { reason: Reason::Missing, told: "gone".to_owned() }),
        ];
        for doubt in doubts {
            assert!(matches!(Settled::of(&doubt, b""), Settled::Inconclusive(_)), "{doubt:?}");
        }
    }

    fn ended_well(output: &str) -> Ended {
        let mut ended = Ended::not_started(NotStarted::new(Reason::Missing, ""));
        (ended.how, ended.output.bytes) = (How::Code(0), output.as_bytes().to_vec());
        ended
    }

    fn words(argv: &[&str]) -> Vec<String> {
        argv.iter().map(|&word| word.to_owned()).collect()
    }

    const UNITTEST: &[&str] = &["python3", "-m", "unittest"];

    #[test]
    fn a_tool_for_tests_has_to_show_that_one_ran() {
        let settled = |argv, output| Settled::of_command_alone(&words(argv), &ended_well(output));
        let unseen = |settled| matches!(settled, Settled::Inconclusive(why) if why.starts_with(NO_TEST_SEEN));
        assert!(unseen(settled(UNITTEST, "")));
        assert_eq!(settled(UNITTEST, "Ran 2 tests in 0.001s\n\nOK\n"), Settled::Pass);
        assert_eq!(settled(&["./check.sh"], ""), Settled::Pass);
    }

    #[test]
    fn a_tool_for_tests_that_says_they_fail_does_not_pass() {
        let (good, bad) = ("Ran 2 tests in 0.001s\n\nOK\n", "Ran 2 tests in 0.001s\n\nFAILED (errors=2)\n");
        let contradicts = Settled::Contradicts("FAILED (errors=2)".to_owned());
        let both = format!("{good}{bad}");
        assert_eq!(Settled::of_command_alone(&words(UNITTEST), &ended_well(bad)), contradicts);
        assert_eq!(Settled::of_command(&words(UNITTEST), &ended_well(bad)), contradicts);
        assert_eq!(Settled::of_command(&words(&["./check.sh"]), &ended_well(bad)), Settled::Pass);
        let unclear = Settled::of_command_alone(&words(UNITTEST), &ended_well(&both));
        let Settled::Inconclusive(why) = unclear else { panic!("{unclear:?}") };
        assert!(why.contains("a person can") && why.contains("not for agents to change"), "{why}");
        let by_file = Settled::of_command(&words(UNITTEST), &ended_well(&both));
        assert_eq!(by_file, Settled::Pass, "a JUnit file says which of them counts");
    }

    #[test]
    fn a_signal_is_no_failure_behind_a_fence_either() {
        let ended = |rung| {
            let mut ended = Ended::not_started(NotStarted::new(Reason::Missing, ""));
            (ended.how, ended.confinement.rung) = (How::Code(139), rung);
            ended
        };
        let signal = Settled::Inconclusive("it was ended by signal 11".to_owned());
        assert_eq!(Settled::by(&ended(Rung::Bubblewrap)), signal);
        assert_eq!(Settled::by(&ended(Rung::Landlock)), Settled::Fail);
    }
}
