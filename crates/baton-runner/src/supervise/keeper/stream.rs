//! Takes what a child writes: line by line for whoever listens, and its beginning and end to be kept.

use super::super::ended::Output;

/// Cuts bytes into lines of bounded length. Of a line that is too long the beginning is told once, and the rest is not.
pub(super) struct Splitter {
    line: Vec<u8>,
    bytes_max: usize,
    /// The rest of a line that was cut is passed over.
    is_skipping: bool,
}

impl Splitter {
    pub(super) fn new(bytes_max: usize) -> Self {
        Self { line: Vec::new(), bytes_max, is_skipping: false }
    }

    /// Takes the next bytes, and tells every line that ends in them.
    pub(super) fn take(&mut self, mut bytes: &[u8], tell: &mut dyn FnMut(&[u8], bool)) {
        while !bytes.is_empty() {
            let end = bytes.iter().position(|&byte| byte == b'\n');
            let (piece, rest) = match end {
                Some(at) => (&bytes[..at], &bytes[at + 1..]),
                None => (bytes, &[][..]),
            };
            self.add(piece, tell);
            if end.is_some() {
                self.finish(tell);
            }
            bytes = rest;
        }
    }

    /// Tells the last line, if it has no end of its own.
    pub(super) fn close(&mut self, tell: &mut dyn FnMut(&[u8], bool)) {
        if !self.line.is_empty() {
            self.finish(tell);
        }
    }

    fn add(&mut self, piece: &[u8], tell: &mut dyn FnMut(&[u8], bool)) {
        if self.is_skipping {
            return;
        }
        let room = self.bytes_max - self.line.len();
        if piece.len() <= room {
            self.line.extend_from_slice(piece);
            return;
        }
        self.line.extend_from_slice(&piece[..room]);
        tell(&self.line[..whole_characters(&self.line)], true);
        self.line.clear();
        self.is_skipping = true;
    }

    fn finish(&mut self, tell: &mut dyn FnMut(&[u8], bool)) {
        if !std::mem::take(&mut self.is_skipping) {
            tell(&self.line, false);
        }
        self.line.clear();
    }
}

/// Returns the length of the bytes without a character at their end that is not whole.
fn whole_characters(bytes: &[u8]) -> usize {
    let tail = bytes.len().saturating_sub(3);
    let Some(lead) = bytes[tail..].iter().rposition(|&byte| byte >= 0xC0).map(|at| tail + at) else {
        return bytes.len();
    };
    let width = match bytes[lead] {
        0xF0.. => 4,
        0xE0.. => 3,
        _ => 2,
    };
    if bytes.len() - lead < width { lead } else { bytes.len() }
}

/// Keeps the beginning and the end of what comes.
pub(super) struct Kept {
    beginning: Vec<u8>,
    /// A ring: the oldest byte stands at `next` once it is full.
    end: Vec<u8>,
    next: usize,
    beginning_max: usize,
    end_max: usize,
    seen: u64,
}

impl Kept {
    /// A quarter is for the beginning; tools say at the end how it went.
    pub(super) fn new(bytes_max: usize) -> Self {
        let beginning_max = bytes_max / 4;
        Self {
            beginning: Vec::new(),
            end: Vec::new(),
            next: 0,
            beginning_max,
            end_max: bytes_max - beginning_max,
            seen: 0,
        }
    }

    pub(super) fn take(&mut self, bytes: &[u8]) {
        self.seen += bytes.len() as u64;
        let room = (self.beginning_max - self.beginning.len()).min(bytes.len());
        let (first, rest) = bytes.split_at(room);
        self.beginning.extend_from_slice(first);
        // What is longer than the whole ring pushes out all but its own end.
        let mut rest = &rest[rest.len().saturating_sub(self.end_max)..];
        let growth = (self.end_max - self.end.len()).min(rest.len());
        self.end.extend_from_slice(&rest[..growth]);
        rest = &rest[growth..];
        while !rest.is_empty() {
            let count = rest.len().min(self.end_max - self.next);
            self.end[self.next..self.next + count].copy_from_slice(&rest[..count]);
            self.next = (self.next + count) % self.end_max;
            rest = &rest[count..];
        }
    }

