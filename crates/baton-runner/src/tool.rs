//! Which program a command line means, so that a receipt says with what something was checked.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, UNIX_EPOCH};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::file::{open_plain, read_plain};
use crate::sandbox::Confinement;
use crate::scratch::Scratch;
use crate::supervise::environment::Ground;
use crate::supervise::{self, How};

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
pub(crate) fn described(argv: &[String], ground: Ground<'_>) -> Value {
    let Some(name) = argv.first() else { return Value::Null };
    let mut described = program(name, ground);
    if let (Value::Object(fields), Some(runs)) = (&mut described, runs(argv, ground)) {
        fields.insert("runs".to_owned(), runs);
    }
    described
}

/// Returns by what it is noticed that the tool of a command line is another one than before, without asking or reading it: where
/// it lies, its size, its time and its number on the disk; the same of the interpreter of a script, and the version of a package.
/// A script of the folder itself is part of the work, and known by that.
pub(crate) fn identity(argv: &[String], ground: Ground<'_>) -> Value {
    let Some(name) = argv.first() else { return Value::Null };
    let of_folder = name.contains('/') && !Path::new(name).is_absolute();
    let own = if of_folder { Value::Null } else { mark(name, ground) };
    let runs = match invoked(argv) {
        Some(Invoked::Package(package)) => json!(package_version(package, ground.folder)),
        Some(Invoked::Script(script)) => {
            let interpreter = ground.find(OsStr::new(script)).and_then(|script| interpreter(&script));
            interpreter.map_or(Value::Null, |name| mark(&name, ground))
        }
        Some(Invoked::Module { .. }) | None => Value::Null,
    };
    json!([own, runs])
}

fn mark(name: &str, ground: Ground<'_>) -> Value {
    let found = ground.find(OsStr::new(name)).and_then(|path| fs::canonicalize(path).ok());
    let Some((path, facts)) = found.and_then(|path| Some((path.clone(), fs::metadata(path).ok()?))) else {
        return Value::Null;
    };
    let modified = facts.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let modified_ns = modified.map(|time| time.as_nanos().to_string());
    json!([path.display().to_string(), facts.len(), modified_ns, number_on_disk(&facts)])
}

#[cfg(unix)]
fn number_on_disk(facts: &fs::Metadata) -> Option<u64> {
    Some(std::os::unix::fs::MetadataExt::ino(facts))
}

#[cfg(not(unix))]
fn number_on_disk(_: &fs::Metadata) -> Option<u64> {
    None
}

/// What the program of a command line runs in turn.
enum Invoked<'a> {
    Module { python: &'a str, module: &'a str },
    Package(&'a str),
    Script(&'a str),
}

fn invoked(argv: &[String]) -> Option<Invoked<'_>> {
    let words: Vec<&str> = argv.iter().map(String::as_str).collect();
    match words.as_slice() {
        [python, "-m", module, ..] if PYTHONS.contains(python) && MODULES.contains(module) => {
            Some(Invoked::Module { python, module })
        }
        [runner, package, ..] | [runner, "exec" | "dlx", package, ..]
            if PACKAGE_RUNNERS.contains(runner) && is_package(package) =>
        {
            Some(Invoked::Package(package))
        }
        [script, ..] if script.contains('/') => Some(Invoked::Script(script)),
        _ => None,
    }
}

fn runs(argv: &[String], ground: Ground<'_>) -> Option<Value> {
    match invoked(argv)? {
        Invoked::Module { python, module } => {
            Some(json!({ "module": module, "version": module_version(python, module, ground) }))
        }
        Invoked::Package(package) => {
            Some(json!({ "package": package, "version": package_version(package, ground.folder) }))
        }
        Invoked::Script(script) => {
            let interpreter = interpreter(&ground.find(OsStr::new(script))?)?;
            Some(json!({ "interpreter": program(&interpreter, ground) }))
        }
    }
}

