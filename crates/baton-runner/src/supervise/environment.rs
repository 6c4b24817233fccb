//! What a child gets to know of this machine, and where its program is looked for.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use crate::search_path::SearchPath;

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

/// Where a program runs, and from where none is taken by its name.
#[derive(Clone, Copy, Debug)]
pub struct Ground<'p> {
    pub folder: &'p Path,
    /// Beside the folder itself.
    pub untrusted: &'p [PathBuf],
}

impl Ground<'_> {
    /// Finds a program by its name in the PATH outside of the ground, or in its folder when it is given with a slash. What a
    /// repository holds is never found by its name alone.
    pub fn find(&self, name: &OsStr) -> Option<PathBuf> {
        if Path::new(name).is_absolute() {
            return Some(PathBuf::from(name));
        }
        if name.as_encoded_bytes().contains(&b'/') {
            let inside = fs::canonicalize(self.folder.join(name)).ok()?;
            return inside.starts_with(fs::canonicalize(self.folder).ok()?).then_some(inside);
        }
        self.search_path().find(name)
    }

    /// Says why [`Self::find`] does not take the program of this name: it may well be there, and be left out on purpose.
    pub(super) fn why_not_found(&self, name: &OsStr) -> String {
        let is_path = name.as_encoded_bytes().contains(&b'/');
        let shown = name.display();
        match SearchPath::outside([]).find(name).filter(|_| !is_path) {
            Some(inside) => format!(
                "`{shown}` lies in the checkout, from which no program is taken by its name; write its path, `{}`",
                inside.display()
            ),
            None => format!("`{shown}` is not installed"),
        }
    }

    pub(crate) fn search_path(&self) -> SearchPath {
        SearchPath::outside(self.untrusted.iter().map(PathBuf::as_path).chain([self.folder]))
    }

    /// Returns the environment that every child gets, with a PATH that leads nowhere into the ground.
    pub(super) fn allowed(&self) -> BTreeMap<OsString, OsString> {
        let mut variables: BTreeMap<OsString, OsString> =
            ALLOWED.iter().filter_map(|name| Some((OsString::from(name), env::var_os(name)?))).collect();
        variables.insert("PATH".into(), self.search_path().joined());
        variables
    }

    /// Returns what a command line gets to know, without its folder for temporary files, which is another each time.
    pub(crate) fn of_command(&self) -> BTreeMap<OsString, OsString> {
        let mut variables = self.allowed();
        variables.remove(OsStr::new("TMPDIR"));
        variables.insert(UNATTENDED.0.into(), UNATTENDED.1.into());
        variables
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_program_of_the_folder_is_found_by_its_path_alone() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("only-here"), "").unwrap();
        let ground = Ground { folder: folder.path(), untrusted: &[] };
        assert_eq!(ground.find(OsStr::new("only-here")), None);
        assert!(ground.find(OsStr::new("./only-here")).is_some());
        assert_eq!(ground.find(OsStr::new("../somewhere")), None);
        assert!(ground.find(OsStr::new("sh")).is_some_and(|program| program.is_absolute()));
    }

    #[test]
    fn a_program_that_is_left_out_is_not_called_missing() {
        let told = |folder: &str, name: &str| {
            Ground { folder: Path::new(folder), untrusted: &[] }.why_not_found(OsStr::new(name))
        };
        let inside = told("/", "sh");
        assert!(inside.contains("lies in the checkout") && inside.ends_with("/sh`"), "{inside}");
        assert_eq!(told("/", "no-such-program"), "`no-such-program` is not installed");
        assert_eq!(told("/nowhere", "./sh"), "`./sh` is not installed");
    }
}
