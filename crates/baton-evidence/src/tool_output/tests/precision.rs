//! What is a verdict, and what only looks like one.

use super::*;

#[test]
fn words_alone_decide_nothing() {
    for text in [
        "error: could not connect to the database",
        "ERROR 2024-05-01 request failed with exit code 1 and was retried",
        "0 errors, 0 failed",
        "Found 0 errors",
        "test error_is_reported ... ok",
        "test parses_failed_result ... ok",
        "  ✓ shows 2 failed, 3 passed in 0.1s",
        "FAIL not really",
        "FAIL: expected",
        "FAILED",
        "FAIL src/a.test.js",
        "--- FAIL: quoted",
        "src/error TS2345.ts was renamed",
        "see `src/a.ts(3,5): error TS2345: x` above",
        "    src/a.ts(3,5): error TS2345: indented, so quoted",
        "warning: unused variable: `error`",
        "warning: `sample` (lib) generated 3 warnings",
        "const message = 'test result: FAILED. 1 passed; 1 failed';",
        "the log says test result: FAILED. 1 passed; 1 failed",
        "    test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 1 filtered out",
        "> test result: FAILED. 3 passed; 1 failed",
        "test result: FAILED. see above",
        "Tests: 1 failed, and many more",
        "Tests: all of them, 5 total",
        "3 problems (2 errors, 1 warning)",
        "✖ the error handler",
        "child process exited with code 1 as expected",
        "the exit code: 1 is expected here",
        "retry exit code 1",
        "make: [Makefile:6: ig] Error 1 (ignored)",
        "error: aborting the upload",
        "error: could not compile the template",
        "BUILD FAILED because of nothing",
        "2 failed logins in 3 minutes",
        "1 error in the report",
        "12 passed by in 3s flat",
        "# errors\nmain.go:3:4 is where it begins",
        "npm warn deprecated errors@1.0.0",
        "Ran 3 tests in my head",
        "# tests 2\nThis chapter is on tests.",
        "a.ts:3:5 - warning TS6133: unused",
    ] {
        check(text, &[]);
    }
}

#[test]
fn warnings_are_no_failure() {
    check("✖ 4 problems (0 errors, 4 warnings)", &["eslint: Success @1"]);
    check("3 passed, 12 warnings in 0.50s", &["pytest: Success 3/0/0 of 3 @1"]);
    check("Found 0 errors. Watching for file changes.", &["tsc: Success @1"]);
    check("Found 2 errors (2 fixed, 0 remaining).", &["ruff: Success @1"]);
}

#[test]
fn a_short_log_is_enough() {
    check("test result: FAILED. 3 passed; 1 failed", &["cargo test: Failure 3/1/0 of ? @1"]);
    check("error: could not compile `a` (lib) due to 1 previous error", &["cargo build: Failure @1"]);
    check("=== 2 failed, 3 passed in 0.1s ===", &["pytest: Failure 3/2/0 of 5 @1"]);
    check("Tests: 1 failed, 4 passed, 5 total", &["jest: Failure 4/1/0 of 5 @1"]);
    check("FAIL\texample.com/pkg\t0.1s", &["go test: Failure @1"]);
    check("FAIL    example.com/pkg [build failed]", &["go test: Failure @1"]);
    check("Found 3 errors.", &["ruff: Failure @1"]);
    check("Found 3 errors in 2 files.", &["tsc: Failure @1"]);
    check("Found 3 errors in 2 files (checked 9 source files)", &["mypy: Failure @1"]);
    check("src/a.ts(3,5): error TS2345: no", &["tsc: Failure @1"]);
    check("✖ 3 problems (2 errors, 1 warning)", &["eslint: Failure @1"]);
    check("Tests  2 failed | 3 passed (5)", &["vitest: Failure 3/2/0 of 5 @1"]);
}

#[test]
fn exit_codes_stand_alone_on_a_line() {
    let failing = [
        "exit code: 1",
        "exit status 2",
        "Process completed with exit code 1.",
        "command failed with exit code 3",
        "##[error]Process completed with exit code 1.",
        "Error: Process completed with exit code 101.",
        "EXIT=1",
        "[exit 1]",
        "Exit code: 2",
        "exit_code=1",
        "error Command failed with exit code 1.",
        " ELIFECYCLE  Command failed with exit code 1.",
        "[exit code: 137]",
        "exit code: -1",
        "Command exited with non-zero status 1",
        "(exit 1)",
    ];
    for text in failing {
        check(text, &["exit code: Failure @1"]);
    }
    for text in ["EXIT=0", "[exit 0]", "exit code: 0", "exit status 0", "Process finished with exit code 0"] {
        check(text, &["exit code: Success @1"]);
    }
}

