//! Which checks a project seems to have, from the files it is made of. Nothing is run: a person looks first, and trusts.

mod node;
mod php;
mod python;

use std::path::Path;

use crate::file::read_plain;
use crate::workspace::Furniture;

/// Largest file that is looked into.
const LOOKED_BYTES_MAX: u64 = 1024 * 1024;
/// Most files of a folder that are looked at.
const ENTRIES_MAX: usize = 512;
/// Where a tool is told to write its JUnit file: no file below this folder is ever taken for work.
const JUNIT_FILE: &str = ".baton/junit.xml";

/// Files that tools write along with the others.
pub(crate) const GENERATED: &[&str] = &[
    "Cargo.lock",
    "package-lock.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "bun.lock",
    "bun.lockb",
    "poetry.lock",
    "uv.lock",
    "go.sum",
    "Gemfile.lock",
    "composer.lock",
];

/// What a check is about. Workflows call it by several names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    Tests,
    Lints,
    Build,
}

impl Subject {
    /// The checkpoints of the built-in workflows that such a check settles.
    pub fn checkpoints(self) -> &'static [&'static str] {
        match self {
            Self::Tests => &["tests_passing", "tests_pass", "validation"],
            Self::Lints => &["no_lint_errors"],
            Self::Build => &["build_passes"],
        }
    }
}

/// A check that a project seems to have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    pub subject: Subject,
    /// The program and its arguments.
    pub run: Vec<String>,
    /// The JUnit file that it writes.
    pub junit: Option<&'static str>,
    /// The file that speaks for it.
    pub from: String,
}

/// A command line, and what it is about.
struct Command {
    subject: Subject,
    run: Vec<&'static str>,
    junit: Option<&'static str>,
}

impl Command {
    fn new(subject: Subject, run: Vec<&'static str>) -> Self {
        Self { subject, run, junit: None }
    }

    /// Tests whose tool is told to write [`JUNIT_FILE`].
    fn with_junit(run: Vec<&'static str>) -> Self {
        Self { junit: Some(JUNIT_FILE), ..Self::new(Subject::Tests, run) }
    }

    /// Tests whose tool writes files into this folder by itself, where the project is one and not several.
    fn with_reports(run: Vec<&'static str>, folder: &'static str, is_one: bool) -> Self {
        Self { junit: is_one.then_some(folder), ..Self::new(Subject::Tests, run) }
    }
}

/// An ecosystem by the file that every project of it has.
struct Ecosystem {
    /// From the root; a `*` in its name stands for anything.
    marker: &'static str,
    /// From the root of the project and the text of the marker.
    propose: fn(&Path, &str) -> Vec<Command>,
    /// What its tools write, which the next check need not write again.
    keep: &'static [&'static str],
    /// What it depends on, which a person has installed in the checkout.
    borrow: &'static [&'static str],
}

impl Ecosystem {
    const fn new(marker: &'static str, propose: fn(&Path, &str) -> Vec<Command>) -> Self {
        Self { marker, propose, keep: &[], borrow: &[] }
    }

    const fn keeps(self, keep: &'static [&'static str]) -> Self {
        Self { keep, ..self }
    }

    const fn borrows(self, borrow: &'static [&'static str]) -> Self {
        Self { borrow, ..self }
    }
}

