//! Reads files within the bound, and writes them so that readers see the old or the new, never half.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

use baton_handoff::limit;

/// Reads at most one byte more than the limit, so that a huge file costs no more than a large one.
pub fn read_bounded(path: &Path, buffer: &mut Vec<u8>) -> io::Result<()> {
    buffer.clear();
    read_to_limit(File::open(path)?, buffer)
}

/// Reads a stream such as standard input within the same bound.
pub fn read_to_limit(stream: impl Read, buffer: &mut Vec<u8>) -> io::Result<()> {
    let max = limit::DOCUMENT_BYTES_MAX as u64 + 1;
    stream.take(max).read_to_end(buffer).map(|_| ())
}

/// Replaces a file: a new one beside it, flushed to disk, then renamed over it. Permissions are kept.
pub fn replace(path: &Path, text: &str) -> io::Result<()> {
    // A link is followed, so that the file it points to is replaced and the link stays.
    let target = fs::canonicalize(path)?;
    let folder = target.parent().unwrap_or(Path::new("."));
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let temporary = folder.join(format!(".{name}.baton-{}", std::process::id()));
    let written = write_new(&temporary, text, &target).and_then(|()| fs::rename(&temporary, &target));
    if written.is_err() {
        // The temporary file is ours; when it cannot be removed either, the first error says more.
        let _ = fs::remove_file(&temporary);
        return written;
    }
    File::open(folder)?.sync_all()
}

fn write_new(temporary: &Path, text: &str, like: &Path) -> io::Result<()> {
    let mut file = File::options().write(true).create_new(true).open(temporary)?;
    file.write_all(text.as_bytes())?;
    file.set_permissions(fs::metadata(like)?.permissions())?;
    file.sync_all()
}
