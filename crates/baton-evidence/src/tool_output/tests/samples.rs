//! Output that the tools printed, without stack traces, and what is read in it.

use super::*;
use std::fs;
use std::path::Path;

const EXPECTED: &[(&str, &[&str])] = &[
    ("cargo_bad", &["cargo build: Success @2", "cargo test: Failure 2/1/1 of 4 @32"]),
    ("cargo_bad_color", &["cargo build: Success @1", "cargo test: Failure 2/1/1 of 4 @31"]),
    ("cargo_bad_nff", &["cargo build: Success @1", "cargo test: Failure 3/1/1 of 5 @31"]),
    ("cargo_bad_q", &["cargo test: Failure 2/1/1 of ? @26"]),
    ("cargo_filtered", &["cargo build: Success @1", "cargo test: NothingRun 0/0/0 of 0 @12"]),
    ("cargo_nocapture", &["cargo build: Success @1", "cargo test: Success 3/0/1 of 4 @23"]),
    ("cargo_nocompile", &["cargo build: Failure @11"]),
    ("cargo_ok", &["cargo build: Success @2", "cargo test: Success 3/0/1 of 4 @23"]),
    ("cargo_ok_color", &["cargo build: Success @1", "cargo test: Success 3/0/1 of 4 @22"]),
    ("cargo_warn", &["cargo build: Success @11"]),
    ("clippy_deny", &["cargo build: Failure @26"]),
    ("clippy_warn", &["cargo build: Success @25"]),
    ("ctest_bad", &["ctest: Failure 2/1/0 of 3 @9"]),
    ("ctest_none", &["ctest: NothingRun 0/0/0 of 0 @2"]),
    ("ctest_ok", &["ctest: Success 1/0/0 of 1 @5"]),
    ("ctest_ok_4", &["ctest: Success 1/0/0 of 1 @5"]),
    ("eslint_bad", &["eslint: Failure @7"]),
    ("eslint_bad_color", &["eslint: Failure @7"]),
    ("eslint_maxw", &["eslint: Failure @7"]),
    ("eslint_nofile", &["eslint: Failure @2"]),
    ("eslint_warn", &["eslint: Success @5"]),
    ("go_bad", &["go test: Failure @5"]),
    ("go_broken", &["go build: Failure @2", "go test: Failure @3"]),
    ("go_local", &["exit code: Failure @4", "go test: Failure @5"]),
    ("go_local_ok", &["go test: Success @3"]),
    ("go_none", &["go test: NothingRun @1"]),
    ("go_norun", &["go test: NothingRun @1"]),
    ("go_ok", &["go test: Success @1"]),
    ("go_panic", &["go test: Failure @18"]),
    ("go_v_bad", &["go test: Failure 3/1/1 of ? @21"]),
    ("go_v_ok", &["go test: Success 2/0/1 of ? @14"]),
    ("gobuild_bad", &["go build: Failure @2"]),
    ("govet_bad", &["go build: Failure @2"]),
    ("jest_bad", &["jest: Failure 2/1/2 of 5 @26"]),
    ("jest_bad_color", &["jest: Failure 2/1/2 of 5 @27"]),
    ("jest_broken", &["jest: Failure 0/0/0 of 0 @7"]),
    ("jest_empty", &["jest: NothingRun @1"]),
    ("jest_nosuch", &["jest: NothingRun 0/0/5 of 5 @3"]),
    ("jest_ok", &["jest: Success 1/0/1 of 2 @15"]),
    ("make_bad", &["make: Failure @3"]),
    ("make_ignored", &[]),
    ("make_norule", &["make: Failure @2"]),
    ("mocha_bad", &["mocha: Failure 1/1/1 of 3 @11"]),
    ("mocha_bad_color", &["mocha: Failure 1/1/1 of 3 @11"]),
    ("mocha_empty", &["mocha: NothingRun 0/0/0 of 0 @3"]),
    ("mocha_nofile", &["mocha: NothingRun 0/0/0 of 0 @1"]),
    ("mocha_ok", &["mocha: Success 1/0/1 of 2 @8"]),
    ("mvn_unresolved", &["maven: Failure @8"]),
    ("mypy_bad", &["mypy: Failure @2"]),
    ("mypy_nofile", &["mypy: Failure @2"]),
    ("mypy_ok", &["mypy: Success @1"]),
    ("nextest_bad", &["cargo build: Success @1", "cargo nextest: Failure 2/1/1 of 3 @30"]),
    ("nextest_bad_color", &["cargo build: Success @1", "cargo nextest: Failure 2/1/1 of 3 @31"]),
    ("nextest_none", &["cargo build: Success @1", "cargo nextest: NothingRun 0/0/3 of 0 @6"]),
    ("nextest_ok", &["cargo build: Success @1", "cargo nextest: Success 2/0/1 of 2 @8"]),
    ("node_bad_spec", &["node --test: Failure 1/1/0 of 2 @14"]),
    ("node_bad_tap", &["node --test: Failure 1/1/0 of 2 @32"]),
    ("node_empty", &["node --test: NothingRun 0/0/0 of 0 @3"]),
    ("node_ok_spec", &["node --test: Success 1/0/1 of 2 @3"]),
    ("node_ok_tap", &["node --test: Success 1/0/1 of 2 @13"]),
    ("npm_missing", &["npm: Failure @1"]),
    ("phpunit_bad", &["phpunit: Failure 1/2/1 of 4 @24"]),
    ("phpunit_color", &["phpunit: Failure 1/2/1 of 4 @24", "phpunit: Success 2/0/0 of 2 @31"]),
    ("phpunit_empty", &["phpunit: NothingRun 0/0/0 of 0 @3"]),
    ("phpunit_none", &["phpunit: Unclear 1/0/0 of 1 @13"]),
    ("phpunit_ok", &["phpunit: Success 2/0/0 of 2 @7"]),
    ("phpunit_skip", &["phpunit: Success 1/0/1 of 2 @15"]),
    ("pytest_bad", &["pytest: Failure 1/2/2 of ? @29"]),
    ("pytest_bad_color", &["pytest: Failure 1/2/2 of ? @12"]),
    ("pytest_bad_q", &["pytest: Failure 1/2/2 of ? @22"]),
    ("pytest_bad_qq", &["pytest: Failure @3"]),
    ("pytest_co", &["pytest: Unclear @1"]),
    ("pytest_collect", &["pytest: Failure 0/1/0 of ? @21"]),
    ("pytest_desel", &["pytest: NothingRun 0/0/0 of 0 @7"]),
    ("pytest_empty", &["pytest: NothingRun 0/0/0 of 0 @7"]),
    ("pytest_nofile", &["pytest: NothingRun 0/0/0 of 0 @7"]),
    ("pytest_ok", &["pytest: Success 2/0/0 of 2 @9"]),
    ("rspec_bad", &["rspec: Failure 1/1/0 of 2 @15"]),
    ("rspec_broken", &["rspec: Failure 0/0/0 of 0 @12"]),
    ("rspec_color", &["rspec: Failure 1/1/0 of 2 @15"]),
    ("rspec_none", &["rspec: NothingRun 0/0/0 of 0 @5"]),
    ("rspec_ok", &["rspec: Success 1/0/1 of 2 @10"]),
    ("ruff_bad", &["ruff: Failure @31"]),
    ("ruff_fix", &["ruff: Success @1"]),
    ("ruff_format", &["ruff format: Failure @10", "ruff format: Success @11"]),
    ("ruff_none", &["ruff: NothingRun @2"]),
    ("ruff_ok", &["ruff: Success @1"]),
    ("rustc_bad", &["cargo build: Failure @9"]),
    ("tsc_bad", &["tsc: Failure @1"]),
    ("tsc_noproj", &["tsc: Failure @1"]),
    ("tsc_pretty", &["tsc: Failure @1"]),
    ("tsc_pretty2", &["tsc: Failure @1"]),
    ("tsc_watch", &["tsc: Failure @3", "tsc: Success @9"]),
    ("unittest_bad", &["unittest: Failure 1/2/0 of 3 @23"]),
    ("unittest_empty", &["unittest: NothingRun 0/0/0 of 0 @5"]),
    ("unittest_ok", &["unittest: Success 1/0/1 of 2 @5"]),
    ("vitest_broken", &["vitest: Failure 0/0/0 of 0 @22"]),
    ("vitest_empty", &["vitest: NothingRun @4"]),
    ("vitest_nosuch", &["vitest: NothingRun 0/0/2 of 2 @7"]),
    ("vitest_ok_color", &["vitest: Success 1/0/1 of 2 @10"]),
    ("vitest_plain_bad", &["vitest: Failure 3/1/2 of 6 @59"]),
    ("vitest_unh", &["vitest: Failure 1/0/0 of 1 @29"]),
];

