//! What a check runs is followed to where it is said; what it only reads is the work.

use super::*;

pub(super) type File = (&'static str, &'static str);

/// Writes files that did not change, and looks at a change of others.
#[track_caller]
pub(super) fn seen(
    run: &[&str],
    unchanged: &[File],
    changes: &[(&str, Option<&str>, Option<&str>)],
) -> Vec<String> {
    let root = tempfile::tempdir().expect("a folder");
    for (path, text) in unchanged {
        let path = root.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }
    let changes: Vec<Change<'_>> =
        changes.iter().map(|(path, before, after)| changed(path, *before, *after)).collect();
    let scope = Scope {
        commands: vec![run.iter().map(|word| (*word).to_owned()).collect()],
        root: Some(root.path().to_owned()),
        ..Scope::default()
    };
    look(&changes, &scope).iter().map(|sighting| format!("{} {}", sighting.trick, sighting.path)).collect()
}

const PASSES: Option<&str> = Some("#!/bin/sh\nexit 0\n");

#[test]
fn a_script_that_a_check_runs_is_the_check() {
    let one = |run: &[&str], path: &str| seen(run, &[], &[(path, None, PASSES)]);
    for (run, path) in [
        (&["./check.sh"][..], "check.sh"),
        (&["sh", "tools/check.sh", "fast"], "tools/check.sh"),
        (&["env", "A=b", "timeout", "10", "bash", "-e", "check.sh"], "check.sh"),
        (&["sh", "-c", "cd tools && ./check.sh"], "tools/check.sh"),
        (&["python3", "check.py"], "check.py"),
        (&["python3", "-m", "unittest"], "unittest.py"),
        (&["python3", "-m", "unittest", "-v"], "unittest/__init__.py"),
        (&["python3", "-m", "tools.check"], "tools/check.py"),
        (&["python3", "-m", "pytest"], "argparse.py"),
        (&["pytest"], "pytest.py"),
        (&["npx", "jest"], "node_modules/.bin/jest"),
    ] {
        assert_eq!(one(run, path), [format!("check_edited {path}")], "{run:?}");
    }
    // What is read, or whose output is looked at, is the work.
    for (run, path) in [
        (&["grep", "-q", "done", "work"][..], "work"),
        (&["sh", "-c", "./greet | grep -q hello"], "greet"),
        (&["sh", "-c", "[ \"$(./greet)\" = hello ]"], "greet"),
        (&["sh", "-c", "./greet > out; diff out wanted"], "greet"),
        (&["python3", "-m", "unittest", "discover"], "src/unittest_helper"),
        (&["cargo", "test"], "src/check"),
    ] {
        assert!(one(run, path).is_empty(), "{run:?} {path}: {:?}", one(run, path));
    }
}

