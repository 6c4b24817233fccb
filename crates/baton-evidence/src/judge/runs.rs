//! Test counts, command ledgers and checkpoints against the commands that Baton ran on the same work.

use baton_handoff::rule::audit;

use super::Case;
use crate::claims::sentence::{Sentence, is_negated, sentences};
use crate::claims::{Count, CountOf, Ended, Judged, LedgerEntry};
use crate::facts::Run;
use crate::finding::{Against, Finding, Provenance, Said};
use crate::tool_output::Counts;

/// Programs that only start another one, with the words that follow them.
const STARTERS: &[&[&str]] = &[
    &["uv", "run"],
    &["poetry", "run"],
    &["pdm", "run"],
    &["hatch", "run"],
    &["npx"],
    &["pnpm", "exec"],
    &["python3", "-m"],
    &["python", "-m"],
    &["bundle", "exec"],
    &["time"],
    &["env"],
];
/// Shorter than this the words of a command are found by chance.
const COMMAND_BYTES_MIN: usize = 6;
/// Flags that change only how much a command prints.
const QUIET_FLAGS: &[&str] =
    &["-q", "-v", "-vv", "-s", "--quiet", "--verbose", "--color=always", "--color=never"];

pub(super) fn judge(case: &Case<'_>, findings: &mut Vec<Finding>) {
    if !case.has_work() {
        return;
    }
    let Some(runs) = &case.facts.runs else {
        return without_runs(case, findings);
    };
    counts(case, runs, findings);
    // The last run of a command is its result.
    let ledger = &case.claims.ledger;
    let is_last =
        |at: usize| ledger[at + 1..].iter().all(|later| later.command.text != ledger[at].command.text);
    let last = (0..ledger.len()).filter(|at| is_last(*at));
    findings.extend(last.filter_map(|at| ledger_entry(&ledger[at], runs)));
    let passes = case.claims.checkpoints.iter().filter(|checkpoint| checkpoint.passes);
    findings.extend(passes.filter_map(|checkpoint| settled(checkpoint, runs)));
    in_words(case, runs, findings);
    completed(case, runs, findings);
}

/// Says what could be judged if Baton had run anything.
fn without_runs(case: &Case<'_>, findings: &mut Vec<Finding>) {
    let reason = "Baton has no receipt of checks on this work";
    for count in &case.claims.counts {
        findings.push(Finding::not_checkable(&audit::COUNT_AGAINST_RECORD, "count", &said_of(count), reason));
    }
    for entry in case.claims.ledger.iter().filter(|entry| entry.is_stated) {
        let said = entry.said();
        findings.push(Finding::not_checkable(&audit::COMMAND_AGAINST_LOG, "command", &said, reason));
    }
    let passes = case.claims.checkpoints.iter().filter(|checkpoint| checkpoint.passes);
    for status in passes.filter_map(|checkpoint| checkpoint.status.as_ref()) {
        findings.push(Finding::not_checkable(&audit::FAILS_WHEN_RUN, "checkpoint", status, reason));
    }
}

pub(super) fn said_of(count: &Count) -> Said {
    Said::new(format!("{} {}", count.number, count.of.name()), count.place)
}

fn counts(case: &Case<'_>, runs: &[Run], findings: &mut Vec<Finding>) {
    let counted: Vec<(&Run, Counts)> = runs.iter().filter_map(|run| Some((run, run.counts?))).collect();
    let Some((largest, _)) = counted.iter().max_by_key(|(_, counts)| total(counts)) else {
        let reason = "no check that Baton ran counts tests";
        for count in &case.claims.counts {
            findings.push(Finding::not_checkable(
                &audit::COUNT_AGAINST_RECORD,
                "count",
                &said_of(count),
                reason,
            ));
        }
        return;
    };
    // The same command run for two checkpoints runs the same tests.
    let is_first = |at: usize| {
        let own = words(&counted[at].0.command);
        counted[..at].iter().all(|(other, _)| words(&other.command) != own)
    };
    let counted: Vec<(&Run, Counts)> =
        (0..counted.len()).filter(|at| is_first(*at)).map(|at| counted[at]).collect();
    let sum = |of: fn(&Counts) -> u64| counted.iter().map(|(_, counts)| of(counts)).sum::<u64>();
    let (passed, failed, all) = (sum(|counts| counts.passed), sum(|counts| counts.failed), sum(total));
    for count in &case.claims.counts {
        let said = said_of(count);
        let wrong = |reason: String| {
            Finding::of_rule(&audit::COUNT_AGAINST_RECORD, "count", &said, reason)
                .contradicted()
                .from(Provenance::Observed)
                .against(Against::file(largest.source.as_str(), None, format!("`{}`", largest.command)))
                .fix("Give the counts that you see when you run the same command, or leave them out.")
        };
        let holds = |reason: String| Finding::holds("count", &said, reason).from(Provenance::Observed);
        findings.push(match count.of {
            // "42 tests passed" may count all that ran, when none failed.
            CountOf::Passed if count.number > passed && (failed > 0 || count.number > all) => {
                wrong(format!("no run has so many: {passed} passed and {failed} failed"))
            }
            CountOf::Total if count.number > all => {
                wrong(format!("no run has so many: {all} tests ran in all"))
            }
            CountOf::Failed if count.number == 0 && failed > 0 => wrong(format!("{failed} failed")),
            CountOf::Failed if count.number > 0 && case.claims.finishes && failed == 0 => Finding::of_rule(
                &audit::COUNT_AGAINST_RECORD,
                "count",
                &said,
                "no test failed in the run of Baton",
            )
            .unsupported()
            .from(Provenance::Observed),
            CountOf::Passed | CountOf::Total if count.number < all => {
                holds(format!("a part of the {all} tests that ran"))
            }
            _ => holds(format!("{passed} passed, {failed} failed")),
        });
    }
}

