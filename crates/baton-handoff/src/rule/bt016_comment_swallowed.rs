//! YAML took the end of a value for a comment.

use super::scalars::{self, Written};
use super::show::shown;
use super::{Check, Code, Level, Rule, Subject};
use crate::diagnostic::{Diagnostic, Edit, Severity};
use crate::report::Report;
use crate::span::Span;
use crate::tree::Style;
use crate::write::yaml;

pub(crate) const CODE: Code = Code(16);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "comment-swallowed",
    severity: Severity::Warning,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT016.md"),
    check: Check::Handoff(check),
};

fn check(subject: &Subject<'_, '_>, report: &mut Report) {
    let block = subject.handoff.span.text(subject.source);
    if memchr::memmem::find(block.as_bytes(), b" #").is_none() {
        return;
    }
    scalars::each(subject.handoff, &mut |scalar| {
        if let Some(lost) = lost(subject.source, &scalar) {
            report.push(diagnostic(subject.source, scalar, lost));
        }
    });
}

/// Returns the comment after a value, if its `#` begins a word: people put a blank after the `#` of a remark.
fn lost(source: &str, scalar: &Written<'_>) -> Option<Span> {
    if scalar.style != Style::Plain || is_literal(scalar) {
        return None;
    }
    // Where the whole value is a comment, only the key says where it began.
    let start = match scalar.span.is_empty() {
        true => scalar.key_span?.end as usize + 1,
        false => scalar.span.end as usize,
    };
    let line = source.get(start..)?.lines().next()?;
    let comment = line.trim_start_matches([' ', '\t']);
    // After a single word, such as a name or a path, only the number of an issue is likely to be lost.
    let is_word = comment.strip_prefix('#')?.starts_with(match is_word(scalar) {
        true => |first: char| first.is_ascii_digit(),
        false => char::is_alphanumeric,
    });
    let is_apart = comment.len() < line.len();
    let start = start + line.len() - comment.len();
    (is_word && is_apart).then(|| Span::new(start, start + comment.trim_end().len()))
}

/// Says whether a value is complete without any words after it.
fn is_literal(scalar: &Written<'_>) -> bool {
    let is_written = !scalar.span.is_empty();
    is_written
        && (matches!(scalar.value, "true" | "false" | "null" | "~") || scalar.value.parse::<f64>().is_ok())
}

fn is_word(scalar: &Written<'_>) -> bool {
    !scalar.span.is_empty() && !scalar.value.contains(' ')
}

fn diagnostic(source: &str, scalar: Written<'_>, lost: Span) -> Diagnostic {
    let words = shown(lost.text(source));
    let is_empty = scalar.span.is_empty();
    let message = match is_empty {
        true => format!("YAML takes {words} for a comment, and the value is empty"),
        false => format!("YAML takes {words} for a comment, and the value ends before it"),
    };
    let whole = if is_empty { lost } else { scalar.span.cover(lost) };
    let diagnostic = Diagnostic::new(CODE, lost, message)
        .label("lost when the value is read")
        .help("put the whole value in quotes, or a blank after the `#` if this is a remark");
    // A single word may be one from a list, which takes no more words.
    match is_word(&scalar) {
        true => diagnostic,
        false => diagnostic.fix(
            "put the whole value in quotes",
            vec![Edit { span: whole, replacement: yaml::quote(whole.text(source)) }],
        ),
    }
}
