//! Append-only files: which entries there are, and which one is the newest.

use std::ops::Range;

use crate::markdown::{LineKind, Markdown};

/// Where the entries of an append-only file are.
#[derive(Debug, Default)]
pub(super) struct Entries {
    /// The lines of every entry but the newest, in order.
    older: Vec<Range<usize>>,
    /// The lines that open an entry, in order.
    headings: Vec<usize>,
}

/// What orders entries: their date, then their number.
type Rank = (u32, u32);

struct Entry {
    line: usize,
    end: usize,
    rank: Rank,
}

impl Entries {
    pub(super) fn find(source: &str, markdown: &Markdown) -> Self {
        let found =
            (1..=4).map(|level| by_heading(source, markdown, level)).find(|entries| entries.len() > 1);
        let entries = found.unwrap_or_else(|| by_line(source, markdown));
        if entries.len() < 2 {
            return Self::default();
        }
        let rises = entries.first().map(|entry| entry.rank) <= entries.last().map(|entry| entry.rank);
        let newest = entries
            .iter()
            .enumerate()
            .max_by_key(|(index, entry)| (entry.rank, if rises { *index } else { entries.len() - index }))
            .map_or(0, |(index, _)| index);
        let older = entries
            .iter()
            .enumerate()
            .filter(|(index, _)| *index != newest)
            .map(|(_, entry)| entry.line..entry.end);
        Self { older: older.collect(), headings: entries.iter().map(|entry| entry.line).collect() }
    }

    pub(super) fn has_older(&self) -> bool {
        !self.older.is_empty()
    }

    pub(super) fn is_heading(&self, line: usize) -> bool {
        self.headings.binary_search(&line).is_ok()
    }

    pub(super) fn is_older(&self, line: usize) -> bool {
        let next = self.older.partition_point(|entry| entry.end <= line);
        self.older.get(next).is_some_and(|entry| entry.contains(&line))
    }
}

fn by_heading(source: &str, markdown: &Markdown, wanted: u8) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for (index, line) in markdown.lines.iter().enumerate() {
        let LineKind::Heading { level, text } = line.kind else { continue };
        if level > wanted {
            continue;
        }
        if let Some(open) = entries.last_mut().filter(|open| open.end == usize::MAX) {
            open.end = index;
        }
        if level == wanted
            && let Some(rank) = rank(text.text(source))
        {
            entries.push(Entry { line: index, end: usize::MAX, rank });
        }
    }
    close(entries, markdown)
}

/// Finds entries that open with a date in brackets at the start of a line, as logs do.
fn by_line(source: &str, markdown: &Markdown) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for (index, line) in markdown.lines.iter().enumerate() {
        let text = line.span.text(source);
        let opens = line.kind == LineKind::Text && text.starts_with('[');
        let dated = opens.then(|| text.get(1..).and_then(date)).flatten();
        let heading = matches!(line.kind, LineKind::Heading { .. });
        if (dated.is_some() || heading)
            && let Some(open) = entries.last_mut().filter(|open| open.end == usize::MAX)
        {
            open.end = index;
        }
        if let Some(date) = dated {
            entries.push(Entry { line: index, end: usize::MAX, rank: (date, 0) });
        }
    }
    close(entries, markdown)
}

fn close(mut entries: Vec<Entry>, markdown: &Markdown) -> Vec<Entry> {
    if let Some(open) = entries.last_mut().filter(|open| open.end == usize::MAX) {
        open.end = markdown.lines.len();
    }
    entries
}

/// Returns the rank of an entry's heading: it begins with a date, or with "Session" and a number.
fn rank(heading: &str) -> Option<Rank> {
    let heading = heading.trim_start_matches(|char: char| !char.is_alphanumeric());
    if let Some(date) = date(heading) {
        return Some((date, 0));
    }
    // "Session 4", "Last session (2026-03-09)", "Handoff 2026-03-09": the word stands among the first.
    let mut words =
        heading.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty()).take(3);
    let word = words.find(|word| is_entry_word(&word.to_lowercase()))?;
    let end = super::label::place(heading, word).range().end;
    let rest = heading[end..].trim_start_matches(|char: char| !char.is_alphanumeric());
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let number = rest[..digits].parse::<u32>().ok();
    let dated =
        rest.char_indices().filter(|(_, char)| char.is_ascii_digit()).find_map(|(at, _)| date(&rest[at..]));
    match (dated, number) {
        (Some(date), _) => Some((date, number.filter(|number| *number < 1_990).unwrap_or(0))),
        (None, Some(number)) => Some((0, number)),
        (None, None) => None,
    }
}

#[rustfmt::skip]
fn is_entry_word(word: &str) -> bool {
    matches!(
        word,
        "session" | "entry" | "update" | "handoff" | "handover" | "checkpoint" | "sesión" | "sessão"
            | "sitzung" | "séance" | "сессия" | "sessione" | "sesja" | "sesi" | "会话" | "セッション" | "세션"
    )
}

/// Reads a date such as `2026-03-09`, `2026/3/9` or `09/03/2026` at the start of a text, as a number that sorts.
pub(super) fn date(text: &str) -> Option<u32> {
    year_first(text).or_else(|| {
        let (day, month, year) = (text.get(..2)?, text.get(3..5)?, text.get(6..10)?);
        let marks = text.get(2..3)? == text.get(5..6)? && matches!(text.get(2..3)?, "/" | "." | "-");
        let (day, month): (u32, u32) = (day.parse().ok()?, month.parse().ok()?);
        // Where the month cannot be one, the two are in the American order.
        let (day, month) = if month > 12 { (month, day) } else { (day, month) };
        let year: u32 = year.parse().ok()?;
        let fits =
            marks && (1990..=2100).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
        fits.then_some(year * 10_000 + month * 100 + day)
    })
}

fn year_first(text: &str) -> Option<u32> {
    let mut parts = text.splitn(3, ['-', '/', '.']);
    let number = |part: Option<&str>, digits: usize| {
        let part = part?;
        let len = part.bytes().take_while(u8::is_ascii_digit).count();
        (1..=digits)
            .contains(&len)
            .then(|| part[..len].parse::<u32>().ok())
            .flatten()
            .map(|number| (number, part.len() == len))
    };
    let (year, whole) = number(parts.next(), 4)?;
    let (month, whole_month) = number(parts.next(), 2)?;
    let (day, _) = number(parts.next(), 2)?;
    let fits = whole
        && whole_month
        && (1990..=2100).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day);
    fits.then_some(year * 10_000 + month * 100 + day)
}

/// Says whether a date stands anywhere in a text.
pub(super) fn has_date(text: &str) -> bool {
    text.match_indices("20").any(|(at, _)| {
        let fresh = at == 0 || !text.as_bytes()[at - 1].is_ascii_alphanumeric();
        fresh && date(&text[at..]).is_some()
    })
}
