//! The plain part of YAML, which nearly every handoff keeps to: mappings and lists by indentation, scalars of one line.
//!
//! It is a few times faster than the whole grammar, and it never guesses: at the first thing it does not know for certain
//! (an anchor, a folded text, an escape, a value left out, a tab) it gives up, and [`super::events`] reads the block. Where it
//! does not give up, both give the same tree; a test holds them against each other.

use std::borrow::Cow;

use crate::grow::Grower;
use crate::markdown;
use crate::span::Span;
use crate::tree::Style;
use crate::trouble::{Parsed, Trouble};

/// Parses a block of plain YAML; nothing when there is more to it.
pub(crate) fn parse(text: &str, base: usize) -> Option<Parsed<'_>> {
    // Without an early end this is one pass over wide registers.
    if text.bytes().fold(false, |special, byte| special | may_be_special(byte)) {
        return None;
    }
    let mut reader = Reader { text, base, grower: Grower::default(), open: Vec::new(), literal: None };
    for (line, _) in markdown::lines(text, 0) {
        reader.line(line)?;
    }
    reader.finish()
}

/// Says whether a byte is, or may belong to, a character that YAML refuses or treats in its own way: control characters, the
/// byte order mark and its neighbours.
fn may_be_special(byte: u8) -> bool {
    byte < b' ' && byte != b'\n' || matches!(byte, 0x7F | 0xC2 | 0xEF)
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Map,
    List,
}

/// A collection that is open, by the column of its keys or dashes.
#[derive(Clone, Copy)]
struct Open {
    column: usize,
    kind: Kind,
    /// Whether a key stands there without its value.
    waits: bool,
}

/// A text of several lines after `|`.
struct Literal {
    /// The column that every line of the text must go beyond.
    column: usize,
    /// The column at which its lines begin, and the place of the first word; known from the first line on.
    begins: Option<(usize, usize)>,
    value: String,
    end: usize,
}

struct Reader<'s> {
    text: &'s str,
    base: usize,
    grower: Grower<'s>,
    open: Vec<Open>,
    literal: Option<Literal>,
}

/// What is said of the tree is said to the grower; any trouble there makes this reader give up.
fn certain(result: Result<(), Trouble>) -> Option<()> {
    result.ok()
}

impl<'s> Reader<'s> {
    fn line(&mut self, line: Span) -> Option<()> {
        let whole = line.text(self.text);
        let indent = whole.bytes().take_while(|&byte| byte == b' ').count();
        if self.literal.is_some() && self.goes_on(whole, indent, line)? {
            return Some(());
        }
        let content = whole[indent..].trim_end_matches(' ');
        match content.as_bytes().first() {
            None | Some(b'#') => return Some(()),
            Some(b'%') => return None,
            Some(b'-' | b'.')
                if indent == 0 && (content.starts_with("---") || content.starts_with("...")) =>
            {
                return None;
            }
            Some(_) => {}
        }
        let start = line.start as usize;
        self.close_deeper(indent, content)?;
        let (mut column, mut rest) = (indent, content);
        while let Some(after) =
            rest.strip_prefix('-').filter(|after| after.is_empty() || after.starts_with(' '))
        {
            self.item(column, start)?;
            let text = after.trim_start_matches(' ');
            column += rest.len() - text.len();
            rest = text;
        }
        match key_len(rest)? {
            Some(len) => self.pair(column, start, rest, len),
            None if column > indent => self.scalar(rest, start + column),
            None => None,
        }
    }

    /// Says whether a line belongs to the open text, and takes it; ends the text where it does not.
    fn goes_on(&mut self, whole: &str, indent: usize, line: Span) -> Option<bool> {
        let literal = self.literal.as_mut()?;
        if indent == whole.len() {
            // Blank lines count only between lines of text, and only when they are empty.
            let (column, _) = literal.begins?;
            (indent <= column).then(|| literal.value.push('\n'))?;
            return Some(true);
        }
        if indent <= literal.column {
            self.end_literal()?;
            return Some(false);
        }
        let start = line.start as usize;
        let (column, _) = *literal.begins.get_or_insert((indent, start + indent));
        literal.value.push_str(whole.get(column..).filter(|_| indent >= column)?);
        literal.value.push('\n');
        literal.end = start + whole.trim_end_matches(' ').len();
        Some(true)
    }

