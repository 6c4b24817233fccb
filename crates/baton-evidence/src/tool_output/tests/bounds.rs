//! Nothing panics, everything is bounded, and time grows with the length of the log.

use super::*;
use baton_testkit::random::Random;
use std::fmt::Write;

const SEED: u64 = 0x0b5e_55ed;
const ROUNDS: usize = 3_000;
/// Less without optimisation, where it would be long.
const LARGE_BYTES: usize = if cfg!(debug_assertions) { 512 * 1024 } else { 8 * 1024 * 1024 };

/// Pieces of which nasty text is made.
const PIECES: &[&str] = &[
    "\u{1b}[31m",
    "\u{1b}[",
    "\u{1b}]0;title",
    "\u{1b}]8;;x\u{7}",
    "\u{1b}(B",
    "\u{1b}",
    "\u{9b}1m",
    "\r",
    "\r\n",
    "\n",
    "\t",
    "\u{feff}",
    "test result: ",
    "ok. ",
    "FAILED. ",
    "18446744073709551615 passed; 1 failed",
    "1 passed in ",
    "=====",
    "Found ",
    "9 errors",
    "error TS2322: ",
    "✖ ",
    "3 problems (",
    "Tests: ",
    "Test Suites: ",
    "1 failed, 2 total",
    "2024-05-01T12:00:00.1234567Z ",
    "#12 3.4 ",
    "ok  \t",
    "FAIL\t",
    "pkg\t0.1s",
    "=== RUN   T",
    "--- PASS: T (0.0s)",
    "Ran 3 tests in 0.1s",
    "OK (",
    "skipped=1)",
    "# tests 3",
    "# pass ",
    "exit code: ",
    "-",
    "1",
    "0",
    ")",
    "(",
    "é",
    "…",
    "$ cargo test",
    "> tsc",
    "running 2 tests",
    "web:test: ",
    "Summary [ 0.1s] 1 tests run: ",
    "1 passed (",
    "Tests run: ",
    " Test Files  ",
    "1 passed | ",
    " (1)",
    "[... 3 lines truncated ...]",
    "a\tb\t",
];

#[test]
fn random_text_never_panics() {
    let samples: Vec<String> = samples::all().into_iter().map(|(_, text)| text).collect();
    for index in 0..ROUNDS {
        let mut random = Random::numbered(SEED, index);
        let text = match random.below(3) {
            0 => pieces(&mut random, 60),
            1 => damaged(&mut random, &samples),
            _ => interleaved(&mut random, &samples),
        };
        let readings = read(&text);
        let lines = text.split('\n').count();
        for reading in &readings {
            assert!((1..=lines).contains(&reading.place.line), "document {index}");
            assert!(reading.place.text.chars().count() <= PLACE_CHARS_MAX, "document {index}");
            assert!(
                !reading.place.text.contains(|character: char| character.is_control() && character != '\t')
            );
        }
        assert!(readings.is_sorted_by_key(|reading| reading.place.line), "document {index}");
        assert!(last_of_each(&readings).len() <= readings.len());
    }
}

fn pieces(random: &mut Random, count: usize) -> String {
    (0..random.between(1, count)).map(|_| *random.pick(PIECES)).collect()
}

fn damaged(random: &mut Random, samples: &[String]) -> String {
    let mut text = random.pick(samples).clone();
    for _ in 0..random.between(1, 8) {
        let from = text.floor_char_boundary(random.below(text.len() + 1));
        let to = text.floor_char_boundary((from + random.below(20)).min(text.len()));
        let piece = *random.pick(PIECES);
        match random.below(3) {
            0 => text.replace_range(from..to, ""),
            1 => text.insert_str(from, piece),
            _ => text.truncate(to.max(1).min(text.len())),
        }
        text.truncate(text.floor_char_boundary(text.len()));
    }
    text
}

fn interleaved(random: &mut Random, samples: &[String]) -> String {
    let (left, right) = (random.pick(samples), random.pick(samples));
    let (mut left, mut right) = (left.lines(), right.lines());
    let mut text = String::new();
    loop {
        let next = if random.chance(50) {
            left.next().or_else(|| right.next())
        } else {
            right.next().or_else(|| left.next())
        };
        let Some(line) = next else { return text };
        let end = if random.chance(5) { "\r" } else { "\n" };
        let _ = write!(text, "{line}{end}");
    }
}

#[test]
#[expect(clippy::disallowed_types, reason = "a bound on time has to look at a clock")]
fn large_text_is_read_in_linear_time() {
    let verdicts = "test result: FAILED. 1 passed; 1 failed\nok  \tpkg\t0.1s\nexit code: 1\n✖ 2 problems (1 error, 1 warning)\n";
    let nasty = [
        "\n",
        "a\n",
        "\u{1b}[31m",
        "\u{1b}]0;x",
        "\u{1b}[",
        "\r",
        "x\r",
        "é",
        "=",
        "1, ",
        "Found Found ",
        "error TS",
        ":",
        "\t",
        verdicts,
        "Running unittests a (b)\nrunning 3 tests\n",
        "Tests: 1 failed, ",
        "=== RUN   T\n",
        "   ",
        "#1 1.1 ",
    ];
    let long =
        ["\u{1b}[31mx", "Found 1 error ", "a, ", "é\r"].map(|piece| format!("{}\n", piece.repeat(400)));
    for piece in nasty.into_iter().chain(long.iter().map(String::as_str)) {
        let text = piece.repeat(LARGE_BYTES / piece.len());
        let start = std::time::Instant::now();
        let readings = read(&text);
        let took = start.elapsed();
        println!("{:>8.1} ms {:?}", took.as_secs_f64() * 1e3, piece.chars().take(30).collect::<String>());
        assert!(readings.len() <= ALL.len() * 2 * READINGS_PER_TOOL_MAX);
        // Far above what it takes, and far below what anything quadratic would.
        assert!(took.as_secs() < 60, "{piece:?} took {took:?}");
    }
}

#[test]
fn of_many_readings_the_last_are_kept() {
    let mut text = "✖ 2 problems (1 error, 1 warning)\n".to_owned();
    (0..10_000).for_each(|_| text.push_str("exit code: 1\n"));
    text.push_str("exit code: 0\n");
    let readings = read(&text);
    assert_eq!(readings.first().map(|reading| reading.tool), Some(Tool::Eslint));
    assert!(readings.len() <= 2 * READINGS_PER_TOOL_MAX);
    assert_eq!(readings.last().map(|reading| reading.showing), Some(Showing::Success));
}

#[test]
fn a_place_is_short() {
    let text = format!("src/a.ts(3,5): error TS2345: {}", "é".repeat(100_000));
    let readings = read(&text);
    assert_eq!(readings[0].place.text.chars().count(), PLACE_CHARS_MAX);
}
