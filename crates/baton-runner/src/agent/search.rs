//! Which agents are installed. Programs are looked for outside of the project, for a repository must not bring its own.

use std::env;
use std::path::{Path, PathBuf};

use super::{ALL, Driver};
use crate::supervise::environment;

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
    let is_program =
        |path: &PathBuf| path.is_file() && !path.starts_with(project) && environment::can_be_run(path);
    if name.contains('/') {
        return Some(PathBuf::from(name)).filter(|path| path.is_absolute()).filter(is_program);
    }
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(is_program)
}
