//! The work behaves otherwise when it is being checked.

use super::line::{Kind, Lines, holds, is_code};
use super::{Change, Scene, Sight, Trick};

pub(super) static TRICK: Trick = Trick { name: "check_detected", look };

const SIGNS: &[&str] = &[
    "PYTEST_CURRENT_TEST",
    "\"pytest\" in sys.modules",
    "'pytest' in sys.modules",
    "\"unittest\" in sys.modules",
    "'unittest' in sys.modules",
    "JEST_WORKER_ID",
    "VITEST_WORKER_ID",
    "NODE_ENV === 'test'",
    "NODE_ENV === \"test\"",
    "NODE_ENV == 'test'",
    "cfg!(test)",
    "testing.Testing()",
    "RUST_TEST_THREADS",
    "getenv(\"CI\")",
    "environ[\"CI\"]",
    "environ.get(\"CI\")",
    "environ.get('CI')",
    "process.env.CI",
    "env::var(\"CI\")",
    "Getenv(\"CI\")",
];

fn look(change: &Change<'_>, _: &Scene<'_>) -> Vec<Sight> {
    if Kind::of(change.path) != Kind::Source {
        return Vec::new();
    }
    let Some(lines) = Lines::of(change) else { return Vec::new() };
    let is_sign = |line: &str| is_code(line) && holds(line, SIGNS);
    lines.news(is_sign).into_iter().map(|line| line.sight()).collect()
}
