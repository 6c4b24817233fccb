//! Figures: test counts, totals and durations, wherever a handoff states them.

use std::collections::BTreeSet;

use baton_handoff::field::Field;
use baton_handoff::record::{Record, Value};
use baton_handoff::span::Span;
use baton_handoff::tree::{Kind, Node, Pair};

use super::region::Regions;
use super::sentence::{Sentence, is_negated, sentences};
use super::{Claims, FileClaim, Source, table};
use crate::finding::{Place, Said};
use crate::moment;
use crate::tool_output::{self, Showing};

/// What was counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CountOf {
    Passed,
    Failed,
    Skipped,
    Total,
}

impl CountOf {
    pub fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
            Self::Total => "in all",
        }
    }
}

/// A number of tests.
#[derive(Clone, Debug)]
pub struct Count {
    pub of: CountOf,
    pub number: u64,
    pub place: Place,
    /// It stands by itself under a key, not in a sentence.
    pub is_figure: bool,
}

/// A total that a chain should keep, as `criteria_total`.
#[derive(Clone, Debug)]
pub struct Total {
    pub key: String,
    pub number: u64,
    pub place: Place,
}

/// A stated duration.
#[derive(Clone, Debug)]
pub struct Duration {
    pub seconds: i64,
    pub said: Said,
}

/// Words that say that a test passed.
const PASSING: &[&str] = &["passed", "pass", "passing", "passes", "green", "succeed", "succeeded", "ok"];
const FAILING: &[&str] = &["failed", "failing", "failures"];
/// Words between tests and how they ended.
const FILLERS: &[&str] = &[
    "all", "are", "is", "now", "still", "have", "has", "cases", "case", "in", "total", "every", "which",
    "and", "of", "them", "these", "both",
];
/// Most words of a sentence that is only a count.
const COUNT_WORDS_MAX: usize = 3;
const FILLERS_MAX: usize = 5;
/// Most words between a number and what is counted.
const ADJECTIVES_MAX: usize = 2;
/// What a total can be of, without its plural.
const COUNTED: &[&str] = &["criteria", "criterion", "task", "step", "phase", "plan", "requirement", "stage"];

pub(super) fn gather(record: &Record<'_>, (source, regions): (&Source<'_>, &Regions), claims: &mut Claims) {
    for field in [Field::Metrics, Field::Context, Field::CompletionClaim] {
        if let Some(tree) = record.tree(field) {
            visit(tree, "", source, claims);
        }
    }
    verification(record, source, claims);
    for extension in &record.extensions {
        let pair =
            Pair { key: extension.key.clone(), key_span: extension.key_span, value: extension.value.clone() };
        take(&pair, "", source, claims);
        visit(&extension.value, &extension.key, source, claims);
    }
    for said in &claims.own_words {
        for sentence in sentences(&said.text) {
            let read = Sentence::read(sentence);
            if read.words.is_empty() || read.is_elsewhere(read.words.len() - 1) {
                continue;
            }
            let green = says_green(&read).then_some((CountOf::Failed, 0));
            // "Test result: ok. 58 passed"
            let is_of_tests =
                read.words.len() <= COUNT_WORDS_MAX && said.text.to_lowercase().contains("test");
            for (of, number) in in_sentence(sentence, is_of_tests).into_iter().chain(green) {
                claims.counts.push(Count { of, number, place: said.place, is_figure: false });
            }
        }
    }
    let messages: Vec<(Said, bool)> = claims
        .checkpoints
        .iter()
        .chain(&claims.criteria)
        .filter_map(|checkpoint| Some((checkpoint.message.clone()?, checkpoint.name.text.contains("test"))))
        .collect();
    for (said, is_of_tests) in messages {
        for (of, number) in in_sentence(&said.text, is_of_tests) {
            claims.counts.push(Count { of, number, place: said.place, is_figure: false });
        }
    }
    pasted(source, regions, claims);
    tables(source, claims);
    // A key of no dialect is read as a figure and as running text.
    let mut known = BTreeSet::new();
    claims.counts.retain(|count| known.insert((count.of, count.number, count.place.line)));
    claims.file_counts.extend(super::words::file_counts(&claims.own_words));
    if let Some(state) = record.record(Field::WorkflowState) {
        steps(state, source, claims);
    }
}

