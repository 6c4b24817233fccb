//! The rules of the house that no compiler knows: which room may name which, what a document may say.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Which crates a crate of the workspace may depend on.
const ROOMS: &[(&str, &[&str])] = &[
    ("baton-handoff", &[]),
    ("baton-engine", &["baton-handoff"]),
    ("baton-evidence", &["baton-handoff"]),
    ("baton-store", &["baton-handoff", "baton-engine"]),
    ("baton-runner", &["baton-handoff", "baton-engine", "baton-evidence", "baton-store"]),
    ("baton-cli", &["baton-handoff", "baton-runner"]),
    ("baton-testkit", &["baton-handoff", "baton-engine", "baton-store", "baton-runner"]),
];
/// Longest file of Rust in lines; tables of words are allowed more.
const RUST_LINES_MAX: usize = 500;
/// Longest line of a document in characters. Tables, blocks of code, comments and single words cannot be broken.
const DOCUMENT_CHARACTERS_MAX: usize = 120;
/// What is written by a test, byte for byte.
const GOLDEN: &str = "/golden/";

/// How a file is opened that may be a pipe or a device by then. `file::read_plain` waits for neither.
const OPENINGS: &[&str] = &["fs::read(", "fs::read_to_string(", "File::open("];
/// Who may open files so: what they read is written by the system, by Baton alone, or is named by a person.
const OPENERS: &[&str] = &[
    "crates/baton-cli/src/format/audit.rs",
    "crates/baton-runner/src/audit/baseline.rs",
    "crates/baton-runner/src/file.rs",
    "crates/baton-runner/src/git/advance.rs",
    "crates/baton-runner/src/git/bundle.rs",
    "crates/baton-runner/src/git/join.rs",
    "crates/baton-runner/src/git/own_dir.rs",
    "crates/baton-runner/src/init.rs",
    "crates/baton-runner/src/init/record.rs",
    "crates/baton-runner/src/init/setup.rs",
    "crates/baton-runner/src/scratch.rs",
    "crates/baton-runner/src/supervise/descendants.rs",
    "crates/baton-runner/src/supervise/keeper/cgroup.rs",
    "crates/baton-runner/src/supervise/memory.rs",
    "crates/baton-runner/src/supervise/orphan.rs",
    "crates/baton-runner/src/supervise/within.rs",
    "crates/baton-runner/src/workspace/keeping.rs",
    "crates/baton-runner/src/workspace/rescue.rs",
];

pub(crate) fn run() -> Result<(), String> {
    let mut wrong = Vec::new();
    rooms(&mut wrong);
    architecture(&mut wrong);
    let files = tracked_files()?;
    for file in &files {
        let Ok(text) = fs::read_to_string(file) else { continue };
        lines(file, &text, &mut wrong);
        document(&file.display().to_string(), &text, &mut wrong);
        openings(&file.display().to_string(), &text, &mut wrong);
    }
    match wrong.is_empty() {
        true => {
            println!("{} files keep the rules of the house", files.len());
            Ok(())
        }
        false => Err(format!("\n{}", wrong.join("\n"))),
    }
}

/// A crate names only crates to its left.
fn rooms(wrong: &mut Vec<String>) {
    for (room, allowed) in ROOMS {
        let manifest = fs::read_to_string(format!("crates/{room}/Cargo.toml")).unwrap_or_default();
        let dependencies = manifest.split("[dependencies]").nth(1).unwrap_or_default();
        let dependencies = dependencies.split("\n[").next().unwrap_or_default();
        for line in dependencies.lines().filter(|line| line.starts_with("baton-")) {
            let name = line.split(['.', ' ', '=']).next().unwrap_or_default();
            if !allowed.contains(&name) {
                wrong.push(format!("crates/{room}: may not depend on {name}"));
            }
        }
        if let Some(versioned) = dependencies.lines().find(|line| line.contains("version =")) {
            wrong.push(format!("crates/{room}: versions belong into the root manifest: {versioned}"));
        }
    }
}

