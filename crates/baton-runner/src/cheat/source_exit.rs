//! Code under test that ends the program with success as soon as it is loaded or called.

use super::line::{Kind, Lines, is_code, text};
use super::{Change, Sight};

/// Names of files that are programs and may end as they like.
const PROGRAMS: &[&str] =
    &["bin", "build", "cli", "command", "commands", "main", "run", "script", "scripts", "server"];

/// Returns the exits that are new in a module that had none.
pub(super) fn sights(change: &Change<'_>, lines: &Lines) -> Vec<Sight> {
    if Kind::of(change.path) != Kind::Source || is_program(change.path) {
        return Vec::new();
    }
    let (Some(before), Some(after)) = (text(change.before), text(change.after)) else { return Vec::new() };
    let ending = change.path.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_exit: fn(&str) -> bool = match ending {
        // Whoever forks has to leave the child in this way.
        "py" if !after.contains("fork") => |line| line.contains("os._exit") || is_no_exit(line),
        "js" | "cjs" | "mjs" | "ts" if is_module(&before) && !is_guarded(&after) => {
            |line| line.starts_with("process.exit(0)") || line.starts_with("process.exit()")
        }
        "rs" => |line| line.contains("process::exit(0)"),
        "go" if !after.contains("package main") => |line| line.contains("os.Exit(0)"),
        _ => return Vec::new(),
    };
    let had_one = before.lines().any(is_exit);
    let news = lines.news(|line| is_code(line) && !had_one && is_exit(line));
    news.into_iter().map(|line| line.sight()).collect()
}

/// Takes away the way in which a runner ends with a failure: `sys.exit = lambda code: None`
fn is_no_exit(line: &str) -> bool {
    let rest = line.trim_start().strip_prefix("sys.exit").map(str::trim_start);
    rest.and_then(|rest| rest.strip_prefix('=')).is_some_and(|rest| !rest.starts_with('='))
}

pub(super) fn is_program(path: &str) -> bool {
    let path = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    path.split('/').any(|part| PROGRAMS.contains(&part.trim_matches('_')))
}

fn is_module(text: &str) -> bool {
    !text.starts_with("#!") && (text.contains("module.exports") || text.contains("export "))
}

fn is_guarded(text: &str) -> bool {
    text.contains("require.main") || text.contains("import.meta")
}
