//! Keeps secrets out of everything that is shown or stored.

use std::borrow::Cow;

use super::spans;
use crate::diagnostic::Diagnostic;

/// What stands for a secret in a sentence.
const HIDDEN: &str = "***";
/// Shorter values stand in too many words to be replaced there.
const VALUE_BYTES_MIN: usize = 6;

/// Returns the text with a star for every byte of a secret, so that all places stay the same.
pub fn mask(text: &str) -> Cow<'_, str> {
    let found = spans(text);
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for span in found {
        let range = span.range();
        out.push_str(text.get(at..range.start).unwrap_or_default());
        let secret = text.get(range.clone()).unwrap_or_default();
        out.extend(secret.bytes().map(|byte| if byte == b'\n' { '\n' } else { '*' }));
        at = range.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    Cow::Owned(out)
}

/// Masks a document and everything that its findings repeat of it.
pub fn hide<'s>(source: &'s str, findings: &mut [Diagnostic]) -> Cow<'s, str> {
    let masked = mask(source);
    if let Cow::Owned(_) = masked {
        let values: Vec<&str> = spans(source)
            .iter()
            .map(|span| span.text(source))
            .filter(|value| value.len() >= VALUE_BYTES_MIN)
            .collect();
        findings.iter_mut().for_each(|finding| hide_in(finding, &values));
    }
    masked
}

fn hide_in(finding: &mut Diagnostic, values: &[&str]) {
    for value in values {
        let hide = |text: &mut String| {
            if text.contains(value) {
                *text = text.replace(value, HIDDEN);
            }
        };
        hide(&mut finding.message);
        finding.help.iter_mut().for_each(hide);
        hide(&mut finding.primary.text);
        finding.others.iter_mut().for_each(|label| hide(&mut label.text));
        // A fix that repeats a secret cannot be shown, and with stars in it it would destroy the document.
        let repeats =
            |fix: &crate::diagnostic::Fix| fix.edits.iter().any(|edit| edit.replacement.contains(value));
        if finding.fix.as_ref().is_some_and(repeats) {
            finding.fix = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_masked_text_has_its_places_and_no_secret() {
        let token = format!("ghp_{}", "a1B2c3D4e5".repeat(4));
        let text = format!("status: complete\nnote: used {token} for the push\nnext: ü\n");
        let masked = mask(&text);
        assert_eq!(masked.len(), text.len());
        assert!(!masked.contains(&token) && masked.ends_with("next: ü\n"), "{masked}");
        assert!(matches!(mask("nothing here"), Cow::Borrowed(_)));
    }
}