/// Every path that the architecture page names is there.
fn architecture(wrong: &mut Vec<String>) {
    for page in ["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md"] {
        let text = fs::read_to_string(page).unwrap_or_default();
        if text.is_empty() {
            wrong.push(format!("{page} is missing"));
        }
        for name in text.split('`').skip(1).step_by(2) {
            let is_path = ["crates/", "docs/", "specs/", "xtask/", "benches/"]
                .iter()
                .any(|root| name.starts_with(root));
            if is_path && !name.contains(['*', '{', '<', ' ']) && !Path::new(name).exists() {
                wrong.push(format!("{page} names {name}, which is not there"));
            }
        }
    }
}

fn tracked_files() -> Result<Vec<PathBuf>, String> {
    let out = Command::new("git")
        .args(["ls-files", "-z"])
        .output()
        .map_err(|error| format!("git ls-files: {error}"))?;
    let names = String::from_utf8_lossy(&out.stdout);
    Ok(names.split('\0').filter(|name| !name.is_empty()).map(PathBuf::from).collect())
}

/// What agents, checks and repositories can write is read in one way only. Tests read what they like.
fn openings(name: &str, text: &str, wrong: &mut Vec<String>) {
    let is_bound =
        ["crates/baton-cli/src/", "crates/baton-runner/src/"].iter().any(|room| name.starts_with(room));
    if !is_bound || OPENERS.contains(&name) || name.ends_with("/tests.rs") || name.contains("/tests/") {
        return;
    }
    let own = text.lines().enumerate().take_while(|(_, line)| !line.starts_with("mod tests {"));
    for (number, line) in own.filter(|(_, line)| OPENINGS.iter().any(|opening| line.contains(opening))) {
        wrong.push(format!(
            "{name}:{}: `file::read_plain` reads what others can write: {}",
            number + 1,
            line.trim()
        ));
    }
}

/// A document can be read in a window of ordinary width.
fn document(name: &str, text: &str, wrong: &mut Vec<String>) {
    if !name.ends_with(".md") || name.contains(GOLDEN) {
        return;
    }
    let mut fence = None;
    for (number, line) in text.lines().enumerate() {
        let start = line.trim_start();
        let mark = start.chars().next().filter(|mark| "`~".contains(*mark));
        let count = mark.map_or(0, |mark| start.len() - start.trim_start_matches(mark).len());
        match fence {
            None if count >= 3 => fence = Some((mark, count)),
            Some((open, least)) if mark == open && count >= least && start.len() == count => fence = None,
            None | Some(_) => {}
        }
        let is_whole = ["|", "<!--", "#"].iter().any(|mark| start.starts_with(mark)) || !start.contains(' ');
        if fence.is_none() && !is_whole && line.chars().count() > DOCUMENT_CHARACTERS_MAX {
            wrong.push(format!("{name}:{}: more than {DOCUMENT_CHARACTERS_MAX} characters", number + 1));
        }
    }
}

fn lines(file: &Path, text: &str, wrong: &mut Vec<String>) {
    let name = file.display().to_string();
    if name == "Cargo.lock" || name.ends_with("package-lock.json") {
        return;
    }
    let is_rust = name.ends_with(".rs");
    if is_rust && text.lines().count() > RUST_LINES_MAX {
        wrong.push(format!("{name}: more than {RUST_LINES_MAX} lines; is it one idea?"));
    }
    for (number, line) in text.lines().enumerate() {
        let place = || format!("{name}:{}", number + 1);
        let attribute = line.trim_start().strip_prefix("#[").unwrap_or_default();
        if is_rust && (attribute.starts_with("ignore") || attribute.starts_with("should_panic")) {
            wrong.push(format!("{}: a test is run, and says what it expects", place()));
        }
        if line.ends_with([' ', '\t']) && is_rust {
            wrong.push(format!("{}: blanks at the end of the line", place()));
        }
    }
    if !text.is_empty() && !text.ends_with('\n') {
        wrong.push(format!("{name}: the last line has no end"));
    }
}
