//! Finds the data in a document: frontmatter, fences, bare sections, or the whole of it.

use crate::dialect::Origin;
use crate::markdown::{self, Fence, Frontmatter, LineKind, Markdown};
use crate::span::Span;
use crate::yaml;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Yaml,
    Json,
}

/// A stretch of the document that may hold data.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    pub(crate) origin: Origin,
    pub(crate) format: Format,
    /// The data itself, without delimiters.
    pub(crate) span: Span,
    /// The data with its delimiters.
    pub(crate) outer: Span,
    pub(crate) closed: bool,
    /// Whether every line begins with the `>` of a block quote.
    pub(crate) quoted: bool,
}

/// A document cut into what may be data and what is prose.
#[derive(Debug)]
pub(crate) struct Blocks {
    pub(crate) blocks: Vec<Block>,
    /// Missing where the whole document is data.
    pub(crate) markdown: Option<Markdown>,
}

/// Share of the lines at the margin that must be keys or items for a document to be YAML, in percent.
const YAML_LINES_PERCENT: usize = 90;

pub(crate) fn find(source: &str) -> Blocks {
    let start = markdown::bom_len(source);
    let whole = Span::new(start, source.len());
    let text = &source[start..];
    if looks_like_json(text) {
        return Blocks { blocks: vec![whole_block(Format::Json, whole)], markdown: None };
    }
    let frontmatter = markdown::frontmatter(source);
    let is_yaml = match frontmatter {
        None => looks_like_yaml(text),
        // A YAML stream begins with `---` too: its second document is data, not prose, so it has no heading.
        Some(found) => {
            let rest = &source[found.span.end as usize..];
            let has_heading =
                rest.starts_with('#') || memchr::memmem::find(rest.as_bytes(), b"\n#").is_some();
            // Where the next line is `---` again, a second frontmatter stands in the body: no metadata.
            let again = rest.trim_start().starts_with("---");
            let goes_on = !has_heading && !again && !rest.trim().is_empty() && looks_like_yaml(rest);
            (goes_on || !found.closed) && looks_like_yaml(&source[found.body.range()])
        }
    };
    if is_yaml {
        return Blocks { blocks: vec![whole_block(Format::Yaml, whole)], markdown: None };
    }
    let frontmatter = frontmatter.map(|found| match found.closed {
        true => end_before_prose(source, found),
        false => cut_short(source, found),
    });
    let markdown = markdown::scan(source, frontmatter);
    let mut blocks = Vec::new();
    blocks.extend(frontmatter.map(|found| Block {
        origin: Origin::Frontmatter,
        format: Format::Yaml,
        span: found.body,
        outer: found.span,
        closed: found.closed,
        quoted: false,
    }));
    blocks.extend(markdown.fences.iter().filter_map(|fence| fence_block(source, fence)));
    blocks.extend(bare_sections(source, &markdown));
    blocks.sort_by_key(|block| block.outer);
    Blocks { blocks, markdown: Some(markdown) }
}

fn whole_block(format: Format, span: Span) -> Block {
    Block { origin: Origin::Whole, format, span, outer: span, closed: true, quoted: false }
}

fn looks_like_json(text: &str) -> bool {
    let text = text.trim_start();
    let after = text.get(1..).unwrap_or_default().trim_start();
    match text.as_bytes().first() {
        Some(b'{') => after.starts_with(['"', '}']),
        Some(b'[') => after.starts_with(['{', '"', '[']) && !after.starts_with("[ ]") || text.trim() == "[]",
        _ => false,
    }
}

/// Says whether nearly all lines at the margin are keys, items or comments, and the first is a key.
fn looks_like_yaml(text: &str) -> bool {
    let (mut keys, mut others, mut seen_first) = (0_usize, 0_usize, false);
    let (mut labels, mut bare_keys, mut after_bare_key) = (0_usize, 0_usize, false);
    for (line, _) in markdown::lines(text, 0) {
        let line = line.text(text);
        labels += usize::from(after_bare_key && line.trim().is_empty());
        after_bare_key = false;
        if line.is_empty()
            || line.starts_with([' ', '\t', '#', '}', ']'])
            || line.trim_end() == "---"
            || line == "..."
        {
            continue;
        }
        let is_key = is_key_line(line);
        if !seen_first {
            seen_first = true;
            if !(is_key || line.starts_with("- ") && is_key_line(&line[2..])) {
                return false;
            }
        }
        if line.starts_with("```") || line.starts_with("**") || line.starts_with('|') {
            return false;
        }
        after_bare_key = is_key && line.trim_end().ends_with(':');
        bare_keys += usize::from(after_bare_key);
        match is_key || line.starts_with("- ") || line == "-" {
            true => keys += 1,
            false => others += 1,
        }
    }
    // People leave a line free below the label of a list; nobody does so below a key of YAML.
    let is_note = labels >= 2 && labels == bare_keys;
    seen_first && !is_note && keys * 100 >= (keys + others) * YAML_LINES_PERCENT
}

