//! The functions of a file with what they assert: the pieces by which tests are compared.

use super::line::{Kind, holds, is_code};

/// Most lines of one assertion.
const ASSERTION_LINES_MAX: usize = 60;
const ASSERTIONS: &[&str] = &[
    "assert",
    "expect(",
    "should.",
    ".should(",
    "t.Error",
    "t.Fatal",
    "t.Fail",
    "require.",
    "Assert.",
    "must_equal",
    "EXPECT_",
    "ASSERT_",
    "XCTAssert",
    "self.fail(",
    "pytest.raises",
    "should_panic",
    "refute",
];
/// What a script of the shell holds the work against.
const SHELL_ASSERTIONS: &[&str] = &["[ ", "[[ ", "test ", "grep ", "diff ", "cmp ", "exit 1", "fail "];
/// Words for what a test is held against.
const EXPECTED: &[&str] = &["expected", "want", "golden", "parametrize", "wanted"];
const TEST_MARKS: &[&str] = &[
    "#[test]",
    "::test]",
    "::test(",
    "#[rstest",
    "#[test_case",
    "@Test",
    "@ParameterizedTest",
    "[Fact",
    "[Test",
    "[Theory",
];
const RETURNS: &[&str] = &["return", "return;", "return None", "return Ok(());", "return Ok(())"];
const CODE: &[&str] = &[
    "py", "rs", "js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "go", "rb", "java", "kt", "kts", "cs", "php",
    "swift", "c", "cc", "cpp", "h", "hpp", "sh", "bash", "bats", "exs", "ex", "scala", "lua", "pl", "t",
];

/// Something that a test holds the work against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Assertion {
    pub(super) line: usize,
    /// Without blanks, so that another layout is the same.
    pub(super) dense: String,
    pub(super) text: String,
}

/// A function or a test; what stands outside of all has no name.
#[derive(Clone, Debug, Default)]
pub(super) struct Unit {
    pub(super) name: String,
    pub(super) line: usize,
    pub(super) is_test: bool,
    pub(super) assertions: Vec<Assertion>,
    /// How many ways out there are before its last assertion.
    pub(super) returns: usize,
    pub(super) text: String,
}

/// Says whether a file is written in a language that tests are written in.
pub(super) fn is_code_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').is_none_or(|(_, ending)| CODE.contains(&ending))
}

/// Says whether a file judges the work by what is written in it: a test, a script, the rules of `make`. What tests only read, and
/// settings that tools write along, are none.
pub(crate) fn is_judge(path: &str) -> bool {
    is_code_file(path) && matches!(Kind::of(path), Kind::Test | Kind::Build)
}

