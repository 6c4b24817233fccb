//! What is known, as a graph: data, a description for Graphviz, or a picture.

mod dot;
mod svg;

use baton_runner::desk::knowledge::Graph;
use clap::ValueEnum;

use crate::output;

/// How a graph is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// One JSON document
    Json,
    /// The language of Graphviz
    Dot,
    /// A picture, light or dark as its reader likes
    Svg,
}

pub(crate) fn write(graph: &Graph, format: Format) -> String {
    match format {
        Format::Json => {
            let value = serde_json::json!({
                "version": 1,
                "nodes": graph.nodes,
                "edges": graph.edges,
                "left_out": graph.left_out,
            });
            let mut out = Vec::new();
            // Writing into memory does not fail.
            let _ = output::write_json(&mut out, &value);
            format!("{}\n", String::from_utf8_lossy(&out))
        }
        Format::Dot => dot::write(graph),
        Format::Svg => svg::write(graph),
    }
}

/// Returns a text in one line of visible characters, cut to so many.
fn cut(text: &str, chars_max: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = output::printable(&words.join(" "));
    match text.char_indices().nth(chars_max) {
        Some(_) => {
            let end = text.char_indices().nth(chars_max.saturating_sub(1)).map_or(text.len(), |(end, _)| end);
            format!("{}…", text[..end].trim_end())
        }
        None => text,
    }
}

#[cfg(test)]
mod tests;
