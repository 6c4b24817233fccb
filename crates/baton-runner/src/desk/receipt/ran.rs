//! One check that is run: what it settles, and how it went.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;

use baton_engine::fact::{CheckResult, ConfinedBy, Danger, Document, Hindrance};
use baton_engine::verdict::{Provenance, Verdict};
use baton_engine::word::CheckpointName;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::Guarded;
use super::junit_file;
use super::once::{Once, without_left_overs};
use crate::check_run::CheckRoom;
use crate::config::Check;
use crate::evaluator::Finding;
use crate::settled::Settled;
use crate::supervise::environment::Ground;
use crate::supervise::{Ended, How, Output, Reason, Stopper};
use crate::tool;
use crate::workspace::{Furniture, WorkspaceError};
use baton_evidence::facts::Run;
use baton_evidence::tool_output::junit::JunitCounts;
use baton_evidence::tool_output::{self, Counts};

/// Longest piece of output that goes into a detail, in characters.
const DETAIL_CHARS_MAX: usize = 600;
/// Most failing tests that are named in a detail.
const FAILING_NAMED_MAX: usize = 20;
/// Stands in the ledger for a command that did not end by itself; no program can end with it.
const NO_EXIT_CODE: i32 = -1;

/// A check that was run: what it settles, and how it went.
#[derive(Clone, Debug)]
pub(crate) struct Ran {
    pub(crate) result: CheckResult,
    /// The command with its end; nothing where no command was run.
    pub(super) ledger: Option<Value>,
    /// What the command printed.
    pub(super) output: Output,
    /// Nothing where no command was run.
    pub(crate) confined_by: Option<ConfinedBy>,
    /// How Baton itself lost sight of the command: then it says nothing about the work.
    pub(super) lost: Option<Lost>,
    /// Somebody did not want to wait for its end.
    pub(crate) was_stopped: bool,
    /// How many tests it ran, where it tells that.
    pub(crate) tests: Option<u64>,
    /// Files that judge the work, and that were written while it ran and are as they were.
    pub(crate) put_back: BTreeSet<String>,
    /// What failed, where something did.
    pub(super) failing: Option<Failing>,
}

/// Why Baton did not see how a command ended, and what a person can do.
#[derive(Clone, Debug)]
pub(super) struct Lost {
    pub(super) what: String,
    pub(super) next: String,
}

/// What failed in a run of a check, without what differs from run to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failing {
    /// The failing tests, where the check names them.
    pub(super) tests: BTreeSet<String>,
    pub(super) error: String,
}

impl Failing {
    /// Says whether all that fails here failed there too. What names no test and prints nothing is like nothing else.
    fn is_in(&self, earlier: &Self) -> bool {
        match self.tests.is_empty() {
            false => self.tests.is_subset(&earlier.tests),
            true => !self.error.is_empty() && earlier.tests.is_empty() && self.error == earlier.error,
        }
    }
}

impl Ran {
    /// What was seen of a checkpoint without running anything.
    pub(super) fn derived(checkpoint: &CheckpointName, finding: Finding) -> Self {
        let result = result_of(checkpoint, finding.verdict, finding.detail);
        Self::not_run(CheckResult { provenance: Provenance::Derived, ..result }, None)
    }

    /// One that could not be run, for a reason that no agent can change.
    pub(super) fn hindered(checkpoint: &CheckpointName, why: &str) -> Self {
        let result = result_of(checkpoint, Verdict::Inconclusive, why.to_owned());
        Self::not_run(CheckResult { hindrance: Some(Hindrance::NotStarted), ..result }, None)
    }

    /// One for which no command was run.
    fn not_run(result: CheckResult, lost: Option<Lost>) -> Self {
        let output = Output::default();
        Self {
            result,
            ledger: None,
            output,
            confined_by: None,
            lost,
            was_stopped: false,
            tests: None,
            put_back: BTreeSet::new(),
            failing: None,
        }
    }

    /// One that ran so many tests.
    #[cfg(test)]
    pub(crate) fn counted(tests: Option<u64>, verdict: Verdict) -> Self {
        let checkpoint = CheckpointName::new("validation").expect("a name");
        Self { tests, ..Self::not_run(result_of(&checkpoint, verdict, String::new()), None) }
    }

    /// Takes a check that Baton lost sight of for one that cannot be run: a person has to see to that, and no agent can.
    pub(super) fn lies_with_person(&mut self) {
        if let Some(Lost { what, next }) = self.lost.take() {
            self.result.hindrance = Some(Hindrance::NotStarted);
            self.result.verdict = Verdict::Inconclusive;
            self.result.detail = format!("{what}; {next}");
        }
    }

