//! Commands that are a tool for tests themselves, and so tell how many tests they ran.

use crate::cheat::{module_at, unwrapped};
use crate::supervise::Output;
use baton_evidence::tool_output::{self, Kind, Showing, Tool};

/// Tools that are called by their own name.
const TOOLS: &[(&str, Tool)] = &[
    ("ctest", Tool::Ctest),
    ("jest", Tool::Jest),
    ("mocha", Tool::Mocha),
    ("nextest", Tool::Nextest),
    ("phpunit", Tool::Phpunit),
    ("py.test", Tool::Pytest),
    ("pytest", Tool::Pytest),
    ("rspec", Tool::Rspec),
    ("vitest", Tool::Vitest),
];
/// Those that Python runs as a module.
const MODULES: &[(&str, Tool)] = &[("pytest", Tool::Pytest), ("unittest", Tool::Unittest)];
/// The first words of tools that do other things as well.
const WITH_VERB: &[(&[&str], Tool)] = &[
    (&["cargo", "nextest", "run"], Tool::Nextest),
    (&["cargo", "t"], Tool::CargoTest),
    (&["cargo", "test"], Tool::CargoTest),
    (&["dotnet", "test"], Tool::DotnetTest),
    (&["go", "test"], Tool::GoTest),
    (&["node", "--test"], Tool::NodeTest),
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
/// In the name of an option, without strokes: whoever gives it decides how the tool ends where tests fail.
const OWN_ENDING: &str = "exitcode";
/// How the summary of one binary begins that `cargo test` ran.
const CARGO_SUMMARY: &str = "test result: ";

/// What a tool that ended with 0 said of tests that fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ToldFailure {
    /// They fail, in the line with which it ended.
    Clear(String),
    /// The same, and another summary before it tells of success. Which of them is its own is not known.
    BesideSuccess(String),
}

/// A tool for tests, by the name that its options are known by, with the words after it.
struct Called<'w> {
    name: &'w str,
    tool: Tool,
    rest: &'w [&'w str],
}

/// Returns the tool for tests that a command is itself.
fn called<'w>(words: &'w [&'w str]) -> Option<Called<'w>> {
    let (program, rest) = words.split_first()?;
    let of = |name: &'w str, tools: &[(&str, Tool)]| {
        let (_, tool) = tools.iter().find(|(own, _)| *own == name)?;
        Some(Called { name, tool: *tool, rest })
    };
    match module_at(rest).filter(|_| program.starts_with("python")) {
        Some(at) => of(rest.get(at + 1)?, MODULES),
        None => of(program, TOOLS).or_else(|| {
            let (_, tool) = WITH_VERB.iter().find(|(verb, _)| words.starts_with(verb))?;
            Some(Called { name: program, tool: *tool, rest })
        }),
    }
}

fn words_of(argv: &[String]) -> Vec<&str> {
    let words: Vec<&str> = unwrapped(argv).iter().map(String::as_str).collect();
    without_packager(&words).to_vec()
}

/// Says whether a command is itself a tool that tells how many tests it ran. Scripts and wrappers may print what they want.
pub(crate) fn tells_tests(argv: &[String]) -> bool {
    let words = words_of(argv);
    let Some(Called { name, rest, .. }) = called(&words) else { return false };
    let known = STILL_TELLS.iter().find(|(tool, _)| *tool == name).map_or(&[][..], |(_, options)| *options);
    let is_otherwise = |word: &&str| {
        let name = word.split('=').next().unwrap_or(word);
        OTHERWISE.contains(&name) && !known.contains(&name)
    };
    !rest.iter().any(is_otherwise)
}

/// Returns where a command that is itself a tool for tests says at last that tests fail. What it runs may print the same words,
/// so only the summary with which it ended counts.
pub(crate) fn told_failure(argv: &[String], output: &str) -> Option<ToldFailure> {
    let words = words_of(argv);
    let Called { tool, rest, .. } = called(&words)?;
    let is_own_ending = |word: &&str| word.replace('-', "").to_lowercase().contains(OWN_ENDING);
    if rest.iter().any(is_own_ending) {
        return None;
    }
    match tool {
        // It ends as the verdicts are that it prints itself: what it runs has no hand in either.
        Tool::GoTest => None,
        // Its reading is one for all binaries, with what their tests print in between.
        Tool::CargoTest => {
            let last = output.lines().rev().find(|line| line.starts_with(CARGO_SUMMARY))?;
            last[CARGO_SUMMARY.len()..].starts_with("FAILED. ").then(|| ToldFailure::Clear(last.to_owned()))
        }
        tool => {
            let readings = tool_output::read(output);
            let mut own = readings.iter().filter(|reading| reading.tool == tool).rev();
            let last = own.next().filter(|reading| reading.showing == Showing::Failure)?;
            let line = last.place.text.clone();
            Some(match own.any(|reading| reading.showing == Showing::Success) {
                true => ToldFailure::BesideSuccess(line),
                false => ToldFailure::Clear(line),
            })
        }
    }
}

fn without_packager<'s, 'w>(words: &'s [&'w str]) -> &'s [&'w str] {
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
    fn the_last_summary_of_the_tool_that_was_run_tells_of_failure() {
        let told = |command: &str, output: &str| {
            told_failure(&command.split(' ').map(str::to_owned).collect::<Vec<_>>(), output)
        };
        let clear = |line: &str| Some(ToldFailure::Clear(line.to_owned()));
        let (good, bad) = ("Ran 3 tests in 0.001s\n\nOK\n", "Ran 3 tests in 0.001s\n\nFAILED (failures=3)\n");
        assert_eq!(told("python3 -m unittest", bad), clear("FAILED (failures=3)"));
        assert_eq!(told("python3 -m unittest -q", bad), clear("FAILED (failures=3)"));
        assert_eq!(told("python3 -m unittest", &format!("{bad}{good}")), None, "a run within another");
        let both = ToldFailure::BesideSuccess("FAILED (failures=3)".to_owned());
        assert_eq!(told("python3 -m unittest", &format!("{good}{bad}")), Some(both));
        let (passed, failed) = ("1 passed; 0 failed; 0 ignored", "0 passed; 1 failed; 0 ignored");
        let (passed, failed) =
            (format!("test result: ok. {passed}\n"), format!("test result: FAILED. {failed}\n"));
        assert_eq!(told("cargo test -q", &format!("{passed}{failed}")), clear(failed.trim_end()));
        assert_eq!(told("cargo test", &format!("{failed}{passed}")), None, "what a test printed");
        assert_eq!(
            told("pytest", "==== 1 failed, 2 passed in 0.02s ====\n"),
            clear("==== 1 failed, 2 passed in 0.02s ====")
        );
        assert_eq!(told("pytest", "==== 2 passed, 1 xfailed in 0.02s ====\n"), None);
        for (command, output) in [
            ("./check.sh", bad),
            ("sh -c python3", bad),
            ("make test", bad),
            ("pytest", bad),
            ("pytest --suppress-tests-failed-exit-code", "==== 1 failed in 0.02s ====\n"),
            ("npx jest --testFailureExitCode=0", "Tests:       1 failed, 1 total\n"),
            ("python3 -m unittest", "FAILED (failures=3)\n"),
        ] {
            assert_eq!(told(command, output), None, "{command}");
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
