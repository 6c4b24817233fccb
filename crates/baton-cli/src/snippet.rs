//! A finding as a person reads it: the sentence, the source with the place underlined, the fix as a patch.

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Patch, Renderer, Snippet};
use baton_handoff::diagnostic::{Diagnostic, Fix, Label, Severity};
use baton_handoff::span::Span;

use crate::output::printable;

/// Renders one finding, in colour; the stream takes the colours out where they are not wanted.
pub(crate) fn render(path: &str, source: &str, diagnostic: &Diagnostic) -> String {
    let path = printable(path);
    let code = diagnostic.code.to_string();
    let message = printable(&diagnostic.message);
    let labels: Vec<(std::ops::Range<usize>, String, AnnotationKind)> =
        std::iter::once((&diagnostic.primary, AnnotationKind::Primary))
            .chain(diagnostic.others.iter().map(|label| (label, AnnotationKind::Context)))
            .map(|(label, kind)| (visible(label.span, source), words(label), kind))
            .collect();
    let annotations = labels.iter().map(|(range, words, kind)| annotation(kind, range.clone(), words));
    let help = diagnostic.help.as_deref().map(printable);
    let fix = diagnostic.fix.as_ref().map(|fix| (printable(&fix.title), fix));

    let title = level(diagnostic.severity).primary_title(message.as_str()).id(code.as_str());
    let mut main = match source.is_empty() {
        true => title.element(annotate_snippets::Origin::path(path.as_str())),
        false => title.element(Snippet::source(source).path(path.as_str()).annotations(annotations)),
    };
    if let Some(help) = &help {
        main = main.element(Level::HELP.message(help.as_str()));
    }
    let mut groups = vec![main];
    if let Some((title, fix)) = &fix {
        groups.push(patch(title, source, &path, fix));
    }
    Renderer::styled().render(&groups)
}

fn annotation<'a>(kind: &AnnotationKind, range: std::ops::Range<usize>, words: &'a str) -> Annotation<'a> {
    let annotation = (*kind).span(range);
    if words.is_empty() { annotation } else { annotation.label(words) }
}

fn patch<'a>(title: &'a str, source: &'a str, path: &'a str, fix: &'a Fix) -> Group<'a> {
    let patches =
        fix.edits.iter().map(|edit| Patch::new(clamp(edit.span, source), edit.replacement.as_str()));
    Level::HELP.secondary_title(title).element(Snippet::source(source).path(path).patches(patches))
}

fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    }
}

fn words(label: &Label) -> String {
    printable(&label.text)
}

fn clamp(span: Span, source: &str) -> std::ops::Range<usize> {
    let range = span.range();
    let start = floor(source, range.start);
    start..floor(source, range.end).max(start)
}

fn floor(source: &str, offset: usize) -> usize {
    source.floor_char_boundary(offset.min(source.len()))
}

/// Returns the part of a span that is worth showing: its first lines, without a trailing line ending.
fn visible(span: Span, source: &str) -> std::ops::Range<usize> {
    const LINES_MAX: usize = 4;
    let range = clamp(span, source);
    let text = &source[range.clone()];
    let end = text.match_indices('\n').nth(LINES_MAX - 1).map_or(text.len(), |(at, _)| at);
    let text = text[..end].trim_end();
    range.start..range.start + text.len()
}
