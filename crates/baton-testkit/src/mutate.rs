//! Damages documents the way agents, editors and attackers do.

use crate::random::Random;

/// Pieces that are put in: marks of YAML, JSON and Markdown, and characters that are not what they seem.
#[rustfmt::skip]
const PIECES: &[&str] = &[
    ": ", "- ", "\n", "\r\n", "```", "```yaml\n", "---\n", "...\n", "\"", "'", "{", "}", "[", "]", "#",
    " #", "@", "`", "|", ">", "&a ", "*a", "<<: *a", "!!binary ", "\t", "  ", "\u{feff}", "\u{202e}",
    "\u{0}", "\\ud800", "null", "status: complete\n", "handoff:\n", "## Handoff\n", "<waypoint-complete>",
    "</waypoint-complete>", "<!--", "-->", "🙂", ",",
];

/// Returns the document with a few damages.
pub fn mutate(text: &str, random: &mut Random) -> String {
    let mut out = text.to_owned();
    for _ in 0..random.between(1, 4) {
        damage(&mut out, random);
    }
    out
}

fn damage(text: &mut String, random: &mut Random) {
    let (from, to) = (place(text, random), place(text, random));
    let (from, to) = (from.min(to), from.max(to));
    match random.below(6) {
        0 | 1 => text.insert_str(from, random.pick::<&str>(PIECES)),
        2 => text.replace_range(from..to.min(boundary(text, from + 12)), ""),
        3 => {
            let piece = text[from..to.min(boundary(text, from + 80))].to_owned();
            text.insert_str(to, &piece);
        }
        4 => text.truncate(to),
        _ => {
            let piece = *random.pick(PIECES);
            let end = boundary(text, from + piece.len());
            text.replace_range(from..end, piece);
        }
    }
}

fn place(text: &str, random: &mut Random) -> usize {
    boundary(text, random.below(text.len() + 1))
}

fn boundary(text: &str, offset: usize) -> usize {
    text.floor_char_boundary(offset.min(text.len()))
}