const ECOSYSTEMS: &[Ecosystem] = &[
    Ecosystem::new("Cargo.toml", cargo).keeps(&["target"]),
    Ecosystem::new("package.json", node::propose).borrows(&["node_modules"]),
    Ecosystem::new("pyproject.toml", python::propose).borrows(python::INSTALLED),
    Ecosystem::new("go.mod", go),
    Ecosystem::new("pom.xml", maven).keeps(&["target"]),
    Ecosystem::new("build.gradle", gradle).keeps(&["build", ".gradle"]),
    Ecosystem::new("build.gradle.kts", gradle).keeps(&["build", ".gradle"]),
    Ecosystem::new("*.sln", dotnet).keeps(DOTNET_BUILT),
    Ecosystem::new("*.slnx", dotnet).keeps(DOTNET_BUILT),
    Ecosystem::new("*.csproj", dotnet).keeps(DOTNET_BUILT),
    Ecosystem::new("*.fsproj", dotnet).keeps(DOTNET_BUILT),
    Ecosystem::new("mix.exs", elixir).keeps(&["_build"]).borrows(&["deps"]),
    Ecosystem::new("Gemfile", ruby).borrows(&["vendor/bundle"]),
    Ecosystem::new("composer.json", php::propose).borrows(&["vendor"]),
    Ecosystem::new("Makefile", make),
    Ecosystem::new("CMakeLists.txt", cmake).keeps(&[CMAKE_BUILT]),
    // Other projects have these, too, for a script or two.
    Ecosystem::new("setup.cfg", python::propose_if_tested).borrows(python::INSTALLED),
    Ecosystem::new("setup.py", python::propose_if_tested).borrows(python::INSTALLED),
    Ecosystem::new("requirements.txt", python::propose_if_tested).borrows(python::INSTALLED),
    Ecosystem::new("test_*.py", python::propose_tests).borrows(python::INSTALLED),
    Ecosystem::new("tests/test_*.py", python::propose_tests).borrows(python::INSTALLED),
    Ecosystem::new("test/test_*.py", python::propose_tests).borrows(python::INSTALLED),
];

const DOTNET_BUILT: &[&str] = &["bin", "obj"];
/// Apart from where a person builds, who may use another generator.
const CMAKE_BUILT: &str = ".baton/build";

/// Returns the checks that a project seems to have: for each subject what the first ecosystem proposes.
pub fn propose(root: &Path) -> Vec<Proposal> {
    let mut proposals: Vec<Proposal> = Vec::new();
    for ecosystem in ECOSYSTEMS {
        let Some(from) = found(root, ecosystem.marker) else { continue };
        let Some(text) = read(&root.join(&from)) else { continue };
        for Command { subject, run, junit } in (ecosystem.propose)(root, &text) {
            if proposals.iter().all(|known| known.subject != subject) {
                let run = run.into_iter().map(str::to_owned).collect();
                proposals.push(Proposal { subject, run, junit, from: from.clone() });
            }
        }
    }
    proposals.sort_by_key(|proposal| proposal.subject);
    proposals
}

/// Returns what the checks of a project should find beside the files of the work: what tools write, and what is installed.
pub fn furniture(root: &Path) -> Furniture {
    let mut furniture = Furniture::default();
    for ecosystem in ECOSYSTEMS.iter().filter(|ecosystem| found(root, ecosystem.marker).is_some()) {
        let is_installed = |name: &&&str| root.join(name).is_dir();
        furniture.kept.extend(ecosystem.keep.iter().map(|&name| name.to_owned()));
        furniture.borrowed.extend(ecosystem.borrow.iter().filter(is_installed).map(|&name| name.to_owned()));
    }
    for names in [&mut furniture.kept, &mut furniture.borrowed] {
        names.sort();
        names.dedup();
    }
    furniture
}

/// Returns the first file that a marker names.
fn found(root: &Path, marker: &str) -> Option<String> {
    let Some((before, after)) = marker.split_once('*') else {
        return root.join(marker).is_file().then(|| marker.to_owned());
    };
    let (folder, before) = before.rsplit_once('/').map_or(("", before), |(folder, name)| (folder, name));
    let is_named = |name: &String| {
        name.len() > before.len() + after.len() && name.starts_with(before) && name.ends_with(after)
    };
    let first = names(&root.join(folder)).into_iter().filter(is_named).min()?;
    let path = if folder.is_empty() { first } else { format!("{folder}/{first}") };
    root.join(&path).is_file().then_some(path)
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().take(ENTRIES_MAX);
    entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

/// Reads a file of the project itself; a link may lead anywhere and is not followed.
fn read(path: &Path) -> Option<String> {
    String::from_utf8(read_plain(path, LOOKED_BYTES_MAX).ok()?).ok()
}

/// The program that a project brings along for its tool, or the tool itself.
fn wrapped(root: &Path, wrapper: &'static str, tool: &'static str) -> &'static str {
    if root.join(wrapper).is_file() { wrapper } else { tool }
}

fn cargo(_: &Path, _: &str) -> Vec<Command> {
    vec![
        Command::new(Subject::Tests, vec!["cargo", "test", "--workspace"]),
        Command::new(
            Subject::Lints,
            vec!["cargo", "clippy", "--workspace", "--all-targets", "--", "-D", "warnings"],
        ),
        Command::new(Subject::Build, vec!["cargo", "build", "--workspace"]),
    ]
}

