//! Text that stands in for something nobody filled in.

/// Share of a document's values that must be placeholders for it to be a template, in percent.
pub(crate) const TEMPLATE_PERCENT: usize = 40;

/// Says whether the whole text is a placeholder.
pub(crate) fn is_placeholder(text: &str) -> bool {
    let text = text.trim().trim_matches(['"', '\'', '`']);
    if text.is_empty() || text.len() > 200 {
        return false;
    }
    let enclosed = |open: char, close: char| {
        text.starts_with(open)
            && text.ends_with(close)
            && !text[1..text.len() - 1].contains([open, close])
            && text.len() > 2
    };
    let words = text.trim_matches(|mark: char| !mark.is_alphanumeric());
    let upper = words.to_ascii_uppercase();
    enclosed('<', '>')
        || enclosed('[', ']')
            && text[1..].starts_with(char::is_alphabetic)
            && (text.contains(' ') || text.len() < 24)
        || text.starts_with("{{") && text.ends_with("}}")
        || text.starts_with("${") && text.ends_with('}')
        || matches!(
            upper.as_str(),
            "TODO" | "TBD" | "TBA" | "FIXME" | "XXX" | "FILL ME IN" | "PLACEHOLDER" | "LOREM IPSUM"
        )
        || upper.starts_with("YYYY-MM-DD")
        || upper.starts_with("ISO-8601")
        || upper == "ISO 8601"
        || upper.starts_with("TODO:")
        || is_choice_list(text)
        || matches!(text, "string" | "number" | "boolean" | "..." | "…")
}

/// Says whether this is a list of alternatives such as `pass | fail | skip`.
fn is_choice_list(text: &str) -> bool {
    let mut parts = 0;
    for part in text.split('|') {
        let part = part.trim();
        let simple = |mark: char| mark.is_alphanumeric() || matches!(mark, '_' | '-' | '@' | ' ');
        if part.is_empty() || part.len() > 32 || !part.chars().all(simple) || part.split(' ').count() > 2 {
            return false;
        }
        parts += 1;
    }
    parts >= 2
}