    /// Names the document in which the output is kept.
    pub(super) fn kept_as(&mut self, document: &Document) {
        self.result.output = Some(document.clone());
        if let Some(ledger) = &mut self.ledger {
            ledger["output"] = json!({
                "document": document.id.as_str(),
                "sha256": document.blob.as_str(),
                "left_out_bytes": self.output.left_out_bytes,
            });
        }
    }

    /// Returns what it showed as a fact about the work.
    pub(crate) fn fact(&self, receipt: &str) -> Run {
        let output = String::from_utf8_lossy(&self.output.bytes);
        run_fact(self.ledger.as_ref().unwrap_or(&Value::Null), &output, (&self.result, receipt))
    }

    /// The same, for whoever needs only what came of it.
    pub(crate) fn without_output(self) -> Self {
        Self { output: Output::default(), ..self }
    }

    /// Says what a check that guards has to say of the work: it fails because of it. For something to break, it has to have
    /// worked before.
    pub(crate) fn danger(&self, guarded: &Guarded, before: Option<Verdict>) -> Option<Danger> {
        let CheckResult { checkpoint, verdict, hindrance, .. } = &self.result;
        let danger = guarded.get(checkpoint).filter(|_| *verdict == Verdict::Fail && hindrance.is_none())?;
        let is_seen = match danger {
            Danger::Safety => true,
            Danger::Regression => before == Some(Verdict::Pass),
        };
        is_seen.then_some(*danger)
    }

    /// Holds a failure against how the same check went before anybody worked on the task. It may be the task to mend it, so
    /// whoever works hears of it once; when it comes again, it says nothing of the work.
    pub(crate) fn compare(&mut self, before: &Self, is_told: bool) {
        let Some(failing) = &self.failing else { return };
        let (result, was) = (&mut self.result, before.result.verdict);
        match (&before.failing, was) {
            (Some(earlier), Verdict::Fail) if failing.is_in(earlier) => {
                result.verdict = if is_told { Verdict::Inconclusive } else { Verdict::Fail };
                result.hindrance = Some(Hindrance::FailedBefore);
                result.detail = format!("it failed in the same way before the work began: {}", result.detail);
            }
            (_, Verdict::Pass) => {
                let (first, rest) = result.detail.split_once('\n').unwrap_or((&result.detail, ""));
                result.detail =
                    format!("{first}; it passed before the work began\n{rest}").trim_end().to_owned();
            }
            _ => return,
        }
        if let Some(ledger) = &mut self.ledger {
            ledger["before_the_work"] = json!(was.name());
        }
    }
}

/// Runs the check of a checkpoint in a folder, and once more where Baton itself lost sight of it. One that has no trusted check
/// is inconclusive.
pub(crate) fn run_check(
    (checks, checkpoint): (&[Check], &CheckpointName),
    room: &CheckRoom,
    started: &dyn Fn(Stopper),
) -> Ran {
    let Some(check) = checks.iter().find(|check| check.checkpoint == checkpoint.as_str()) else {
        let detail = format!("`baton.toml` names no trusted check for {checkpoint}");
        let result = result_of(checkpoint, Verdict::Inconclusive, detail);
        return Ran::not_run(CheckResult { hindrance: Some(Hindrance::NotNamed), ..result }, None);
    };
    if let Err(error) = room.prepare() {
        return not_prepared(check, checkpoint, &error);
    }
    let first = Once::run((check, checkpoint), room, started);
    let (once, own) = match without_left_overs((check, checkpoint), &first, room, started) {
        Some(again) => (again, first.changed),
        None => (first, Vec::new()),
    };
    once.told(check, room, &own)
}

fn not_prepared(check: &Check, checkpoint: &CheckpointName, error: &WorkspaceError) -> Ran {
    let command = check.run.join(" ");
    let result = result_of(checkpoint, Verdict::Inconclusive, format!("`{command}` was not run"));
    let what = format!("the room for `{command}` could not be prepared: {error}");
    Ran::not_run(result, Some(Lost { what, next: error.next().to_owned() }))
}

pub(super) fn result_of(checkpoint: &CheckpointName, verdict: Verdict, detail: String) -> CheckResult {
    let (provenance, checkpoint) = (Provenance::Observed, checkpoint.clone());
    CheckResult { checkpoint, verdict, provenance, detail, output: None, hindrance: None }
}

