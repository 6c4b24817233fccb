//! A finding as a person reads it: the sentence, the source with the place underlined, the fix as a patch.

use annotate_snippets::{Annotation, AnnotationKind, Level, Origin, Patch, Renderer, Snippet};
use baton_handoff::diagnostic::{Diagnostic, Fix, Label, Severity};
use baton_handoff::span::{LineIndex, Span};

use crate::output::{is_unsafe, printable};

/// Longest stretch of source that is shown, in bytes.
const WINDOW_BYTES_MAX: usize = 4096;

/// Renders one finding, in colour; the stream takes the colours out where they are not wanted.
pub(crate) fn render(path: &str, source: &str, index: &LineIndex, diagnostic: &Diagnostic) -> String {
    let path = printable(path);
    let code = diagnostic.code.to_string();
    let message = printable(&diagnostic.message);
    let primary = &diagnostic.primary;
    let labels: Vec<(std::ops::Range<usize>, String, AnnotationKind)> =
        std::iter::once((primary, AnnotationKind::Primary))
            .chain(diagnostic.others.iter().map(|label| (label, AnnotationKind::Context)))
            .map(|(label, kind)| (visible(label.span, source), words(label), kind))
            .collect();
    let windows = windows(source, index, &labels);
    let help = diagnostic.help.as_deref().map(printable);
    let fix = diagnostic.fix.as_ref().map(|fix| (printable(&fix.title), replacements(fix)));
    let patched = diagnostic.fix.as_ref().and_then(|fix| {
        let ranges = fix.edits.iter().map(|edit| clamp(edit.span, source));
        let range = ranges.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end))?;
        Window::of(source, index, range)
    });

    let title = level(diagnostic.severity).primary_title(message.as_str()).id(code.as_str());
    let at = index.position(source, primary.span.start);
    let place = Origin::path(path.as_str());
    let mut main = match windows.first() {
        Some((window, labels)) => title.element(window.snippet(&path, labels)),
        None if source.is_empty() => title.element(place),
        None => title.element(place.line(at.line).char_column(at.column)),
    };
    for (window, labels) in windows.iter().skip(1) {
        main = main.element(window.snippet(&path, labels));
    }
    if let Some(help) = &help {
        main = main.element(Level::HELP.message(help.as_str()));
    }
    let mut groups = vec![main];
    if let (Some((title, replacements)), Some(window), Some(fix)) = (&fix, &patched, &diagnostic.fix) {
        let patches = fix.edits.iter().zip(replacements).map(|(edit, replacement)| {
            Patch::new(window.inside(clamp(edit.span, source)), replacement.as_str())
        });
        let snippet = Snippet::source(window.text.as_str()).line_start(window.line).path(path.as_str());
        groups.push(Level::HELP.secondary_title(title.as_str()).element(snippet.patches(patches)));
    }
    Renderer::styled().render(&groups)
}

type Labelled = (std::ops::Range<usize>, String, AnnotationKind);

/// Some whole lines of the source, with nothing in them that could paint a terminal, byte for byte in its place.
struct Window {
    text: String,
    start: usize,
    line: usize,
}

impl Window {
    /// Returns the lines around a range, or nothing where they are too long to be shown.
    fn of(source: &str, index: &LineIndex, range: std::ops::Range<usize>) -> Option<Self> {
        if source.is_empty() {
            return None;
        }
        let start = source[..range.start].rfind('\n').map_or(0, |at| at + 1);
        let end = source[range.end..].find('\n').map_or(source.len(), |at| range.end + at);
        let text = source.get(start..end).filter(|text| text.len() <= WINDOW_BYTES_MAX)?;
        let line = index.position(source, u32::try_from(start).ok()?).line;
        Some(Self { text: same_width(text), start, line })
    }

    fn inside(&self, range: std::ops::Range<usize>) -> std::ops::Range<usize> {
        let at = |offset: usize| offset.saturating_sub(self.start).min(self.text.len());
        at(range.start)..at(range.end)
    }

    fn holds(&self, range: &std::ops::Range<usize>) -> bool {
        self.start <= range.start && range.end <= self.start + self.text.len()
    }

    fn snippet<'a>(&'a self, path: &'a str, labels: &'a [&'a Labelled]) -> Snippet<'a, Annotation<'a>> {
        let annotations =
            labels.iter().map(|(range, words, kind)| annotation(kind, self.inside(range.clone()), words));
        Snippet::source(self.text.as_str()).line_start(self.line).path(path).annotations(annotations)
    }
}

/// Returns what is shown of the source: one window where all places are near each other, else one for each.
fn windows<'a>(source: &str, index: &LineIndex, labels: &'a [Labelled]) -> Vec<(Window, Vec<&'a Labelled>)> {
    let start = labels.iter().map(|(range, ..)| range.start).min().unwrap_or(0);
    let end = labels.iter().map(|(range, ..)| range.end).max().unwrap_or(0);
    if let Some(window) = Window::of(source, index, start..end) {
        return vec![(window, labels.iter().collect())];
    }
    let mut found: Vec<(Window, Vec<&Labelled>)> = Vec::new();
    for (at, label) in labels.iter().enumerate() {
        if let Some((_, labels)) = found.iter_mut().find(|(window, _)| window.holds(&label.0)) {
            labels.push(label);
            continue;
        }
        match Window::of(source, index, label.0.clone()) {
            Some(window) => found.push((window, vec![label])),
            // Without the primary place the others mean nothing.
            None if at == 0 => return Vec::new(),
            None => {}
        }
    }
    found
}

/// Returns text in which what is not a visible character is replaced by a mark of as many bytes.
fn same_width(text: &str) -> String {
    let mark = |character: char| match (
        is_unsafe(character) && !matches!(character, '\n' | '\t' | '\r'),
        character.len_utf8(),
    ) {
        (false, _) => character,
        (true, 1) => '?',
        (true, 2) => '¿',
        (true, 3) => '\u{fffd}',
        (true, _) => '\u{1f6ab}',
    };
    text.chars().map(mark).collect()
}

fn replacements(fix: &Fix) -> Vec<String> {
    fix.edits.iter().map(|edit| printable(&edit.replacement)).collect()
}

fn annotation<'a>(kind: &AnnotationKind, range: std::ops::Range<usize>, words: &'a str) -> Annotation<'a> {
    let annotation = (*kind).span(range);
    if words.is_empty() { annotation } else { annotation.label(words) }
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
