//! Commands that are a tool for tests themselves, and so tell how many tests they ran.

use crate::cheat::{module_at, unwrapped};
use crate::supervise::Output;
use crate::tool_output::{self, Kind, Showing};

/// Tools that are called by their own name.
const TOOLS: &[&str] =
    &["ctest", "jest", "mocha", "nextest", "phpunit", "py.test", "pytest", "rspec", "vitest"];
/// The first words of tools that do other things as well.
const WITH_VERB: &[&[&str]] = &[
    &["cargo", "nextest", "run"],
    &["cargo", "t"],
    &["cargo", "test"],
    &["dotnet", "test"],
    &["go", "test"],
    &["node", "--test"],
];
/// Programs that run a tool of a package by its name.
const PACKAGED: &[&[&str]] =
    &[&["npx"], &["bunx"], &["pnpm", "exec"], &["yarn", "exec"], &["bundle", "exec"]];
/// Options after which a tool prints other things, fewer, or nothing; many of them take a value with `=`.
const OTHERWISE: &[&str] = &[
    "--co",
    "--collect-only",
    "--format",
    "--help",
    "--json",
    "--list",
    "--listTests",
    "--logger",
    "--message-format",
    "--no-run",
    "--no-summary",
    "--quiet",
    "--reporter",
    "--reporters",
    "--silent",
    "--test-reporter",
    "--verbosity",
    "--version",
    "-O",
    "-Q",
    "-R",
    "-c",
    "-f",
    "-h",
    "-json",
    "-list",
    "-p",
    "-q",
    "-qq",
    "-v",
];
/// Those of them with which these tools tell their count all the same.
const STILL_TELLS: &[(&str, &[&str])] = &[
    ("cargo", &["-p", "-q", "--quiet", "-v"]),
    ("go", &["-p", "-v"]),
    ("jest", &["-c"]),
    ("mocha", &["-c", "-f"]),
    ("pytest", &["-c", "-v"]),
    ("vitest", &["-c"]),
    ("unittest", &["-c", "-f", "-p", "-q", "--quiet", "-v"]),
];
/// Words beside a number that say how many tests ran.
const RAN: &[&str] = &["examples", "passed", "passing", "succeeded"];

/// Says whether a command is itself a tool that tells how many tests it ran. Scripts and wrappers may print what they want.
pub(crate) fn tells_tests(argv: &[String]) -> bool {
    let words: Vec<&str> = unwrapped(argv).iter().map(String::as_str).collect();
    let words = without_packager(&words);
    let Some((program, rest)) = words.split_first() else { return false };
    let tool = match module_at(rest).filter(|_| program.starts_with("python")) {
        Some(at) => rest.get(at + 1).copied().filter(|module| matches!(*module, "pytest" | "unittest")),
        None if TOOLS.contains(program) => Some(*program),
        None => WITH_VERB.iter().find(|verb| words.starts_with(verb)).map(|_| *program),
    };
    let Some(tool) = tool else { return false };
    let known = STILL_TELLS.iter().find(|(name, _)| *name == tool).map_or(&[][..], |(_, options)| *options);
    let is_otherwise = |word: &&str| {
        let name = word.split('=').next().unwrap_or(word);
        OTHERWISE.contains(&name) && !known.contains(&name)
    };
    !rest.iter().any(is_otherwise)
}

fn without_packager<'w>(words: &'w [&'w str]) -> &'w [&'w str] {
    let Some(packager) = PACKAGED.iter().find(|packager| words.starts_with(packager)) else { return words };
    let rest = &words[packager.len()..];
    let own = rest.iter().take_while(|word| word.starts_with('-')).count();
    &rest[own..]
}

/// Says whether an output tells that a test was run: in the words of a tool, or beside a number in those of a plugin.
pub(crate) fn tells_of_tests(output: &str) -> bool {
    let is_told = |reading: &tool_output::Reading| {
        reading.tool.kind() == Kind::Tests && matches!(reading.showing, Showing::Success | Showing::Failure)
    };
    tool_output::read(output).iter().any(is_told) || output.lines().any(is_count)
}

/// Returns how many tests were run, as their tools tell it; nothing where one of them, or a part of the output, is missing.
pub(crate) fn tests_run(output: &Output) -> Option<u64> {
    if output.left_out_bytes > 0 {
        return None;
    }
    let readings = tool_output::read(&String::from_utf8_lossy(&output.bytes));
    let last = tool_output::last_of_each(&readings);
    let mut tests = last.iter().filter(|reading| reading.tool.kind() == Kind::Tests).peekable();
    tests.peek()?;
    tests.map(|reading| reading.counts.map(|counts| counts.passed.saturating_add(counts.failed))).sum()
}

fn is_count(line: &str) -> bool {
    let words: Vec<&str> = line.split([' ', '\t', ',', ';', ':']).filter(|word| !word.is_empty()).collect();
    let is_number = |word: &str| word.parse::<u64>().is_ok_and(|count| count > 0);
    let is_pair = |pair: &[&str]| is_number(pair[0]) && RAN.contains(&pair[1].to_lowercase().as_str());
    // A row of dots of pytest, which says nothing else where its settings make it quiet.
    words.windows(2).any(is_pair) || line.trim_end().ends_with("[100%]")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tells(command: &str) -> bool {
        tells_tests(&command.split(' ').map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn only_a_tool_itself_has_to_tell_its_count() {
        for command in [
            "python3 -m unittest -q",
            "python3.12 -B -W error -m unittest discover -p *_test.py",
            "python3 -m pytest -x",
            "env CI=1 timeout 60 pytest tests",
            "uv run --directory . pytest",
            "node --test",
            "cargo test -q -p core",
            "cargo nextest run",
            "go test -v ./...",
            "npx --yes jest",
            "pnpm exec vitest run",
            "bundle exec rspec",
        ] {
            assert!(tells(command), "{command}");
        }
        for command in [
            "./check.sh",
            "make test",
            "npm test",
            "yarn jest",
            "sh -c pytest",
            "python3 run.py -m unittest",
            "pytest -q -q",
            "pytest --co",
            "cargo test --no-run",
            "cargo build",
            "node --test --test-reporter=dot",
            "node run.js --test",
            "go test -json ./...",
            "npx jest --json",
            "npx mocha -R dot",
            "ctest -Q",
        ] {
            assert!(!tells(command), "{command}");
        }
    }

    #[test]
    fn the_tests_that_ran_are_counted_without_those_that_were_skipped() {
        let run = |text: &str, left_out_bytes| {
            tests_run(&Output { bytes: text.as_bytes().to_vec(), left_out_bytes })
        };
        assert_eq!(run("Ran 3 tests in 0.001s\n\nOK (skipped=1)\n", 0), Some(2));
        assert_eq!(run("Ran 3 tests in 0.001s\n\nFAILED (failures=1)\n", 0), Some(3));
        assert_eq!(run("Ran 3 tests in 0.001s\n\nOK\n", 9), None);
        assert_eq!(run("ok  \tex.com/a\t0.003s\n", 0), None);
        assert_eq!(run("fine\n", 0), None);
    }

    #[test]
    fn a_count_is_known_in_the_words_of_plugins_too() {
        for told in [
            "Ran 2 tests in 0.001s\n\nOK\n",
            "Results (0.06s):\n       3 passed\n",
            "..                  [100%]\n",
            "ok  \tex.com/a\t0.003s\n",
        ] {
            assert!(tells_of_tests(told), "{told}");
        }
        let left = "\nrunning 1 test\n\nrunning 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n";
        for silent in ["", "hello\n", left] {
            assert!(!tells_of_tests(silent), "{silent}");
        }
    }
}
