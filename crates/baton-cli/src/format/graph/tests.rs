use baton_runner::desk::knowledge::{Edge, EdgeKind, Node, NodeKind};

use super::*;

fn hostile() -> Graph {
    let label = "</text><script>alert(1)</script>\u{1b}[31m\" \\ -> x; }\u{202e}";
    let node = |id: &str, kind| Node { id: id.to_owned(), kind, label: label.to_owned(), standing: None };
    let edge = Edge { from: "a\"b".to_owned(), to: "task:T".to_owned(), kind: EdgeKind::LearnedIn };
    Graph {
        nodes: vec![node("a\"b", NodeKind::Gotcha), node("task:T", NodeKind::Task)],
        edges: vec![edge],
        left_out: 0,
    }
}

#[test]
fn no_label_breaks_out() {
    let svg = write(&hostile(), Format::Svg);
    assert!(!svg.contains("<script") && !svg.contains('\u{1b}') && !svg.contains('\u{202e}'), "{svg}");
    assert_eq!(svg.matches("<path").count(), 1);
    let dot = write(&hostile(), Format::Dot);
    assert!(dot.contains("\"a\\\"b\" -> \"task:T\" [label=\"learned_in\"];"), "{dot}");
    let json = write(&hostile(), Format::Json);
    assert!(serde_json::from_str::<serde_json::Value>(&json).is_ok() && !json.contains('\u{202e}'), "{json}");
}

#[test]
fn an_empty_graph_is_a_picture_too() {
    for format in [Format::Json, Format::Dot, Format::Svg] {
        assert!(!write(&Graph::default(), format).is_empty());
    }
}

#[test]
fn the_same_graph_is_the_same_picture() {
    assert_eq!(write(&hostile(), Format::Svg), write(&hostile(), Format::Svg));
}
