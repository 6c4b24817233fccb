//! The whole of YAML, by the events of `granit-parser`.

use std::borrow::Cow;

use granit_parser::{ErrorKind, Event, Parser, ScalarStyle, ScanError, StructureStyle};

use crate::grow::{Grower, excess};
use crate::limit;
use crate::span::Span;
use crate::tree::Style;
use crate::trouble::{Parsed, Trouble};

/// Room for the parser to go past our own depth, so that the error is ours and names the limit.
const PARSER_DEPTH_MAX: usize = limit::DEPTH_MAX * 2;

pub(crate) fn parse(text: &str, base: usize) -> Parsed<'_> {
    let mut parsed = Parsed::default();
    if let Err(trouble) = documents(text, base, &mut parsed) {
        parsed.documents.clear();
        parsed.troubles.push(trouble);
    }
    parsed
}

fn documents<'s>(text: &'s str, base: usize, parsed: &mut Parsed<'s>) -> Result<(), Trouble> {
    let mut options = granit_parser::options! {
        flow_nesting_limit: PARSER_DEPTH_MAX,
        block_nesting_limit: PARSER_DEPTH_MAX,
        emit_unresolved_aliases: true,
    };
    options.set_emit_comments(false);
    let mut parser = Parser::new_from_str_with_options(text, options);
    let mut grower = Grower::default();
    let mut flow_depth = 0_usize;
    while let Some(event) = parser.next_event() {
        let (event, at) = event.map_err(|error| syntax(&error, base, text))?;
        let range = at.byte_range().unwrap_or(0..0);
        let mut span = Span::new(base + range.start, base + range.end);
        if let Event::Scalar(_, ScalarStyle::Literal | ScalarStyle::Folded, ..) = event {
            // The parser goes on to the next token; the text ends with its last word.
            span = Span::new(base + range.start, base + range.start + text[range.clone()].trim_end().len());
        }
        match event {
            Event::DocumentEnd => {
                parsed.troubles.append(&mut grower.troubles);
                parsed.documents.extend(grower.root.take());
                if parsed.documents.len() > limit::STREAM_DOCUMENTS_MAX {
                    return Err(excess(span, "documents in one block", limit::STREAM_DOCUMENTS_MAX));
                }
                grower = Grower::default();
            }
            Event::Alias(_) | Event::UnresolvedAlias(_) => {
                grower.troubles.push(Trouble::Alias { span });
                grower.scalar(Cow::Borrowed(&text[range]), Style::Plain, span)?;
            }
            Event::Scalar(value, style, anchor, tag) => {
                note_properties(&mut grower, span, anchor, tag.is_some());
                // A value that was left out is reported as `~`, which nobody wrote.
                let value =
                    if range.is_empty() && style == ScalarStyle::Plain { Cow::Borrowed("") } else { value };
                grower.scalar(value, style_of(style), span)?;
            }
            Event::SequenceStart(style, anchor, tag) => {
                note_properties(&mut grower, span, anchor, tag.is_some());
                flow_depth += usize::from(style == StructureStyle::Flow);
                grower.open_list(base + range.start)?;
            }
            Event::MappingStart(style, anchor, tag) => {
                note_properties(&mut grower, span, anchor, tag.is_some());
                flow_depth += usize::from(style == StructureStyle::Flow);
                grower.open_map(base + range.start)?;
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let in_flow = flow_depth > 0;
                flow_depth = flow_depth.saturating_sub(1);
                grower.close(in_flow.then_some(base + range.end))?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn note_properties(grower: &mut Grower<'_>, span: Span, anchor: usize, tagged: bool) {
    if anchor != 0 {
        grower.troubles.push(Trouble::Anchor { span });
    }
    if tagged {
        grower.troubles.push(Trouble::Tag { span });
    }
}

fn style_of(style: ScalarStyle) -> Style {
    match style {
        ScalarStyle::Plain => Style::Plain,
        ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => Style::Quoted,
        ScalarStyle::Literal | ScalarStyle::Folded => Style::Block,
    }
}

fn syntax(error: &ScanError, base: usize, text: &str) -> Trouble {
    let at = error.marker().byte_offset().unwrap_or(text.len()).min(text.len());
    if matches!(error.kind(), ErrorKind::RecursionLimitExceeded) {
        return excess(Span::at(base + at), "levels of nesting", limit::DEPTH_MAX);
    }
    let end = text[at..].find(['\n', '\r']).map_or(text.len(), |len| at + len);
    Trouble::Syntax { span: Span::new(base + at, base + end), message: error.info() }
}