fn go(_: &Path, _: &str) -> Vec<Command> {
    vec![
        Command::new(Subject::Tests, vec!["go", "test", "./..."]),
        Command::new(Subject::Lints, vec!["go", "vet", "./..."]),
        Command::new(Subject::Build, vec!["go", "build", "./..."]),
    ]
}

fn maven(root: &Path, text: &str) -> Vec<Command> {
    let program = wrapped(root, "./mvnw", "mvn");
    let is_one = !text.contains("<modules>");
    vec![
        Command::with_reports(vec![program, "-B", "test"], "target/surefire-reports", is_one),
        Command::new(Subject::Build, vec![program, "-B", "compile"]),
    ]
}

fn gradle(root: &Path, _: &str) -> Vec<Command> {
    let program = wrapped(root, "./gradlew", "gradle");
    let settings = ["settings.gradle", "settings.gradle.kts"].map(|name| read(&root.join(name)));
    let is_one = !settings.iter().flatten().any(|text| text.contains("include"));
    // Tests that nothing changed for are not run again, and then nothing shows that they pass.
    vec![
        Command::with_reports(vec![program, "cleanTest", "test"], "build/test-results/test", is_one),
        Command::new(Subject::Build, vec![program, "assemble"]),
    ]
}

fn dotnet(_: &Path, _: &str) -> Vec<Command> {
    vec![
        Command::new(Subject::Tests, vec!["dotnet", "test"]),
        Command::new(Subject::Build, vec!["dotnet", "build"]),
    ]
}

fn elixir(_: &Path, _: &str) -> Vec<Command> {
    vec![
        Command::new(Subject::Tests, vec!["mix", "test"]),
        Command::new(Subject::Build, vec!["mix", "compile", "--warnings-as-errors"]),
    ]
}

fn ruby(_: &Path, text: &str) -> Vec<Command> {
    let mut found = vec![match text.contains("rspec") {
        true => Command::new(Subject::Tests, vec!["bundle", "exec", "rspec"]),
        false => Command::new(Subject::Tests, vec!["bundle", "exec", "rake", "test"]),
    }];
    if text.contains("rubocop") {
        found.push(Command::new(Subject::Lints, vec!["bundle", "exec", "rubocop"]));
    }
    found
}

/// Only targets that are there: the others would fail for a reason that says nothing.
fn make(_: &Path, text: &str) -> Vec<Command> {
    /// What stands in one that CMake wrote, which no clone has.
    const OF_CMAKE: &str = "CMAKE generated file";
    let has = |target: &str| {
        text.lines()
            .any(|line| line.strip_prefix(target).is_some_and(|rest| rest.trim_start().starts_with(':')))
    };
    let targets = [(Subject::Tests, "test"), (Subject::Lints, "lint"), (Subject::Build, "build")];
    targets
        .into_iter()
        .filter(|(_, target)| !text.contains(OF_CMAKE) && has(target))
        .map(|(subject, target)| Command::new(subject, vec!["make", target]))
        .collect()
}

/// One command that configures, builds and tests, where the project has tests.
fn cmake(_: &Path, text: &str) -> Vec<Command> {
    let text = text.to_lowercase();
    if !["enable_testing", "include(ctest"].iter().any(|word| text.contains(word)) {
        return Vec::new();
    }
    let mut run = vec!["ctest", "--build-and-test", ".", CMAKE_BUILT, "--build-generator", "Unix Makefiles"];
    run.extend(["--build-noclean", "--test-command", "ctest", "--output-junit", "../junit.xml"]);
    vec![Command::with_junit(run)]
}

