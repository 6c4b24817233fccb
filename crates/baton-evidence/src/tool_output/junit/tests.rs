//! JUnit files as tools write them, and such as nobody should.

use super::*;
use baton_testkit::random::Random;

const PYTEST: &str = r#"<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests"><testsuite name="pytest" errors="1" failures="1" skipped="2" tests="5" time="0.056" timestamp="2024-05-01T12:00:00+00:00" hostname="ada"><testcase classname="test_b" name="test_ok" time="0.001" /><testcase classname="test_b" name="test_bad" time="0.001"><failure message="assert 1 == 2">def test_bad(): assert 1 &lt; 2 &#10;</failure></testcase><testcase classname="test_b" name="test_skip" time="0.000"><skipped type="pytest.skip" message="later">test_b.py:4: later</skipped></testcase><testcase classname="test_b" name="test_x" time="0.001"><skipped type="pytest.xfail" message="" /></testcase><testcase classname="test_b" name="test_err" time="0.000"><error message="failed on setup">boom</error></testcase></testsuite></testsuites>
"#;

fn counts(tests: u64, failures: u64, errors: u64, skipped: u64) -> JunitCounts {
    JunitCounts { tests, failures, errors, skipped, ..JunitCounts::default() }
}

/// Returns what a file counts, without the names.
fn counted(text: &str) -> Result<JunitCounts, String> {
    read_junit(text.as_bytes()).map(|found| JunitCounts { failing: Vec::new(), ..found })
}

#[track_caller]
fn refused(text: &str, because: &str) {
    let error = read_junit(text.as_bytes()).unwrap_err();
    assert!(error.contains(because), "{error}");
}

#[test]
fn a_file_of_pytest_is_counted() {
    assert_eq!(counted(PYTEST), Ok(counts(5, 1, 1, 2)));
    let failing = read_junit(PYTEST.as_bytes()).unwrap().failing;
    assert_eq!(failing, ["test_b::test_bad", "test_b::test_err"]);
}

#[test]
fn nested_suites_are_counted_once() {
    let text = r#"<testsuites tests="3" failures="1"><testsuite tests="3" failures="1"><testsuite tests="2" failures="1">
        <testcase name="a"/><testcase name="b"><failure/><system-out><![CDATA[<failure/>]]></system-out></testcase>
        </testsuite><testcase name="c"><rerunFailure/></testcase></testsuite></testsuites>"#;
    assert_eq!(counted(text), Ok(counts(3, 1, 0, 0)));
}

#[test]
fn test_cases_are_believed_and_sums_are_not() {
    let text = r#"<testsuite tests="9" failures="0"><testcase name="a"><failure/></testcase></testsuite>"#;
    let found = read_junit(text.as_bytes()).unwrap();
    assert_eq!((found.tests, found.failures), (1, 1));
    assert_eq!(
        found.disagreement.as_deref(),
        Some("a suite says tests=\"9\", and its test cases amount to 1")
    );
}

#[test]
fn what_was_not_run_is_skipped() {
    let text = r#"<testsuites disabled="1"><testsuite><testcase status="notrun" result="suppressed"/></testsuite></testsuites>"#;
    assert_eq!(counted(text), Ok(counts(1, 0, 0, 1)));
}

#[test]
fn an_empty_suite_has_no_tests() {
    assert_eq!(read_junit(b"<testsuites/>"), Ok(counts(0, 0, 0, 0)));
}

#[test]
fn what_cannot_be_trusted_is_refused() {
    refused("", "no element");
    refused("<html/>", "not a JUnit file");
    refused("<testsuites><testsuite>", "ends before");
    refused("<testsuite></testsuites>", "not well-formed");
    refused("<testsuite/><testsuite/>", "not a JUnit file");
    refused("<!DOCTYPE x [<!ENTITY a \"b\">]><testsuite/>", "document type");
    refused("<testsuite>&a;</testsuite>", "entity");
    refused(&"<testsuite>".repeat(JUNIT_DEPTH_MAX + 1), "nested deeper");
    refused(&" ".repeat(JUNIT_BYTES_MAX + 1), "the limit");
}

#[test]
fn damaged_files_never_panic() {
    for index in 0..3_000 {
        let mut random = Random::numbered(7, index);
        let mut bytes = PYTEST.as_bytes().to_vec();
        for _ in 0..random.between(1, 10) {
            let at = random.below(bytes.len());
            match random.below(3) {
                _ if bytes.len() < 2 => break,
                0 => bytes[at] = u8::try_from(random.below(256)).unwrap(),
                1 => drop(bytes.remove(at)),
                _ => bytes.truncate(at.max(1)),
            }
        }
        let _ = read_junit(&bytes);
    }
}

#[test]
#[expect(clippy::disallowed_types, reason = "a bound on time has to look at a clock")]
fn a_large_file_is_read_in_linear_time() {
    let attributes = format!("<testsuite {}/>", "a=\"1\" ".repeat(1_000_000));
    let cases = format!("<testsuite>{}</testsuite>", "<testcase><failure/></testcase>".repeat(200_000));
    for text in [attributes, cases] {
        let start = std::time::Instant::now();
        assert!(read_junit(text.as_bytes()).is_ok());
        println!("{} bytes in {:?}", text.len(), start.elapsed());
        assert!(start.elapsed().as_secs() < 60);
    }
}
