//! `cargo xtask tokens`: holds the token counter against the reference implementation, or makes its tables anew.

use std::process::Command;

const MANIFEST: &str = "xtask/tokenizer/Cargo.toml";
const TABLES: &str = "crates/baton-engine/src/token";
/// Built apart from the workspace, which needs nothing of it.
const TARGET: &str = "target/tokenizer";

/// Counts every tracked text of this repository and many random ones both ways.
pub(crate) fn check() -> Result<(), String> {
    let listed = Command::new("git")
        .args(["ls-files", "*.rs", "*.md", "*.toml", "*.py"])
        .output()
        .map_err(|error| format!("git ls-files: {error}"))?;
    let names = String::from_utf8_lossy(&listed.stdout);
    run(std::iter::once("check").chain(names.lines()))
}

pub(crate) fn write() -> Result<(), String> {
    run(["write", TABLES].into_iter())
}

fn run<'a>(words: impl Iterator<Item = &'a str>) -> Result<(), String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let ended = Command::new(cargo)
        .args(["run", "--quiet", "--release", "--manifest-path", MANIFEST, "--target-dir", TARGET, "--"])
        .args(words)
        .status()
        .map_err(|error| format!("the tokenizer could not be run: {error}"))?;
    match ended.success() {
        true => Ok(()),
        false => Err("the counts differ, or could not be taken".to_owned()),
    }
}
