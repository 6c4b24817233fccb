//! What Baton and a keeper say to each other: a letter, a length, and so many bytes.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::ended::{How, Line, NotStarted, Stream};
use super::order::{Bounds, Identity, Lines, OutputLimits};
use crate::sandbox::Fence;

/// No frame is longer: the longest carries the output that was kept.
const FRAME_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Input travels in pieces of this size.
pub(super) const PIECE_BYTES: usize = 64 * 1024;
const HEAD_BYTES: usize = 5;

/// The part of an order that a keeper needs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Task {
    pub(super) argv: Vec<OsString>,
    pub(super) folder: OsString,
    /// All of it.
    pub(super) environment: Vec<(OsString, OsString)>,
    pub(super) deadline: Duration,
    pub(super) grace: Duration,
    pub(super) limits: OutputLimits,
    pub(super) bounds: Bounds,
    pub(super) lines: Lines,
    /// All of its input comes at once, and then the end.
    pub(super) is_input_whole: bool,
    pub(super) fence: Fence,
    pub(super) identity: Option<Identity>,
}

/// What Baton says.
#[derive(Debug)]
pub(super) enum Word {
    Task(Box<Task>),
    Input(Vec<u8>),
    CloseInput,
    Stop,
}

/// What a keeper says.
#[derive(Debug)]
pub(super) enum Reply {
    /// The child is about to run; all it starts carries this mark. Told before, because a child may end its keeper at once.
    Starting(String),
    Started,
    NotStarted(NotStarted),
    Line(Line),
    /// So many bytes of input were taken by the child, or have nobody left to take them.
    Taken(u32),
    Ended(Report, Vec<u8>),
}

/// How it ended, as a keeper saw it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Report {
    pub(super) how: How,
    pub(super) descendants_ended: u32,
    pub(super) descendants_left: u32,
    pub(super) left_out_bytes: u64,
    /// The keeper stays for another child.
    pub(super) rests: bool,
}

impl Word {
    pub(super) fn frame(&self) -> io::Result<Vec<u8>> {
        match self {
            Self::Task(task) => frame(b'T', &[&serde_json::to_vec(task)?]),
            Self::Input(bytes) => frame(b'I', &[bytes]),
            Self::CloseInput => frame(b'C', &[]),
            Self::Stop => frame(b'S', &[]),
        }
    }

    /// Reads the next word; nothing at the end.
    pub(super) fn read(from: &mut impl Read) -> io::Result<Option<Self>> {
        let Some((letter, body)) = read_frame(from)? else { return Ok(None) };
        match letter {
            b'T' => Ok(Some(Self::Task(Box::new(serde_json::from_slice(&body)?)))),
            b'I' => Ok(Some(Self::Input(body))),
            b'C' => Ok(Some(Self::CloseInput)),
            b'S' => Ok(Some(Self::Stop)),
            _ => Err(nonsense()),
        }
    }
}

impl Reply {
    pub(super) fn write(&self, to: &mut impl Write) -> io::Result<()> {
        let frame = match self {
            Self::Starting(mark) => frame(b'm', &[mark.as_bytes()])?,
            Self::Started => frame(b's', &[])?,
            Self::NotStarted(why) => frame(b'n', &[&serde_json::to_vec(why)?])?,
            Self::Line(line) => return write_line(to, line.stream, &line.bytes, line.is_cut),
            Self::Taken(count) => frame(b't', &[&count.to_le_bytes()])?,
            Self::Ended(report, output) => {
                let report = serde_json::to_vec(report)?;
                frame(b'e', &[&(report.len() as u32).to_le_bytes(), &report, output])?
            }
        };
        to.write_all(&frame)
    }