/// What the command and its JUnit file settle together: only where both say so, it passes.
pub(super) fn settled(
    (check, room): (&Check, &CheckRoom),
    checkpoint: &CheckpointName,
    run: &Ended,
    junit: Option<&Result<JunitCounts, String>>,
) -> CheckResult {
    let command = check.run.join(" ");
    let failed = |counts: Option<&JunitCounts>, told: Option<&str>| {
        let counted = counts.map(|counts| format!("{}\n", in_words(counts))).unwrap_or_default();
        let output = room.named_in_checkout(&String::from_utf8_lossy(&run.output.bytes));
        let output = tail(&output, DETAIL_CHARS_MAX);
        let told = told.map(|line| format!(", but says itself that tests fail: {line}")).unwrap_or_default();
        let detail = format!("`{command}` {}{told}\n{counted}{output}", run.how.told());
        result_of(checkpoint, Verdict::Fail, detail.trim_end().to_owned())
    };
    let unclear = |reason: &str| {
        result_of(checkpoint, Verdict::Inconclusive, format!("`{command}` settles nothing: {reason}"))
    };
    // A JUnit file shows which tests ran, whatever was printed.
    let by_command = match junit {
        Some(_) => Settled::of_command(&check.run, run),
        None => Settled::of_command_alone(&check.run, run),
    };
    match (by_command, junit) {
        (Settled::Inconclusive(reason), _) => unclear(&reason),
        (Settled::Fail, junit) => failed(counts_of(junit), None),
        (Settled::Contradicts(line), junit) => failed(counts_of(junit), Some(&line)),
        (Settled::Pass, None) => result_of(checkpoint, Verdict::Pass, format!("`{command}` ended with 0")),
        (Settled::Pass, Some(Err(why))) => unclear(why),
        (Settled::Pass, Some(Ok(counts))) if counts.failures + counts.errors > 0 => {
            failed(Some(counts), None)
        }
        (Settled::Pass, Some(Ok(counts))) => match junit_file::doubt(counts) {
            Some(doubt) => unclear(&doubt),
            None => {
                let detail = format!("`{command}` ended with 0; {}", in_words(counts));
                result_of(checkpoint, Verdict::Pass, detail)
            }
        },
    }
}

fn counts_of(junit: Option<&Result<JunitCounts, String>>) -> Option<&JunitCounts> {
    junit.and_then(|junit| junit.as_ref().ok())
}

fn in_words(counts: &JunitCounts) -> String {
    let JunitCounts { tests, failures, errors, skipped, failing, .. } = counts;
    let failed = failures + errors;
    let named: Vec<&str> = failing.iter().take(FAILING_NAMED_MAX).map(String::as_str).collect();
    let more = if failing.len() > named.len() { ", …" } else { "" };
    let skipped = if *skipped > 0 { format!(", {skipped} skipped") } else { String::new() };
    match failed {
        0 => format!("{tests} tests, none fails{skipped}"),
        _ => format!("{failed} of {tests} tests fail{skipped}: {}{more}", named.join(", ")),
    }
}

pub(super) fn ledger(
    check: &Check,
    room: &CheckRoom,
    run: &Ended,
    junit: Option<&Result<JunitCounts, String>>,
) -> Value {
    let exit_code = if let How::Code(code) = run.how { code } else { NO_EXIT_CODE };
    let junit = junit.map(|junit| match junit {
        Err(why) => json!({ "path": check.junit, "unread": why }),
        Ok(counts) => json!({
            "path": check.junit,
            "tests": counts.tests,
            "failures": counts.failures,
            "errors": counts.errors,
            "skipped": counts.skipped,
            "failing": counts.failing,
        }),
    });
    let Furniture { kept, borrowed } = room.furniture();
    json!({
        "command": check.run.join(" "),
        "argv": check.run,
        "exit_code": exit_code,
        "evidence_ref": [format!("checkpoints/{}", check.checkpoint)],
        "how": run.how.told(),
        "duration_ms": u64::try_from(run.duration.as_millis()).unwrap_or(u64::MAX),
        "confinement": run.confinement.word(),
        "gaps": run.confinement.gaps(),
        "program": tool::described(&room.command(check), room.ground()),
        "kept": kept,
        "borrowed": borrowed,
        "environment": known_to(room.ground()),
        "junit": junit,
        "output": null,
    })
}

