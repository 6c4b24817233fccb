//! JSON into the tree, with the place of every value; several values one after the other are read one by one.

use std::borrow::Cow;

use crate::grow::{Grower, excess};
use crate::limit;
use crate::span::Span;
use crate::tree::Style;
use crate::trouble::{Parsed, Trouble};

/// Parses the JSON in `text`, which starts at byte `base` of the document.
pub(crate) fn parse(text: &str, base: usize) -> Parsed<'_> {
    let mut parsed = Parsed::default();
    let mut reader = Reader { text, base, at: 0 };
    if let Err(trouble) = values(&mut reader, &mut parsed) {
        parsed.documents.clear();
        parsed.troubles.push(trouble);
    }
    parsed
}

fn values<'s>(reader: &mut Reader<'s>, parsed: &mut Parsed<'s>) -> Result<(), Trouble> {
    loop {
        reader.skip_blank();
        if reader.at >= reader.text.len() {
            return match parsed.documents.is_empty() {
                true => Err(reader.syntax("a JSON value was expected, the text is empty")),
                false => Ok(()),
            };
        }
        if !parsed.documents.is_empty() {
            parsed.troubles.push(Trouble::Concatenated { span: Span::at(reader.base + reader.at) });
        }
        if parsed.documents.len() >= limit::STREAM_DOCUMENTS_MAX {
            let here = Span::at(reader.base + reader.at);
            return Err(excess(here, "JSON values in one block", limit::STREAM_DOCUMENTS_MAX));
        }
        let mut grower = Grower::default();
        reader.value(&mut grower)?;
        parsed.troubles.append(&mut grower.troubles);
        parsed.documents.extend(grower.root);
    }
}

/// What the innermost open collection waits for.
#[derive(Clone, Copy, PartialEq)]
enum Inside {
    List,
    Map,
}

struct Reader<'s> {
    text: &'s str,
    base: usize,
    at: usize,
}

impl<'s> Reader<'s> {
    /// Reads one whole value. Collections are kept on a stack of our own, so depth costs no machine stack.
    fn value(&mut self, grower: &mut Grower<'s>) -> Result<(), Trouble> {
        let mut inside: Vec<Inside> = Vec::new();
        loop {
            // Here a value is expected.
            let opened = match self.peek() {
                Some(b'{') => Some(Inside::Map),
                Some(b'[') => Some(Inside::List),
                _ => None,
            };
            match opened {
                Some(kind) => {
                    match kind {
                        Inside::Map => grower.open_map(self.base + self.at)?,
                        Inside::List => grower.open_list(self.base + self.at)?,
                    }
                    self.at += 1;
                    self.skip_blank();
                    if self.peek() != Some(closer(kind)) {
                        inside.push(kind);
                        if kind == Inside::Map {
                            self.key(grower)?;
                        }
                        continue;
                    }
                    self.at += 1;
                    grower.close(Some(self.base + self.at))?;
                }
                None => self.scalar(grower)?,
            }
            // Here a value has ended.
            loop {
                let Some(&kind) = inside.last() else { return Ok(()) };
                self.skip_blank();
                match self.peek() {
                    Some(b',') => {
                        self.at += 1;
                        self.skip_blank();
                        if self.peek() == Some(closer(kind)) {
                            return Err(self.syntax("a trailing comma is not JSON"));
                        }
                        if kind == Inside::Map {
                            self.key(grower)?;
                        }
                        break;
                    }
                    Some(byte) if byte == closer(kind) => {
                        self.at += 1;
                        inside.pop();
                        grower.close(Some(self.base + self.at))?;
                    }
                    _ => return Err(self.syntax("`,` or the closing bracket was expected")),
                }
            }
        }
    }

    fn key(&mut self, grower: &mut Grower<'s>) -> Result<(), Trouble> {
        self.skip_blank();
        if self.peek() != Some(b'"') {
            return Err(self.syntax("a key in double quotes was expected"));
        }
        self.string(grower)?;
        self.skip_blank();
        if self.peek() != Some(b':') {
            return Err(self.syntax("`:` was expected after the key"));
        }
        self.at += 1;
        self.skip_blank();
        Ok(())
    }

