//! Where programs are looked for: in the PATH, and never in a checkout, however the way into it is spelled.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use crate::git;

/// Where the tools of the system are: a wrapper around git may need them, and a child is told of them where nothing is left of
/// the PATH, for an empty one would mean its own folder.
pub(crate) const SYSTEM_FOLDERS: &[&str] = if cfg!(unix) { &["/usr/bin", "/bin"] } else { &[] };

/// The folders of the PATH from which programs are taken. A repository must not bring its own.
#[derive(Clone, Debug)]
pub(crate) struct SearchPath {
    folders: Vec<PathBuf>,
    /// Without links in them, so that one way into them is like the other.
    untrusted: Vec<PathBuf>,
}

impl SearchPath {
    /// The PATH of this process without what is relative, lies in one of these folders or leads there.
    ///
    /// It is read here and nowhere else: there is no other way to find an installed program.
    pub(crate) fn outside<'p>(untrusted: impl IntoIterator<Item = &'p Path>) -> Self {
        Self::of(&env::var_os("PATH").unwrap_or_default(), untrusted)
    }

    fn of<'p>(path: &OsStr, untrusted: impl IntoIterator<Item = &'p Path>) -> Self {
        let untrusted =
            untrusted.into_iter().map(|root| fs::canonicalize(root).unwrap_or_else(|_| root.to_owned()));
        let mut search = Self { folders: Vec::new(), untrusted: untrusted.collect() };
        search.folders = env::split_paths(path)
            .filter(|folder| folder.is_absolute())
            .filter(|folder| fs::canonicalize(folder).is_ok_and(|real| search.is_outside(&real)))
            .collect();
        search
    }

    /// Finds a program by its name. One that lies elsewhere, and to which a link leads from here, is looked at where it lies.
    pub(crate) fn find(&self, name: &OsStr) -> Option<PathBuf> {
        self.folders.iter().map(|folder| folder.join(name)).find(|program| self.takes(program))
    }

    /// Says whether there is a program at a path, and it lies outside.
    pub(crate) fn takes(&self, program: &Path) -> bool {
        fs::canonicalize(program)
            .is_ok_and(|real| real.is_file() && can_be_run(&real) && self.is_outside(&real))
    }

    /// Returns the folders as a child is told them. One whose name cannot be told is none.
    pub(crate) fn joined(&self) -> OsString {
        let own = env::join_paths(&self.folders).unwrap_or_default();
        match own.is_empty() {
            true => env::join_paths(SYSTEM_FOLDERS).unwrap_or_default(),
            false => own,
        }
    }

    fn is_outside(&self, real: &Path) -> bool {
        !self.untrusted.iter().any(|root| real.starts_with(root))
    }
}

/// Returns the folders of a project from which no program is taken: its own, and those of the repository that it belongs to.
pub(crate) fn folders_of(project: &Path) -> Vec<PathBuf> {
    let mut folders = git::folders_around(project);
    folders.push(project.to_owned());
    folders
}

/// Says whether a file is marked as a program. Where there are no such marks, every file may be one.
pub(crate) fn can_be_run(path: &Path) -> bool {
    #[cfg(unix)]
    return rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok();
    #[cfg(not(unix))]
    return path.is_file();
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn program(path: &Path) {
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, "#!/bin/sh\nexit 1\n").expect("a program");
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("a program");
    }

    #[test]
    fn a_program_is_taken_from_absolute_folders_outside_of_the_checkout() {
        let temporary = tempfile::tempdir().unwrap();
        let home = temporary.path();
        let (checkout, outside, elsewhere) =
            (home.join("checkout"), home.join("outside"), home.join("elsewhere"));
        program(&checkout.join("bin/tool"));
        program(&checkout.join("node_modules/.bin/tool"));
        program(&outside.join("tool"));
        fs::create_dir(&elsewhere).unwrap();
        symlink(checkout.join("bin/tool"), elsewhere.join("tool")).unwrap();
        symlink(checkout.join("bin"), home.join("linked")).unwrap();
        symlink(&checkout, home.join("alias")).unwrap();
        fs::create_dir(home.join("plain")).unwrap();
        fs::write(home.join("plain/tool"), "not executable").unwrap();

        let folders = [
            PathBuf::from("."),
            PathBuf::from(""),
            PathBuf::from("bin"),
            checkout.join("bin"),
            checkout.join("node_modules/.bin"),
            outside.join("../checkout/bin"),
            home.join("linked"),
            home.join("alias/bin"),
            elsewhere.clone(),
            home.join("plain"),
            home.join("missing"),
        ];
        let tool = OsStr::new("tool");
        for root in [checkout.as_path(), &home.join("alias"), &outside.join("../checkout")] {
            let search = SearchPath::of(&env::join_paths(&folders).unwrap(), [root]);
            assert_eq!(search.find(tool), None);
            assert_eq!(search.folders, [elsewhere.clone(), home.join("plain")], "what children are told");
            assert_eq!(search.joined(), env::join_paths(&search.folders).unwrap());
            let path = env::join_paths(folders.iter().chain([&outside])).unwrap();
            assert_eq!(SearchPath::of(&path, [root]).find(tool), Some(outside.join("tool")));
        }
    }

    #[test]
    fn no_child_is_told_to_look_in_its_own_folder() {
        let checkout = tempfile::tempdir().unwrap();
        fs::create_dir(checkout.path().join("bin")).unwrap();
        for path in [OsStr::new(""), OsStr::new("."), checkout.path().join("bin").as_os_str()] {
            assert_eq!(SearchPath::of(path, [checkout.path()]).joined(), "/usr/bin:/bin", "{path:?}");
        }
    }
}
