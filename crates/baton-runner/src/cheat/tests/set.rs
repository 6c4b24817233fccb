//! Settings of the tools that checks run, and marks that silence lints.

use super::reached::seen;

#[track_caller]
fn check(run: &[&str], path: &str, (before, after): (Option<&str>, &str), expected: &[&str]) {
    let found = seen(run, &[], &[(path, before, Some(after))]);
    let expected: Vec<String> = expected.iter().map(|trick| format!("{trick} {path}")).collect();
    assert_eq!(found, expected, "{run:?} {path}\n{after}");
}

const MANIFEST: &str = "[package]\nname = \"x\"\n\n[[test]]\nname = \"it\"\npath = \"tests/it.rs\"\n";

#[test]
fn a_manifest_that_leaves_tests_out_is_seen() {
    let cargo = &["cargo", "test"][..];
    for after in [
        format!("{MANIFEST}harness=false\n"),
        format!("{MANIFEST}required-features = [\"slow\"]\n"),
        format!("{MANIFEST}\n[lib]\ntest=false\n"),
        MANIFEST.replace("tests/it.rs", "tests/easy.rs"),
        MANIFEST.replace("name = \"x\"", "name = \"x\"\nautotests  =  false"),
        format!("{MANIFEST}\n[lints.clippy]\nall = \"allow\"\n"),
        format!("{MANIFEST}\n[workspace]\ndefault-members = [\"easy\"]\n"),
    ] {
        check(cargo, "Cargo.toml", (Some(MANIFEST), &after), &["runner_changed"]);
    }
    for honest in [
        format!("{MANIFEST}\n[dependencies]\ntest = \"1\"\n"),
        format!("{MANIFEST}\n[[bin]]\nname = \"y\"\npath = \"src/y.rs\"\nrequired-features = [\"cli\"]\n"),
    ] {
        check(cargo, "Cargo.toml", (Some(MANIFEST), &honest), &[]);
    }
    check(cargo, "new/Cargo.toml", (None, "[lib]\ndoctest = false\n"), &[]);
}

#[test]
fn another_program_for_cargo_is_seen() {
    for after in [
        "[build]\nrustc=\"tools/rustc\"\n",
        "[build]\nrustc-workspace-wrapper = \"tools/w\"\n",
        "[target.x86_64-unknown-linux-gnu]\nlinker = \"tools/ld\"\n",
        "[env]\nRUSTC_WORKSPACE_WRAPPER = \"tools/w\"\n",
        "[build]\nrustflags = [\"--cfg\", \"easy\"]\n",
        "alias.test = \"version\"\n",
    ] {
        check(&["cargo", "test"], ".cargo/config.toml", (None, after), &["runner_changed"]);
    }
    check(&["cargo", "test"], ".cargo/config.toml", (None, "[net]\ngit-fetch-with-cli = true\n"), &[]);
    let toolchain = "rust-toolchain.toml";
    check(&["cargo", "test"], toolchain, (None, "[toolchain]\npath = \"tools/tc\"\n"), &["runner_changed"]);
    check(&["cargo", "test"], toolchain, (None, "[toolchain]\nchannel = \"1.95\"\n"), &[]);
    let nextest = &["cargo", "nextest", "run"][..];
    check(nextest, ".config/nextest.toml", (None, "[profile.default]\nretries = 99\n"), &["runner_changed"]);
}

