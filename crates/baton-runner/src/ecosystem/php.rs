//! How a project in PHP is checked: with what it has installed by Composer.

use std::path::Path;

use super::{Command, JUNIT_FILE, Subject};

const OF_PHPUNIT: &[&str] = &["phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"];
/// Without one of them PHPStan does not know what to look at.
const OF_PHPSTAN: &[&str] = &["phpstan.neon", "phpstan.neon.dist", "phpstan.dist.neon"];

pub(super) fn propose(root: &Path, text: &str) -> Vec<Command> {
    let has = |names: &[&str]| names.iter().any(|name| root.join(name).is_file());
    let tests = |program| Command::with_junit(vec![program, "--log-junit", JUNIT_FILE]);
    let mut found = Vec::new();
    if text.contains("pestphp/pest\"") {
        found.push(tests("vendor/bin/pest"));
    } else if text.contains("phpunit/phpunit\"") || has(OF_PHPUNIT) {
        found.push(tests("vendor/bin/phpunit"));
    }
    if text.contains("phpstan/phpstan\"") && has(OF_PHPSTAN) {
        found.push(Command::new(Subject::Lints, vec!["vendor/bin/phpstan", "analyse", "--no-progress"]));
    }
    found
}
