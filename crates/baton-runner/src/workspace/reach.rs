//! Lets Baton into files and folders of its own from which somebody who worked there has shut it out. Of their modes git keeps
//! nothing but whether a file is a program, so nothing of the work changes with them.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

/// Does something with a file or a folder; where its mode is in the way, that is changed, and it is done again.
pub(super) fn with<T>(place: &Path, mut act: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    match act() {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => open(place).and_then(|()| act()),
        done => done,
    }
}

/// Removes a folder with all that is in it.
pub(super) fn remove_all(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            open_all(folder).and_then(|()| fs::remove_dir_all(folder))
        }
        done => done,
    }
}

/// Opens a folder and all that is in it. No link is followed.
pub(super) fn open_all(folder: &Path) -> io::Result<()> {
    let mut folders: Vec<PathBuf> = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        open(&folder)?;
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            match entry.file_type()?.is_dir() {
                true => folders.push(entry.path()),
                false => open(&entry.path())?,
            }
        }
    }
    Ok(())
}

/// Opens a folder, those on the way to a file in it, and the file. It ends at a link, and where nothing is.
pub(crate) fn open_way(root: &Path, inside: &Path) -> io::Result<()> {
    let mut place = root.to_owned();
    open(&place)?;
    for part in inside.components() {
        let Component::Normal(name) = part else { return Ok(()) };
        place.push(name);
        match fs::symlink_metadata(&place) {
            Ok(found) if found.is_symlink() => return Ok(()),
            Ok(_) => open(&place)?,
            Err(error) if super::is_nothing(&error) => return Ok(()),
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Gives the owner of a folder all rights to it, and that of a file the right to read it. What is neither is left alone.
#[cfg(target_os = "linux")]
pub(super) fn open(place: &Path) -> io::Result<()> {
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::PermissionsExt;

    use rustix::fs::{FileType, Mode, OFlags};

    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let held = rustix::fs::open(place, flags, Mode::empty())?;
    let mode = rustix::fs::fstat(&held)?.st_mode;
    let needed = match FileType::from_raw_mode(mode) {
        FileType::Directory => 0o700,
        FileType::RegularFile => 0o400,
        _ => return Ok(()),
    };
    if mode & needed == needed {
        return Ok(());
    }
    // By what is held and not by its path, where a link could have come since.
    let held = format!("/proc/self/fd/{}", held.as_raw_fd());
    fs::set_permissions(held, fs::Permissions::from_mode(mode & 0o7777 | needed))
}

/// Elsewhere nobody is started who could shut Baton out.
#[cfg(not(target_os = "linux"))]
pub(super) fn open(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn mode(place: &Path) -> u32 {
        fs::metadata(place).expect("a file").permissions().mode() & 0o777
    }

    fn shut(place: &Path, mode: u32) {
        fs::set_permissions(place, fs::Permissions::from_mode(mode)).expect("a mode");
    }

    #[test]
    fn what_is_shut_is_opened_for_its_owner_and_links_are_left() {
        let top = tempfile::tempdir().unwrap();
        let place = |name: &str| top.path().join(name);
        fs::create_dir_all(place("in/below")).unwrap();
        for name in ["outside", "in/plain", "in/below/program"] {
            fs::write(place(name), "x").unwrap();
            shut(&place(name), 0o001);
        }
        symlink("../outside", place("in/link")).unwrap();
        shut(&place("in/below"), 0o111);
        shut(&place("in"), 0o000);
        open_all(&place("in")).unwrap();
        assert_eq!(mode(&place("in")), 0o700);
        assert_eq!(mode(&place("in/below")), 0o711);
        assert_eq!(mode(&place("in/plain")), 0o401);
        assert_eq!(mode(&place("in/below/program")), 0o401, "it is as much a program as it was");
        assert_eq!(mode(&place("outside")), 0o001, "a link was followed");
        shut(&place("in/below/program"), 0o001);
        shut(&place("in/below"), 0o000);
        shut(&place("in"), 0o000);
        open_way(&place("in"), Path::new("below/program")).unwrap();
        assert_eq!((mode(&place("in/below")), mode(&place("in/below/program"))), (0o700, 0o401));
        for elsewhere in ["link", "link/x", "absent/x", "../outside"] {
            open_way(&place("in"), Path::new(elsewhere)).unwrap();
        }
        assert_eq!(mode(&place("outside")), 0o001, "a link was followed");
        shut(&place("in/below"), 0o555);
        remove_all(&place("in")).unwrap();
        assert!(!place("in").exists() && place("outside").exists());
    }
}