#[test]
fn a_later_run_is_a_reading_of_its_own() {
    let failed = "$ cargo test\nrunning 1 test\ntest result: FAILED. 0 passed; 1 failed; 0 ignored\n";
    let passed = "$ cargo test\nrunning 1 test\ntest result: ok. 1 passed; 0 failed; 0 ignored\n";
    let text = format!("{failed}exit code: 101\n{passed}");
    let readings = read(&text);
    let last: Vec<_> = last_of_each(&readings).into_iter().map(line_of).collect();
    assert_eq!(last, ["cargo test: Success 1/0/0 of 1 @7"]);
    // Without the commands, the same binary coming again begins a run.
    let run = |end: &str| {
        format!("     Running unittests src/lib.rs (target/debug/deps/a-1)\n\nrunning 1 test\n\n{end}\n")
    };
    let text = run("test result: FAILED. 0 passed; 1 failed") + &run("test result: ok. 1 passed; 0 failed");
    check(&text, &["cargo test: Failure 0/1/0 of 1 @5", "cargo test: Success 1/0/0 of 1 @10"]);
    let text = "FAIL\ta/b\t0.1s\nFAIL\nok  \ta/b\t0.1s\n";
    check(text, &["go test: Failure @1", "go test: Success @3"]);
}

#[test]
fn a_silent_run_takes_back_the_one_before() {
    check(
        "$ npx tsc --noEmit\nsrc/a.ts(3,5): error TS2345: no\n$ npx tsc --noEmit\n$ echo done\n",
        &["tsc: Failure @2", "tsc: Unclear @3"],
    );
    check(
        "> a@1.0.0 lint\n> eslint .\n\n✖ 1 problem (1 error, 0 warnings)\n\n> a@1.0.0 lint\n> eslint .\n",
        &["npm: Unclear @1", "eslint: Failure @4", "npm: Unclear @6", "eslint: Unclear @7"],
    );
}

#[test]
fn what_was_cut_off_is_unclear() {
    check("running 5 tests\ntest a ... ok\n", &["cargo test: Unclear @1"]);
    check("=== test session starts ===\ncollected 5 items\n\ntest_a.py ..", &["pytest: Unclear @1"]);
    check(" RUN  v4.1.12 /home/ada\n\n ✓ a.test.js (2 tests) 6ms\n", &["vitest: Unclear @1"]);
    check("=== RUN   TestA\n", &["go test: Unclear @1"]);
    check("Ran 3 tests in 0.1s\n", &["unittest: Unclear @1"]);
    check("    Starting 3 tests across 2 binaries\n", &["cargo nextest: Unclear @1"]);
    // The end of a longer run, of which the examples in documents are the last.
    let documents =
        "   Doc-tests sample\n\nrunning 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored\n";
    check(documents, &["cargo test: Unclear 0/0/0 of ? @5"]);
    check("?   \ta\t[no test files]\n?   \tb\t[no test files]\n", &["go test: Unclear @2"]);
    let gap = "running 2 tests\ntest result: ok. 2 passed; 0 failed\n[... 40 lines truncated ...]\n\
               test result: ok. 1 passed; 0 failed\n";
    check(gap, &["cargo test: Success @4"]);
}

#[test]
fn a_binary_that_died_is_a_failure_without_counts() {
    let text = "running 2 tests\ntest result: ok. 2 passed; 0 failed\nrunning 1 test\nerror: test failed, to rerun pass `--test it`\n";
    check(text, &["cargo test: Failure @4"]);
}

#[test]
fn interruptions_and_thresholds_are_unclear() {
    let interrupted = "!!!!!!!!!! KeyboardInterrupt !!!!!!!!!!\n=== 3 passed in 1.00s ===\n";
    check(interrupted, &["pytest: Unclear 3/0/0 of 3 @2"]);
    let coverage =
        "FAIL Required test coverage of 90% not reached. Total coverage: 50.00%\n=== 3 passed in 1.00s ===\n";
    check(coverage, &["pytest: Unclear 3/0/0 of 3 @2"]);
    let jest = "Jest: \"global\" coverage threshold for lines (90%) not met: 50%\nTest Suites: 1 passed, 1 total\n\
                Tests:       3 passed, 3 total\n";
    check(jest, &["jest: Unclear 3/0/0 of 3 @3"]);
}