/// Reads figures of what was verified, as in `tests: {passed: 42}` and `tests_passed: 42`.
fn verification(record: &Record<'_>, source: &Source<'_>, claims: &mut Claims) {
    for entry in record.entries.iter().filter(|entry| entry.field == Field::Verification) {
        let Value::Texts(texts) = &entry.value else { continue };
        let own = entry.key_span.text(source.text);
        let own = own.trim_matches(['"', '\'']);
        for text in texts {
            let place = source.place(text.span);
            match text.as_str().split_once(':') {
                Some((key, value)) => figure((key, own), value.trim(), place, claims),
                None => figure((own, ""), text.as_str().trim(), place, claims),
            }
        }
    }
}

/// How programs say that they broke off.
const CRASHES: &[&str] = &[
    "Traceback (most recent call last)",
    "panicked at ",
    "panic: ",
    "Segmentation fault",
    "Unhandled exception",
];

/// Reads the output of tools that was pasted into the document: what the last run of each counted, and whether it failed.
fn pasted(source: &Source<'_>, regions: &Regions, claims: &mut Claims) {
    let readings = tool_output::read(source.text);
    let mut ends = 0;
    for reading in tool_output::last_of_each(&readings) {
        let at = reading.place.line.saturating_sub(1);
        if regions.is_other(at) {
            continue;
        }
        let line = u32::try_from(reading.place.line).unwrap_or(u32::MAX);
        let place = Place { line, column: 1, ..Place::default() };
        if let Some(counts) = reading.counts {
            claims.counts.push(Count { of: CountOf::Passed, number: counts.passed, place, is_figure: false });
        }
        if reading.showing == Showing::Failure && regions.is_fenced(at) {
            claims.failed_output.push(Said::new(reading.place.text.as_str(), place));
        }
        ends = ends.max(at);
    }
    let mut start = 0;
    for (number, line) in source.text.split_inclusive('\n').enumerate() {
        let span = Span::new(start, start + line.trim_end().len());
        start += line.len();
        let crashes = || CRASHES.iter().any(|crash| line.contains(crash));
        if number >= ends && regions.is_fenced(number) && !regions.is_other(number) && crashes() {
            claims.failed_output.push(Said::new(line.trim(), source.place(span)));
        }
    }
}

/// The steps of a workflow: those behind, the one it is at, those ahead.
fn steps(state: &Record<'_>, source: &Source<'_>, claims: &mut Claims) {
    let (Some(behind), Some(ahead)) =
        (state.entry(Field::CompletedSteps), state.entry(Field::RemainingSteps))
    else {
        return;
    };
    let (Value::Texts(done), Value::Texts(left)) = (&behind.value, &ahead.value) else { return };
    let mut names: Vec<&str> = done.iter().chain(left).map(|text| text.as_str()).collect();
    names.extend(state.str(Field::CurrentStep));
    names.sort_unstable();
    names.dedup();
    let number = names.len() as u64;
    claims.totals.push(Total { key: "steps".to_owned(), number, place: source.place(ahead.key_span) });
}

fn visit(node: &Node<'_>, parent: &str, source: &Source<'_>, claims: &mut Claims) {
    match &node.kind {
        Kind::Scalar { .. } => {}
        Kind::List(items) => items.iter().for_each(|item| visit(item, parent, source, claims)),
        Kind::Map(pairs) => {
            for pair in pairs {
                take(pair, parent, source, claims);
                visit(&pair.value, &pair.key, source, claims);
            }
        }
    }
}

fn take(pair: &Pair<'_>, parent: &str, source: &Source<'_>, claims: &mut Claims) {
    let Some(text) = pair.value.text().map(str::trim) else { return };
    figure((&pair.key, parent), text, source.place(pair.value.span), claims);
}

