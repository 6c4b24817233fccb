//! Which program a command line means, so that a receipt says with what something was checked.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::sandbox::Confinement;
use crate::scratch::Scratch;
use crate::supervise::{self, How, environment};

/// Larger programs are known by their size alone.
const HASHED_BYTES_MAX: u64 = 64 * 1024 * 1024;
const VERSION_CHARS_MAX: usize = 200;
const VERSION_TIME_MAX: Duration = Duration::from_secs(20);
/// More descriptions than this are not remembered.
const KNOWN_MAX: usize = 256;
/// Longest manifest of a package that is read.
const MANIFEST_BYTES_MAX: u64 = 256 * 1024;
const SHEBANG_BYTES_MAX: u64 = 256;
const PYTHONS: &[&str] = &["python", "python3"];
/// Modules that are tools, and say their version when asked.
const MODULES: &[&str] =
    &["black", "coverage", "flake8", "mypy", "nox", "pylint", "pyright", "pytest", "ruff", "tox"];
/// Programs that run a package of the project.
const PACKAGE_RUNNERS: &[&str] = &["bunx", "npx", "pnpm", "yarn"];
/// Programs that say their version and do nothing else when asked; any other could do anything.
const ASKED: &[(&str, &str)] = &[
    ("bun", "--version"),
    ("bundle", "--version"),
    ("cargo", "--version"),
    ("cmake", "--version"),
    ("composer", "--version"),
    ("deno", "--version"),
    ("dotnet", "--version"),
    ("go", "version"),
    ("make", "--version"),
    ("mvn", "--version"),
    ("node", "--version"),
    ("npm", "--version"),
    ("php", "--version"),
    ("pnpm", "--version"),
    ("pytest", "--version"),
    ("python", "--version"),
    ("python3", "--version"),
    ("ruby", "--version"),
    ("uv", "--version"),
    ("yarn", "--version"),
];

/// What was found out before, by program, its size and time, and the folder that may choose a version.
static KNOWN: Mutex<BTreeMap<Key, Value>> = Mutex::new(BTreeMap::new());

type Key = (PathBuf, u64, Option<std::time::SystemTime>, PathBuf);

/// Returns where the program of a command line lies, what it is, and which version it says it has; and the same of what it
/// runs in turn: a module, a package, or the interpreter of a script.
pub(crate) fn described(argv: &[String], folder: &Path) -> Value {
    let Some(name) = argv.first() else { return Value::Null };
    let mut described = program(name, folder);
    if let (Value::Object(fields), Some(runs)) = (&mut described, runs(argv, folder)) {
        fields.insert("runs".to_owned(), runs);
    }
    described
}

fn runs(argv: &[String], folder: &Path) -> Option<Value> {
    let words: Vec<&str> = argv.iter().map(String::as_str).collect();
    match words.as_slice() {
        [python, "-m", module, ..] if PYTHONS.contains(python) && MODULES.contains(module) => {
            Some(json!({ "module": module, "version": module_version(python, module, folder) }))
        }
        [runner, package, ..] | [runner, "exec" | "dlx", package, ..]
            if PACKAGE_RUNNERS.contains(runner) && is_package(package) =>
        {
            Some(json!({ "package": package, "version": package_version(package, folder) }))
        }
        [script, ..] if script.contains('/') => Some(
            json!({ "interpreter": program(&interpreter(&environment::find(OsStr::new(script), folder)?)?, folder) }),
        ),
        _ => None,
    }
}

fn program(name: &str, folder: &Path) -> Value {
    let Some(path) = environment::find(OsStr::new(name), folder) else { return Value::Null };
    let Ok(facts) = fs::metadata(&path) else { return Value::Null };
    let key = (path.clone(), facts.len(), facts.modified().ok(), folder.to_owned());
    if let Some(known) = KNOWN.lock().ok().and_then(|known| known.get(&key).cloned()) {
        return known;
    }
    let described = json!({
        "path": path.display().to_string(),
        "bytes": facts.len(),
        "sha256": hash(&path, facts.len()),
        "version": version(name, folder),
    });
    if let Ok(mut known) = KNOWN.lock() {
        if known.len() >= KNOWN_MAX {
            known.clear();
        }
        known.insert(key, described.clone());
    }
    described
}

