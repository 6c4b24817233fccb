//! The graph as a picture: a column for each sort of node, so that a reader knows where to look. No script, no font and
//! no colour from elsewhere; light or dark as the reader's system says.

use std::collections::BTreeMap;
use std::fmt::Write;

use baton_runner::desk::knowledge::{Edge, EdgeKind, Graph, Node, NodeKind};

use super::cut;

const ROW_HEIGHT: i64 = 40;
const BOX_HEIGHT: i64 = 32;
const MARGIN: i64 = 24;
const HEAD_HEIGHT: i64 = 44;
const GAP: i64 = 110;
/// How far an edge inside a column swings out.
const SWING: i64 = 34;
/// How often rows are put in order by what they are tied to.
const SWEEPS: usize = 8;

/// A column: its title, what stands in it, how wide it is, and how many characters a label has there.
struct Column {
    title: &'static str,
    kinds: &'static [NodeKind],
    width: i64,
    chars_max: usize,
}

const COLUMNS: &[Column] = &[
    Column { title: "agents", kinds: &[NodeKind::Agent], width: 120, chars_max: 15 },
    Column { title: "tasks", kinds: &[NodeKind::Task], width: 130, chars_max: 16 },
    Column {
        title: "lessons",
        kinds: &[NodeKind::Pattern, NodeKind::Gotcha, NodeKind::Decision],
        width: 380,
        chars_max: 50,
    },
    Column { title: "files and tags", kinds: &[NodeKind::File, NodeKind::Tag], width: 250, chars_max: 32 },
];

