//! What the run of a check settles. Only what is shown to pass passes.

use crate::supervise::{End, Run};
use crate::tool_output::{self, Showing};

/// The three answers of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Settled {
    Pass,
    Fail,
    /// It settles nothing, for this reason.
    Inconclusive(String),
}

impl Settled {
    /// Only an end with 0 in which something was run is a pass; what could not run settles nothing.
    pub fn by(run: &Run) -> Self {
        match &run.end {
            End::Code(0) => match nothing_run(&run.output) {
                Some(line) => Self::Inconclusive(format!("no test was run: {line}")),
                None => Self::Pass,
            },
            End::Code(126 | 127) => Self::Inconclusive("the command was not found".to_owned()),
            End::Code(_) => Self::Fail,
            End::Signal => Self::Inconclusive("it was ended by a signal".to_owned()),
            End::TimedOut => Self::Inconclusive("it did not end in time".to_owned()),
            End::NotStarted(reason) => Self::Inconclusive(reason.clone()),
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
    use std::time::Duration;

    use super::*;

    fn settled(end: End, output: &str) -> Settled {
        Settled::by(&Run { end, output: output.as_bytes().to_vec(), duration: Duration::ZERO })
    }

    #[test]
    fn only_a_run_that_ran_something_passes() {
        assert_eq!(settled(End::Code(0), ""), Settled::Pass);
        assert_eq!(settled(End::Code(1), ""), Settled::Fail);
        let empty = "collected 0 items\n\n============ no tests ran in 0.01s ============\n";
        let doubts = [
            settled(End::Code(0), empty),
            settled(End::Code(127), ""),
            settled(End::Signal, ""),
            settled(End::TimedOut, ""),
            settled(End::NotStarted("gone".to_owned()), ""),
        ];
        assert!(doubts.iter().all(|doubt| matches!(doubt, Settled::Inconclusive(_))), "{doubts:?}");
    }
}
