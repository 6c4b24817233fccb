//! The graph in the language of Graphviz. Names and labels are quoted; nothing in them can end a statement.

use baton_runner::desk::knowledge::{Graph, NodeKind};

use super::cut;

const LABEL_CHARS_MAX: usize = 60;

pub(super) fn write(graph: &Graph) -> String {
    let mut out =
        String::from("digraph knowledge {\n  rankdir=LR;\n  node [fontname=\"sans-serif\", fontsize=11];\n");
    for node in &graph.nodes {
        let shape = match node.kind {
            NodeKind::Pattern | NodeKind::Gotcha | NodeKind::Decision => "box",
            NodeKind::File => "note",
            NodeKind::Tag => "plaintext",
            NodeKind::Task => "ellipse",
            NodeKind::Agent => "hexagon",
        };
        let standing = node.standing.map_or(String::new(), |standing| format!(" [{}]", standing.name()));
        let label = format!("{}{standing}", cut(&node.label, LABEL_CHARS_MAX));
        out.push_str(&format!("  {} [shape={shape}, label={}];\n", quoted(&node.id), quoted(&label)));
    }
    for edge in &graph.edges {
        let (from, to, kind) = (quoted(&edge.from), quoted(&edge.to), quoted(edge.kind.name()));
        out.push_str(&format!("  {from} -> {to} [label={kind}];\n"));
    }
    out.push_str("}\n");
    out
}

fn quoted(text: &str) -> String {
    let visible = crate::output::printable(text).replace('\n', " ");
    format!("\"{}\"", visible.replace('\\', "\\\\").replace('"', "\\\""))
}
