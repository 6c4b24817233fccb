//! JUnit files: what the test cases themselves say, held against the sums that stand beside them.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// Largest file in bytes.
pub const JUNIT_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Deepest nesting of elements.
pub const JUNIT_DEPTH_MAX: usize = 64;
/// Most failing tests that are named.
pub const FAILING_MAX: usize = 1000;
/// Longest name of a test, in characters.
const NAME_CHARS_MAX: usize = 200;

/// What a JUnit file counts, one for each test case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JunitCounts {
    pub tests: u64,
    pub failures: u64,
    pub errors: u64,
    pub skipped: u64,
    /// The tests that failed or had an error, by their names; no more than [`FAILING_MAX`].
    pub failing: Vec<String>,
    /// Where the sums written into the file differ from its test cases, which are what is counted here.
    pub disagreement: Option<String>,
}

impl JunitCounts {
    /// Returns both together.
    pub fn and(mut self, more: Self) -> Self {
        self.tests = self.tests.saturating_add(more.tests);
        self.failures = self.failures.saturating_add(more.failures);
        self.errors = self.errors.saturating_add(more.errors);
        self.skipped = self.skipped.saturating_add(more.skipped);
        self.failing.extend(more.failing);
        self.failing.truncate(FAILING_MAX);
        self.disagreement = self.disagreement.or(more.disagreement);
        self
    }
}

/// Counts of a suite, or of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sums {
    tests: u64,
    failures: u64,
    errors: u64,
    skipped: u64,
}

/// Sums as they stand in attributes; each may be missing.
#[derive(Clone, Copy, Debug, Default)]
struct Stated {
    tests: Option<u64>,
    failures: Option<u64>,
    errors: Option<u64>,
    skipped: Option<u64>,
}

/// An element that was begun.
enum Open {
    /// A suite or the whole file, with its sums and what was counted before it.
    Suite {
        stated: Stated,
        before: Sums,
    },
    Case(Case),
    Other,
}

#[derive(Default)]
struct Case {
    name: String,
    failure: bool,
    error: bool,
    skipped: bool,
}

/// Reads a JUnit file. A document type is refused, and no entity is resolved.
pub fn read_junit(bytes: &[u8]) -> Result<JunitCounts, String> {
    if bytes.len() > JUNIT_BYTES_MAX {
        return Err(format!("it has {} bytes, the limit is {JUNIT_BYTES_MAX}", bytes.len()));
    }
    let mut reader = Reader::from_reader(bytes);
    let mut state = State::default();
    loop {
        match reader.read_event() {
            Err(error) => return Err(format!("it is not well-formed XML: {error}")),
            Ok(Event::Start(element)) => state.begin(&element)?,
            Ok(Event::Empty(element)) => {
                state.begin(&element)?;
                state.finish();
            }
            Ok(Event::End(_)) => state.finish(),
            Ok(Event::DocType(_)) => return Err("it has a document type, which is not read".to_owned()),
            Ok(Event::GeneralRef(name)) if !is_plain(&name) => {
                return Err("it refers to an entity, which is not read".to_owned());
            }
            Ok(Event::Eof) => return state.result(),
            Ok(_) => {}
        }
    }
}

#[derive(Default)]
struct State {
    open: Vec<Open>,
    rooted: bool,
    sums: Sums,
    failing: Vec<String>,
    disagreement: Option<String>,
}

impl State {
    fn begin(&mut self, element: &BytesStart<'_>) -> Result<(), String> {
        if self.open.len() >= JUNIT_DEPTH_MAX {
            return Err(format!("its elements are nested deeper than {JUNIT_DEPTH_MAX}"));
        }
        let name = element.local_name();
        let name = name.as_ref();
        if self.open.is_empty() {
            if self.rooted || !matches!(name, b"testsuites" | b"testsuite") {
                return Err("it is not a JUnit file: it has to be one `testsuites` or `testsuite`".to_owned());
            }
            self.rooted = true;
        }
        let open = match (name, self.open.last_mut()) {
            (b"testsuites" | b"testsuite", None | Some(Open::Suite { .. })) => {
                Open::Suite { stated: stated(element)?, before: self.sums }
            }
            (b"testcase", Some(Open::Suite { .. })) => {
                let (name, skipped) = (name_of(element)?, was_not_run(element)?);
                Open::Case(Case { name, skipped, ..Case::default() })
            }
            (_, Some(Open::Case(case))) => {
                case.failure |= name == b"failure";
                case.error |= name == b"error";
                case.skipped |= name == b"skipped";
                Open::Other
            }
            _ => Open::Other,
        };
        self.open.push(open);
        Ok(())
    }

