//! Markdown by the line: frontmatter, fences, headings and comments, each with its bytes.
//!
//! Handoffs are found in whole lines, so this scanner reads lines and nothing below them. It knows what a renderer need
//! not know: a fence that was never closed, a fence inside a `markdown` fence, a byte order mark before `---`.

use crate::limit;
use crate::span::Span;

/// How long a line is where nothing is known of it, in bytes.
const LINE_BYTES_EXPECTED: usize = 32;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    Blank,
    /// `# Heading`, with the text's place.
    Heading {
        level: u8,
        text: Span,
    },
    /// A delimiter or the inside of the fence with this index.
    Fence(usize),
    Frontmatter,
    /// Inside `<!-- -->`, which may span lines.
    Comment,
    Text,
}

/// A line without its line ending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    pub span: Span,
    pub kind: LineKind,
}

/// A fenced block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fence {
    /// The words after the opening marks.
    pub info: Span,
    /// The inside, with its last line ending.
    pub body: Span,
    /// All of it, with the delimiters.
    pub span: Span,
    pub closed: bool,
    /// Whether it stands in a block quote, so that each line begins with `>`.
    pub quoted: bool,
    /// The fence of `markdown` that this one stands in.
    pub outer: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frontmatter {
    /// Between the delimiters.
    pub body: Span,
    /// With the delimiters.
    pub span: Span,
    pub closed: bool,
}

/// A document by its lines.
#[derive(Clone, Debug, Default)]
pub struct Markdown {
    pub frontmatter: Option<Frontmatter>,
    pub lines: Vec<Line>,
    pub fences: Vec<Fence>,
}

/// Returns the length of a byte order mark at the start.
pub fn bom_len(source: &str) -> usize {
    if source.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 }
}

/// Yields each line of `source` from `start` on: its span without the ending, and the offset after the ending.
pub fn lines(source: &str, start: usize) -> impl Iterator<Item = (Span, usize)> {
    let bytes = source.as_bytes();
    let mut at = start;
    std::iter::from_fn(move || {
        if at >= bytes.len() {
            return None;
        }
        let rest = &bytes[at..];
        let (len, next) = match memchr::memchr(b'\n', rest) {
            Some(newline) => (newline, at + newline + 1),
            None => (rest.len(), bytes.len()),
        };
        let len = if len > 0 && rest[len - 1] == b'\r' { len - 1 } else { len };
        let span = Span::new(at, at + len);
        at = next;
        Some((span, next))
    })
}

/// Reads the frontmatter at the very start, if there is one.
pub fn frontmatter(source: &str) -> Option<Frontmatter> {
    let mut all = lines(source, bom_len(source));
    let (first, body_start) = all.next()?;
    if first.text(source).trim_end() != "---" {
        return None;
    }
    for (line, next) in all {
        let text = line.text(source);
        if matches!(text.trim_end(), "---" | "...") {
            return Some(Frontmatter {
                body: Span::new(body_start, line.start as usize),
                span: Span::new(first.start as usize, next),
                closed: true,
            });
        }
    }
    let end = source.len();
    Some(Frontmatter {
        body: Span::new(body_start, end),
        span: Span::new(first.start as usize, end),
        closed: false,
    })
}

/// Scans a document. `frontmatter` is what [`frontmatter`] found, cut short by the caller where it was not closed.
pub fn scan(source: &str, frontmatter: Option<Frontmatter>) -> Markdown {
    let mut scanner =
        Scanner { source, markdown: Markdown { frontmatter, ..Markdown::default() }, open: Vec::new() };
    let mut start = bom_len(source);
    if let Some(found) = frontmatter {
        for (span, _) in lines(&source[..found.span.end as usize], start) {
            scanner.markdown.lines.push(Line { span, kind: LineKind::Frontmatter });
        }
        start = found.span.end as usize;
    }
    scanner.markdown.lines.reserve((source.len() - start) / LINE_BYTES_EXPECTED);
    let mut in_comment = false;
    for (span, next) in lines(source, start) {
        let kind = scanner.line(span, next, &mut in_comment);
        scanner.markdown.lines.push(Line { span, kind });
    }
    scanner.markdown
}

/// The marks that open or close a fence: which character, how many, and what follows.
#[derive(Clone, Copy)]
struct Marks {
    mark: u8,
    count: usize,
    info: Span,
    quoted: bool,
}

struct OpenFence {
    index: usize,
    marks: Marks,
    markdown: bool,
}

struct Scanner<'s> {
    source: &'s str,
    markdown: Markdown,
    open: Vec<OpenFence>,
}

