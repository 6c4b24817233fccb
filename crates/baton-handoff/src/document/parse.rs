//! From a block to its trees, with everything that went wrong on the way.

use std::borrow::Cow;

use crate::alias;
use crate::block::{Block, Format};
use crate::diagnostic::{Diagnostic, Edit};
use crate::dialect::{self, Origin};
use crate::json;
use crate::key;
use crate::repair;
use crate::report::Report;
use crate::rule::{
    bt005_limit, bt006_yaml_syntax, bt007_repaired, bt008_anchor, bt009_tag, bt010_duplicate_key,
    bt011_json_syntax, bt012_concatenated, bt013_unclosed_fence, bt014_unclosed_frontmatter,
    bt015_bare_section,
};
use crate::tree::Node;
use crate::trouble::{Parsed, Trouble};
use crate::yaml;

/// How far above an error the readable part of a block may end.
const LINES_ABOVE_ERROR_MAX: usize = 4;
/// Known keys that a broken block must show to count as a handoff that was meant.
const MEANT_KEYS_MIN: usize = 2;

/// Parses a block. Fences are often illustrations: one that cannot be read counts only when it was meant as a handoff.
pub(super) fn nodes<'s>(
    source: &'s str,
    block: &Block,
    report: &mut Report,
    unreadable: &mut bool,
) -> Vec<Node<'s>> {
    let (text, is_copy) = text_of(source, block);
    let base = block.span.start as usize;
    let parsed = match (is_copy, text) {
        (false, Cow::Borrowed(text)) => parse(text, base, block.format),
        (_, text) => parse(&text, base, block.format).into_owned(),
    };
    let Some(fatal) = parsed.fatal() else {
        parsed.troubles.iter().for_each(|trouble| report.push(diagnostic(trouble, block.format)));
        return parsed.documents;
    };
    let text = block.span.text(source);
    let repaired = match block.format {
        Format::Yaml => repair::repair(text, base, fatal),
        Format::Json => None,
    };
    if let Some(repaired) = repaired {
        for repair in &repaired.repairs {
            let message = format!("YAML refuses this line: {}", repair.cause);
            let edit = Edit { span: repair.span, replacement: repair.replacement.clone() };
            let diagnostic = Diagnostic::new(bt007_repaired::CODE, repair.span, message);
            report.push(diagnostic.fix("put it in quotes", vec![edit]));
        }
        repaired.parsed.troubles.iter().for_each(|trouble| report.push(diagnostic(trouble, block.format)));
        return repaired.parsed.documents;
    }
    if is_meant(text, block) {
        *unreadable = true;
        report.push(diagnostic(fatal, block.format));
        if let (Trouble::Syntax { span, .. }, Format::Yaml) = (fatal, block.format) {
            return before_error(text, base, span.start as usize - base);
        }
    }
    Vec::new()
}

/// Returns what stands above a line that cannot be read: the error is reported, the rest is not lost.
fn before_error(text: &str, base: usize, error: usize) -> Vec<Node<'static>> {
    let mut end = error.min(text.len());
    for _ in 0..LINES_ABOVE_ERROR_MAX {
        end = memchr::memrchr(b'\n', &text.as_bytes()[..end]).unwrap_or(0);
        let parsed = yaml::parse(&text[..end], base);
        if parsed.fatal().is_none() {
            return parsed.into_owned().documents;
        }
    }
    Vec::new()
}

fn parse(text: &str, base: usize, format: Format) -> Parsed<'_> {
    match format {
        Format::Yaml => yaml::parse(text, base),
        Format::Json => json::parse(text, base),
    }
}

/// Returns the block's text; the `>` of a block quote become blanks, so that places stay the same.
fn text_of<'s>(source: &'s str, block: &Block) -> (Cow<'s, str>, bool) {
    let text = block.span.text(source);
    if !block.quoted {
        return (Cow::Borrowed(text), false);
    }
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let quote = line.len() - line.trim_start_matches([' ', '>']).len();
        out.extend(std::iter::repeat_n(' ', quote));
        out.push_str(&line[quote..]);
    }
    (Cow::Owned(out), true)
}

/// Reports a fence or frontmatter that is never closed, and YAML without a fence.
pub(super) fn note_delimiters(source: &str, block: &Block, report: &mut Report) {
    match block.origin {
        Origin::Fence if !block.closed => report.push(bt013_unclosed_fence::diagnostic(source, block.outer)),
        Origin::Frontmatter if !block.closed => {
            report.push(bt014_unclosed_frontmatter::diagnostic(block.outer))
        }
        Origin::Section => report.push(bt015_bare_section::diagnostic(block.outer)),
        Origin::Fence | Origin::Frontmatter | Origin::Whole => {}
    }
}

/// Says whether a block that cannot be read has the keys of a handoff.
fn is_meant(text: &str, block: &Block) -> bool {
    let min = match block.origin {
        Origin::Whole | Origin::Frontmatter if text.len() > 100_000 => return true,
        Origin::Whole | Origin::Frontmatter => MEANT_KEYS_MIN,
        Origin::Fence | Origin::Section => MEANT_KEYS_MIN + 1,
    };
    let is_known = |word: &&str| {
        let word = key::normalise(word);
        word == "handoff" || alias::field(&word).is_some() || is_artifact_key(&word)
    };
    match block.format {
        Format::Yaml => {
            let first_words =
                text.lines().map(|line| line.trim_start().split([':', '"']).find(|word| !word.is_empty()));
            first_words.flatten().filter(is_known).take(min).count() >= min
        }
        // A key is what stands in quotes before a colon, also where all of it is one line.
        Format::Json => {
            let quoted = text.split('"').collect::<Vec<_>>();
            let keys = quoted.windows(2).filter(|pair| pair[1].trim_start().starts_with(':'));
            keys.map(|pair| pair[0]).filter(is_known).take(min).count() >= min
        }
    }
}

/// Says whether every artifact of the builder–verifier protocol has this key.
fn is_artifact_key(word: &str) -> bool {
    dialect::artifact::DEFINITION
        .variants
        .iter()
        .any(|variant| variant.keys.iter().any(|key| key.name == word))
}

fn diagnostic(trouble: &Trouble, format: Format) -> Diagnostic {
    match trouble {
        Trouble::Syntax { span, message } => match format {
            Format::Yaml => bt006_yaml_syntax::diagnostic(*span, message),
            Format::Json => bt011_json_syntax::diagnostic(*span, message),
        },
        Trouble::Limit { span, excess } => bt005_limit::diagnostic(*span, excess.what, excess.max),
        Trouble::Anchor { span } => bt008_anchor::diagnostic(*span, "an anchor"),
        Trouble::Alias { span } => bt008_anchor::diagnostic(*span, "an alias"),
        Trouble::MergeKey { span } => bt008_anchor::diagnostic(*span, "a merge key"),
        Trouble::Tag { span } => bt009_tag::diagnostic(*span),
        Trouble::DuplicateKey { key, first, second } => bt010_duplicate_key::diagnostic(key, *first, *second),
        Trouble::KeyNotText { span } => {
            bt006_yaml_syntax::diagnostic(*span, "a list or mapping cannot be a key")
        }
        Trouble::Concatenated { span } => bt012_concatenated::diagnostic(*span),
    }
}
