//! Whether this process belongs to a program that Baton runs: an agent, or a check.
//!
//! Everything below a keeper carries its mark, and an agent the pass of its turn. A program can keep both from what it
//! starts, so all who lead to this process are asked. It can also wipe them from itself, or hide where they cannot be read: then
//! the keeper above it, which it cannot change, and the hiding itself tell.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// By which a process can be told to belong to a keeper.
pub(super) const MARK: &str = "BATON_KEEPER";
/// The pass of the turn that an agent takes.
pub(crate) const TURN: &str = "BATON_TURN";
/// The project of that turn, and the folder with its log: an agent works in another place.
pub(crate) const PROJECT: &str = "BATON_PROJECT";
pub(crate) const STORE: &str = "BATON_STORE";
/// The folder in which a program leaves what it was refused, where it can't write the log.
pub(crate) const REFUSED: &str = "BATON_REFUSED";
/// The folder for temporary files of a program.
const SCRATCH: &str = "TMPDIR";
/// Longest line of ancestors that is followed.
#[cfg(target_os = "linux")]
const ANCESTORS_MAX: usize = 1024;

/// A program that Baton runs, and that this process belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    /// What it shows for its turn, if it has one. Not proven yet.
    pub(crate) pass: Option<String>,
    /// Where it leaves what it was refused.
    pub(crate) refused: Option<PathBuf>,
    /// What it writes there is its own.
    scratch: Option<PathBuf>,
}

impl Kept {
    /// One that has hidden what it is.
    const HIDDEN: Self = Self { pass: None, refused: None, scratch: None };
}

/// Returns the program that Baton runs and that wants to do something at `place`; nothing where a person does, or where the
/// place belongs to the program: a log that its tests made in its folder for temporary files is nobody else's.
pub(crate) fn kept_at(place: &Path) -> Option<Kept> {
    let place = real(place);
    let owns = |kept: &Kept| kept.scratch.as_ref().is_some_and(|scratch| place.starts_with(real(scratch)));
    carriers().into_iter().find(|kept| !owns(kept))
}

/// Says whether it is such a program that wants to do something at `place`.
pub fn is_kept_at(place: &Path) -> bool {
    kept_at(place).is_some()
}

/// Returns the project and the store of the turn that this process itself was told to take.
pub fn assigned() -> Option<(PathBuf, PathBuf)> {
    env::var_os(TURN)?;
    Some((env::var_os(PROJECT)?.into(), env::var_os(STORE)?.into()))
}

/// Returns a path without links, also where its end is not there yet.
fn real(path: &Path) -> PathBuf {
    let path = &std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    for there in path.ancestors() {
        if let (Ok(found), Ok(rest)) = (there.canonicalize(), path.strip_prefix(there)) {
            return found.join(rest);
        }
    }
    path.to_owned()
}

fn kept(variable: impl Fn(&str) -> Option<OsString>) -> Option<Kept> {
    variable(MARK).or_else(|| variable(TURN))?;
    let pass = variable(TURN).map(|pass| pass.to_string_lossy().into_owned());
    let folder = |name| variable(name).map(PathBuf::from);
    Some(Kept { pass, refused: folder(REFUSED), scratch: folder(SCRATCH) })
}

/// Returns all kept programs that lead to this process, the nearest first.
#[cfg(target_os = "linux")]
fn carriers() -> Vec<Kept> {
    use std::os::unix::ffi::OsStringExt;

    use super::{descendants, orphan};

    let mut carriers: Vec<Kept> = kept(|name| env::var_os(name)).into_iter().collect();
    let parent = |id: i32| descendants::look(id).map(|seen| seen.parent).filter(|parent| *parent > 0);
    let own = rustix::process::getpid().as_raw_pid();
    if descendants::look(own).is_none() {
        // Somebody has put something in the place of `/proc`.
        carriers.push(Kept::HIDDEN);
    }
    let mut has_mark = !carriers.is_empty();
    for id in std::iter::successors(parent(own), |id| parent(*id)).take(ANCESTORS_MAX) {
        if is_keeper(id) {
            if !has_mark {
                carriers.push(Kept::HIDDEN);
            }
            has_mark = false;
            continue;
        }
        let found = match orphan::variables(id) {
            Some(variables) => {
                let value = |name: &str| orphan::value(&variables, name);
                kept(|name| value(name).map(|value| OsString::from_vec(value.to_vec())))
            }
            None => is_left_behind(id).then_some(Kept::HIDDEN),
        };
        has_mark |= found.is_some();
        carriers.extend(found);
    }
    carriers
}

/// Says whether a process keeps programs. Everybody may read how a process was called, and only the process itself can change it.
#[cfg(target_os = "linux")]
fn is_keeper(id: i32) -> bool {
    let called = std::fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
    let mut words = called.split(|&byte| byte == 0);
    let program = words.next().unwrap_or_default();
    let is_baton = program == super::SELF.as_bytes()
        || env::current_exe().is_ok_and(|own| own.as_os_str().as_encoded_bytes() == program);
    is_baton && words.next() == Some(super::KEEPER.as_bytes()) && words.all(<[u8]>::is_empty)
}

/// Says whether a process whose environment cannot be read is out of reach only because this one went into another namespace of
/// users: it is of our own user, or of one that has no name here.
#[cfg(target_os = "linux")]
fn is_left_behind(id: i32) -> bool {
    use std::os::unix::fs::MetadataExt;

    /// What stands for users that have no name here, unless somebody set another number.
    const NOBODY: u32 = 65534;
    /// Where every user is called as the kernel calls it.
    const EVERYBODY: [&str; 3] = ["0", "0", "4294967295"];
    let map = std::fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    let owner = std::fs::metadata(format!("/proc/{id}")).map(|found| found.uid());
    let is_ours = owner.is_ok_and(|owner| owner == NOBODY || owner == rustix::process::geteuid().as_raw());
    is_ours && !map.split_whitespace().eq(EVERYBODY)
}

#[cfg(not(target_os = "linux"))]
fn carriers() -> Vec<Kept> {
    kept(|name| env::var_os(name)).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_or_a_pass_is_enough_and_a_folder_for_temporary_files_is_none() {
        let of = |known: &[(&str, &str)]| {
            kept(|name| known.iter().find(|(key, _)| *key == name).map(|(_, value)| value.into()))
        };
        assert_eq!(of(&[(SCRATCH, "/tmp")]), None);
        assert!(of(&[(MARK, "1.2.3")]).is_some_and(|kept| kept.pass.is_none()));
        assert!(of(&[(TURN, "T1/turn-1")]).is_some_and(|kept| kept.pass.as_deref() == Some("T1/turn-1")));
    }

    #[test]
    fn a_link_out_of_a_folder_leads_out_of_it() {
        let (inside, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let link = inside.path().join("link");
        #[cfg(unix)]
        std::os::unix::fs::symlink(outside.path(), &link).unwrap();
        #[cfg(unix)]
        assert!(real(&link.join("store")).starts_with(outside.path().canonicalize().unwrap()));
        assert!(real(&inside.path().join("not/there")).starts_with(inside.path().canonicalize().unwrap()));
    }
}