fn figure((key, parent): (&str, &str), text: &str, place: Place, claims: &mut Claims) {
    let key = key.to_ascii_lowercase().replace(['-', ' '], "_");
    let words: Vec<&str> = key.split('_').chain(parent.split('_')).filter(|word| !word.is_empty()).collect();
    if (key.contains("duration") || key.contains("time_spent") || key == "elapsed")
        && let Some(seconds) = moment::duration_seconds(text, &key)
    {
        claims.durations.push(Duration { seconds, said: Said::new(text, place) });
    }
    let is_test = words.iter().any(|word| matches!(word.trim_end_matches('s'), "test"));
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(word));
    if let (Ok(number), Some(claim)) = (text.parse::<u64>(), counted_files(&key)) {
        claims.file_counts.push((claim, number, Said::new(format!("{key}: {number}"), place)));
        return;
    }
    if let Ok(number) = text.parse::<u64>() {
        if is_test && let Some(of) = test_count(&words) {
            claims.counts.push(Count { of, number, place, is_figure: true });
            return;
        }
        let counted = words.iter().any(|word| is_counted(word));
        if counted && has(&["total"]) || COUNTED_ALONE.contains(&key.as_str()) {
            claims.totals.push(Total { key: key.clone(), number, place });
        }
        return;
    }
    if let Some((_, whole)) = ratio(text)
        && words.iter().any(|word| is_counted(word))
    {
        claims.totals.push(Total { key: key.clone(), number: whole, place });
    }
}

/// Keys that count the files of the work.
fn counted_files(key: &str) -> Option<FileClaim> {
    match key {
        "files_created" | "files_added" | "new_files" => Some(FileClaim::Created),
        "files_modified" | "files_changed" | "files_edited" | "files_updated" => Some(FileClaim::Modified),
        "files_deleted" | "files_removed" => Some(FileClaim::Deleted),
        _ => None,
    }
}

/// Keys that are totals although they do not say so.
const COUNTED_ALONE: &[&str] =
    &["criteria", "acceptance_criteria", "criteria_count", "task_count", "step_count"];

fn is_counted(word: &str) -> bool {
    COUNTED.contains(&word) || COUNTED.contains(&word.trim_end_matches('s'))
}

/// Keys that count tests: `tests_passed`, `passed` under `tests`, or `tests` alone for all of them.
fn test_count(words: &[&str]) -> Option<CountOf> {
    let others: Vec<&str> =
        words.iter().copied().filter(|word| word.trim_end_matches('s') != "test").collect();
    match others.as_slice() {
        [] | ["total" | "count" | "run" | "executed" | "metrics"] => Some(CountOf::Total),
        ["passed" | "passing" | "pass"] => Some(CountOf::Passed),
        ["failed" | "failing" | "fail" | "failures"] => Some(CountOf::Failed),
        ["skipped" | "skip" | "ignored"] => Some(CountOf::Skipped),
        [one, "metrics"] => test_count(&[one, "test"]),
        _ => None,
    }
}

fn ratio(text: &str) -> Option<(u64, u64)> {
    let (part, rest) = text.split_once('/')?;
    let end = rest.find(|character: char| !character.is_ascii_digit()).unwrap_or(rest.len());
    Some((part.trim().parse().ok()?, rest.get(..end)?.parse().ok()?))
}

