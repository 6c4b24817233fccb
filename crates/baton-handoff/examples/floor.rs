//! The least that any reader of handoffs has to do, for `cargo xtask bench check`.
//!
//! `floor bytes <folder>` reads every byte of every file. `floor events <folder>` also finds the YAML in the cheapest way
//! (frontmatter, first fence, or the whole file) and pulls the parser's events, and keeps none of them.
#![expect(
    clippy::disallowed_types,
    clippy::print_stdout,
    reason = "a measuring program beside the library, which itself reads no files and prints nothing"
)]

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use granit_parser::{Parser, options};
use memchr::{memchr_iter, memmem};

#[derive(Clone, Copy)]
enum Mode {
    Bytes,
    Events,
}

/// What was read, so that a run that read nothing is seen.
#[derive(Default)]
struct Tally {
    documents: usize,
    bytes: usize,
    lines: usize,
    events: usize,
}

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (mode, folder) = match arguments.as_slice() {
        [mode, folder] if mode == "bytes" => (Mode::Bytes, folder),
        [mode, folder] if mode == "events" => (Mode::Events, folder),
        _ => return Err(io::Error::other("usage: floor bytes|events <folder>")),
    };
    let mut reader = Reader { mode, buffer: Vec::new(), tally: Tally::default() };
    reader.folder(Path::new(folder))?;
    let Tally { documents, bytes, lines, events } = reader.tally;
    println!(r#"{{"documents":{documents},"bytes":{bytes},"lines":{lines},"events":{events}}}"#);
    Ok(())
}

struct Reader {
    mode: Mode,
    buffer: Vec<u8>,
    tally: Tally,
}

impl Reader {
    fn folder(&mut self, folder: &Path) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                self.folder(&entry.path())?;
            } else {
                self.file(&entry.path())?;
            }
        }
        Ok(())
    }

    fn file(&mut self, path: &Path) -> io::Result<()> {
        self.buffer.clear();
        File::open(path)?.read_to_end(&mut self.buffer)?;
        self.tally.documents += 1;
        self.tally.bytes += self.buffer.len();
        match self.mode {
            Mode::Bytes => self.tally.lines += memchr_iter(b'\n', &self.buffer).count(),
            Mode::Events => self.tally.events += events(yaml_of(&self.buffer))?,
        }
        Ok(())
    }
}

fn yaml_of(document: &[u8]) -> &[u8] {
    const FENCE: &[u8] = b"```yaml\n";
    if let Some(rest) = document.strip_prefix(b"---\n") {
        return &rest[..memmem::find(rest, b"\n---\n").unwrap_or(rest.len())];
    }
    let Some(fence) = memmem::find(document, FENCE) else { return document };
    let rest = &document[fence + FENCE.len()..];
    &rest[..memmem::find(rest, b"\n```").unwrap_or(rest.len())]
}

fn events(yaml: &[u8]) -> io::Result<usize> {
    let yaml = str::from_utf8(yaml).map_err(io::Error::other)?;
    let mut count = 0;
    for event in Parser::new_from_str_with_options(yaml, options! { emit_comments: false }) {
        event.map_err(io::Error::other)?;
        count += 1;
    }
    Ok(count)
}
