//! What a template leaves for somebody to fill in.

/// Longest text that can be a placeholder, in bytes.
const PLACEHOLDER_BYTES_MAX: usize = 400;

/// Longest text in brackets that asks for something; longer ones tell it.
const BRACKETED_CHARS_MAX: usize = 80;

/// Says whether a text as a whole waits to be filled in: `[list of files]`, `<name>`, `{{branch}}`, `YYYY-MM-DD`, `...`.
pub(super) fn is_placeholder(text: &str) -> bool {
    let text = text
        .trim()
        .trim_matches(|char: char| "*`\"'_ ".contains(char))
        .trim_end_matches(['.', ',', ';'])
        .trim();
    if text.len() > PLACEHOLDER_BYTES_MAX {
        return false;
    }
    if matches!(text, "" | ".." | "…") {
        return matches!(text, ".." | "…");
    }
    let enclosed = |open: char, close: char| {
        let inner = text.strip_prefix(open).and_then(|inner| inner.strip_suffix(close));
        inner.is_some_and(|inner| inner.contains(char::is_alphabetic) && !inner.contains([open, close]))
    };
    // `[x]` alone is a box, and a link's text is followed by its target.
    let bracketed = enclosed('[', ']') && (4..=BRACKETED_CHARS_MAX).contains(&text.chars().count());
    let angled = enclosed('<', '>') && !text.contains("://") && !text.starts_with("</");
    bracketed || angled || enclosed('{', '}') || is_form(text) || is_choice(text)
}

/// Says whether a part of a text waits to be filled in.
pub(super) fn has_placeholder(text: &str) -> bool {
    let marked = text.bytes().any(|byte| matches!(byte, b'{' | b'Y' | b'[' | b'<'));
    if !marked || text.len() > PLACEHOLDER_BYTES_MAX {
        return false;
    }
    if (text.contains("{{") && text.contains("}}")) || text.contains("YYYY") {
        return true;
    }
    let mut in_code = false;
    for part in text.split('`') {
        if !in_code && (has_enclosed(part, '[', ']') || has_enclosed(part, '<', '>')) {
            return true;
        }
        in_code = !in_code;
    }
    false
}

/// Finds `[Some words]` or `<some-words>` that are neither a link nor a box nor a reference.
fn has_enclosed(text: &str, open: char, close: char) -> bool {
    let mut rest = text;
    while let Some((_, after)) = rest.split_once(open) {
        let Some((inner, following)) = after.split_once(close) else { return false };
        let words = inner.chars().all(|char| char.is_alphabetic() || " -_/,%'".contains(char));
        let phrase =
            inner.len() > 2 && (inner.contains([' ', '-', '_', '/']) || open == '[' && inner.contains('%'));
        if words
            && phrase
            && !(open == '[' && following.starts_with(['(', '[', ':']))
            && !inner.starts_with(' ')
        {
            return true;
        }
        rest = following;
    }
    false
}

/// Says whether a text is the form of a value instead of one.
#[rustfmt::skip]
fn is_form(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    text.contains("{{")
        || lower.starts_with("yyyy")
        || lower.starts_with("hh:mm")
        || matches!(
            &*lower,
            "xxx" | "tbd" | "to be filled" | "to be determined" | "fill in" | "fill me in" | "placeholder"
                | "n" | "name here"
        )
}

/// Says whether a text lists values to choose from.
#[rustfmt::skip]
fn is_choice(text: &str) -> bool {
    let parts: Vec<&str> = text.split(['|', '/']).map(str::trim).collect();
    let choice = |part: &&str| {
        let lower = part.to_lowercase();
        matches!(
            &*lower,
            "complete" | "completed" | "partial" | "blocked" | "failed" | "fail" | "pass" | "done"
                | "in progress" | "in_progress" | "yes" | "no" | "review" | "success" | "failure" | "high"
                | "medium" | "low" | "met" | "not met" | "true" | "false" | "pending" | "approved"
                | "rejected" | "todo" | "wip"
        )
    };
    parts.len() > 1 && parts.iter().all(choice)
}
