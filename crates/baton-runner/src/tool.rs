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
use crate::supervise::{self, How, environment};

/// Larger programs are known by their size alone.
const HASHED_BYTES_MAX: u64 = 64 * 1024 * 1024;
const VERSION_CHARS_MAX: usize = 200;
const VERSION_TIME_MAX: Duration = Duration::from_secs(20);
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

/// Returns where the program of a command line lies, what it is, and which version it says it has.
pub(crate) fn described(argv: &[String], folder: &Path) -> Value {
    let Some(name) = argv.first() else { return Value::Null };
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
    let (_, word) = ASKED.iter().find(|(known, _)| *known == name)?;
    let asked = [name.to_owned(), (*word).to_owned()];
    let ended = supervise::run(&asked, folder, VERSION_TIME_MAX, |order| {
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
        assert_eq!(described(&["no-such-program".to_owned()], folder.path()), Value::Null);
    }
}
