//! Writes whole files so that after any crash there is the old one or the new one, never half.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::StoreError;
use crate::hex;

/// Tells apart the temporary files of one process where there are no random numbers.
static COUNT: AtomicU64 = AtomicU64::new(0);

/// Puts bytes where the path says, for the owner only: a new file beside it, flushed, renamed over it, and the folder
/// flushed too.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    replace_through(&temporary(path), path, bytes)
}

/// Like `replace`, for what is too large to be held at once.
pub fn replace_by(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    swap(&temporary(path), path, |new| {
        let mut file = create_new(new)?;
        write(&mut file)?;
        file.sync_all()
    })
}

/// Like `replace`, for a file that is there already: its permissions stay, and so does a link that leads to it.
pub fn replace_content(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let path = fs::canonicalize(path)?;
    let permissions = fs::metadata(&path)?.permissions();
    swap(&temporary(&path), &path, |new| write_with(new, bytes, Some(permissions)))
}

/// Like `replace`, through a temporary file that the caller alone uses.
pub(crate) fn replace_through(temporary: &Path, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    swap(temporary, path, |new| write_new(new, bytes))
        .map_err(|error| StoreError::file("write", path, &error))
}

fn swap(temporary: &Path, path: &Path, write: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
    // What a killed process left behind under this name is half of something.
    let _ = fs::remove_file(temporary);
    let written = write(temporary).and_then(|()| fs::rename(temporary, path));
    if written.is_err() {
        // The temporary file is ours; when it cannot be removed either, the first error says more.
        let _ = fs::remove_file(temporary);
        return written;
    }
    flush_folder(path)
}

/// Makes a folder for its owner only, with all that lead to it, and flushes every name on the way: what is kept in a folder
/// whose own name was never flushed is gone after a power cut.
pub fn make_folder(folder: &Path) -> Result<(), StoreError> {
    let failed = |error: io::Error| StoreError::file("make the folder", folder, &error);
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(failed)?;
    // Also of those that were there: whoever made them may have been killed before the flush.
    for above in fs::canonicalize(folder).map_err(failed)?.ancestors().skip(1) {
        match File::open(above).and_then(|above| above.sync_all()) {
            // A folder that cannot even be read was not made by us.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {}
            flushed => flushed.map_err(failed)?,
        }
    }
    Ok(())
}

/// Gives a finished file its name, unless something has that name already.
pub(crate) fn publish(temporary: &Path, path: &Path) -> Result<(), StoreError> {
    let failed = |error: io::Error| StoreError::file("write", path, &error);
    File::open(temporary).and_then(|file| file.sync_all()).map_err(failed)?;
    match fs::hard_link(temporary, path) {
        // A second name for the file fails where a rename would silently replace.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(failed(error)),
        Ok(()) => fs::remove_file(temporary).map_err(failed)?,
        // Some file systems have no second names, and a look before the rename must do.
        Err(_) if fs::symlink_metadata(path).is_err() => fs::rename(temporary, path).map_err(failed)?,
        Err(error) => return Err(failed(error)),
    }
    flush_folder(path).map_err(failed)
}

/// Returns a name beside the path that nobody else uses, nor anybody used who was killed in the middle.
pub(crate) fn temporary(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut unique = [0; 8];
    if getrandom::fill(&mut unique).is_err() {
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        unique = (u64::from(std::process::id()) << 32 | count).to_be_bytes();
    }
    path.with_file_name(format!(".{name}.baton-{}", hex::encode(&unique)))
}

pub(crate) fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_with(path, bytes, None)
}

fn write_with(path: &Path, bytes: &[u8], permissions: Option<fs::Permissions>) -> io::Result<()> {
    let mut file = create_new(path)?;
    file.write_all(bytes)?;
    if let Some(permissions) = permissions {
        file.set_permissions(permissions)?;
    }
    file.sync_all()
}

fn create_new(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Flushes the folder that a path is in, and with it the names there.
pub fn flush_folder(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => File::open(folder)?.sync_all(),
        _ => File::open(".")?.sync_all(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Reason;

    #[test]
    fn a_file_is_replaced_as_a_whole_and_leaves_nothing_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("current.json");
        for text in ["one", "another"] {
            replace(&path, text.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        let error = replace(&folder.path().join("no/such/folder"), b"").unwrap_err();
        assert_eq!(error.reason, Reason::Missing);
    }

    #[test]
    #[cfg(unix)]
    fn new_content_leaves_the_permissions_and_the_link() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&file, &link).unwrap();
        replace_content(&link, b"new").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
        assert!(replace_content(&folder.path().join("missing"), b"").is_err());
    }

    #[test]
    fn a_folder_is_made_with_all_that_lead_to_it() {
        let top = tempfile::tempdir().unwrap();
        let folder = top.path().join("one/two");
        make_folder(&folder).unwrap();
        make_folder(&folder).unwrap();
        assert!(folder.is_dir());
        let file = top.path().join("file");
        write_new(&file, b"").unwrap();
        assert!(make_folder(&file.join("below")).is_err());
    }

    #[test]
    fn a_published_file_replaces_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let (new, path) = (folder.path().join("new"), folder.path().join("path"));
        write_new(&new, b"first").unwrap();
        publish(&new, &path).unwrap();
        write_new(&new, b"second").unwrap();
        assert_eq!(publish(&new, &path).unwrap_err().reason, Reason::Occupied);
        assert_eq!(fs::read(&path).unwrap(), b"first");
    }
}
