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

/// Returns the caches that are there, but for those that lie in what is somebody else's to write, or hold it.
pub(crate) fn caches(foreign: &[PathBuf]) -> Vec<PathBuf> {
    let home = home();
    let below = |name: &str| home.as_ref().map(|home| home.join(name));
    let mut caches: Vec<PathBuf> = OF_HOME.iter().filter_map(|name| below(name)).collect();
    for (variable, usual, folders) in OF_TOOLS {
        let usual = if usual.is_empty() { None } else { below(usual) };
        let Some(tool) = absolute(variable).or(usual) else { continue };
        caches.extend(folders.iter().map(|folder| tool.join(folder)));
    }
    apart_from(foreign, caches)
}

fn apart_from(foreign: &[PathBuf], mut caches: Vec<PathBuf>) -> Vec<PathBuf> {
    let real = |path: &PathBuf| path.canonicalize().unwrap_or_else(|_| path.clone());
    let foreign: Vec<PathBuf> = foreign.iter().map(real).collect();
    let is_foreign =
        |path: &PathBuf| foreign.iter().any(|place| path.starts_with(place) || place.starts_with(path));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cache_is_writable_that_holds_or_lies_in_what_is_somebody_elses() {
        let home = tempfile::tempdir().unwrap();
        let at = |path: &str| home.path().join(path);
        for path in [".cache/state/baton", "project/cache", "go/pkg"] {
            std::fs::create_dir_all(at(path)).unwrap();
        }
        let caches = vec![at(".cache"), at("project/cache"), at("go/pkg"), at("absent")];
        let foreign = [at(".cache/state/baton"), at("project")];
        assert_eq!(apart_from(&foreign, caches.clone()), [at("go/pkg")]);
        assert_eq!(apart_from(&[at("go/pkg/not-yet")], caches), [at(".cache"), at("project/cache")]);
    }
}