/// Returns the units of a text, in their order. Text in which code only sleeps between marks of a remark does not count.
pub(super) fn units(path: &str, text: &str) -> Vec<Unit> {
    let lines = awake(path, text);
    let is_python = path.ends_with(".py");
    let is_shell = [".sh", ".bash", ".bats", ".t"].iter().any(|ending| path.ends_with(ending));
    let asserts = |line: &str| holds(line, ASSERTIONS) || is_shell && holds(line, SHELL_ASSERTIONS);
    let mut units = vec![Unit::default()];
    let (mut class, mut is_marked, mut pending) = (String::new(), false, Vec::new());
    let mut index = 0;
    while let Some((number, line)) = lines.get(index) {
        let trimmed = line.trim();
        index += 1;
        if trimmed.is_empty() || !is_code(line) {
            continue;
        }
        let is_outer = !line.starts_with([' ', '\t']);
        if let Some(name) = trimmed.strip_prefix("class ").filter(|_| is_outer) {
            class = name.split(|next: char| !is_word(next)).next().unwrap_or_default().to_owned();
        } else if is_python && is_outer && begun(trimmed).is_some() {
            class.clear();
        }
        if holds_mark(trimmed) || trimmed.starts_with('@') && is_python {
            is_marked |= holds_mark(trimmed);
            let (assertion, taken) = statement(&lines, index - 1);
            if is_expectation(trimmed) {
                pending.extend(rows(&assertion));
                index += taken - 1;
                continue;
            }
        }
        if let Some((name, is_test)) = begun(trimmed) {
            let name = if class.is_empty() { name } else { format!("{class}.{name}") };
            let is_test = is_test || is_marked;
            units.push(Unit {
                name,
                line: *number,
                is_test,
                assertions: std::mem::take(&mut pending),
                ..Unit::default()
            });
            is_marked = false;
        } else if is_python && is_outer && !trimmed.starts_with([')', ']', '}', '@']) {
            units.push(Unit { line: *number, ..Unit::default() });
        }
        let Some(unit) = units.last_mut() else { break };
        unit.text.push_str(line);
        unit.text.push('\n');
        let mut next = lines[index..].iter().take(ASSERTION_LINES_MAX);
        // Only a few lines are ways out, and what follows is looked for behind those alone.
        unit.returns += usize::from(RETURNS.contains(&trimmed) && next.any(|(_, line)| asserts(line)));
        if asserts(trimmed) || is_expectation(trimmed) {
            let (assertion, taken) = statement(&lines, index - 1);
            for (_, line) in &lines[index..index + taken - 1] {
                unit.text.push_str(line);
                unit.text.push('\n');
            }
            match asserts(trimmed) {
                true => unit.assertions.push(assertion),
                false => unit.assertions.extend(rows(&assertion)),
            }
            index += taken - 1;
        }
    }
    gathered(units)
}

/// Counts the tests in the bytes of a file.
pub(crate) fn tests_in(path: &str, bytes: &[u8]) -> usize {
    units(path, &String::from_utf8_lossy(bytes)).iter().filter(|unit| unit.is_test).count()
}

/// What stands outside of all functions is one unit.
fn gathered(units: Vec<Unit>) -> Vec<Unit> {
    let (outer, mut named): (Vec<Unit>, Vec<Unit>) = units.into_iter().partition(|unit| unit.name.is_empty());
    let mut whole = Unit::default();
    for unit in outer {
        whole.assertions.extend(unit.assertions);
        whole.text.push_str(&unit.text);
    }
    named.insert(0, whole);
    named
}

pub(super) fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

fn holds_mark(line: &str) -> bool {
    TEST_MARKS.iter().any(|mark| line.contains(mark))
}

