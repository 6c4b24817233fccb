//! Reads files within the bound.

use std::fs::File;
use std::io::{self, Read};
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