/// Reads what a check showed out of its entry in the ledger and what it printed.
pub(crate) fn run_fact(ledger: &Value, output: &str, (result, receipt): (&CheckResult, &str)) -> Run {
    let text = |key: &str| ledger[key].as_str().unwrap_or_default().to_owned();
    let number = |key: &str| ledger["junit"][key].as_u64();
    let of_junit = number("tests").map(|tests| {
        let failed = number("failures").unwrap_or(0) + number("errors").unwrap_or(0);
        let skipped = number("skipped").unwrap_or(0);
        Counts { passed: tests.saturating_sub(failed + skipped), failed, skipped, total: Some(tests) }
    });
    let of_output = || {
        let readings = tool_output::read(output);
        let counts = tool_output::last_of_each(&readings).into_iter().filter_map(|reading| reading.counts);
        counts.reduce(|one, other| Counts {
            passed: one.passed + other.passed,
            failed: one.failed + other.failed,
            skipped: one.skipped + other.skipped,
            total: one.total.zip(other.total).map(|(one, other)| one + other),
        })
    };
    let failing = ledger["junit"]["failing"].as_array().into_iter().flatten().filter_map(Value::as_str);
    Run {
        checkpoint: result.checkpoint.to_string(),
        command: match result.provenance {
            Provenance::Derived => format!("the rule of {}", result.checkpoint),
            _ => text("command"),
        },
        exit_code: ledger["exit_code"].as_i64().filter(|code| *code != i64::from(NO_EXIT_CODE)),
        passed: match result.verdict {
            Verdict::Pass => Some(true),
            Verdict::Fail => Some(false),
            Verdict::Inconclusive => None,
        },
        counts: of_junit.or_else(of_output),
        failing: failing.map(str::to_owned).collect(),
        detail: result.detail.clone(),
        source: receipt.to_owned(),
    }
}

/// Returns which variables a check got, by their names; their values only as one hash.
fn known_to(ground: Ground<'_>) -> Value {
    let variables = ground.of_command();
    let names: Vec<_> = variables.keys().map(|name| name.to_string_lossy()).collect();
    json!({ "names": names, "sha256": hash_of(&variables) })
}

/// Returns one hash over the variables of a check, with their values.
pub(super) fn hash_of(variables: &BTreeMap<OsString, OsString>) -> String {
    let mut hasher = Sha256::new();
    for (name, value) in variables {
        hasher.update(name.as_encoded_bytes());
        hasher.update(b"=");
        hasher.update(value.as_encoded_bytes());
        hasher.update(b"\0");
    }
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Says whether Baton itself lost sight of a command, or could not look.
pub(super) fn is_lost(how: &How) -> bool {
    match how {
        How::NotStarted(why) => why.reason == Reason::Keeper,
        How::KeeperLost => true,
        How::Code(_) | How::Signal(_) | How::TimedOut | How::Stopped | How::OverBound(_) => false,
    }
}

/// Returns the end of an output: tools say there how it went.
pub(super) fn tail(output: &str, chars_max: usize) -> String {
    let masked = crate::secret::mask(output.trim_end());
    let skip = masked.chars().count().saturating_sub(chars_max);
    masked.chars().skip(skip).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use baton_engine::progress::normalise;

    fn failing(tests: &[&str], error: &str) -> Failing {
        Failing { tests: tests.iter().map(|&name| name.to_owned()).collect(), error: normalise(error) }
    }

    #[test]
    fn what_fails_because_of_the_work_is_a_danger_where_the_check_guards() {
        let name = CheckpointName::new("validation").expect("a name");
        let failed = Ran::counted(None, Verdict::Fail);
        let regression = Guarded::from([(name.clone(), Danger::Regression)]);
        assert_eq!(failed.danger(&regression, Some(Verdict::Pass)), Some(Danger::Regression));
        assert_eq!(failed.danger(&regression, Some(Verdict::Inconclusive)), None);
        assert_eq!(failed.danger(&regression, None), None);
        let safety = Guarded::from([(name, Danger::Safety)]);
        assert_eq!(failed.danger(&safety, None), Some(Danger::Safety));
        assert_eq!(failed.danger(&Guarded::new(), Some(Verdict::Pass)), None);
        assert_eq!(Ran::counted(None, Verdict::Inconclusive).danger(&safety, None), None);
        let mut as_before = failed;
        as_before.result.hindrance = Some(Hindrance::FailedBefore);
        assert_eq!(as_before.danger(&safety, Some(Verdict::Fail)), None);
    }

    #[test]
    fn the_same_failure_is_known_by_its_tests_or_else_by_what_was_printed() {
        assert!(failing(&["a"], "one").is_in(&failing(&["a", "b"], "other")));
        assert!(!failing(&["a", "c"], "one").is_in(&failing(&["a", "b"], "one")));
        assert!(failing(&[], "took 12 ms").is_in(&failing(&[], "took 9 ms")));
        assert!(!failing(&[], "one").is_in(&failing(&[], "other")));
        assert!(!failing(&[], "").is_in(&failing(&[], "")), "silence is like nothing");
    }
}