    fn end_literal(&mut self) -> Option<()> {
        let mut literal = self.literal.take()?;
        let (_, start) = literal.begins?;
        literal.value.truncate(literal.value.trim_end_matches('\n').len() + 1);
        certain(self.grower.scalar(Cow::Owned(literal.value), Style::Block, self.span(start, literal.end)))
    }

    /// Closes what stands deeper than this line. A list may stand at the column of the key it belongs to.
    fn close_deeper(&mut self, indent: usize, content: &str) -> Option<()> {
        let is_item = content == "-" || content.starts_with("- ");
        while let Some(top) = self.open.last() {
            let ends = top.column > indent || top.column == indent && top.kind == Kind::List && !is_item;
            if !ends {
                // Deeper text under something that does not wait for it goes on with the text above.
                return (top.column == indent || top.waits).then_some(());
            }
            if top.waits {
                return None;
            }
            certain(self.grower.close(None))?;
            self.open.pop();
        }
        Some(())
    }

    fn item(&mut self, column: usize, start: usize) -> Option<()> {
        if let Some(top) = self.open.last_mut() {
            if top.kind == Kind::List && top.column == column && !top.waits {
                return Some(());
            }
            let belongs = match top.kind {
                Kind::Map => top.waits && top.column <= column,
                Kind::List => top.column < column,
            };
            if !belongs {
                return None;
            }
            top.waits = false;
        } else if self.grower.root.is_some() {
            return None;
        }
        certain(self.grower.open_list(self.base + start + column))?;
        self.open.push(Open { column, kind: Kind::List, waits: false });
        Some(())
    }

    fn pair(&mut self, column: usize, start: usize, rest: &'s str, key_len: usize) -> Option<()> {
        let at = start + column;
        let goes_on = self.open.last().is_some_and(|top| top.kind == Kind::Map && top.column == column);
        match self.open.last_mut() {
            Some(top) if goes_on && top.waits => return None,
            Some(_) if goes_on => {}
            Some(top) if top.column >= column || top.kind == Kind::Map && !top.waits => return None,
            Some(top) => {
                top.waits = false;
                self.open_map(column, at)?;
            }
            None if self.grower.root.is_some() => return None,
            None => self.open_map(column, at)?,
        }
        let key = &rest[..key_len];
        certain(self.grower.scalar(Cow::Borrowed(key), Style::Plain, self.span(at, at + key_len)))?;
        let value = rest[key_len + 1..].trim_start_matches(' ');
        if value.is_empty() || value.starts_with('#') {
            self.open.last_mut()?.waits = true;
            return Some(());
        }
        if value == "|" {
            self.literal = Some(Literal { column, begins: None, value: String::new(), end: at });
            return Some(());
        }
        self.scalar(value, at + rest.len() - value.len())
    }

    fn open_map(&mut self, column: usize, at: usize) -> Option<()> {
        certain(self.grower.open_map(self.base + at))?;
        self.open.push(Open { column, kind: Kind::Map, waits: false });
        Some(())
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.base + start, self.base + end)
    }

    /// Reads a value that ends with its line.
    fn scalar(&mut self, value: &'s str, at: usize) -> Option<()> {
        match value.as_bytes().first()? {
            b'"' | b'\'' => {
                let len = quoted_len(value)?;
                is_end(&value[len..]).then_some(())?;
                self.quoted(&value[..len], at)
            }
            b'[' => self.flow_list(value, at),
            b'{' => {
                is_end(value.strip_prefix("{}")?).then_some(())?;
                certain(self.grower.open_map(self.base + at))?;
                certain(self.grower.close(Some(self.base + at + 2)))
            }
            first if is_mark(*first) => None,
            _ => {
                let text = plain_value(value)?;
                certain(self.grower.scalar(Cow::Borrowed(text), Style::Plain, self.span(at, at + text.len())))
            }
        }
    }

    fn quoted(&mut self, written: &'s str, at: usize) -> Option<()> {
        let inside = &written[1..written.len() - 1];
        certain(self.grower.scalar(Cow::Borrowed(inside), Style::Quoted, self.span(at, at + written.len())))
    }

    /// Reads `[a, "b"]` of plain words and quoted texts.
    fn flow_list(&mut self, value: &'s str, at: usize) -> Option<()> {
        certain(self.grower.open_list(self.base + at))?;
        let mut rest = value[1..].trim_start_matches(' ');
        loop {
            let offset = at + value.len() - rest.len();
            if let Some(after) = rest.strip_prefix(']') {
                is_end(after).then_some(())?;
                return certain(self.grower.close(Some(self.base + offset + 1)));
            }
            let len = match rest.as_bytes().first()? {
                b'"' | b'\'' => {
                    let len = quoted_len(rest)?;
                    self.quoted(&rest[..len], offset)?;
                    len
                }
                _ => {
                    let text = &rest[..rest.bytes().take_while(|&byte| is_simple(byte)).count()];
                    let text = text.trim_end_matches(' ');
                    text.starts_with(|first: char| first.is_ascii_alphanumeric()).then_some(())?;
                    certain(self.grower.scalar(
                        Cow::Borrowed(text),
                        Style::Plain,
                        self.span(offset, offset + text.len()),
                    ))?;
                    text.len()
                }
            };
            rest = rest[len..].trim_start_matches(' ');
            match rest.as_bytes().first()? {
                b',' => rest = rest[1..].trim_start_matches(' '),
                b']' => {}
                _ => return None,
            }
        }
    }

    fn finish(mut self) -> Option<Parsed<'s>> {
        if self.literal.is_some() {
            self.end_literal()?;
        }
        while let Some(top) = self.open.pop() {
            if top.waits {
                return None;
            }
            certain(self.grower.close(None))?;
        }
        let root = self.grower.root?;
        Some(Parsed { documents: vec![root], troubles: self.grower.troubles })
    }
}

