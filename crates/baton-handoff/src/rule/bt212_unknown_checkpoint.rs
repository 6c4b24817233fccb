//! A checkpoint that the stage does not have.

use super::nearest::{is_drift, nearest};
use super::rewrite::rewritten;
use super::show::shown;
use super::stage_document::{StageDocument, name_of};
use super::{Check, Code, Level, Rule, Subject};
use crate::diagnostic::{Diagnostic, Severity};
use crate::field::Field;
use crate::report::Report;

pub(crate) const CODE: Code = Code(212);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "unknown-checkpoint",
    severity: Severity::Warning,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT212.md"),
    check: Check::Handoff(check),
};

fn check(subject: &Subject<'_, '_>, report: &mut Report) {
    let Some(document) = StageDocument::of(subject) else { return };
    let Some(required) = document.required else { return };
    for checkpoint in document.checkpoints() {
        let name = name_of(checkpoint)
            .filter(|name| !name.is_empty() && !required.iter().any(|known| known == name));
        if let (Some(name), Some(text)) = (name, checkpoint.text(Field::Name)) {
            let stage = document.record.str(Field::Stage).unwrap_or_default();
            let wanted = document.missing().find(|wanted| is_drift(name, wanted));
            let mut message = format!("the stage {} has no checkpoint {}", shown(stage), shown(name));
            if let Some(wanted) = wanted {
                message.push_str(&format!(": did you mean `{wanted}`?"));
            }
            let diagnostic = Diagnostic::new(CODE, text.span, message)
                .help("checkpoints keep their names from one handoff to the next; a project can add its own");
            let typo = nearest(name, wanted).filter(|near| near.is_typo());
            let fix = typo.and_then(|near| Some((near.word, rewritten(subject.source, text, near.word)?)));
            report.push(match fix {
                Some((wanted, replacement)) => diagnostic.replace(format!("write `{wanted}`"), replacement),
                None => diagnostic,
            });
        }
    }
}
