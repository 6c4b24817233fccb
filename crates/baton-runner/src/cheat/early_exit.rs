//! A program that ends itself with success before the checks have seen anything.

use super::line::{Kind, Lines, holds, is_code};
use super::{Change, Scene, Sight, Trick, neutralised, source_exit};

pub(super) static TRICK: Trick = Trick { name: "early_exit", look };

/// Without blanks.
const EXITS: &[&str] = &[
    "process.exit(0)",
    "sys.exit(0)",
    "sys.exit()",
    "os._exit(0)",
    "process::exit(0)",
    "os.Exit(0)",
    "System.exit(0)",
    "Environment.Exit(0)",
    "exit!(0)",
    "raiseSystemExit(0)",
    "raiseSystemExit()",
    "os.execv",
    "os.execl",
    "os.kill(os.getpid()",
    "pytest.exit(",
    "session.exitstatus=",
];

fn look(change: &Change<'_>, lines: Option<&Lines>, _: &Scene<'_>) -> Vec<Sight> {
    let Some(lines) = lines else { return Vec::new() };
    if Kind::of(change.path) != Kind::Test {
        return source_exit::sights(change, lines);
    }
    let is_exit = |line: &str| {
        let dense: String = line.chars().filter(|character| !character.is_whitespace()).collect();
        is_code(line) && (holds(&dense, EXITS) || dense == "raiseSystemExit")
    };
    let mut seen: Vec<Sight> = lines.news(is_exit).into_iter().map(|line| line.sight()).collect();
    seen.extend(neutralised::left_early(change, lines));
    seen
}