#[test]
fn what_a_test_of_vitest_prints_is_not_jest() {
    let text = " RUN  v4.1.12 /home/ada\n\nstderr | a.test.js\nTests: 1 failed, 4 passed, 5 total\n\n\
                \u{20}Test Files  1 passed (1)\n      Tests  1 passed (1)\n   Duration  5ms\n";
    check(text, &["vitest: Success 1/0/0 of 1 @7"]);
}

#[test]
fn prefixes_of_build_servers_are_taken_off() {
    let line = "=== 1 failed, 2 passed in 0.10s ===";
    for prefix in [
        "2024-05-01T12:00:00.1234567Z ",
        "\u{feff}2024-05-01T12:00:00Z ",
        "[2024-05-01T12:00:00.000Z] ",
        "#12 3.456 ",
        "2024-05-01T12:00:00.123456Z 00O ",
        "2024-05-01T12:00:00.123456Z 01E+",
        "build\tRun tests\t2024-05-01T12:00:00.1Z ",
        "2024-05-01T12:00:00+02:00 ",
        "web:test: ",
        "@acme/web:test: ",
        "\u{1b}[36mweb:test: \u{1b}[0m",
    ] {
        check(&format!("{prefix}{line}\r\n"), &["pytest: Failure 2/1/0 of 3 @1"]);
    }
}

#[test]
fn progress_is_overwritten() {
    check("10%\r50%\r100%\r\u{1b}[K2 passed in 0.01s\r\n", &["pytest: Success 2/0/0 of 2 @1"]);
    check("2 failed in 0.01s\r2 passed in 0.01s\r\r\n", &["pytest: Success 2/0/0 of 2 @1"]);
}

#[test]
fn several_tools_in_one_log_keep_their_order() {
    let text =
        "✖ 1 problem (1 error, 0 warnings)\n2 passed in 0.01s\nSuccess: no issues found in 3 source files\n";
    check(text, &["eslint: Failure @1", "pytest: Success 2/0/0 of 2 @2", "mypy: Success @3"]);
}

#[test]
fn tools_that_were_not_at_hand() {
    let maven = "[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.05 s -- in OkTest\n[INFO] Results:\n\
                 [ERROR] Tests run: 5, Failures: 1, Errors: 1, Skipped: 1\n[INFO] BUILD FAILURE\n";
    check(maven, &["maven: Failure 2/2/1 of 5 @3"]);
    let modules = "[INFO] Tests run: 5, Failures: 0, Errors: 0, Skipped: 1\n[WARNING] Tests run: 2, Failures: 0, Errors: 0, \
                   Skipped: 0\n[INFO] BUILD SUCCESS\n";
    check(modules, &["maven: Success 6/0/1 of 7 @3"]);
    check("[INFO] No tests to run.\n[INFO] BUILD SUCCESS\n", &["maven: NothingRun @2"]);
    check(
        "5 tests completed, 2 failed, 1 skipped\n\nBUILD FAILED in 3s\n",
        &["gradle: Failure 2/2/1 of ? @1"],
    );
    check("BUILD SUCCESSFUL in 1m 3s\n", &["gradle: Success @1"]);
    let passed = "Passed!  - Failed:     0, Passed:     3, Skipped:     1, Total:     4, Duration: 5 ms - a.dll (net8.0)\n";
    let failed = "Failed!  - Failed:     1, Passed:     2, Skipped:     0, Total:     3, Duration: 5 ms - b.dll (net8.0)\n";
    check(passed, &["dotnet test: Success 3/0/1 of 4 @1"]);
    check(&format!("{passed}{failed}"), &["dotnet test: Failure 5/1/1 of 7 @2"]);
    check(
        "Test summary: total: 3, failed: 1, succeeded: 2, skipped: 0, duration: 1.2s\n",
        &["dotnet test: Failure 2/1/0 of 3 @1"],
    );
    check("Build FAILED.\n", &["dotnet build: Failure @1"]);
    check("NO TESTS RAN\n", &[]);
    check("Ran 0 tests in 0.000s\n\nNO TESTS RAN\n", &["unittest: NothingRun 0/0/0 of 0 @3"]);
    check("npm ERR! code ELIFECYCLE\nnpm ERR! errno 1\n", &["npm: Failure @1"]);
}

#[test]
fn every_tool_is_listed_once() {
    for (index, definition) in ALL.iter().enumerate() {
        assert_eq!(definition.tool as usize, index, "{}", definition.name);
        assert!(!definition.about.is_empty());
    }
}
