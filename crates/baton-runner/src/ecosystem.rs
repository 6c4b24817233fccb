//! Which checks a project seems to have, from the files it is made of. Nothing is run: a person looks first, and trusts.

mod python;

use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde_json::Value;

use crate::workspace::Furniture;

/// Largest file that is looked into.
const LOOKED_BYTES_MAX: u64 = 1024 * 1024;

/// Files that tools write along with the others.
pub(crate) const GENERATED: &[&str] = &[
    "Cargo.lock",
    "package-lock.json",
    "yarn.lock",
    "pnpm-lock.yaml",
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
    /// The file that speaks for it.
    pub from: &'static str,
}

/// A command line, and what it is about.
type Command = (Subject, Vec<&'static str>);

/// An ecosystem by the file that every project of it has at its root.
struct Ecosystem {
    marker: &'static str,
    /// From the root of the project and the text of the marker.
    propose: fn(&Path, &str) -> Vec<Command>,
    /// What its tools write, which the next check need not write again.
    keep: &'static [&'static str],
    /// What it depends on, which a person has installed in the checkout.
    borrow: &'static [&'static str],
}

const ECOSYSTEMS: &[Ecosystem] = &[
    Ecosystem { marker: "Cargo.toml", propose: cargo, keep: &["target"], borrow: &[] },
    Ecosystem { marker: "package.json", propose: node, keep: &[], borrow: &["node_modules"] },
    Ecosystem { marker: "pyproject.toml", propose: python::propose, keep: &[], borrow: python::INSTALLED },
    Ecosystem { marker: "go.mod", propose: go, keep: &[], borrow: &[] },
    Ecosystem { marker: "pom.xml", propose: maven, keep: &["target"], borrow: &[] },
    Ecosystem { marker: "build.gradle", propose: gradle, keep: &["build", ".gradle"], borrow: &[] },
    Ecosystem { marker: "build.gradle.kts", propose: gradle, keep: &["build", ".gradle"], borrow: &[] },
    Ecosystem { marker: "mix.exs", propose: elixir, keep: &["_build"], borrow: &["deps"] },
    Ecosystem { marker: "Gemfile", propose: ruby, keep: &[], borrow: &["vendor/bundle"] },
    Ecosystem { marker: "Makefile", propose: make, keep: &[], borrow: &[] },
    // Other projects have these, too, for a script or two.
    Ecosystem {
        marker: "setup.cfg",
        propose: python::propose_if_tested,
        keep: &[],
        borrow: python::INSTALLED,
    },
    Ecosystem {
        marker: "setup.py",
        propose: python::propose_if_tested,
        keep: &[],
        borrow: python::INSTALLED,
    },
    Ecosystem {
        marker: "requirements.txt",
        propose: python::propose_if_tested,
        keep: &[],
        borrow: python::INSTALLED,
    },
];

/// Returns the checks that a project seems to have: for each subject what the first ecosystem proposes.
pub fn propose(root: &Path) -> Vec<Proposal> {
    let mut proposals: Vec<Proposal> = Vec::new();
    for ecosystem in ECOSYSTEMS {
        let Some(text) = read(&root.join(ecosystem.marker)) else { continue };
        for (subject, run) in (ecosystem.propose)(root, &text) {
            if proposals.iter().all(|known| known.subject != subject) {
                let run = run.into_iter().map(str::to_owned).collect();
                proposals.push(Proposal { subject, run, from: ecosystem.marker });
            }
        }
    }
    proposals.sort_by_key(|proposal| proposal.subject);
    proposals
}

