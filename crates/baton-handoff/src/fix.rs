//! Applies the safe fixes of findings, until there is nothing left to apply.

use crate::diagnostic::{Diagnostic, Edit, Severity};
use crate::document;
use crate::judge::judge;
use crate::project::Project;
use crate::rule::Code;

/// Most rounds of fixing: a fix may uncover another, but not for ever.
const ROUNDS_MAX: usize = 8;

/// A document after its fixes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixed {
    pub text: String,
    /// The rules whose findings were fixed, one for each fix.
    pub applied: Vec<Code>,
}

/// Fixes what can be fixed safely. What is not touched by a fix stays byte for byte.
pub fn fix(source: &str, project: &Project) -> Fixed {
    let mut fixed = Fixed { text: source.to_owned(), applied: Vec::new() };
    let mut findings = findings_of(&fixed.text, project);
    for _ in 0..ROUNDS_MAX {
        let (edits, codes) = compatible_edits(&findings);
        if edits.is_empty() {
            break;
        }
        let text = apply(&fixed.text, &edits);
        let after = findings_of(&text, project);
        // A fix that makes things worse is no fix: the round is given up as a whole.
        if errors(&after) > errors(&findings) {
            break;
        }
        fixed.text = text;
        fixed.applied.extend(codes);
        findings = after;
    }
    fixed
}

fn findings_of(text: &str, project: &Project) -> Vec<Diagnostic> {
    judge(&mut document::read(text), project)
}

fn errors(findings: &[Diagnostic]) -> usize {
    findings.iter().filter(|found| found.severity == Severity::Error).count()
}

/// Chooses fixes in the order of their places, leaving out those that overlap one chosen before.
fn compatible_edits(findings: &[Diagnostic]) -> (Vec<Edit>, Vec<Code>) {
    let (mut edits, mut codes): (Vec<Edit>, Vec<Code>) = (Vec::new(), Vec::new());
    for found in findings {
        let Some(fix) = &found.fix else { continue };
        let clashes = |edit: &Edit| {
            edits.iter().any(|taken| {
                let touch = edit.span.start < taken.span.end && taken.span.start < edit.span.end;
                touch || edit.span == taken.span
            })
        };
        if !fix.edits.iter().any(clashes) {
            edits.extend(fix.edits.iter().cloned());
            codes.push(found.code);
        }
    }
    edits.sort_by_key(|edit| edit.span);
    (edits, codes)
}

/// Applies edits that do not overlap, in the order of their places.
pub fn apply(source: &str, edits: &[Edit]) -> String {
    let mut out = String::with_capacity(source.len());
    let mut at = 0;
    for edit in edits {
        let range = edit.span.range();
        if range.start < at || range.end > source.len() {
            continue;
        }
        out.push_str(source.get(at..range.start).unwrap_or_default());
        out.push_str(&edit.replacement);
        at = range.end;
    }
    out.push_str(source.get(at..).unwrap_or_default());
    out
}
