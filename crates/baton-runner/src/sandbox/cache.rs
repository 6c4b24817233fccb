//! What the tools of a builder and of a check write outside of their folder: caches, and nothing that is obeyed. The folder
//! with the programs of Rust and the settings of Gradle lie beside caches and are not among them.

use std::env;
use std::path::PathBuf;

/// Caches in the home of a user.
const OF_HOME: &[&str] = &[
    ".cache",
    ".npm/_cacache",
    ".npm/_logs",
    ".gradle/caches",
    ".gradle/daemon",
    ".gradle/native",
    ".m2/repository",
];
/// Caches below the home of a tool: the variable that names it, where it lies otherwise, and the folders in it.
const OF_TOOLS: &[(&str, &str, &[&str])] =
    &[("CARGO_HOME", ".cargo", &["registry", "git"]), ("GOPATH", "go", &["pkg"]), ("GOCACHE", "", &[""])];

/// Returns the home of the user. One that is empty or relative would lie wherever Baton was started.
pub(crate) fn home() -> Option<PathBuf> {
    absolute("HOME")
}

fn absolute(variable: &str) -> Option<PathBuf> {
    env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute())
}

/// Returns the caches that are there, but for those that lie in what is somebody else's to write.
pub(crate) fn caches(foreign: &[PathBuf]) -> Vec<PathBuf> {
    let home = home();
    let below = |name: &str| home.as_ref().map(|home| home.join(name));
    let mut caches: Vec<PathBuf> = OF_HOME.iter().filter_map(|name| below(name)).collect();
    for (variable, usual, folders) in OF_TOOLS {
        let usual = if usual.is_empty() { None } else { below(usual) };
        let Some(tool) = absolute(variable).or(usual) else { continue };
        caches.extend(folders.iter().map(|folder| tool.join(folder)));
    }
    let foreign: Vec<PathBuf> = foreign.iter().filter_map(|path| path.canonicalize().ok()).collect();
    let is_foreign = |path: &PathBuf| foreign.iter().any(|place| path.starts_with(place));
    caches.retain(|path| path.is_dir() && path.canonicalize().is_ok_and(|real| !is_foreign(&real)));
    caches
}

/// Returns a place that `baton.toml` names; `~/` is the home of the user.
pub(crate) fn named(path: &str) -> PathBuf {
    match (path.strip_prefix("~/"), home()) {
        (Some(inside), Some(home)) => home.join(inside),
        (Some(_), None) | (None, _) => PathBuf::from(path),
    }
}