const STYLE: &str = "
text{font:12px system-ui,sans-serif;fill:#1c2430}
.head{font-weight:600;font-size:13px;fill:#5a6675}
.sub{font-size:10px;fill:#5a6675}
rect{fill:#fff;stroke:#8a97a8}
.page{fill:#f6f8fa;stroke:none}
.pattern{fill:#e3f1e6;stroke:#3d8a50}.gotcha{fill:#fdebd8;stroke:#b8651b}.decision{fill:#e4ecfb;stroke:#3f68b5}
.task{fill:#fff;stroke:#5a6675}.agent{fill:#efe8f8;stroke:#7a56b0}.tag{fill:none;stroke:#a9b4c2;stroke-dasharray:3 2}
.inert,.stale,.retired{stroke-dasharray:4 3}.retired{opacity:.5}
path{fill:none;stroke:#7d8a9a;stroke-opacity:.45;stroke-width:1.2}
.about,.tagged{stroke:#3d8a50}.touched{stroke:#9aa6b4;stroke-dasharray:2 3}.depends_on{stroke:#7a56b0;stroke-opacity:.8}
.close_to{stroke:#b8651b;stroke-dasharray:5 3;stroke-opacity:.8}
@media (prefers-color-scheme:dark){
text{fill:#dfe6ee}.head,.sub{fill:#9fabba}rect{fill:#1d252f;stroke:#5f6d7d}.page{fill:#11161c}
.pattern{fill:#17301f;stroke:#58a86c}.gotcha{fill:#3a2613;stroke:#d98b45}.decision{fill:#18263f;stroke:#6f97e0}
.task{fill:#1d252f;stroke:#8a97a8}.agent{fill:#2a2038;stroke:#a184d6}.tag{fill:none;stroke:#5f6d7d}
path{stroke:#8a97a8}.touched{stroke:#5f6d7d}
}";

struct Spot {
    column: usize,
    row: usize,
}

pub(super) fn write(graph: &Graph) -> String {
    let columns = arrange(graph);
    let spots: BTreeMap<&str, Spot> = columns
        .iter()
        .enumerate()
        .flat_map(|(column, nodes)| {
            nodes.iter().enumerate().map(move |(row, node)| (node.id.as_str(), Spot { column, row }))
        })
        .collect();
    let rows = columns.iter().map(Vec::len).max().unwrap_or(0);
    let width = left(COLUMNS.len()) - GAP + MARGIN;
    let height = HEAD_HEIGHT + rows as i64 * ROW_HEIGHT + 2 * MARGIN;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         role=\"img\" aria-label=\"What is known\">\n<style>{STYLE}</style>\n<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n"
    );
    for (number, column) in COLUMNS.iter().enumerate() {
        let _ = writeln!(
            out,
            "<text class=\"head\" x=\"{}\" y=\"{}\">{}</text>",
            left(number),
            MARGIN + 8,
            column.title
        );
    }
    for edge in &graph.edges {
        draw_edge(&mut out, edge, &spots, (&columns, rows));
    }
    for (number, nodes) in columns.iter().enumerate() {
        for (row, node) in nodes.iter().enumerate() {
            draw_node(&mut out, node, number, top(row, nodes.len(), rows));
        }
    }
    out.push_str("</svg>\n");
    out
}

/// Puts the nodes into columns, and rows near what they are tied to.
fn arrange(graph: &Graph) -> Vec<Vec<&Node>> {
    let mut columns: Vec<Vec<&Node>> = COLUMNS
        .iter()
        .map(|column| graph.nodes.iter().filter(|node| column.kinds.contains(&node.kind)).collect())
        .collect();
    let mut ties: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for edge in &graph.edges {
        ties.entry(&edge.from).or_default().push(&edge.to);
        ties.entry(&edge.to).or_default().push(&edge.from);
    }
    for sweep in 0..SWEEPS {
        let order: Vec<usize> =
            if sweep % 2 == 0 { (0..columns.len()).collect() } else { (0..columns.len()).rev().collect() };
        for at in order {
            // Places in thousandths of a column, so that short and long columns compare.
            let mut places: BTreeMap<&str, i64> = BTreeMap::new();
            for nodes in &columns {
                let length = nodes.len().max(1) as i64;
                places.extend(
                    nodes
                        .iter()
                        .enumerate()
                        .map(|(row, node)| (node.id.as_str(), (2 * row as i64 + 1) * 1000 / length)),
                );
            }
            let centre = |node: &Node| {
                let tied: Vec<i64> = ties
                    .get(node.id.as_str())
                    .into_iter()
                    .flatten()
                    .filter_map(|id| places.get(id).copied())
                    .collect();
                match tied.is_empty() {
                    true => places.get(node.id.as_str()).copied().unwrap_or(0),
                    false => tied.iter().sum::<i64>() / tied.len() as i64,
                }
            };
            columns[at].sort_by_key(|node| (centre(node), node.id.clone()));
        }
    }
    columns
}

fn left(column: usize) -> i64 {
    MARGIN + SWING + COLUMNS.iter().take(column).map(|column| column.width + GAP).sum::<i64>()
}

/// Short columns are spread over the height of the longest.
fn top(row: usize, length: usize, rows: usize) -> i64 {
    let all = rows.max(1) as i64 * ROW_HEIGHT;
    HEAD_HEIGHT + MARGIN + (2 * row as i64 + 1) * all / (2 * length.max(1) as i64) - BOX_HEIGHT / 2
}

fn draw_node(out: &mut String, node: &Node, number: usize, y: i64) {
    let Some(column) = COLUMNS.get(number) else { return };
    let x = left(number);
    let standing = node.standing.map_or("", |standing| standing.name());
    let label = escape(&cut(&node.label, column.chars_max));
    let _ = write!(
        out,
        "<g><title>{}</title><rect class=\"{} {standing}\" x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{BOX_HEIGHT}\" rx=\"5\"/>",
        escape(&cut(&node.label, 400)),
        node.kind.name(),
        column.width
    );
    let (middle, below) = if standing.is_empty() { (y + 20, None) } else { (y + 14, Some(y + 26)) };
    let _ = write!(out, "<text x=\"{}\" y=\"{middle}\">{label}</text>", x + 9);
    if let Some(below) = below {
        let _ = write!(
            out,
            "<text class=\"sub\" x=\"{}\" y=\"{below}\">{}, {standing}</text>",
            x + 9,
            node.kind.name()
        );
    }
    out.push_str("</g>\n");
}

fn draw_edge(
    out: &mut String,
    edge: &Edge,
    spots: &BTreeMap<&str, Spot>,
    (columns, rows): (&[Vec<&Node>], usize),
) {
    let (Some(from), Some(to)) = (spots.get(edge.from.as_str()), spots.get(edge.to.as_str())) else { return };
    let (from, to) = if from.column <= to.column { (from, to) } else { (to, from) };
    let y = |spot: &Spot| top(spot.row, columns.get(spot.column).map_or(1, Vec::len), rows) + BOX_HEIGHT / 2;
    let (start, end) = (y(from), y(to));
    let width = |column: usize| COLUMNS.get(column).map_or(0, |column| column.width);
    let way = if from.column == to.column {
        // Dependencies swing out to the left, close lessons to the right.
        let (x, swing) = match edge.kind {
            EdgeKind::CloseTo => (left(from.column) + width(from.column), SWING),
            _ => (left(from.column), -SWING),
        };
        format!("M{x} {start}C{} {start} {} {end} {x} {end}", x + swing, x + swing)
    } else {
        let (x, other) = (left(from.column) + width(from.column), left(to.column));
        let bend = (other - x) / 2;
        format!("M{x} {start}C{} {start} {} {end} {other} {end}", x + bend, other - bend)
    };
    let _ = writeln!(out, "<path class=\"{}\" d=\"{way}\"/>", edge.kind.name());
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}
