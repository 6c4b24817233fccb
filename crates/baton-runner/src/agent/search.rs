//! Which agents are installed. Programs are looked for outside of the project, for a repository must not bring its own.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::{ALL, Driver};
use crate::search_path::{self, SearchPath};

/// An agent that can be started.
#[derive(Clone, Debug)]
pub struct Found {
    pub driver: &'static Driver,
    pub program: PathBuf,
}

/// An agent that was looked for.
#[derive(Clone, Debug)]
pub struct Missing {
    pub driver: &'static Driver,
}

/// Looks for one of the programs of a driver, or for the program that a person named.
pub fn find(driver: &'static Driver, named: Option<&str>, project: &Path) -> Option<PathBuf> {
    let names: Vec<&str> = named.map_or_else(|| driver.programs.to_vec(), |name| vec![name]);
    names.into_iter().find_map(|name| program(name, project))
}

/// Why a program that a person named is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotTaken {
    /// It is in no folder of the PATH, or nothing lies at its path.
    Absent,
    /// It is named by a path from some folder, and nobody says from which.
    Relative,
    /// It lies in the checkout, or a link leads there.
    InCheckout,
    /// The file is not marked as a program.
    NotExecutable,
}

/// Says why [`find`] does not take the program of this name.
pub fn not_taken(name: &str) -> NotTaken {
    let anywhere = SearchPath::outside([]);
    let path = Path::new(name);
    match (path.is_absolute(), name.contains('/')) {
        (true, _) if anywhere.takes(path) => NotTaken::InCheckout,
        (true, _) if path.is_file() => NotTaken::NotExecutable,
        (true, _) => NotTaken::Absent,
        (false, true) => NotTaken::Relative,
        (false, false) if anywhere.find(OsStr::new(name)).is_some() => NotTaken::InCheckout,
        (false, false) => NotTaken::Absent,
    }
}

/// Returns every agent that is installed, and every one that was looked for in vain.
pub fn installed(project: &Path) -> (Vec<Found>, Vec<Missing>) {
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    for driver in ALL.iter().copied().filter(|driver| !driver.programs.is_empty()) {
        match find(driver, None, project) {
            Some(program) => found.push(Found { driver, program }),
            None => missing.push(Missing { driver }),
        }
    }
    (found, missing)
}

fn program(name: &str, project: &Path) -> Option<PathBuf> {
    let untrusted = search_path::folders_of(project);
    let search = SearchPath::outside(untrusted.iter().map(PathBuf::as_path));
    match name.contains('/') {
        true => Some(PathBuf::from(name)).filter(|path| path.is_absolute() && search.takes(path)),
        false => search.find(OsStr::new(name)),
    }
}