impl Scanner<'_> {
    fn line(&mut self, span: Span, next: usize, in_comment: &mut bool) -> LineKind {
        let text = span.text(self.source);
        if let Some(open) = self.open.last() {
            let (index, markdown) = (open.index, open.markdown);
            return match marks(text, span) {
                Some(marks) if closes(open.marks, marks) => self.close(span, next),
                Some(marks) if markdown && !marks.info.is_empty() => {
                    self.extend(next);
                    self.open(marks, span, next)
                }
                _ => {
                    self.extend(next);
                    LineKind::Fence(index)
                }
            };
        }
        if *in_comment {
            *in_comment = !text.contains("-->");
            return LineKind::Comment;
        }
        let trimmed = text.trim_start();
        match trimmed.as_bytes().first() {
            None => LineKind::Blank,
            Some(b'<') => match trimmed.strip_prefix("<!--") {
                Some(rest) => {
                    *in_comment = !rest.contains("-->");
                    LineKind::Comment
                }
                None => LineKind::Text,
            },
            Some(b'`' | b'~' | b'>' | b'-') => match marks(text, span) {
                Some(marks) => self.open(marks, span, next),
                None => LineKind::Text,
            },
            Some(b'#') => heading(text, span).unwrap_or(LineKind::Text),
            Some(_) => LineKind::Text,
        }
    }

    fn open(&mut self, marks: Marks, span: Span, next: usize) -> LineKind {
        let index = self.markdown.fences.len();
        if index >= limit::BLOCKS_MAX {
            return LineKind::Text;
        }
        let word = marks.info.text(self.source).split_whitespace().next().unwrap_or_default();
        self.markdown.fences.push(Fence {
            info: marks.info,
            body: Span::new(next, next),
            span: Span::new(span.start as usize, next),
            closed: false,
            quoted: marks.quoted,
            outer: self.open.last().map(|outer| outer.index),
        });
        self.open.push(OpenFence { index, marks, markdown: matches!(word, "markdown" | "md") });
        LineKind::Fence(index)
    }

    fn extend(&mut self, next: usize) {
        let end = Span::at(next).start;
        for open in &self.open {
            let fence = &mut self.markdown.fences[open.index];
            fence.body.end = end;
            fence.span.end = end;
        }
    }

    fn close(&mut self, line: Span, next: usize) -> LineKind {
        let Some(open) = self.open.pop() else { return LineKind::Text };
        let fence = &mut self.markdown.fences[open.index];
        fence.closed = true;
        fence.body.end = line.start;
        fence.span.end = Span::at(next).start;
        self.extend(next);
        LineKind::Fence(open.index)
    }
}

fn marks(text: &str, line: Span) -> Option<Marks> {
    // Most lines begin with a letter, and need no more than that look.
    let first = text.bytes().find(|&byte| byte != b' ')?;
    if first.is_ascii_alphanumeric() {
        return None;
    }
    let mut rest = text.trim_start();
    let quoted = rest.starts_with('>');
    while let Some(inner) = rest.strip_prefix('>') {
        rest = inner.trim_start();
    }
    // A fence may open in a list item.
    rest = rest.strip_prefix("- ").map_or(rest, str::trim_start);
    let mark = *rest.as_bytes().first()?;
    if mark != b'`' && mark != b'~' {
        return None;
    }
    let count = rest.bytes().take_while(|&byte| byte == mark).count();
    let info = rest[count..].trim();
    if count < 3 || (mark == b'`' && info.contains('`')) {
        return None;
    }
    let end = line.start as usize + text.trim_end().len();
    Some(Marks { mark, count, info: Span::new(end - info.len(), end), quoted })
}

fn closes(open: Marks, marks: Marks) -> bool {
    marks.mark == open.mark && marks.count >= open.count && marks.info.is_empty()
}

fn heading(text: &str, line: Span) -> Option<LineKind> {
    let indent = text.len() - text.trim_start().len();
    let rest = &text[indent..];
    let level = rest.bytes().take_while(|&byte| byte == b'#').count();
    if indent > 3 || !(1..=6).contains(&level) {
        return None;
    }
    let after = &rest[level..];
    if !after.is_empty() && !after.starts_with([' ', '\t']) {
        return None;
    }
    let words = after.trim().trim_end_matches('#').trim_end();
    let start = line.start as usize + indent + level + (after.len() - after.trim_start().len());
    Some(LineKind::Heading {
        level: u8::try_from(level).unwrap_or(6),
        text: Span::new(start, start + words.len()),
    })
}