    fn scalar(&mut self, grower: &mut Grower<'s>) -> Result<(), Trouble> {
        if self.peek() == Some(b'"') {
            return self.string(grower);
        }
        let start = self.at;
        let word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
        let len = self.text.as_bytes()[start..].iter().take_while(|&&byte| word(byte)).count();
        let text = &self.text[start..start + len];
        if !(matches!(text, "true" | "false" | "null") || is_number(text)) {
            return Err(self.syntax("a JSON value was expected"));
        }
        self.at += len;
        grower.scalar(Cow::Borrowed(text), Style::Plain, self.span_from(start))
    }

    fn string(&mut self, grower: &mut Grower<'s>) -> Result<(), Trouble> {
        let start = self.at;
        self.at += 1;
        let bytes = self.text.as_bytes();
        let mut value = Cow::Borrowed("");
        loop {
            let rest = &bytes[self.at..];
            let Some(len) = memchr::memchr3(b'"', b'\\', b'\n', rest) else {
                self.at = start;
                return Err(self.syntax("this string is never closed"));
            };
            append(&mut value, &self.text[self.at..self.at + len]);
            self.at += len;
            match bytes[self.at] {
                b'"' => {
                    self.at += 1;
                    return grower.scalar(value, Style::Quoted, self.span_from(start));
                }
                b'\\' => {
                    let escaped = self.escape()?;
                    value.to_mut().push_str(&escaped);
                }
                _ => return Err(self.syntax("a line break inside a string must be written `\\n`")),
            }
        }
    }

    /// Reads one escape. A lone surrogate has no character: it stays as the six bytes written.
    fn escape(&mut self) -> Result<String, Trouble> {
        let simple = match self.text.as_bytes().get(self.at + 1) {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(),
            _ => return Err(self.syntax("this escape is not JSON")),
        };
        self.at += 2;
        Ok(simple.to_string())
    }

    fn unicode_escape(&mut self) -> Result<String, Trouble> {
        let Some(first) = self.hex_at(self.at) else {
            return Err(self.syntax("`\\u` needs four hexadecimal digits"));
        };
        let written = &self.text[self.at..self.at + 6];
        if let Some(second) = self.hex_at(self.at + 6).filter(|_| (0xD800..0xDC00).contains(&first))
            && (0xDC00..0xE000).contains(&second)
        {
            let scalar = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
            self.at += 12;
            return Ok(char::from_u32(scalar).map(String::from).unwrap_or_default());
        }
        self.at += 6;
        Ok(char::from_u32(first).map_or_else(|| written.to_owned(), String::from))
    }

    fn hex_at(&self, at: usize) -> Option<u32> {
        let digits = self.text.get(at..at + 6)?.strip_prefix("\\u")?;
        digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok())?
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_blank(&mut self) {
        let blank = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        self.at += self.text.as_bytes()[self.at..].iter().take_while(blank).count();
    }

    fn span_from(&self, start: usize) -> Span {
        Span::new(self.base + start, self.base + self.at)
    }

    fn syntax(&self, message: &str) -> Trouble {
        let end = self.text[self.at..].find(['\n', '\r']).map_or(self.text.len(), |len| self.at + len);
        Trouble::Syntax { span: Span::new(self.base + self.at, self.base + end), message: message.to_owned() }
    }
}

fn append<'s>(value: &mut Cow<'s, str>, piece: &'s str) {
    match value.is_empty() && matches!(value, Cow::Borrowed(_)) {
        true => *value = Cow::Borrowed(piece),
        false => value.to_mut().push_str(piece),
    }
}

fn closer(kind: Inside) -> u8 {
    match kind {
        Inside::List => b']',
        Inside::Map => b'}',
    }
}

/// Says whether this is a number by the grammar of JSON, and one that a machine can hold.
fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let whole = digits.bytes().take_while(u8::is_ascii_digit).count();
    let fraction = digits[whole..].strip_prefix('.');
    whole > 0
        && !(whole > 1 && digits.starts_with('0'))
        && fraction.is_none_or(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
        && text.parse::<f64>().is_ok_and(f64::is_finite)
}
