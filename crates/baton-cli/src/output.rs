//! Where words go: data to standard output, talk to standard error, and nothing that could paint a terminal.

use std::fmt::Write as _;
use std::io::{self, Write};

use baton_handoff::visible::is_invisible;

use crate::exit;

/// Writes talk. Nobody can be told when this fails.
pub(crate) fn talk(text: &str) {
    let _ = anstream::stderr().write_all(text.as_bytes());
}

/// Returns standard output for data: buffered, with colours only where they are wanted.
pub(crate) fn data() -> io::BufWriter<anstream::AutoStream<io::StdoutLock<'static>>> {
    io::BufWriter::with_capacity(1 << 16, anstream::AutoStream::auto(io::stdout().lock()))
}

/// Returns standard output for JSON: its characters are all visible, so there is nothing to take out.
pub(crate) fn json_data() -> io::BufWriter<io::StdoutLock<'static>> {
    io::BufWriter::with_capacity(1 << 16, io::stdout().lock())
}

/// A reader that went away, as in `baton check | head`, is no failure.
pub(crate) fn written(result: io::Result<()>) -> Result<(), exit::Code> {
    match result {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => {
            talk(&format!(
                "error[{}]: standard output cannot be written: {error}\n",
                baton_handoff::rule::UNREADABLE
            ));
            Err(exit::Code::Io)
        }
    }
}

/// A writer that remembers that its reader went away.
pub(crate) struct Heard<W> {
    out: W,
    is_alone: bool,
}

impl<W> Heard<W> {
    pub(crate) fn new(out: W) -> Self {
        Self { out, is_alone: false }
    }

    pub(crate) fn is_alone(&self) -> bool {
        self.is_alone
    }

    fn heard<T>(&mut self, result: io::Result<T>) -> io::Result<T> {
        self.is_alone |= result.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::BrokenPipe);
        result
    }
}

impl<W: Write> Write for Heard<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes);
        self.heard(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.out.flush();
        self.heard(flushed)
    }
}

/// Returns text with everything that is not a visible character written out, as in `\u{1b}`.
pub(crate) fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' | '\t' => out.push(character),
            character if is_unsafe(character) => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(character));
            }
            character => out.push(character),
        }
    }
    out
}

/// Control characters, direction overrides, and characters that show nothing. What makes a picture of a sign, as in an
/// emoji, is none of these: it comes after every other one.
pub(crate) fn is_unsafe(character: char) -> bool {
    is_invisible(character) && !matches!(character, '\u{fe0e}' | '\u{fe0f}')
}

/// Returns text that others wrote as one line: no line of it can pass for one of ours.
pub(crate) fn one_line(text: &str) -> String {
    printable(&text.replace(['\n', '\t'], " "))
}

/// Writes JSON in which every character that is not visible is an escape.
pub(crate) fn write_json(out: &mut dyn Write, value: &impl serde::Serialize) -> io::Result<()> {
    let text = serde_json::to_string(value)?;
    // Control characters below the blank are escaped already; in plain ASCII only one is left.
    if text.is_ascii() && !text.contains('\u{7f}') {
        return out.write_all(text.as_bytes());
    }
    let mut done = 0;
    for (at, character) in text.char_indices().filter(|(_, character)| is_unsafe(*character)) {
        out.write_all(&text.as_bytes()[done..at])?;
        for unit in character.encode_utf16(&mut [0; 2]) {
            write!(out, "\\u{unit:04x}")?;
        }
        done = at + character.len_utf8();
    }
    out.write_all(&text.as_bytes()[done..])
}

/// Writes data and sees that all of it arrives.
pub(crate) fn print(bytes: &[u8]) -> exit::Code {
    let mut out = data();
    written(out.write_all(bytes).and_then(|()| out.flush())).err().unwrap_or(exit::Code::Fine)
}
