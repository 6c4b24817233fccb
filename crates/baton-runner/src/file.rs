//! Reads files within a bound. What somebody else can write may be a pipe, a link or a device by the time that it is read.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use baton_handoff::limit;

/// Opens a plain file that agents, checks or repositories can write, to read it. Anything else is refused at once: a pipe nobody
/// writes would be waited for, a device may have no end, and a link leads elsewhere.
pub fn open_plain(path: &Path) -> io::Result<File> {
    let file = open_at_once(path)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(no_plain_file()),
    }
}

/// Reads a plain file of at most so many bytes that agents, checks or repositories can write. A larger one is refused.
pub fn read_plain(path: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
    let file = open_plain(path)?;
    let size = file.metadata()?.len();
    let mut bytes = Vec::with_capacity(usize::try_from(size.min(bytes_max)).unwrap_or_default());
    // It may grow while it is read.
    file.take(bytes_max.saturating_add(1)).read_to_end(&mut bytes)?;
    match size > bytes_max || bytes.len() as u64 > bytes_max {
        true => {
            let told = format!("it has more than {bytes_max} bytes");
            Err(io::Error::new(io::ErrorKind::FileTooLarge, told))
        }
        false => Ok(bytes),
    }
}

/// Reads the same as text, in which bytes that are none are shown as such.
pub fn read_plain_text(path: &Path, bytes_max: u64) -> io::Result<String> {
    Ok(String::from_utf8_lossy(&read_plain(path, bytes_max)?).into_owned())
}

#[cfg(unix)]
fn open_at_once(path: &Path) -> io::Result<File> {
    use rustix::fs::{CWD, Mode, OFlags};
    use rustix::io::Errno;
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::NOCTTY | OFlags::CLOEXEC;
    match rustix::fs::openat(CWD, path, flags, Mode::empty()) {
        Ok(opened) => Ok(opened.into()),
        // A link, or a socket.
        Err(Errno::LOOP | Errno::NXIO) => Err(no_plain_file()),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(unix))]
fn open_at_once(path: &Path) -> io::Result<File> {
    match path.symlink_metadata()?.is_file() {
        true => File::open(path),
        false => Err(no_plain_file()),
    }
}

fn no_plain_file() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "it is a link, or no file")
}

/// Reads at most one byte more than the limit, so that a huge file costs no more than a large one. A person names it, and may
/// name a pipe.
pub fn read_bounded(path: &Path, buffer: &mut Vec<u8>) -> io::Result<()> {
    buffer.clear();
    read_to_limit(File::open(path)?, buffer)
}

/// Reads a stream such as standard input within the same bound.
pub fn read_to_limit(stream: impl Read, buffer: &mut Vec<u8>) -> io::Result<()> {
    let max = limit::DOCUMENT_BYTES_MAX as u64 + 1;
    stream.take(max).read_to_end(buffer).map(|_| ())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    use rustix::fs::{CWD, Mode, mkfifoat};

    use super::*;

    #[test]
    fn nothing_but_a_plain_small_file_is_read_and_nothing_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        fs::write(place("plain"), "12345").unwrap();
        assert_eq!(read_plain(&place("plain"), 5).unwrap(), b"12345");
        assert_eq!(read_plain(&place("plain"), 4).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert_eq!(read_plain(&place("absent"), 4).unwrap_err().kind(), io::ErrorKind::NotFound);
        mkfifoat(CWD, place("pipe"), Mode::RWXU).unwrap();
        let _socket = UnixListener::bind(place("socket")).unwrap();
        symlink("plain", place("link")).unwrap();
        symlink("/dev/zero", place("endless")).unwrap();
        fs::create_dir(place("folder")).unwrap();
        for name in ["pipe", "socket", "link", "endless", "folder"] {
            assert_eq!(
                read_plain(&place(name), 9).unwrap_err().to_string(),
                "it is a link, or no file",
                "{name}"
            );
        }
        assert!(read_plain(Path::new("/dev/zero"), 9).is_err());
    }
}