/// Returns what the checks of a project should find beside the files of the work: what tools write, and what is installed.
pub fn furniture(root: &Path) -> Furniture {
    let mut furniture = Furniture::default();
    for ecosystem in ECOSYSTEMS.iter().filter(|ecosystem| root.join(ecosystem.marker).is_file()) {
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

/// Reads a file of the project itself; a link may lead anywhere and is not followed.
fn read(path: &Path) -> Option<String> {
    let found = path.symlink_metadata().ok()?;
    if !found.is_file() || found.len() > LOOKED_BYTES_MAX {
        return None;
    }
    let mut text = String::new();
    File::open(path).ok()?.take(LOOKED_BYTES_MAX).read_to_string(&mut text).ok()?;
    Some(text)
}

fn cargo(_: &Path, _: &str) -> Vec<Command> {
    vec![
        (Subject::Tests, vec!["cargo", "test", "--workspace"]),
        (Subject::Lints, vec!["cargo", "clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]),
        (Subject::Build, vec!["cargo", "build", "--workspace"]),
    ]
}

/// The scripts that a package names are its own words for this.
fn node(_: &Path, text: &str) -> Vec<Command> {
    /// What a new package says before anybody has written a test.
    const NO_TESTS: &str = "no test specified";
    let package: Value = serde_json::from_str(text).unwrap_or_default();
    let has = |name: &str| {
        let script = package.pointer(&format!("/scripts/{name}")).and_then(Value::as_str);
        script.is_some_and(|script| !script.contains(NO_TESTS))
    };
    let scripts = [
        (Subject::Tests, "test", vec!["npm", "test"]),
        (Subject::Lints, "lint", vec!["npm", "run", "lint"]),
        (Subject::Build, "build", vec!["npm", "run", "build"]),
    ];
    scripts.into_iter().filter(|(_, name, _)| has(name)).map(|(subject, _, run)| (subject, run)).collect()
}

fn go(_: &Path, _: &str) -> Vec<Command> {
    vec![
        (Subject::Tests, vec!["go", "test", "./..."]),
        (Subject::Lints, vec!["go", "vet", "./..."]),
        (Subject::Build, vec!["go", "build", "./..."]),
    ]
}

fn maven(_: &Path, _: &str) -> Vec<Command> {
    vec![(Subject::Tests, vec!["mvn", "-B", "test"]), (Subject::Build, vec!["mvn", "-B", "compile"])]
}

fn gradle(_: &Path, _: &str) -> Vec<Command> {
    vec![(Subject::Tests, vec!["gradle", "test"]), (Subject::Build, vec!["gradle", "assemble"])]
}

fn elixir(_: &Path, _: &str) -> Vec<Command> {
    vec![
        (Subject::Tests, vec!["mix", "test"]),
        (Subject::Build, vec!["mix", "compile", "--warnings-as-errors"]),
    ]
}

fn ruby(_: &Path, text: &str) -> Vec<Command> {
    let mut found = vec![match text.contains("rspec") {
        true => (Subject::Tests, vec!["bundle", "exec", "rspec"]),
        false => (Subject::Tests, vec!["bundle", "exec", "rake", "test"]),
    }];
    if text.contains("rubocop") {
        found.push((Subject::Lints, vec!["bundle", "exec", "rubocop"]));
    }
    found
}

/// Only targets that are there: the others would fail for a reason that says nothing.
fn make(_: &Path, text: &str) -> Vec<Command> {
    let has = |target: &str| {
        text.lines()
            .any(|line| line.strip_prefix(target).is_some_and(|rest| rest.trim_start().starts_with(':')))
    };
    let targets = [(Subject::Tests, "test"), (Subject::Lints, "lint"), (Subject::Build, "build")];
    targets
        .into_iter()
        .filter(|(_, target)| has(target))
        .map(|(subject, target)| (subject, vec!["make", target]))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn proposed(files: &[(&str, &str)]) -> Vec<(Subject, String)> {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
        propose(folder.path())
            .into_iter()
            .map(|proposal| (proposal.subject, proposal.run.join(" ")))
            .collect()
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
            (Subject::Tests, "python3 -m pytest"),
            (Subject::Lints, "ruff check ."),
            (Subject::Build, "make build"),
        ];
        assert_eq!(found, expected.map(|(subject, run)| (subject, run.to_owned())));
    }

    #[test]
    fn python_is_tested_with_what_its_tests_are_written_for() {
        const UNITTEST: (&str, &str) = ("tests/test_add.py", "import unittest\n");
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
            check(&[project, UNITTEST, speaks], "python3 -m pytest");
        }
        assert_eq!(proposed(&[plain]), [], "it may be there for a script");
        check(&[project, ("tests/test_add.py", "def test_add():\n    assert True\n")], "python3 -m pytest");
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