/// Reads the test counts of a sentence: "42 passed, 1 failed", "all 42 tests pass", "42/42 tests passing". It must speak of
/// tests itself, unless what it belongs to does.
fn in_sentence(text: &str, is_of_tests: bool) -> Vec<(CountOf, u64)> {
    let marks = |character: char| !character.is_alphanumeric() && character != '/';
    // "100 %" counts no tests.
    let plain = |word: &'_ str| !word.contains('%');
    let words: Vec<&str> =
        text.split_whitespace().filter(|word| plain(word)).map(|word| word.trim_matches(marks)).collect();
    let (mut counts, mut read) = (Vec::new(), 0);
    // "0 tests failed out of 38"
    let of_all = words.windows(4).find(|four| {
        FAILING.contains(&four[0])
            && four[1] == "out"
            && four[2] == "of"
            && (is_of_tests || words.contains(&"tests"))
    });
    let whole = of_all.and_then(|four| four[3].parse().ok());
    counts.extend(whole.map(|whole| (CountOf::Total, whole)));
    for (at, word) in words.iter().enumerate() {
        if at < read {
            continue;
        }
        // In words only beside what is counted: "one" has other meanings.
        let in_words = || super::words::number(word).filter(|_| words_of_tests(&words, at));
        let (number, whole) = match (word.parse::<u64>(), ratio(word)) {
            (Ok(number), _) => (number, None),
            (Err(_), Some((part, whole))) => (part, Some(whole)),
            (Err(_), None) => match in_words() {
                Some(number) => (number, None),
                None => continue,
            },
        };
        let next = |offset: usize| words.get(at + offset).map_or("", |word| *word).to_ascii_lowercase();
        let (whole, skip) = match (whole, next(1).as_str(), next(2).as_str()) {
            (None, "of", rest) => rest.parse().map_or((None, 0), |of| (Some(of), 2)),
            (None, "out", "of") => next(3).parse().map_or((None, 0), |of| (Some(of), 3)),
            _ => (whole, 0),
        };
        read = at + skip + 1;
        let next = |offset: usize| next(offset + skip);
        // "42 unit tests", "42 passing tests"
        let noun = (1..=ADJECTIVES_MAX + 1).find(|offset| is_test(&next(*offset)));
        let adjective = noun.filter(|noun| *noun > 1).map(|_| next(1));
        let of_tests = noun.is_some();
        let verb = noun.unwrap_or(0) + 1;
        let after = (verb..verb + FILLERS_MAX)
            .map(next)
            .find(|word| !FILLERS.contains(&word.as_str()))
            .unwrap_or_default();
        let after = match adjective {
            Some(state) if PASSING.contains(&state.as_str()) => state,
            _ => after,
        };
        let before = at
            .checked_sub(1)
            .and_then(|at| words.get(at))
            .map_or(String::new(), |word| word.to_ascii_lowercase());
        let is_label = |word: &str| {
            matches!(word, "passed" | "failed" | "skipped" | "passing" | "failing" | "passes" | "failures")
        };
        let has_run = before == "ran" || after == "ran";
        let state = if is_label(&after) || !is_label(&before) { after } else { before };
        let says_tests = is_of_tests
            || of_tests
            || before_rate(&words[..at])
            || text.to_ascii_lowercase().contains("test");
        let of = match state.as_str() {
            state if PASSING.contains(&state) => CountOf::Passed,
            "failed" | "fail" | "failing" | "failures" | "failure" | "fails" => CountOf::Failed,
            "skipped" | "ignored" => CountOf::Skipped,
            _ if of_tests && whole.is_some() => CountOf::Passed,
            // "The suite has 80 tests."
            _ if of_tests && (has_suite(&words) || has_run || is_added(&words, at)) => CountOf::Total,
            _ if whole.is_some() && before_rate(&words[..at]) => CountOf::Passed,
            _ => continue,
        };
        if says_tests {
            counts.push((of, number));
            counts.extend(whole.map(|whole| (CountOf::Total, whole)));
        }
    }
    counts
}

/// Says whether a number in words stands before what is counted.
fn words_of_tests(words: &[&str], at: usize) -> bool {
    words.iter().skip(at + 1).take(ADJECTIVES_MAX + 1).any(|word| is_test(&word.to_ascii_lowercase()))
}

fn is_test(word: &str) -> bool {
    matches!(word, "test" | "tests" | "specs" | "testcases")
}

/// "Nine new tests", "added 9 tests": the suite has at least so many.
fn is_added(words: &[&str], at: usize) -> bool {
    let is_one = |word: &&str, some: &[&str]| some.contains(&word.to_ascii_lowercase().as_str());
    let is_new = words
        .iter()
        .skip(at + 1)
        .take(ADJECTIVES_MAX)
        .any(|word| is_one(word, &["new", "additional", "more"]));
    let made = ["added", "adds", "wrote", "new", "created", "written"];
    let is_made = at > 0 && is_one(&words[at - 1], &made);
    // "Twelve tests were added"
    let is_passive = words.iter().skip(at + 2).take(2).any(|word| is_one(word, &made));
    is_new || is_made || is_passive
}

/// "Pass rate 100 % (31 of 31)"
fn before_rate(words: &[&str]) -> bool {
    words.windows(2).any(|two| {
        matches!(two[0].to_ascii_lowercase().as_str(), "pass" | "passing" | "success")
            && two[1].eq_ignore_ascii_case("rate")
    })
}

