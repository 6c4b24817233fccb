//! A pattern or gotcha without an id to refer to.

use super::standing;
use super::{Check, Code, Level, Rule, Subject};
use crate::diagnostic::{Diagnostic, Edit, Severity};
use crate::dialect::Dialect;
use crate::field::Field;
use crate::record::Record;
use crate::report::Report;
use crate::span::Span;
use crate::stable_id;

pub(crate) const CODE: Code = Code(406);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "id-missing",
    severity: Severity::Note,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT406.md"),
    check: Check::Handoff(check),
};

fn check(subject: &Subject<'_, '_>, report: &mut Report) {
    if subject.handoff.dialect != Dialect::Taskfile {
        return;
    }
    for (list, kind, words) in
        [(Field::Patterns, "pattern", Field::Pattern), (Field::Gotchas, "gotcha", Field::Issue)]
    {
        for item in subject.handoff.record.records(list) {
            if standing::has_text(item, Field::Id) {
                continue;
            }
            let Some(text) = item.text(words).filter(|_| standing::has_text(item, words)) else { continue };
            let id = stable_id::of(kind, text.as_str());
            let diagnostic = Diagnostic::new(CODE, text.span, format!("this {kind} has no id"))
                .help(format!("`{id}` is its id from now on, and stays it as long as the words stay"));
            report.push(match insertion(subject.source, item, &id) {
                Some(edit) => diagnostic.fix(format!("write `id: {id}`"), vec![edit]),
                None => diagnostic,
            });
        }
    }
}

/// Returns the edit that makes `id` the first key of a mapping, where that is plainly safe.
fn insertion(source: &str, item: &Record<'_>, id: &str) -> Option<Edit> {
    let first = item.entries.first()?;
    if item.has(Field::Id) || first.key_span == item.span {
        return None;
    }
    let start = item.span.start as usize;
    if source.get(start..)?.starts_with('{') {
        return Some(Edit { span: Span::at(start + 1), replacement: format!("\"id\": \"{id}\", ") });
    }
    let line = source[..start].rfind('\n').map_or(0, |newline| newline + 1);
    let before = &source[line..start];
    let is_block =
        first.key_span.start == item.span.start && before.bytes().all(|byte| matches!(byte, b' ' | b'-'));
    is_block.then(|| Edit {
        span: Span::at(start),
        replacement: format!("id: {id}\n{}", " ".repeat(before.len())),
    })
}

#[cfg(test)]
mod tests {
    use super::CODE;
    use crate::diagnostic::Fix;

    fn fixes(source: &str) -> Vec<Fix> {
        let found =
            crate::judge::judge(&mut crate::document::read(source), &crate::project::Project::default());
        found.into_iter().filter(|found| found.code == CODE).filter_map(|found| found.fix).collect()
    }

    #[test]
    fn the_fix_writes_the_id_once() {
        for source in [
            "outcome: completed\ngotchas:\n  - issue: The cache key ignores the locale\n    severity: low\n",
            "outcome: completed\ngotchas: [{issue: The cache key ignores the locale, severity: low}]\n",
            "{\"outcome\": \"completed\", \"gotchas\": [{\"issue\": \"The cache key ignores the locale\", \"severity\": \"low\"}]}",
        ] {
            let fix = fixes(source).remove(0);
            let edit = &fix.edits[0];
            let mut fixed = source.to_owned();
            fixed.replace_range(edit.span.range(), &edit.replacement);
            assert!(fixed.contains("gotcha-"), "{fixed}");
            assert_eq!(fixes(&fixed), [], "{fixed}");
        }
    }
}