/// The bytes of keys and words without quotes, as a table: this is asked for most bytes of a block.
static SIMPLE: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0_usize;
    while byte < 256 {
        let value = byte as u8;
        table[byte] = value.is_ascii_alphanumeric() || matches!(value, b'_' | b'-' | b'.' | b'/' | b' ');
        byte += 1;
    }
    table
};

fn is_simple(byte: u8) -> bool {
    SIMPLE[usize::from(byte)]
}

/// Returns the length of the key where the text is `key: …` or `key:`. The outer nothing means that it cannot be told.
fn key_len(text: &str) -> Option<Option<usize>> {
    if text.starts_with(['"', '\'', '[', '{']) {
        // A quoted key is rare; a value in quotes or brackets holds no key when the line ends with it.
        let ends = text.starts_with(['[', '{']) || quoted_len(text).is_some_and(|len| is_end(&text[len..]));
        return ends.then_some(None);
    }
    let len = text.bytes().take_while(|&byte| is_simple(byte)).count();
    let after = &text[len..];
    let is_key = after == ":" || after.starts_with(": ");
    let is_word = text.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '_')
        && !text[..len].ends_with(' ');
    match is_key {
        true if is_word => Some(Some(len)),
        true => None,
        // Somewhere later there may be a `: ` after other marks; the scalar's own check sees to that.
        false => Some(None),
    }
}

/// Returns the length of a quoted text without escapes, with its quotes.
fn quoted_len(text: &str) -> Option<usize> {
    let quote = *text.as_bytes().first()?;
    let inside = &text[1..];
    let end = memchr::memchr2(quote, b'\\', inside.as_bytes())?;
    let is_plain = inside.as_bytes()[end] == quote && inside.as_bytes().get(end + 1) != Some(&quote);
    // A backslash means nothing in single quotes, but then the end must be looked for again: not worth it.
    is_plain.then_some(end + 2)
}

/// Says whether nothing but a comment follows.
fn is_end(after: &str) -> bool {
    let rest = after.trim_start_matches(' ');
    rest.is_empty() || rest.len() < after.len() && rest.starts_with('#')
}

/// Returns a value without quotes up to its comment; nothing where a colon in it may make it a key.
fn plain_value(value: &str) -> Option<&str> {
    let bytes = value.as_bytes();
    for at in memchr::memchr2_iter(b'#', b':', bytes) {
        match bytes[at] {
            b':' if matches!(bytes.get(at + 1), None | Some(b' ')) => return None,
            b'#' if bytes[..at].ends_with(b" ") => return Some(value[..at].trim_end_matches(' ')),
            _ => {}
        }
    }
    Some(value)
}

/// Says whether a value cannot begin so without meaning something else.
fn is_mark(byte: u8) -> bool {
    matches!(
        byte,
        b'&' | b'*'
            | b'!'
            | b'|'
            | b'>'
            | b'%'
            | b'@'
            | b'`'
            | b'?'
            | b':'
            | b','
            | b'-'
            | b'#'
            | b']'
            | b'}'
            | b'~'
    )
}