/// Says whether a sentence claims that not one test failed: "all tests pass", "the suite is green", "without a failure".
fn says_green(sentence: &Sentence) -> bool {
    let words = &sentence.words;
    let is_one = |at: usize, some: &[&str]| words.get(at).is_some_and(|word| some.contains(&word.as_str()));
    let is_run =
        |at: usize| is_test(&words[at]) || is_one(at, &["suite", "build", "everything", "run", "checks"]);
    let all = |at: usize| {
        let before = &words[at.saturating_sub(3)..at];
        before.iter().any(|word| matches!(word.as_str(), "all" | "whole" | "entire" | "full" | "every"))
            || is_one(at, &["suite", "everything", "build"])
    };
    // "All new tests pass" is about a part.
    let is_part = |at: usize| {
        at > 0 && !is_one(at - 1, &["all", "the", "test", "whole", "entire", "full", "every", "and"])
    };
    let passes = (0..words.len()).any(|at| {
        let end = (at + 1..words.len()).find(|next| !FILLERS.contains(&words[*next].as_str()));
        is_run(at) && all(at) && !is_part(at) && end.is_some_and(|end| PASSING.contains(&words[end].as_str()))
    });
    let denies = (0..words.len()).any(|at| {
        let is_failure = words[at].starts_with("failure") || is_one(at, &["fails", "failed", "failing"]);
        is_failure && is_negated(words, at)
    });
    (passes || denies)
        && (0..words.len()).any(is_run)
        && !words.iter().any(|word| word == "except" || word == "but")
}

/// Reads tables of test results, with a column for what passed or a row for it.
fn tables(source: &Source<'_>, claims: &mut Claims) {
    for row in table::rows(source) {
        for (head, cell) in row.pairs() {
            if let (Ok(number), Some(of @ (CountOf::Passed | CountOf::Failed | CountOf::Total))) =
                (cell.parse(), of_column(head))
                && (of != CountOf::Failed || number > 0)
            {
                let is_figure = of == CountOf::Failed;
                claims.counts.push(Count { of, number, place: row.place, is_figure });
            }
        }
        if let [key, value] = row.cells.as_slice() {
            figure((key, ""), value, row.place, claims);
        }
    }
}

/// Returns what a column of test results counts. Columns of other tables are called otherwise.
fn of_column(heading: &str) -> Option<CountOf> {
    let words: Vec<&str> =
        heading.split([' ', '_']).filter(|word| !word.is_empty() && *word != "#").collect();
    match words.as_slice() {
        ["tests"] => Some(CountOf::Total),
        ["total" | "count" | "run"] => None,
        words => test_count(words).filter(|of| *of != CountOf::Total || words.contains(&"tests")),
    }
}

fn has_suite(words: &[&str]) -> bool {
    words.iter().any(|word| matches!(word.to_ascii_lowercase().as_str(), "suite" | "total" | "altogether"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_give_the_counts_they_state() {
        use CountOf::{Failed, Passed, Total};
        let cases: &[(&str, &[(CountOf, u64)])] = &[
            ("All 42 tests pass", &[(Passed, 42)]),
            ("cargo test: 41 passed, 1 failed", &[(Passed, 41), (Failed, 1)]),
            ("42/42 tests passing.", &[(Passed, 42), (Total, 42)]),
            ("42 of 42 tests pass", &[(Passed, 42), (Total, 42)]),
            ("40 unit tests pass", &[(Passed, 40)]),
            ("40 tests, all green", &[(Passed, 40)]),
            ("Forty-two tests pass", &[(Passed, 42)]),
            ("ran 40 tests in 2 s", &[(Total, 40)]),
            ("one of the tests was flaky", &[]),
            ("Tests passed: 25/25", &[(Passed, 25), (Total, 25)]),
            ("2 reviewers passed the design", &[]),
            ("added 12 tests for the parser", &[(Total, 12)]),
            ("nine new tests", &[(Total, 9)]),
            ("pass rate 100% (31 of 31)", &[(Passed, 31), (Total, 31)]),
        ];
        for (text, expected) in cases {
            assert_eq!(in_sentence(text, false), *expected, "{text}");
        }
    }
}