    pub(super) fn read(from: &mut impl Read) -> io::Result<Option<Self>> {
        let Some((letter, mut body)) = read_frame(from)? else { return Ok(None) };
        let reply = match letter {
            b'm' => Self::Starting(String::from_utf8_lossy(&body).into_owned()),
            b's' => Self::Started,
            b'n' => Self::NotStarted(serde_json::from_slice(&body)?),
            b'o' | b'r' | b'O' | b'R' => {
                let stream = if letter.eq_ignore_ascii_case(&b'o') { Stream::Out } else { Stream::Err };
                Self::Line(Line { stream, bytes: body, is_cut: letter.is_ascii_uppercase() })
            }
            b't' => Self::Taken(number(&body).ok_or_else(nonsense)?),
            b'e' => {
                let length = number(&body).ok_or_else(nonsense)? as usize;
                let report = body.get(4..4 + length).ok_or_else(nonsense)?;
                let report = serde_json::from_slice(report)?;
                Self::Ended(report, body.split_off(4 + length))
            }
            _ => return Err(nonsense()),
        };
        Ok(Some(reply))
    }
}

/// Writes a line without another copy of it. The letter says of which stream, a capital that it is cut.
pub(super) fn write_line(to: &mut impl Write, stream: Stream, bytes: &[u8], is_cut: bool) -> io::Result<()> {
    let letter = match (stream, is_cut) {
        (Stream::Out, false) => b'o',
        (Stream::Out, true) => b'O',
        (Stream::Err, false) => b'r',
        (Stream::Err, true) => b'R',
    };
    to.write_all(&frame(letter, &[bytes])?)
}

fn frame(letter: u8, parts: &[&[u8]]) -> io::Result<Vec<u8>> {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    if length > FRAME_BYTES_MAX {
        return Err(io::Error::new(
            io::ErrorKind::ArgumentListTooLong,
            "more than can be passed to a keeper",
        ));
    }
    let mut frame = Vec::with_capacity(HEAD_BYTES + length);
    frame.push(letter);
    frame.extend_from_slice(&(length as u32).to_le_bytes());
    parts.iter().for_each(|part| frame.extend_from_slice(part));
    Ok(frame)
}

fn read_frame(from: &mut impl Read) -> io::Result<Option<(u8, Vec<u8>)>> {
    let mut letter = [0];
    match from.read_exact(&mut letter) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(error),
    }
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length) as usize;
    if length > FRAME_BYTES_MAX {
        return Err(nonsense());
    }
    let mut body = vec![0; length];
    from.read_exact(&mut body)?;
    Ok(Some((letter[0], body)))
}

fn number(body: &[u8]) -> Option<u32> {
    body.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
}

fn nonsense() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "this is no frame of a keeper")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let mut bytes = Vec::new();
        let line = Line { stream: Stream::Err, bytes: b"a\xff".to_vec(), is_cut: true };
        let report = Report {
            how: How::Signal(9),
            descendants_ended: 2,
            descendants_left: 0,
            left_out_bytes: 7,
            rests: true,
        };
        Reply::Line(line.clone()).write(&mut bytes).unwrap();
        Reply::Ended(report, b"kept".to_vec()).write(&mut bytes).unwrap();
        let mut from = bytes.as_slice();
        assert!(matches!(Reply::read(&mut from).unwrap(), Some(Reply::Line(read)) if read == line));
        let Some(Reply::Ended(report, output)) = Reply::read(&mut from).unwrap() else { panic!("no end") };
        assert_eq!(
            (report.how, report.left_out_bytes, output.as_slice()),
            (How::Signal(9), 7, b"kept".as_slice())
        );
        assert!(Reply::read(&mut from).unwrap().is_none());
    }

    #[test]
    fn nonsense_and_half_a_frame_are_refused() {
        for bytes in [
            &b"x\0\0\0\0"[..],
            b"s\xff\xff\xff\xff",
            b"s\x05\0\0\0ab",
            b"e\0\0\0\0",
            b"e\x04\0\0\0\xff\0\0\0",
        ] {
            assert!(Reply::read(&mut &*bytes).is_err(), "{bytes:?}");
        }
    }
}