/// Returns the lines with their numbers, those within remarks of many lines left empty.
fn awake<'t>(path: &str, text: &'t str) -> Vec<(usize, &'t str)> {
    let lines = text.split('\n').flat_map(|line| line.split('\r').filter(|part| !part.is_empty()));
    let is_python = path.ends_with(".py");
    let mut open: Option<&str> = None;
    let mut awake = Vec::new();
    for (index, line) in lines.enumerate() {
        let trimmed = line.trim();
        if let Some(mark) = open {
            if trimmed.contains(mark) {
                open = None;
            }
            awake.push((index + 1, ""));
            continue;
        }
        let marks: &[(&str, &'static str)] = if is_python {
            &[("\"\"\"", "\"\"\""), ("'''", "'''")]
        } else {
            &[("/*", "*/"), ("=begin", "=end")]
        };
        let opened = marks.iter().find(|(start, _)| trimmed.starts_with(start));
        if let Some((start, end)) = opened {
            if !trimmed[start.len()..].contains(end) {
                open = Some(end);
            }
            awake.push((index + 1, ""));
        } else {
            awake.push((index + 1, line));
        }
    }
    awake
}

/// Returns the name of what begins with a line, and whether that is a test by its name alone.
pub(super) fn begun(line: &str) -> Option<(String, bool)> {
    let quoted = |text: &str| {
        let quote = text.find(['"', '\'', '`'])?;
        let mark = text[quote..].chars().next()?;
        Some(text[quote + 1..].split(mark).next()?.to_owned())
    };
    for start in ["it(", "it.", "test(", "test.", "specify(", "it \"", "it '", "test \"", "@test "] {
        if line.starts_with(start) {
            return Some((quoted(line)?, true));
        }
    }
    let mut words = line;
    for before in [
        "export ",
        "default ",
        "pub(crate) ",
        "pub(super) ",
        "pub ",
        "async ",
        "const fn ",
        "unsafe ",
        "static ",
    ] {
        words = words.strip_prefix(before).unwrap_or(words);
    }
    let named = ["def ", "fn ", "func ", "function "].iter().find_map(|start| words.strip_prefix(start));
    if let Some(rest) = named {
        // A method of Go names whose it is first.
        let rest = match rest.strip_prefix('(') {
            Some(method) => method.split_once(')')?.1.trim_start(),
            None => rest,
        };
        let name: String =
            rest.trim_start_matches("self.").chars().take_while(|next| is_word(*next)).collect();
        let is_test = name.starts_with("test") || name.starts_with("Test");
        return (!name.is_empty()).then_some((name, is_test));
    }
    // A method of Java and its kin, or a function of the shell: a name, brackets, and what is done.
    let (head, _) = line.strip_suffix('{').or(line.strip_suffix("=>"))?.split_once('(')?;
    let name = head.trim().rsplit(|next: char| !is_word(next)).next()?.to_owned();
    let is_plain = !["if", "for", "while", "switch", "match", "catch", "describe", "with", "expect"]
        .contains(&name.as_str());
    let is_declared = head.contains("void ") || head.contains("public ") || head.trim() == name;
    (is_plain && is_declared && !name.is_empty()).then(|| {
        let is_test = name.starts_with("test");
        (name, is_test)
    })
}

/// Says whether a line says what is expected, and nothing else: a row of a table, a value with such a name.
fn is_expectation(line: &str) -> bool {
    let has_value = line.contains(|next: char| next.is_ascii_digit() || matches!(next, '"' | '\''));
    let is_row = line.starts_with(['(', '[', '{']) && line.trim_end_matches(',').ends_with([')', ']', '}']);
    let lower = line.to_lowercase();
    let is_named = EXPECTED
        .iter()
        .any(|word| lower.match_indices(word).any(|(start, _)| lower[start..].contains(['=', ':', '('])));
    has_value && (is_row || is_named)
}

/// Cuts a table into its rows, so that one more changes none of the others.
fn rows(table: &Assertion) -> Vec<Assertion> {
    let mut dense = table.dense.clone();
    for edge in ["),(", "],[", "},{", "([", "[(", "[{"] {
        dense = dense.replace(edge, "\n");
    }
    let cut = |row: &str| row.trim_matches(['(', ')', '[', ']', '{', '}', ',']).to_owned();
    let rows = dense.lines().map(cut).filter(|row| !row.is_empty());
    rows.map(|dense| Assertion { text: dense.clone(), dense, line: table.line }).collect()
}

/// Returns the statement that begins with a line, to the end of its brackets, and how many lines that is.
fn statement(lines: &[(usize, &str)], start: usize) -> (Assertion, usize) {
    let (mut text, mut depth, mut taken) = (String::new(), 0_i64, 0);
    for (_, line) in lines[start..].iter().take(ASSERTION_LINES_MAX) {
        taken += 1;
        text.push_str(line.trim());
        text.push(' ');
        depth += line
            .chars()
            .map(|next| i64::from("([{".contains(next)) - i64::from(")]}".contains(next)))
            .sum::<i64>();
        if depth <= 0 && !line.trim_end().ends_with('\\') {
            break;
        }
    }
    let dense: String = text.chars().filter(|next| !next.is_whitespace()).collect();
    let dense = dense.replace(",)", ")").replace(",]", "]").replace(",}", "}");
    let dense = dense.trim_end_matches([',', ';']).to_owned();
    let line = lines.get(start).map_or(0, |(number, _)| *number);
    (Assertion { line, dense, text: text.trim_end().to_owned() }, taken.max(1))
}