fn hash(path: &Path, bytes: u64) -> Option<String> {
    if bytes > HASHED_BYTES_MAX {
        return None;
    }
    let mut content = Vec::new();
    File::open(path).ok()?.take(HASHED_BYTES_MAX).read_to_end(&mut content).ok()?;
    Some(Sha256::digest(&content).iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Asks a program that is known to only answer, and that no repository brought.
fn version(name: &str, folder: &Path) -> Option<String> {
    let is_outside =
        !name.contains('/') || Path::new(name).is_absolute() && !Path::new(name).starts_with(folder);
    let short = Path::new(name).file_name()?.to_str().filter(|_| is_outside)?;
    let (_, word) = ASKED.iter().find(|(known, _)| *known == short)?;
    asked(&[name.to_owned(), (*word).to_owned()], folder)
}

/// Asks for the version of a module in a folder where nothing is, so that nothing of the repository is run for it.
fn module_version(python: &str, module: &str, folder: &Path) -> Option<String> {
    let python = environment::find(OsStr::new(python), folder)?;
    let empty = Scratch::new().ok()?;
    let words = [python.to_str()?, "-m", module, "--version"].map(str::to_owned);
    asked(&words, empty.path())
}

/// Returns what an installed package says of itself; nothing is run.
fn package_version(package: &str, folder: &Path) -> Option<String> {
    let mut text = String::new();
    let manifest = folder.join("node_modules").join(package).join("package.json");
    File::open(manifest).ok()?.take(MANIFEST_BYTES_MAX).read_to_string(&mut text).ok()?;
    let manifest: Value = serde_json::from_str(&text).ok()?;
    manifest["version"].as_str().map(|version| version.chars().take(VERSION_CHARS_MAX).collect())
}

fn is_package(name: &str) -> bool {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_' | '.' | '@' | '/');
    !name.starts_with('-') && !name.starts_with('/') && !name.contains("..") && name.chars().all(is_plain)
}

/// Returns the program that a script names in its first line.
fn interpreter(script: &Path) -> Option<String> {
    let mut head = Vec::new();
    File::open(script).ok()?.take(SHEBANG_BYTES_MAX).read_to_end(&mut head).ok()?;
    let line = String::from_utf8_lossy(head.strip_prefix(b"#!")?).lines().next()?.to_owned();
    let mut words = line.split_whitespace();
    let first = words.next()?;
    match first.ends_with("/env") {
        true => words.find(|word| !word.starts_with('-')).map(str::to_owned),
        false => Some(first.to_owned()),
    }
}

fn asked(words: &[String], folder: &Path) -> Option<String> {
    let ended = supervise::run(words, folder, VERSION_TIME_MAX, |order| {
        order.confinement = Confinement::ReadOnly { writable: Vec::new() };
    });
    let said = String::from_utf8_lossy(&ended.output.bytes);
    let line = said.lines().find(|line| !line.trim().is_empty())?;
    (ended.how == How::Code(0)).then(|| line.trim().chars().take(VERSION_CHARS_MAX).collect())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_known_by_its_place_and_content() {
        let folder = tempfile::tempdir().expect("a folder");
        let shell = described(&["sh".to_owned()], folder.path());
        assert!(shell["path"].as_str().is_some_and(|path| path.ends_with("/sh")), "{shell}");
        assert_eq!(shell["sha256"].as_str().map(str::len), Some(64));
        assert_eq!(shell["version"], Value::Null, "nobody knows what it does when asked");
        assert_eq!(described(&["sh".to_owned()], folder.path()), shell);
        let script = folder.path().join("check.sh");
        fs::write(&script, "#!/usr/bin/env sh\n").expect("a script");
        let runs = described(&["./check.sh".to_owned()], folder.path())["runs"].clone();
        assert_eq!(runs["interpreter"], shell, "a script is known by its interpreter, too");
        fs::create_dir_all(folder.path().join("node_modules/vitest")).expect("a folder");
        fs::write(folder.path().join("node_modules/vitest/package.json"), "{\"version\": \"3.1.0\"}")
            .expect("a file");
        let words = ["npx", "vitest", "run"].map(str::to_owned);
        let package = json!({ "package": "vitest", "version": "3.1.0" });
        assert_eq!(super::runs(&words, folder.path()), Some(package));
        assert_eq!(described(&["no-such-program".to_owned()], folder.path()), Value::Null);
    }
}