    fn finish(&mut self) {
        match self.open.pop() {
            Some(Open::Suite { stated, before }) => self.compare(stated, before),
            Some(Open::Case(case)) => {
                self.sums.tests += 1;
                if (case.failure || case.error) && self.failing.len() < FAILING_MAX {
                    self.failing.push(case.name.clone());
                }
                match case {
                    Case { failure: true, .. } => self.sums.failures += 1,
                    Case { error: true, .. } => self.sums.errors += 1,
                    Case { skipped: true, .. } => self.sums.skipped += 1,
                    Case { .. } => {}
                }
            }
            Some(Open::Other) | None => {}
        }
    }

    fn compare(&mut self, stated: Stated, before: Sums) {
        let pairs = [
            ("tests", stated.tests, self.sums.tests - before.tests),
            ("failures", stated.failures, self.sums.failures - before.failures),
            ("errors", stated.errors, self.sums.errors - before.errors),
            ("skipped", stated.skipped, self.sums.skipped - before.skipped),
        ];
        let differs =
            pairs.iter().find(|(_, stated, counted)| stated.is_some_and(|stated| stated != *counted));
        if let (None, Some((word, Some(stated), counted))) = (&self.disagreement, differs) {
            self.disagreement =
                Some(format!("a suite says {word}=\"{stated}\", and its test cases amount to {counted}"));
        }
    }

    fn result(self) -> Result<JunitCounts, String> {
        if !self.rooted {
            return Err("it is not a JUnit file: it has no element".to_owned());
        }
        if !self.open.is_empty() {
            return Err("it ends before its elements do".to_owned());
        }
        let Sums { tests, failures, errors, skipped } = self.sums;
        let (failing, disagreement) = (self.failing, self.disagreement);
        Ok(JunitCounts { tests, failures, errors, skipped, failing, disagreement })
    }
}

fn stated(element: &BytesStart<'_>) -> Result<Stated, String> {
    let mut stated = Stated::default();
    let (mut skipped, mut disabled) = (None, None);
    each_attribute(element, &mut |name, value| {
        let count = || str::from_utf8(value).ok().and_then(|value| value.trim().parse().ok());
        match name {
            b"tests" => stated.tests = count(),
            b"failures" => stated.failures = count(),
            b"errors" => stated.errors = count(),
            b"skipped" | b"skips" => skipped = count(),
            b"disabled" => disabled = count(),
            _ => {}
        }
    })?;
    // Googletest says `disabled`, and some say both; together they are what did not run.
    stated.skipped = match (skipped, disabled) {
        (Some(skipped), disabled) => Some(disabled.unwrap_or(0).saturating_add(skipped)),
        (None, disabled) => disabled.filter(|disabled| *disabled > 0),
    };
    Ok(stated)
}

/// Returns the name of a test with that of its class before it.
fn name_of(element: &BytesStart<'_>) -> Result<String, String> {
    let (mut class, mut name) = (String::new(), String::new());
    each_attribute(element, &mut |key, value| {
        let text = String::from_utf8_lossy(value);
        let plain =
            quick_xml::escape::unescape(&text).map_or_else(|_| text.to_string(), |text| text.to_string());
        match key {
            b"classname" => class = plain,
            b"name" => name = plain,
            _ => {}
        }
    })?;
    let whole = if class.is_empty() { name } else { format!("{class}::{name}") };
    Ok(whole.chars().take(NAME_CHARS_MAX).collect())
}

/// Googletest writes down what it did not run, without an element for it.
fn was_not_run(element: &BytesStart<'_>) -> Result<bool, String> {
    let mut skipped = false;
    each_attribute(element, &mut |name, value| {
        skipped |= name == b"status" && value == b"notrun";
        skipped |= name == b"result" && matches!(value, b"suppressed" | b"skipped");
    })?;
    Ok(skipped)
}

fn each_attribute(element: &BytesStart<'_>, take: &mut dyn FnMut(&[u8], &[u8])) -> Result<(), String> {
    // The check for doubles compares each with each, and a hostile file has very many.
    for attribute in element.attributes().with_checks(false) {
        let attribute = attribute.map_err(|error| format!("it is not well-formed XML: {error}"))?;
        take(attribute.key.local_name().as_ref(), &attribute.value);
    }
    Ok(())
}

/// The five names that XML has itself, and numbers of characters.
fn is_plain(name: &[u8]) -> bool {
    matches!(name, b"lt" | b"gt" | b"amp" | b"apos" | b"quot") || name.starts_with(b"#")
}

#[cfg(test)]
mod tests;