#[test]
fn a_script_is_followed_to_what_it_calls() {
    let check = (
        "check.sh",
        "#!/bin/sh\nset -e\n. \"$(dirname \"$0\")/lib/common.sh\"\nif ! sh scripts/inner.sh; then exit 1; fi\n",
    );
    let inner = ("scripts/inner.sh", "make -s test\n");
    let make = ("Makefile", "test:\n\t./really.sh\n");
    for path in ["lib/common.sh", "really.sh"] {
        let found = seen(&["./check.sh"], &[check, inner, make], &[(path, Some("exit 1\n"), PASSES)]);
        assert_eq!(found, [format!("check_edited {path}")]);
    }
    let found = seen(&["./check.sh"], &[check], &[("scripts/inner.sh", Some("exit 1\n"), PASSES)]);
    assert_eq!(found, ["check_edited scripts/inner.sh"]);
    let found = seen(&["./check.sh"], &[check, inner], &[("scripts/other.sh", Some("exit 1\n"), PASSES)]);
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn a_target_of_make_is_compared_with_what_it_was() {
    let before =
        Some(".PHONY: test\nCHECK = ./check.sh\ntest: build\n\t$(CHECK)\nbuild:\n\tcc a.c\nother:\n\techo\n");
    let one = |after: &'static str| seen(&["make", "test"], &[], &[("Makefile", before, Some(after))]);
    for cheat in [
        ".PHONY: test\nCHECK = ./check.sh\ntest: build\n\ttrue\nbuild:\n\tcc a.c\n",
        ".PHONY: test\nCHECK = true\ntest: build\n\t$(CHECK)\nbuild:\n\tcc a.c\n",
        ".PHONY: test\nCHECK = ./check.sh\nSHELL = /bin/true\ntest: build\n\t$(CHECK)\nbuild:\n\tcc a.c\n",
        ".PHONY: test\nCHECK = ./check.sh\ntest: build\n\t$(CHECK)\nbuild:\n\tcc a.c\ntest:\n\t@echo ok\n",
        "CHECK = ./check.sh\ntest: build\n\t$(CHECK)\nbuild:\n\tcc a.c\n",
        "other:\n\techo\n",
    ] {
        assert!(one(cheat).contains(&"runner_changed Makefile".to_owned()), "{cheat}");
    }
    let honest = ".PHONY: test lint\nCHECK = ./check.sh\nLINT = lint\n# says more\ntest: build\n\t$(CHECK)\nlint:\n\t$(LINT)\nbuild:\n\tcc a.c\nother:\n\techo two\n";
    assert!(one(honest).is_empty(), "{:?}", one(honest));
}

#[test]
fn a_file_that_make_takes_first_is_seen() {
    let make = ("Makefile", "include more.mk\ntest:\n\t./check.sh\n");
    let found = seen(&["make", "test"], &[make], &[("GNUmakefile", None, Some("test:\n\ttrue\n"))]);
    assert_eq!(found, ["runner_changed GNUmakefile"]);
    let found = seen(&["make", "test"], &[make], &[("more.mk", Some(""), Some("test: SHELL = /bin/true\n"))]);
    assert_eq!(found, ["runner_changed more.mk"]);
    let found = seen(&["make", "test"], &[make], &[("test", None, Some(""))]);
    assert_eq!(found, ["check_edited test"]);
    let found = seen(&["make", "test"], &[make, ("test/old.py", "")], &[("test/new.py", None, Some(""))]);
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn a_recipe_of_just_is_compared_with_what_it_was() {
    let before = Some("check := './check.sh'\ntest:\n    {{check}}\n");
    let one = |after: &'static str| seen(&["just", "test"], &[], &[("justfile", before, Some(after))]);
    assert_eq!(one("check := 'true'\ntest:\n    {{check}}\n"), ["runner_changed justfile"]);
    assert!(one("check := './check.sh'\ntest:\n    {{check}}\nlint:\n    lint\n").is_empty());
}

#[test]
fn a_script_of_a_manifest_is_compared_with_what_it_was() {
    let before = Some(
        "{\n  \"scripts\": {\n    \"check\": \"npm run unit\",\n    \"unit\": \"node run.js\"\n  }\n}\n",
    );
    let one =
        |after: &'static str| seen(&["npm", "run", "check"], &[], &[("package.json", before, Some(after))]);
    for cheat in [
        "{\n  \"scripts\": {\n    \"check\": \"true\",\n    \"unit\": \"node run.js\"\n  }\n}\n",
        "{\n  \"scripts\": {\n    \"check\": \"npm run unit\",\n    \"unit\": \"true\"\n  }\n}\n",
        "{\n  \"scripts\": {\n    \"check\": \"npm run unit\",\n    \"unit\": \"node run.js\",\n    \"preunit\": \"rm -r tests\"\n  }\n}\n",
        "{}\n",
    ] {
        assert_eq!(one(cheat).first().map(String::as_str), Some("runner_changed package.json"), "{cheat}");
    }
    let honest = "{\n  \"scripts\": {\n    \"check\": \"npm run unit\",\n    \"unit\": \"node run.js\",\n    \"docs\": \"typedoc\"\n  },\n  \"dependencies\": {\n    \"a\": \"1\"\n  }\n}\n";
    assert!(one(honest).is_empty(), "{:?}", one(honest));
    let found = seen(
        &["npm", "test"],
        &[("package.json", "{}")],
        &[(".npmrc", None, Some("script-shell=/bin/true\n"))],
    );
    assert_eq!(found, ["runner_changed .npmrc"]);
}

#[test]
fn settings_that_a_check_reads_may_not_be_planted() {
    let found = seen(&["pytest"], &[], &[("pytest.ini", None, Some("[pytest]\naddopts = --co\n"))]);
    assert_eq!(found, ["runner_changed pytest.ini"]);
    let found = seen(&["pytest"], &[], &[("pyproject.toml", None, Some("[project]\nname = \"a\"\n"))]);
    assert!(found.is_empty(), "{found:?}");
    let found = seen(&["cargo", "test"], &[], &[("pytest.ini", None, Some("[pytest]\n"))]);
    assert!(found.is_empty(), "{found:?}");
    let found = seen(
        &["cargo", "test"],
        &[],
        &[(".cargo/config.toml", None, Some("[target.x]\nrunner = \"true\"\n"))],
    );
    assert_eq!(found, ["runner_changed .cargo/config.toml"]);
}

#[test]
fn a_script_that_bun_runs_is_followed() {
    let before = Some("{\n  \"scripts\": {\n    \"test\": \"node run.js\"\n  }\n}\n");
    let after = Some("{\n  \"scripts\": {\n    \"test\": \"true\"\n  }\n}\n");
    let found = seen(&["bun", "run", "test"], &[], &[("package.json", before, after)]);
    assert!(found.contains(&"runner_changed package.json".to_owned()), "{found:?}");
    let package = ("package.json", "{ \"scripts\": { \"test\": \"sh check.sh\" } }");
    let found = seen(&["bun", "run", "test"], &[package], &[("check.sh", Some("exit 1\n"), PASSES)]);
    assert_eq!(found, ["check_edited check.sh"]);
    for run in [&["bun", "run", "./check.ts"][..], &["bun", "check.ts"], &["bun", "run", "check.ts"]] {
        assert_eq!(seen(run, &[], &[("check.ts", Some("a\n"), Some("b\n"))]), ["check_edited check.ts"]);
    }
    let own = seen(&["bun", "test"], &[package], &[("check.sh", Some("exit 1\n"), PASSES)]);
    assert!(own.is_empty(), "its own runner reads no script: {own:?}");
}