#[test]
fn settings_of_a_tool_that_a_check_runs_are_seen() {
    let jest = "module.exports = {\n  testEnvironment: 'node',\n}\n";
    for key in [
        "roots: ['easy'],",
        "setupFiles: ['./patch.js'],",
        "moduleNameMapper: { a: 'b' },",
        "runner: './r.js',",
    ] {
        let after = jest.replace("\n}", &format!("\n  {key}\n}}"));
        check(&["npx", "jest"], "jest.config.js", (Some(jest), &after), &["runner_changed"]);
        check(&["cargo", "test"], "jest.config.js", (Some(jest), &after), &[]);
    }
    check(&["npx", "jest"], "jest.config.js", (Some(jest), &jest.replace("'node'", "'jsdom'")), &[]);
    for (run, path, after) in [
        (&["npx", "mocha"][..], ".mocharc.json", "{\"spec\": \"easy.js\"}\n"),
        (&["npx", "vitest", "run"], "vitest.workspace.js", "export default []\n"),
        (&["ruff", "check", "."], "ruff.toml", "exclude = [\"*\"]\n"),
        (&["mypy", "."], "mypy.ini", "[mypy]\nexclude = .*\n"),
        (&["npx", "eslint", "."], ".eslintignore", "a.js\n"),
        (&["tox"], "tox.ini", "[testenv]\ncommands = true\n"),
    ] {
        check(run, path, (None, after), &["runner_changed"]);
    }
    let suite = "<phpunit>\n  <testsuite name=\"all\">\n    <directory>tests</directory>\n  </testsuite>\n</phpunit>\n";
    let fewer = suite.replace("    <directory", "    <exclude>tests/Hard</exclude>\n    <directory");
    for (run, path) in [
        ("vendor/bin/phpunit", "phpunit.xml"),
        ("vendor/bin/phpunit", "phpunit.xml.dist"),
        ("vendor/bin/pest", "phpunit.dist.xml"),
    ] {
        check(&[run], path, (Some(suite), &fewer), &["runner_changed"]);
        check(&[run], path, (Some(suite), &suite.replace(">tests<", ">tests/Easy<")), &["runner_changed"]);
        let emptied = suite.replace("    <directory>tests</directory>\n", "");
        check(&[run], path, (Some(suite), &emptied), &["runner_changed"]);
        check(&[run], path, (Some(suite), &suite.replace("<phpunit>", "<phpunit colors=\"true\">")), &[]);
        check(&["cargo", "test"], path, (Some(suite), &fewer), &[]);
    }
    let strict = "{\n  \"compilerOptions\": {\n    \"strict\": true\n  }\n}\n";
    let loose = strict.replace("true", "false");
    check(&["npx", "tsc", "--noEmit"], "tsconfig.json", (Some(strict), &loose), &["runner_changed"]);
    check(&["npx", "tsc", "--noEmit"], "tsconfig.json", (Some(&loose), strict), &[]);
    let (off, error) = ("{ rules: {\n  'no-var': 'off'\n} }\n", "{ rules: {\n  'no-var': 'error'\n} }\n");
    check(&["npx", "eslint", "."], "eslint.config.js", (Some(error), off), &["runner_changed"]);
    check(&["npx", "eslint", "."], "eslint.config.js", (Some(off), error), &[]);
    let tests = "enable_testing()\nadd_test(NAME adds COMMAND adds)\n";
    check(&["ctest"], "CMakeLists.txt", (Some(tests), "enable_testing()\n"), &["runner_changed"]);
    let fails = format!("{tests}set_tests_properties(adds PROPERTIES WILL_FAIL TRUE)\n");
    check(&["ctest"], "CMakeLists.txt", (Some(tests), &fails), &["runner_changed"]);
    let more = format!("{tests}add_test(NAME more COMMAND more)\n");
    check(&["ctest"], "CMakeLists.txt", (Some(tests), &more), &[]);
}

#[test]
fn a_lint_that_is_silenced_for_a_file_is_seen_where_a_check_runs_it() {
    for (run, path, mark) in [
        (&["npx", "tsc", "--noEmit"][..], "a.ts", "// @ts-nocheck"),
        (&["npx", "eslint", "."], "a.js", "/* eslint-disable */"),
        (&["ruff", "check", "."], "add.py", "# ruff: noqa"),
        (&["mypy", "."], "add.py", "# mypy: ignore-errors"),
        (&["cargo", "clippy", "--", "-D", "warnings"], "src/lib.rs", "#![allow(warnings, clippy::all)]"),
    ] {
        let after = format!("{mark}\nx = 1\n");
        check(run, path, (Some("x = 1\n"), &after), &["failure_swallowed"]);
        check(&["make", "test"], path, (Some("x = 1\n"), &after), &[]);
    }
    let one = "// eslint-disable-next-line no-console\nlog(1)\n";
    check(&["npx", "eslint", "."], "a.js", (Some("log(1)\n"), one), &[]);
    check(&["ruff", "check", "."], "a.py", (Some("x = 1\n"), "x = 1  # noqa: E501\n"), &[]);
}
