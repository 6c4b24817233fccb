//! From one dialect to another: what has the same meaning is carried over, what has no place is listed.

use std::borrow::Cow;

use crate::dialect::{Definition, Dialect, Variant};
use crate::field::Field;
use crate::handoff::Handoff;
use crate::key::key_of;
use crate::record::{Entry, Record, Text, Value};
use crate::tree::Style;
use crate::write::{self, Loss, Written};

/// Words for how the work stands that mean the same in two fields: those of a status, and those of an outcome.
const STANDINGS: &[(&str, &str)] = &[("complete", "completed"), ("failed", "failed"), ("blocked", "blocked")];

/// Writes a handoff in another dialect.
pub fn convert(handoff: &Handoff<'_>, definition: &'static Definition, variant: &'static Variant) -> Written {
    if handoff.dialect == definition.dialect && handoff.variant.name == variant.name {
        return write::write(handoff, definition, variant);
    }
    let mut carried = handoff.clone();
    carried.tree = None;
    carry_standing(&mut carried, variant);
    carry_stage(&mut carried, definition.dialect);
    name_sort(&mut carried, variant);
    let files_live_on = carry_files(&mut carried, variant);
    let mut written = write::write(&carried, definition, variant);
    written.losses.retain(|loss| !is_restated(loss, handoff, variant));
    for loss in written.losses.iter_mut().filter(|loss| files_live_on && is_file_list(&loss.path)) {
        loss.kept_as = Some(Field::Artifacts);
    }
    written
}

fn is_file_list(path: &str) -> bool {
    [Field::FilesCreated, Field::FilesModified].iter().any(|field| field.name() == path)
}

/// Lists the files that were made or changed as artifacts, where the target knows only those.
fn carry_files(handoff: &mut Handoff<'_>, variant: &'static Variant) -> bool {
    let wants = |field| key_of(variant.keys, field).is_some();
    if !wants(Field::Artifacts) || wants(Field::FilesCreated) || handoff.record.has(Field::Artifacts) {
        return false;
    }
    let record = &handoff.record;
    let files =
        [Field::FilesCreated, Field::FilesModified].into_iter().flat_map(|field| record.records(field));
    let artifacts: Vec<Record<'_>> = files
        .map(|file| {
            let mut artifact = Record { span: file.span, ..Record::default() };
            let about = file.text(Field::Description).or_else(|| file.text(Field::Purpose));
            for (field, text) in [(Field::Path, file.text(Field::Path)), (Field::Description, about)] {
                artifact.entries.extend(text.map(|text| Entry {
                    field,
                    key_span: text.span,
                    value: Value::Text(text.clone()),
                }));
            }
            artifact
        })
        .collect();
    if artifacts.is_empty() {
        return false;
    }
    handoff.record.push(Field::Artifacts, handoff.span, Value::Records(artifacts));
    true
}

/// Restates a status as an outcome, or the other way round, where both mean the same.
fn carry_standing(handoff: &mut Handoff<'_>, variant: &'static Variant) {
    for (from, to) in [(Field::Status, Field::Outcome), (Field::Outcome, Field::Status)] {
        let wanted = key_of(variant.keys, to).is_some() && !handoff.record.has(to);
        let Some(word) = handoff.record.str(from).filter(|_| wanted).and_then(|word| restated(from, word))
        else {
            continue;
        };
        let span = handoff.record.place(from);
        handoff.record.push(to, span, Value::Text(Text::stated(word, Style::Plain, span)));
    }
}

fn restated(from: Field, word: &str) -> Option<&'static str> {
    STANDINGS.iter().find_map(|(status, outcome)| match from {
        Field::Status => (*status == word).then_some(*outcome),
        _ => (*outcome == word).then_some(*status),
    })
}

/// An artifact names its own sort.
fn name_sort(handoff: &mut Handoff<'_>, variant: &'static Variant) {
    handoff.record.entries.retain(|entry| entry.field != Field::Sort);
    if key_of(variant.keys, Field::Sort).is_some() && variant.name != "generic" {
        let sort = Text::stated(variant.name, Style::Quoted, handoff.span);
        handoff.record.push(Field::Sort, handoff.span, Value::Text(sort));
    }
}

/// A stage is written in lowercase, a phase with a capital; QA is QA.
fn carry_stage(handoff: &mut Handoff<'_>, dialect: Dialect) {
    for entry in &mut handoff.record.entries {
        let (Field::Stage, Value::Text(text)) = (entry.field, &mut entry.value) else { continue };
        let word = match dialect {
            Dialect::Frontmatter => text.value.to_lowercase(),
            Dialect::Summary if text.value.eq_ignore_ascii_case("qa") => "QA".to_owned(),
            Dialect::Summary => {
                let mut letters = text.value.chars();
                letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
            }
            _ => continue,
        };
        text.value = Cow::Owned(word);
    }
}

/// Says whether a field that has no place itself lives on in another one.
fn is_restated(loss: &Loss, handoff: &Handoff<'_>, variant: &'static Variant) -> bool {
    [(Field::Status, Field::Outcome), (Field::Outcome, Field::Status)].iter().any(|(from, to)| {
        loss.path == from.name()
            && key_of(variant.keys, *to).is_some()
            && !handoff.record.has(*to)
            && handoff.record.str(*from).is_some_and(|word| restated(*from, word).is_some())
    })
}