/// Says whether a tool writes the file: a lock file, say.
pub(crate) fn is_generated(path: &str) -> bool {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    GENERATED.contains(&name)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn proposals(files: &[(&str, &str)]) -> Vec<Proposal> {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
        propose(folder.path())
    }

    fn proposed(files: &[(&str, &str)]) -> Vec<(Subject, String)> {
        let words = |proposal: Proposal| (proposal.subject, proposal.run.join(" "));
        proposals(files).into_iter().map(words).collect()
    }

    #[test]
    fn a_package_is_asked_for_its_own_scripts() {
        let package =
            r#"{ "scripts": { "test": "echo \"Error: no test specified\" && exit 1", "lint": "eslint ." } }"#;
        assert_eq!(proposed(&[("package.json", package)]), [(Subject::Lints, "npm run lint".to_owned())]);
        assert_eq!(proposed(&[("package.json", "not json")]), []);
    }

    #[test]
    fn the_first_ecosystem_speaks_and_others_fill_in() {
        let found =
            proposed(&[("pyproject.toml", "[tool.ruff]\n"), ("Makefile", "test:\n\tx\nbuild: a\n\ty\n")]);
        let expected = [
            (Subject::Tests, "python3 -m pytest --junitxml .baton/junit.xml"),
            (Subject::Lints, "ruff check ."),
            (Subject::Build, "make build"),
        ];
        assert_eq!(found, expected.map(|(subject, run)| (subject, run.to_owned())));
    }

    #[test]
    fn python_is_tested_with_what_its_tests_are_written_for() {
        const UNITTEST: (&str, &str) = ("tests/test_add.py", "import unittest\n");
        const PYTEST: &str = "python3 -m pytest --junitxml .baton/junit.xml";
        let check = |files: &[(&str, &str)], expected: &str| {
            let found = proposed(files);
            assert_eq!(found.first(), Some(&(Subject::Tests, expected.to_owned())), "{files:?}");
        };
        let (project, plain) = (("pyproject.toml", "[project]\n"), ("requirements.txt", "requests\n"));
        check(&[project, UNITTEST], "python3 -m unittest discover -s tests");
        check(&[plain, UNITTEST], "python3 -m unittest discover -s tests");
        check(&[project, UNITTEST, ("tests/__init__.py", "")], "python3 -m unittest discover");
        check(&[project, ("test_add.py", "from unittest import TestCase\n")], "python3 -m unittest discover");
        // Whatever speaks for pytest counts more: it runs the tests of unittest as well.
        for speaks in [
            ("requirements-dev.txt", "pytest==8\n"),
            ("setup.cfg", "[tool:pytest]\n"),
            ("pytest.ini", "[pytest]\n"),
            ("tests/conftest.py", ""),
        ] {
            check(&[project, UNITTEST, speaks], PYTEST);
        }
        assert_eq!(proposed(&[plain]), [], "it may be there for a script");
        let plain_test = "def test_add():\n    assert True\n";
        check(&[project, ("tests/test_add.py", plain_test)], PYTEST);
        // Files of tests speak for themselves, where nothing else does.
        check(&[("test_add.py", plain_test)], PYTEST);
        check(&[plain, ("tests/test_add.py", plain_test)], PYTEST);
        check(&[("test_add.py", "import unittest\n")], "python3 -m unittest discover");
        let remark = ("test_add.py", "import unittest  # pylint: disable=all\n");
        let tests = (Subject::Tests, "python3 -m unittest discover".to_owned());
        assert_eq!(proposed(&[remark]), [tests], "a remark in a test names no linter");
    }

    /// The first command that is proposed.
    fn first(files: &[(&str, &str)]) -> String {
        proposed(files).into_iter().next().map(|(_, run)| run).unwrap_or_default()
    }

    #[test]
    fn scripts_are_run_by_the_program_that_has_locked_the_dependencies() {
        const PACKAGE: &str = r#"{ "scripts": { "test": "jest", "lint": "eslint ." } }"#;
        for (lock, tests, lints) in [
            ("package-lock.json", "npm test", "npm run lint"),
            ("pnpm-lock.yaml", "pnpm test", "pnpm run lint"),
            ("yarn.lock", "yarn test", "yarn run lint"),
            ("bun.lock", "bun run test", "bun run lint"),
            ("bun.lockb", "bun run test", "bun run lint"),
        ] {
            let found: Vec<String> =
                proposed(&[("package.json", PACKAGE), (lock, "")]).into_iter().map(|(_, run)| run).collect();
            assert_eq!(found, [tests, lints], "{lock}");
        }
        let named = r#"{ "packageManager": "pnpm@9.1.0", "scripts": { "test": "jest" } }"#;
        assert_eq!(first(&[("package.json", named), ("yarn.lock", "")]), "pnpm test");
        let own = first(&[("package.json", r#"{ "scripts": { "test": "node --test" } }"#)]);
        assert!(own.ends_with("--test-reporter=junit --test-reporter-destination .baton/junit.xml"), "{own}");
    }

    #[test]
    fn a_project_that_brings_its_tool_along_is_checked_with_that() {
        assert_eq!(first(&[("pom.xml", ""), ("mvnw", "")]), "./mvnw -B test");
        assert_eq!(first(&[("pom.xml", "")]), "mvn -B test");
        assert_eq!(first(&[("build.gradle.kts", ""), ("gradlew", "")]), "./gradlew cleanTest test");
    }

    #[test]
    fn reports_of_a_project_are_read_where_it_is_one() {
        let reports = |files: &[(&str, &str)]| proposals(files)[0].junit;
        assert_eq!(reports(&[("pom.xml", "<project/>")]), Some("target/surefire-reports"));
        assert_eq!(reports(&[("pom.xml", "<modules><module>a</module></modules>")]), None);
        assert_eq!(reports(&[("build.gradle", "")]), Some("build/test-results/test"));
        let several = [("build.gradle", ""), ("settings.gradle", "include 'a', 'b'\n")];
        assert_eq!(reports(&several), None);
    }

    #[test]
    fn dotnet_php_and_cmake_are_known() {
        for marker in ["Shop.sln", "Shop.slnx", "Shop.csproj", "Shop.fsproj"] {
            assert_eq!(first(&[(marker, "")]), "dotnet test", "{marker}");
        }
        let phpunit = "vendor/bin/phpunit --log-junit .baton/junit.xml";
        let needs = r#"{ "require-dev": { "phpunit/phpunit": "^11" } }"#;
        assert_eq!(first(&[("composer.json", needs)]), phpunit);
        assert_eq!(first(&[("composer.json", "{}"), ("phpunit.xml.dist", "")]), phpunit);
        assert_eq!(first(&[("composer.json", "{}")]), "");
        let ctest = first(&[("CMakeLists.txt", "enable_testing()\n")]);
        assert!(ctest.starts_with("ctest --build-and-test . .baton/build"), "{ctest}");
        assert!(ctest.ends_with("--test-command ctest --output-junit ../junit.xml"), "{ctest}");
        assert_eq!(first(&[("CMakeLists.txt", "project(a C)\n")]), "", "it has no tests");
        let generated = "# CMAKE generated file: DO NOT EDIT!\ntest:\n\tx\n";
        assert_eq!(first(&[("CMakeLists.txt", "enable_testing()\n"), ("Makefile", generated)]), ctest);
        assert_eq!(
            first(&[("CMakeLists.txt", "enable_testing()\n"), ("Makefile", "test:\n\tx\n")]),
            "make test"
        );
    }

    #[test]
    fn a_folder_of_nothing_known_has_no_checks() {
        assert_eq!(proposed(&[("notes.md", "x"), ("Makefile", "tests-all:\n\tx\n")]), []);
    }

    #[test]
    fn every_subject_settles_a_checkpoint_of_a_built_in_workflow() {
        use baton_engine::workflow::{Workflow, built_in_names};
        let known: Vec<String> = built_in_names()
            .filter_map(Workflow::built_in)
            .flat_map(|workflow| workflow.stages)
            .flat_map(|stage| stage.host_checkpoints().map(ToString::to_string).collect::<Vec<_>>())
            .collect();
        for subject in [Subject::Tests, Subject::Lints, Subject::Build] {
            for checkpoint in subject.checkpoints() {
                assert!(known.contains(&(*checkpoint).to_owned()), "{checkpoint}");
            }
        }
    }

    #[test]
    fn what_is_built_is_kept_and_what_is_installed_is_borrowed() {
        let folder = tempfile::tempdir().expect("a folder");
        for marker in ["Cargo.toml", "package.json", "pom.xml"] {
            fs::write(folder.path().join(marker), "").expect("a file");
        }
        let kept = vec!["target".to_owned()];
        let nothing_installed = Furniture { kept: kept.clone(), borrowed: Vec::new() };
        assert_eq!(furniture(folder.path()), nothing_installed);
        fs::create_dir(folder.path().join("node_modules")).expect("a folder");
        assert_eq!(furniture(folder.path()), Furniture { kept, borrowed: vec!["node_modules".to_owned()] });
    }
}