fn program(name: &str, ground: Ground<'_>) -> Value {
    let Some(path) = ground.find(OsStr::new(name)) else { return Value::Null };
    let Ok(facts) = fs::metadata(&path) else { return Value::Null };
    let key = (path.clone(), facts.len(), facts.modified().ok(), ground.folder.to_owned());
    if let Some(known) = KNOWN.lock().ok().and_then(|known| known.get(&key).cloned()) {
        return known;
    }
    let described = json!({
        "path": path.display().to_string(),
        "bytes": facts.len(),
        "sha256": hash(&path, facts.len()),
        "version": version(name, ground),
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
    open_plain(&path.canonicalize().ok()?).ok()?.take(HASHED_BYTES_MAX).read_to_end(&mut content).ok()?;
    Some(Sha256::digest(&content).iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Asks a program that is known to only answer, and that no repository brought.
fn version(name: &str, ground: Ground<'_>) -> Option<String> {
    let path = Path::new(name);
    let is_outside = !name.contains('/') || path.is_absolute() && ground.search_path().takes(path);
    let short = Path::new(name).file_name()?.to_str().filter(|_| is_outside)?;
    let (_, word) = ASKED.iter().find(|(known, _)| *known == short)?;
    asked(&[name.to_owned(), (*word).to_owned()], ground)
}

/// Asks for the version of a module in a folder where nothing is, so that nothing of the repository is run for it.
fn module_version(python: &str, module: &str, ground: Ground<'_>) -> Option<String> {
    let python = ground.find(OsStr::new(python))?;
    let empty = Scratch::new().ok()?;
    let words = [python.to_str()?, "-m", module, "--version"].map(str::to_owned);
    asked(&words, Ground { folder: empty.path(), ..ground })
}

/// Returns what an installed package says of itself; nothing is run.
fn package_version(package: &str, folder: &Path) -> Option<String> {
    let manifest = folder.join("node_modules").join(package).join("package.json");
    let bytes = read_plain(&manifest.canonicalize().ok()?, MANIFEST_BYTES_MAX).ok()?;
    let manifest: Value = serde_json::from_slice(&bytes).ok()?;
    manifest["version"].as_str().map(|version| version.chars().take(VERSION_CHARS_MAX).collect())
}

fn is_package(name: &str) -> bool {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_' | '.' | '@' | '/');
    !name.starts_with('-') && !name.starts_with('/') && !name.contains("..") && name.chars().all(is_plain)
}

/// Returns the program that a script names in its first line.
fn interpreter(script: &Path) -> Option<String> {
    let mut head = Vec::new();
    open_plain(&script.canonicalize().ok()?).ok()?.take(SHEBANG_BYTES_MAX).read_to_end(&mut head).ok()?;
    let line = String::from_utf8_lossy(head.strip_prefix(b"#!")?).lines().next()?.to_owned();
    let mut words = line.split_whitespace();
    let first = words.next()?;
    match first.ends_with("/env") {
        true => words.find(|word| !word.starts_with('-')).map(str::to_owned),
        false => Some(first.to_owned()),
    }
}

fn asked(words: &[String], ground: Ground<'_>) -> Option<String> {
    let ended = supervise::run(words, ground.folder, VERSION_TIME_MAX, |order| {
        order.untrusted = ground.untrusted.to_vec();
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
        let ground = Ground { folder: folder.path(), untrusted: &[] };
        let shell = described(&["sh".to_owned()], ground);
        assert!(shell["path"].as_str().is_some_and(|path| path.ends_with("/sh")), "{shell}");
        assert_eq!(shell["sha256"].as_str().map(str::len), Some(64));
        assert_eq!(shell["version"], Value::Null, "nobody knows what it does when asked");
        assert_eq!(described(&["sh".to_owned()], ground), shell);
        let script = folder.path().join("check.sh");
        fs::write(&script, "#!/usr/bin/env sh\n").expect("a script");
        let runs = described(&["./check.sh".to_owned()], ground)["runs"].clone();
        assert_eq!(runs["interpreter"], shell, "a script is known by its interpreter, too");
        fs::create_dir_all(folder.path().join("node_modules/vitest")).expect("a folder");
        fs::write(folder.path().join("node_modules/vitest/package.json"), "{\"version\": \"3.1.0\"}")
            .expect("a file");
        let words = ["npx", "vitest", "run"].map(str::to_owned);
        let package = json!({ "package": "vitest", "version": "3.1.0" });
        assert_eq!(super::runs(&words, ground), Some(package));
        assert_eq!(described(&["no-such-program".to_owned()], ground), Value::Null);
    }
}
