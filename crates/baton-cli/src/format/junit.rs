//! JUnit XML: a test case a file, failed when it has errors.

use std::io::{self, Write};

use baton_handoff::diagnostic::Severity;
use baton_handoff::span::LineIndex;
use baton_runner::check::{FileReport, Verdict};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::{Formatter, Summary, findings, machine_path, region, source};
use crate::output::printable;

/// Cases are kept until the end, because JUnit wants the counts first: this form is for CI-sized runs.
#[derive(Debug, Default)]
pub(crate) struct Junit {
    cases: Vec<TestCase>,
}

impl Formatter for Junit {
    fn file(&mut self, _: &mut dyn Write, report: &FileReport) -> io::Result<()> {
        let path = printable(&machine_path(report));
        let status = match &report.verdict {
            Verdict::NotAHandoff { .. } if findings(report).is_empty() => return Ok(()),
            Verdict::Unreadable { message } => {
                let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
                status.set_message(printable(message)).set_type(baton_handoff::rule::UNREADABLE.to_string());
                status
            }
            Verdict::Judged { .. } | Verdict::NotAHandoff { .. } => status_of(report),
        };
        let mut case = TestCase::new(path, status);
        case.set_classname("baton.check");
        self.cases.push(case);
        Ok(())
    }

    fn finish(&mut self, out: &mut dyn Write, _: &Summary) -> io::Result<()> {
        let mut suite = TestSuite::new("handoffs");
        suite.add_test_cases(std::mem::take(&mut self.cases));
        let mut report = Report::new("baton");
        report.add_test_suite(suite);
        report.serialize(&mut *out).map_err(io::Error::other)?;
        out.write_all(b"\n")
    }
}

fn status_of(report: &FileReport) -> TestCaseStatus {
    let index = LineIndex::new(source(report));
    let errors: Vec<_> = findings(report).iter().filter(|found| found.severity == Severity::Error).collect();
    let Some(first) = errors.first() else { return TestCaseStatus::success() };
    let lines = errors.iter().map(|found| {
        let at = region(&index, source(report), found);
        format!("{}:{}: {} {}", at.line, at.column, found.code, found.message)
    });
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_message(printable(&first.message)).set_type(first.code.to_string());
    status.set_description(printable(&lines.collect::<Vec<_>>().join("\n")));
    status
}