fn total(counts: &Counts) -> u64 {
    counts.total.unwrap_or(0).max(counts.passed + counts.failed + counts.skipped)
}

fn ledger_entry(entry: &LedgerEntry, runs: &[Run]) -> Option<Finding> {
    let ended = entry.ended()?;
    let said = entry.said();
    let own = words(&entry.command.text);
    let same = runs.iter().find(|run| run.exit_code.is_some() && words(&run.command) == own);
    if same.is_none() && !entry.is_stated {
        return None;
    }
    let Some(run) = same else {
        let reason = "Baton didn't run this command";
        return Some(Finding::of_rule(&audit::COMMAND_AGAINST_LOG, "command", &said, reason).unsupported());
    };
    Some(of_run(&said, ended, run))
}

/// Compares how a command is said to have ended with how it ended when Baton ran it.
fn of_run(said: &Said, ended: Ended, run: &Run) -> Finding {
    let against = Against::file(run.source.as_str(), None, format!("`{}`", run.command));
    let seen = run.exit_code.unwrap_or_default();
    let finding = match ended.fits(seen) {
        true => Finding::holds("command", said, "Baton ran it with the same result"),
        false => {
            let reason = format!("Baton ran the same command, and it ended with {seen}");
            Finding::of_rule(&audit::COMMAND_AGAINST_LOG, "command", said, reason)
                .contradicted()
                .fix("Run the command and report the exit code that you see.")
        }
    };
    finding.against(against).from(Provenance::Observed)
}

/// Compares what sentences say of the commands that Baton ran too.
fn in_words(case: &Case<'_>, runs: &[Run], findings: &mut Vec<Finding>) {
    let claims = case.claims;
    let judged = claims.checkpoints.iter().chain(&claims.criteria);
    let messages = judged.flat_map(|judged| judged.message.iter().chain(&judged.evidence));
    for said in claims.own_words.iter().chain(messages) {
        for sentence in sentences(&said.text) {
            for run in
                runs.iter().filter(|run| run.exit_code.is_some() && run.command.len() >= COMMAND_BYTES_MIN)
            {
                let Some(ended) = ended_in(sentence, &run.command) else { continue };
                let finding = of_run(&Said::new(sentence.trim(), said.place), ended, run);
                let is_known =
                    |known: &Finding| known.claim == finding.claim && known.code() == finding.code();
                if finding.verdict.is_finding() && !findings.iter().any(is_known) {
                    findings.push(finding);
                }
            }
        }
    }
}

/// Returns how a sentence says that a command ended. Another time, or somebody else's run, is no claim.
fn ended_in(sentence: &str, command: &str) -> Option<Ended> {
    let at = sentence.find(command)?;
    let (before, after) = (&sentence[..at], &sentence[at + command.len()..]);
    // `sh scripts/test.sh --slow` is another command.
    if after.starts_with(|letter: char| letter.is_alphanumeric() || letter == '/')
        || after.starts_with(" -") && !after.starts_with(" ->") && !after.starts_with(" - ")
    {
        return None;
    }
    let after = after.trim_start_matches('`');
    let arrow = ["->", "=>", "→"].iter().find_map(|arrow| after.trim_start().strip_prefix(arrow));
    if let Some(ended) = arrow.and_then(Ended::read) {
        return Some(ended);
    }
    let plain = format!("{before} {after}");
    let read = Sentence::read(&plain);
    if read.words.is_empty() || read.is_elsewhere(read.words.len() - 1) {
        return None;
    }
    let tokens: Vec<&str> = read
        .words
        .iter()
        .map(String::as_str)
        .filter(|word| !matches!(*word, "is" | "was" | "now" | "all"))
        .collect();
    let number = |at: usize| tokens.get(at).and_then(|word| word.parse::<i64>().ok());
    for (at, word) in tokens.iter().enumerate() {
        let code = match *word {
            "exit" | "exits" | "exited" | "ended" | "ends" | "code" | "status" | "returned" => {
                (at + 1..at + 4).find_map(number)
            }
            _ => None,
        };
        if let Some(code) = code {
            return Some(Ended::With(code));
        }
    }
    let (at, ended) = tokens.iter().enumerate().find_map(|(at, word)| Some((at, Ended::read(word)?)))?;
    let owned: Vec<String> = tokens.iter().map(|word| (*word).to_owned()).collect();
    let is_number = matches!(ended, Ended::With(_));
    let is_counted = at > 0 && number(at - 1).is_some();
    (!is_number && !is_counted && !is_negated(&owned, at)).then_some(ended)
}