    /// Returns what was kept, with a mark where something is missing. No character is cut in two.
    pub(super) fn output(mut self) -> Output {
        self.end.rotate_left(self.next);
        let kept = (self.beginning.len() + self.end.len()) as u64;
        if kept == self.seen {
            self.beginning.append(&mut self.end);
            return Output { bytes: self.beginning, left_out_bytes: 0 };
        }
        self.beginning.truncate(whole_characters(&self.beginning));
        let broken = self.end.iter().take(3).take_while(|&&byte| (0x80..0xC0).contains(&byte)).count();
        let end = &self.end[broken..];
        let left_out_bytes = self.seen - (self.beginning.len() + end.len()) as u64;
        let mark = Output::mark(left_out_bytes);
        self.beginning.extend_from_slice(mark.as_bytes());
        self.beginning.extend_from_slice(end);
        Output { bytes: self.beginning, left_out_bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(pieces: &[&[u8]], bytes_max: usize) -> Vec<(String, bool)> {
        let mut told = Vec::new();
        let mut splitter = Splitter::new(bytes_max);
        let mut tell = |line: &[u8], is_cut| told.push((String::from_utf8_lossy(line).into_owned(), is_cut));
        pieces.iter().for_each(|piece| splitter.take(piece, &mut tell));
        splitter.close(&mut tell);
        told
    }

    #[test]
    fn lines_are_whole_however_they_come() {
        let expected = [("ab".to_owned(), false), (String::new(), false), ("c".to_owned(), false)];
        assert_eq!(lines(&[b"a", b"b\n\nc"], 9), expected);
        assert_eq!(lines(&[b"ab\n", b"\nc\n"], 9), expected);
        assert!(lines(&[b""], 9).is_empty());
    }

    #[test]
    fn a_line_that_is_too_long_is_told_once_and_between_characters() {
        let expected = [("abc".to_owned(), true), ("next".to_owned(), false)];
        assert_eq!(
            lines(&[b"abcdefgh", b"ijkl\nnext\n"], 3),
            [expected[0].clone(), ("nex".to_owned(), true)]
        );
        assert_eq!(lines(&["abcé and more\nnext".as_bytes()], 4), expected);
        assert_eq!(lines(&[b"abcd\n"], 4), [("abcd".to_owned(), false)]);
    }

    #[test]
    fn the_beginning_and_the_end_are_kept_in_whatever_pieces_they_come() {
        let all: Vec<u8> = (0..10_000u32).flat_map(|number| format!("{number}\n").into_bytes()).collect();
        for piece in [1, 7, 64, 999, 40_000] {
            let mut kept = Kept::new(400);
            all.chunks(piece).for_each(|bytes| kept.take(bytes));
            let output = kept.output();
            let text = String::from_utf8(output.bytes).unwrap();
            assert!(text.starts_with("0\n1\n2\n") && text.ends_with("9998\n9999\n"), "{text}");
            assert!(text.contains(&format!("\n[… {} bytes left out …]\n", all.len() - 400)), "{text}");
            assert_eq!(output.left_out_bytes as usize, all.len() - 400);
        }
    }

    #[test]
    fn what_fits_is_kept_as_it_is() {
        for length in [0, 1, 99, 100, 399, 400] {
            let all = vec![b'x'; length];
            let mut kept = Kept::new(400);
            all.chunks(30).for_each(|bytes| kept.take(bytes));
            assert_eq!(kept.output(), Output { bytes: all, left_out_bytes: 0 });
        }
    }

    #[test]
    fn no_character_is_cut_where_something_is_left_out() {
        for length in 40..90 {
            let mut kept = Kept::new(37);
            "日é𝄞".repeat(length).into_bytes().chunks(5).for_each(|bytes| kept.take(bytes));
            assert!(String::from_utf8(kept.output().bytes).is_ok());
        }
    }
}
