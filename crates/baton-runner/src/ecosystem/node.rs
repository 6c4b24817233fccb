//! How a package in JavaScript is checked: by the scripts that it names, which are its own words for this.

use std::path::Path;

use serde_json::Value;

use super::{Command, JUNIT_FILE, Subject};

/// What a new package says before anybody has written a test.
const NO_TESTS: &str = "no test specified";
/// The program that comes with Node, and tells what it ran in a file as well.
const OWN_RUNNER: &str = "node --test";
/// Programs that run scripts, with the files that only they write. npm is the one that everybody has.
const MANAGERS: &[(&str, &[&str])] =
    &[("pnpm", &["pnpm-lock.yaml"]), ("yarn", &["yarn.lock"]), ("bun", &["bun.lock", "bun.lockb"])];

pub(super) fn propose(root: &Path, text: &str) -> Vec<Command> {
    let package: Value = serde_json::from_str(text).unwrap_or_default();
    let script = |name: &str| {
        let script = package.pointer(&format!("/scripts/{name}")).and_then(Value::as_str);
        script.filter(|script| !script.contains(NO_TESTS))
    };
    let program = manager(root, &package);
    let mut found = Vec::new();
    match script("test") {
        Some(OWN_RUNNER) => found.push(Command::with_junit(own_runner())),
        // `bun test` is another program than the script of that name.
        Some(_) if program == "bun" => found.push(Command::new(Subject::Tests, vec!["bun", "run", "test"])),
        Some(_) => found.push(Command::new(Subject::Tests, vec![program, "test"])),
        None => {}
    }
    let others = [(Subject::Lints, "lint"), (Subject::Build, "build")];
    let others = others.into_iter().filter(|(_, name)| script(name).is_some());
    found.extend(others.map(|(subject, name)| Command::new(subject, vec![program, "run", name])));
    found
}

/// The program that a package names itself, or that has locked what it depends on.
fn manager(root: &Path, package: &Value) -> &'static str {
    let named = package.pointer("/packageManager").and_then(Value::as_str).unwrap_or_default();
    let is_named = |name: &str| named.split('@').next() == Some(name);
    let has_locked = |locks: &[&str]| locks.iter().any(|lock| root.join(lock).is_file());
    let by_name = MANAGERS.iter().find(|(name, _)| is_named(name));
    let by_lock = || MANAGERS.iter().find(|(_, locks)| !is_named("npm") && has_locked(locks));
    by_name.or_else(by_lock).map_or("npm", |(name, _)| name)
}

fn own_runner() -> Vec<&'static str> {
    let mut run = vec!["node", "--test", "--test-reporter=spec", "--test-reporter-destination=stdout"];
    run.extend(["--test-reporter=junit", "--test-reporter-destination", JUNIT_FILE]);
    run
}
