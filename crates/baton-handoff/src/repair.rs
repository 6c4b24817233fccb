//! Repairs the YAML that agents write by hand and parsers refuse: one line at a time, only by quoting.
//!
//! A repair is taken only when the parser then gets further than before, so a line that was right stays as it is.
//! What was written is never changed, only put in quotes.

mod line;

use crate::limit;
use crate::span::Span;
use crate::trouble::{Parsed, Trouble};
use crate::yaml;

/// Most bytes parsed again while looking for repairs of one block; bounds the time on hostile input.
const REPARSED_BYTES_MAX: usize = 2 * 1024 * 1024;
/// How far above the error its cause is looked for: a list or a quote may have opened some lines before.
const LINES_ABOVE_MAX: usize = 12;
/// How many lines the parser must get further for a repair to be taken without looking for a better one.
const CLEAR_GAIN_LINES: usize = 4;

/// A line, or a few, that was put in quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Repair {
    /// The bytes of the document that are replaced.
    pub(crate) span: Span,
    pub(crate) replacement: String,
    /// Why YAML refused it, as in "text after a closing quote".
    pub(crate) cause: &'static str,
}

#[derive(Debug)]
pub(crate) struct Repaired {
    pub(crate) parsed: Parsed<'static>,
    pub(crate) repairs: Vec<Repair>,
}

/// Repairs a block that did not parse; nothing where that cannot be done.
///
/// `text` starts at byte `base` of the document, and all spans are of the document as it was written.
pub(crate) fn repair(text: &str, base: usize, first: &Trouble) -> Option<Repaired> {
    let mut work = Work { text, base, repairs: Vec::new(), reparsed: 0 };
    let mut error = error_offset(first, base)?;
    for _ in 0..limit::REPAIRS_MAX {
        match work.step(error)? {
            Step::Further(next) => error = next,
            Step::Parsed(parsed) => return Some(Repaired { parsed, repairs: work.repairs }),
        }
    }
    None
}

enum Step {
    /// The parser got further; it now fails at this offset of the original text.
    Further(usize),
    Parsed(Parsed<'static>),
}

struct Work<'s> {
    text: &'s str,
    base: usize,
    /// Sorted by place, in offsets of `text`.
    repairs: Vec<Repair>,
    reparsed: usize,
}

impl Work<'_> {
    /// Tries the lines at and above the error, and takes the repair that lets the parser get furthest.
    fn step(&mut self, error: usize) -> Option<Step> {
        let error_line = line_start(self.text, error);
        let mut best: Option<(usize, Repair)> = None;
        let mut start = Some(error_line);
        for _ in 0..=LINES_ABOVE_MAX {
            let Some(line) = start else { break };
            for repair in line::candidates(self.text, line) {
                if self.repairs.iter().any(|done| overlaps(done.span, repair.span)) {
                    continue;
                }
                match self.attempt(&repair)? {
                    Step::Parsed(parsed) => return Some(self.finish(repair, parsed)),
                    Step::Further(next) => {
                        if next > best.as_ref().map_or(error, |(furthest, _)| *furthest) {
                            best = Some((next, repair));
                        }
                    }
                }
            }
            start = previous_line(self.text, line);
            // A gain of several lines is the cause found; a gain of one may be chance, and the cause stands above.
            if best.as_ref().is_some_and(|(next, _)| self.lines_between(error, *next) >= CLEAR_GAIN_LINES) {
                break;
            }
        }
        let (next, repair) = best.filter(|(next, _)| line_start(self.text, *next) > error_line)?;
        self.insert(repair);
        Some(Step::Further(next))
    }

    fn lines_between(&self, from: usize, to: usize) -> usize {
        memchr::memchr_iter(b'\n', &self.text.as_bytes()[from.min(to)..to]).count()
    }

    fn insert(&mut self, repair: Repair) -> usize {
        let at = self.repairs.partition_point(|done| done.span.start < repair.span.start);
        self.repairs.insert(at, repair);
        at
    }

    /// Parses with one repair more, and takes it back. Returns nothing when the budget is spent.
    fn attempt(&mut self, repair: &Repair) -> Option<Step> {
        self.reparsed += self.text.len();
        if self.reparsed > REPARSED_BYTES_MAX {
            return None;
        }
        let at = self.insert(repair.clone());
        let repaired = apply(self.text, &self.repairs);
        let parsed = yaml::parse(&repaired, 0);
        let failed = parsed.fatal().map(|trouble| original(trouble.span().start, &self.repairs) as usize);
        let step = match failed {
            None => Step::Parsed(parsed.into_owned()),
            Some(next) => Step::Further(next.min(self.text.len())),
        };
        self.repairs.remove(at);
        Some(step)
    }

    /// Brings all places back to the document as it was written.
    fn finish(&mut self, last: Repair, mut parsed: Parsed<'static>) -> Step {
        self.insert(last);
        let (base, repairs) = (self.base, &self.repairs);
        parsed.map_spans(&|span| {
            let start = original(span.start, repairs) as usize;
            Span::new(base + start, base + original(span.end, repairs) as usize)
        });
        for repair in &mut self.repairs {
            repair.span = Span::new(base + repair.span.start as usize, base + repair.span.end as usize);
        }
        Step::Parsed(parsed)
    }
}

fn error_offset(trouble: &Trouble, base: usize) -> Option<usize> {
    match trouble {
        Trouble::Syntax { span, .. } => Some((span.start as usize).saturating_sub(base)),
        Trouble::Limit { .. }
        | Trouble::Anchor { .. }
        | Trouble::Alias { .. }
        | Trouble::MergeKey { .. }
        | Trouble::Tag { .. }
        | Trouble::DuplicateKey { .. }
        | Trouble::KeyNotText { .. }
        | Trouble::Concatenated { .. } => None,
    }
}

fn overlaps(a: Span, b: Span) -> bool {
    a.start < b.end && b.start < a.end
}

fn apply(text: &str, repairs: &[Repair]) -> String {
    let mut out = String::with_capacity(text.len() + repairs.len() * 4);
    let mut at = 0;
    for repair in repairs {
        out.push_str(&text[at..repair.span.start as usize]);
        out.push_str(&repair.replacement);
        at = repair.span.end as usize;
    }
    out.push_str(&text[at..]);
    out
}

/// Returns the offset of the text as written for an offset of the repaired text.
fn original(offset: u32, repairs: &[Repair]) -> u32 {
    let mut moved = 0_i64;
    for repair in repairs {
        let start = i64::from(repair.span.start) + moved;
        let len = i64::try_from(repair.replacement.len()).unwrap_or(i64::MAX);
        if i64::from(offset) < start {
            break;
        }
        if i64::from(offset) <= start + len {
            return if i64::from(offset) == start { repair.span.start } else { repair.span.end };
        }
        moved += len - i64::from(repair.span.end - repair.span.start);
    }
    u32::try_from(i64::from(offset) - moved).unwrap_or(0)
}

fn line_start(text: &str, offset: usize) -> usize {
    let offset = offset.min(text.len());
    memchr::memrchr(b'\n', &text.as_bytes()[..offset]).map_or(0, |newline| newline + 1)
}

fn previous_line(text: &str, start: usize) -> Option<usize> {
    (start > 0).then(|| line_start(text, start - 1))
}

#[cfg(test)]
mod tests;