/// Returns the words of a command without what only starts it or changes how much it prints.
fn words(command: &str) -> Vec<&str> {
    let last = command.rsplit("&&").next().unwrap_or(command);
    let mut words: Vec<&str> = last.split_whitespace().collect();
    while let Some(starter) = STARTERS.iter().find(|starter| words.starts_with(starter)) {
        words.drain(..starter.len());
    }
    words.retain(|word| !QUIET_FLAGS.contains(word));
    words.iter_mut().for_each(|word| *word = word.strip_prefix("./").unwrap_or(word));
    if let Some(first) = words.first_mut() {
        *first = first
            .rsplit_once('/')
            .filter(|(folder, _)| folder.ends_with("bin"))
            .map_or(*first, |(_, name)| name);
    }
    words
}

fn why(run: &Run) -> String {
    match run.command.is_empty() {
        true => run.detail.lines().next().unwrap_or("Baton sees that it doesn't hold").to_owned(),
        false => "the check of Baton fails".to_owned(),
    }
}

/// Names a failing check beside the claim that the work is completed.
fn completed(case: &Case<'_>, runs: &[Run], findings: &mut Vec<Finding>) {
    if !case.claims.finishes {
        return;
    }
    let said = Said::new("completed", case.claims.origin);
    let is_claimed = |run: &&Run| {
        case.claims.checkpoints.iter().any(|one| run.checkpoint.eq_ignore_ascii_case(one.name.text.trim()))
    };
    for run in runs.iter().filter(|run| run.passed == Some(false) && !is_claimed(run)) {
        let reason = format!("the check `{}` fails", run.checkpoint);
        findings.push(
            Finding::of_rule(&audit::FAILS_WHEN_RUN, "work", &said, reason)
                .unsupported()
                .from(Provenance::Observed)
                .against(Against::file(run.source.as_str(), None, format!("`{}`", run.command))),
        );
    }
}

/// Compares a checkpoint that the handoff calls passed with the check of Baton that settles it.
fn settled(checkpoint: &Judged, runs: &[Run]) -> Option<Finding> {
    let status = checkpoint.status.as_ref()?;
    let run = runs.iter().find(|run| run.checkpoint.eq_ignore_ascii_case(checkpoint.name.text.trim()))?;
    let against = Against::file(run.source.as_str(), None, format!("`{}`", run.command));
    let finding = match run.passed? {
        true => Finding::holds("checkpoint", status, "the check of Baton passes"),
        false => Finding::of_rule(&audit::FAILS_WHEN_RUN, "checkpoint", status, why(run))
            .contradicted()
            .fix(format!("Make `{}` pass, or report it as it is.", run.checkpoint)),
    };
    Some(finding.from(Provenance::Observed).against(against))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_says_how_a_command_ended() {
        let read = |text: &str| ended_in(text, "sh scripts/test.sh");
        assert_eq!(read("`sh scripts/test.sh` passes"), Some(Ended::Well));
        assert_eq!(read("Ran `sh scripts/test.sh`, exit code 0"), Some(Ended::With(0)));
        assert_eq!(read("sh scripts/test.sh -> exit 0"), Some(Ended::With(0)));
        assert_eq!(read("exit 0 from `sh scripts/test.sh`"), Some(Ended::With(0)));
        assert_eq!(read("`sh scripts/test.sh` fails"), Some(Ended::Badly));
        assert_eq!(read("`sh scripts/test.sh` failed before the change"), None);
        assert_eq!(read("`sh scripts/test.sh` does not fail"), None);
        assert_eq!(read("`sh scripts/test.sh`: 1 failed, 3 passed"), None);
        assert_eq!(read("run `sh scripts/test.sh` to see it"), None);
    }

    #[test]
    fn the_same_command_is_recognized_through_what_starts_it() {
        for same in
            ["pytest", "uv run pytest -q", "python3 -m pytest", "cd app && pytest -v", ".venv/bin/pytest"]
        {
            assert_eq!(words(same), ["pytest"], "{same}");
        }
        assert_eq!(words("./check.sh"), ["check.sh"]);
        assert_ne!(words("pytest tests/test_a.py"), ["pytest"]);
    }
}
