//! What a child gets to know of this machine, and where its program is looked for.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

/// All that a child gets to know of this machine. Tools find themselves and their caches by it.
const ALLOWED: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LANG",
    "LC_ALL",
    "TZ",
    "TMPDIR",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "GOPATH",
    "GOCACHE",
    "JAVA_HOME",
    "PYENV_ROOT",
    "SystemRoot",
];

/// What a child of a command line gets to know beyond that: nobody is there who could answer it.
pub(super) const UNATTENDED: (&str, &str) = ("CI", "true");

/// Returns what a command line in a folder gets to know, without its folder for temporary files, which is another each time.
pub(crate) fn of_command(folder: &Path) -> BTreeMap<OsString, OsString> {
    let mut variables = allowed(folder);
    variables.remove(OsStr::new("TMPDIR"));
    variables.insert(UNATTENDED.0.into(), UNATTENDED.1.into());
    variables
}

/// Returns the environment that every child gets, with a PATH that does not lead into its folder.
pub(super) fn allowed(folder: &Path) -> BTreeMap<OsString, OsString> {
    let mut variables: BTreeMap<OsString, OsString> =
        ALLOWED.iter().filter_map(|name| Some((OsString::from(name), env::var_os(name)?))).collect();
    if let Ok(path) = env::join_paths(search_folders(folder)) {
        variables.insert("PATH".into(), path);
    }
    variables
}

/// Says whether a file is marked as a program. Where there are no such marks, every file may be one.
pub(crate) fn can_be_run(path: &Path) -> bool {
    #[cfg(unix)]
    return rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok();
    #[cfg(not(unix))]
    return path.is_file();
}

/// Finds a program by its name in the PATH outside of `folder`, or in `folder` when it is given with a slash. What a
/// repository holds is never found by its name alone.
pub fn find(name: &OsStr, folder: &Path) -> Option<PathBuf> {
    if Path::new(name).is_absolute() {
        return Some(PathBuf::from(name));
    }
    if name.as_encoded_bytes().contains(&b'/') {
        let inside = fs::canonicalize(folder.join(name)).ok()?;
        return inside.starts_with(fs::canonicalize(folder).ok()?).then_some(inside);
    }
    search_folders(folder).into_iter().map(|place| place.join(name)).find(|program| program.is_file())
}

/// Returns the folders of the PATH in which a program may be looked for: none that is relative, none in the checkout.
fn search_folders(checkout: &Path) -> Vec<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).filter(|folder| folder.is_absolute() && !folder.starts_with(checkout)).collect()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_program_of_the_folder_is_found_by_its_path_alone() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("only-here"), "").unwrap();
        assert_eq!(find(OsStr::new("only-here"), folder.path()), None);
        assert!(find(OsStr::new("./only-here"), folder.path()).is_some());
        assert_eq!(find(OsStr::new("../somewhere"), folder.path()), None);
        assert!(find(OsStr::new("sh"), folder.path()).is_some_and(|program| program.is_absolute()));
    }
}
