//! A text holds characters that nobody sees.

use super::scalars::{self, Written};
use super::{Check, Code, Level, Rule, Subject, invisible};
use crate::diagnostic::{Diagnostic, Severity};
use crate::report::Report;
use crate::span::Span;
use crate::tree::Style;

pub(crate) const CODE: Code = Code(18);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "invisible-characters",
    severity: Severity::Warning,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT018.md"),
    check: Check::Handoff(check),
};

fn check(subject: &Subject<'_, '_>, report: &mut Report) {
    scalars::each(subject.handoff, &mut |scalar| {
        if let Some((_, character)) = invisible::first(scalar.value) {
            report.push(diagnostic(subject.source, scalar, character));
        } else if let Some(span) = lone_surrogate(subject.source, &scalar) {
            let message = format!("`{}` is half a character", span.text(subject.source));
            report.push(
                Diagnostic::new(CODE, span, message)
                    .label("a surrogate without its other half")
                    .help("write both halves, or the character itself"),
            );
        }
    });
}

fn diagnostic(source: &str, scalar: Written<'_>, character: char) -> Diagnostic {
    let what = invisible::name(character).unwrap_or("it joins letters and has no width");
    let number = format!("U+{:04X}", u32::from(character));
    // An escape such as `\u202e` is not in the source as itself: then the whole value is the place.
    let raw = scalar.span.text(source).find(character).map(|at| scalar.span.start as usize + at);
    let span = raw.map_or(scalar.span, |at| Span::new(at, at + character.len_utf8()));
    Diagnostic::new(CODE, span, format!("this text holds the invisible character {number}"))
        .label(format!("{number}: {what}"))
        .help("a reader and a machine see different texts here: take the character out")
}

/// Finds an escape of half a character, which no text can hold and which is kept as it was written.
fn lone_surrogate(source: &str, scalar: &Written<'_>) -> Option<Span> {
    if scalar.style != Style::Quoted || memchr::memchr(b'\\', scalar.value.as_bytes()).is_none() {
        return None;
    }
    let written = scalar.span.text(source).strip_prefix('"')?;
    let at = |offset: usize| scalar.span.start as usize + 1 + offset;
    let mut rest = written;
    while let Some(backslash) = rest.find('\\') {
        let offset = written.len() - rest.len() + backslash;
        let escape = rest.get(backslash..backslash + 6).unwrap_or_default();
        if is_surrogate(escape) {
            let pair = rest.get(backslash + 6..backslash + 12).unwrap_or_default();
            if !(is_surrogate(pair) && is_high(escape) && !is_high(pair)) {
                return Some(Span::new(at(offset), at(offset + 6)));
            }
            rest = &rest[backslash + 12..];
            continue;
        }
        let escaped = rest[backslash + 1..].chars().next().map_or(0, char::len_utf8);
        rest = &rest[backslash + 1 + escaped..];
    }
    None
}

fn is_surrogate(escape: &str) -> bool {
    let code = escape.strip_prefix("\\u").and_then(|digits| u32::from_str_radix(digits, 16).ok());
    code.is_some_and(|code| (0xD800..0xE000).contains(&code))
}

fn is_high(escape: &str) -> bool {
    escape[3..].starts_with(['8', '9', 'a', 'b', 'A', 'B'])
}

#[cfg(test)]
mod tests {
    use super::CODE;
    use crate::{document, judge, project::Project};

    #[test]
    fn a_raw_character_is_pointed_at_and_never_printed() {
        let source = "phase: QA\nfrom: \"@tester\"\nto: None\nstatus: \"complete\u{202e}\"\n";
        let found = judge::judge(&mut document::read(source), &Project::default());
        let found: Vec<_> = found.iter().filter(|found| found.code == CODE).collect();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].primary.span.text(source), "\u{202e}");
        assert!(found[0].message.ends_with("U+202E") && found[0].primary.text.is_ascii());
    }
}