/// All samples with their names, in the order of those.
#[expect(clippy::disallowed_methods, reason = "the samples lie in files")]
pub(super) fn all() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tool_output/samples");
    let read = |entry: std::io::Result<fs::DirEntry>| {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        (name, fs::read_to_string(&path).unwrap())
    };
    let mut samples: Vec<_> = fs::read_dir(folder).unwrap().map(read).collect();
    samples.sort();
    samples
}

#[test]
fn samples_are_read_as_expected() {
    let samples = all();
    let names: Vec<_> = samples.iter().map(|(name, _)| name.as_str()).collect();
    let expected: Vec<_> = EXPECTED.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, expected);
    for ((name, text), (_, expected)) in samples.iter().zip(EXPECTED) {
        assert_eq!(shown(text), *expected, "{name}");
        assert_eq!(shown(&text.replace('\n', "\r\n")), *expected, "{name} with CRLF");
        let stamped: String =
            text.lines().map(|line| format!("2024-05-01T12:00:00.1234567Z {line}\n")).collect();
        assert_eq!(shown(&stamped), *expected, "{name} with times");
    }
}

/// A log that was cut anywhere never shows a failure, or an empty run, that the whole does not show.
#[test]
fn a_sample_that_was_cut_says_nothing_new() {
    for (name, text) in all() {
        let whole = read(&text);
        let lines: Vec<_> = text.split_inclusive('\n').collect();
        for cut in 0..lines.len() {
            for part in [lines[..cut].concat(), lines[cut..].concat()] {
                for reading in read(&part) {
                    let known = whole
                        .iter()
                        .any(|other| other.tool == reading.tool && other.showing == reading.showing);
                    let fine = matches!(reading.showing, Showing::Unclear | Showing::Success);
                    assert!(known || fine, "{name} cut at {cut}: {}", line_of(&reading));
                }
            }
        }
    }
}