/// Says whether a line is `key: value` or `key:` with a key of a few plain words.
fn is_key_line(line: &str) -> bool {
    let Some(colon) = line.find(':') else { return false };
    let (key, after) = (&line[..colon], &line[colon + 1..]);
    let key = key.trim_matches(['"', '\'']);
    (after.is_empty() || after.starts_with([' ', '\t', '\r']))
        && !key.is_empty()
        && key.split(' ').count() <= 3
        && key.chars().all(|mark| mark.is_alphanumeric() || matches!(mark, '_' | '-' | '.' | ' ' | '/' | '$'))
}

/// Ends a frontmatter that was never closed where the prose begins: at the first heading after a blank line.
fn cut_short(source: &str, found: Frontmatter) -> Frontmatter {
    let mut blank = false;
    let mut end = source.len();
    for (line, _) in markdown::lines(source, found.body.start as usize) {
        let text = line.text(source);
        let heading = text.trim_start_matches('#');
        if blank && heading.len() < text.len() && heading.starts_with(' ') {
            end = line.start as usize;
            break;
        }
        blank = text.trim().is_empty();
    }
    let body = Span::new(found.body.start as usize, end);
    Frontmatter { body, span: Span::new(found.span.start as usize, end), closed: false }
}

/// Ends a frontmatter before the prose that somebody wrote into it, when it cannot be read otherwise.
fn end_before_prose(source: &str, found: Frontmatter) -> Frontmatter {
    let body = found.body.text(source);
    let Some(prose) = body.find("\n\n## ").map(|at| at + 2) else { return found };
    let reads = |text: &str| yaml::parse(text, 0).fatal().is_none();
    if reads(body) || !reads(&body[..prose]) {
        return found;
    }
    let end = found.body.start as usize + prose;
    let body = Span::new(found.body.start as usize, end);
    Frontmatter { body, span: Span::new(found.span.start as usize, end), closed: false }
}

fn fence_block(source: &str, fence: &Fence) -> Option<Block> {
    let info = fence.info.text(source).split_whitespace().next().unwrap_or_default();
    let body = fence.body.text(source);
    let format = match info.to_ascii_lowercase().as_str() {
        "yaml" | "yml" | "handoff" => Format::Yaml,
        "json" | "jsonc" | "json5" => Format::Json,
        "" if looks_like_json(body) => Format::Json,
        "" if looks_like_yaml(body) => Format::Yaml,
        _ => return None,
    };
    Some(Block {
        origin: Origin::Fence,
        format,
        span: fence.body,
        outer: fence.span,
        closed: fence.closed,
        quoted: fence.quoted,
    })
}

/// Finds YAML that stands under a heading of a handoff without a fence around it.
fn bare_sections(source: &str, markdown: &Markdown) -> Vec<Block> {
    let mut found = Vec::new();
    let mut lines = markdown.lines.iter().peekable();
    while let Some(line) = lines.next() {
        let LineKind::Heading { text, .. } = line.kind else { continue };
        let heading = text.text(source).to_ascii_lowercase();
        if !(heading.contains("handoff") || heading.contains("machine summary")) {
            continue;
        }
        while lines.next_if(|line| line.kind == LineKind::Blank).is_some() {}
        let Some(first) = lines.peek().filter(|line| line.kind == LineKind::Text) else { continue };
        let start = first.span.start as usize;
        let mut end = start;
        while let Some(line) = lines.next_if(|line| matches!(line.kind, LineKind::Text | LineKind::Blank)) {
            if line.span.text(source).trim_end() == "---" {
                break;
            }
            end = line.span.end as usize;
        }
        let span = Span::new(start, end);
        if looks_like_yaml(span.text(source)) {
            found.push(Block {
                origin: Origin::Section,
                format: Format::Yaml,
                span,
                outer: span,
                closed: true,
                quoted: false,
            });
        }
    }
    found
}
