//! What is written is read back the same, in every dialect; what a dialect cannot hold is said.
//!
//! A run in the long mode (`BATON_LONG=1`) makes 100,000 documents.

use baton_handoff::convert::convert;
use baton_handoff::dialect::{self, Definition, Layout, Variant};
use baton_handoff::document;
use baton_handoff::field::Field;
use baton_handoff::fix::fix;
use baton_handoff::handoff::Handoff;
use baton_handoff::project::Project;
use baton_handoff::record::{Record, Text, Value};
use baton_handoff::span::Span;
use baton_handoff::tree::Style;
use baton_handoff::write::{canonical, write};
use baton_testkit::random::Random;
use baton_testkit::{generate, mutate};

const SEED: u64 = 20_261_116;
const DOCUMENTS: usize = 3_000;
const DOCUMENTS_LONG: usize = 100_000;

fn documents() -> usize {
    if std::env::var_os("BATON_LONG").is_some() { DOCUMENTS_LONG } else { DOCUMENTS }
}

/// Returns every variant of every dialect that is written as data.
fn variants() -> Vec<(&'static Definition, &'static Variant)> {
    let data = dialect::ALL.iter().filter(|definition| definition.layout != Layout::Prose);
    data.flat_map(|definition| definition.variants.iter().map(move |variant| (*definition, variant)))
        .collect()
}

fn add_body(handoff: &mut Handoff<'static>, layout: Layout, random: &mut Random) {
    if matches!(layout, Layout::Frontmatter | Layout::Fence { .. }) && random.chance(70) {
        let body = Text::stated(generate::prose(random), Style::Block, Span::default());
        handoff.record.push(Field::Body, Span::default(), Value::Text(body));
    }
}

fn same(a: &Record<'_>, b: &Record<'_>) -> bool {
    let sorted = |record: &Record<'_>| {
        let mut record = record.clone().into_owned();
        record.entries.sort_by_key(|entry| entry.field);
        canonical(&record).into_owned()
    };
    sorted(a).same_data(&sorted(b))
}

#[test]
fn what_is_written_is_read_back_the_same() {
    let variants = variants();
    let mut mistaken = 0;
    for index in 0..documents() {
        let (definition, variant) = variants[index % variants.len()];
        let random = &mut Random::numbered(SEED, index);
        let mut handoff = generate::handoff(definition, variant, random);
        add_body(&mut handoff, definition.layout, random);
        let written = write(&handoff, definition, variant);
        assert!(written.losses.is_empty(), "{index} {}: {:?}", variant.name, written.losses);
        let read = document::read(&written.text);
        let again = match read.handoffs.as_slice() {
            [again] if again.dialect == definition.dialect => again,
            found => {
                // A form that is known by its usual keys, not by required ones, may have too few of them.
                let (count, text, refusal) = (found.len(), &written.text, &read.refusal);
                assert!(!definition.dialect.is_strict(), "{index}: {count} handoffs in\n{text}\n{refusal:?}");
                mistaken += 1;
                continue;
            }
        };
        match definition.dialect.is_strict() {
            true => {
                assert_eq!(again.variant.name, variant.name, "{index}\n{}", written.text);
                assert!(
                    same(&handoff.record, &again.record),
                    "{index} {}\n{}\n{:#?}\n{:#?}",
                    variant.name,
                    written.text,
                    handoff.record,
                    again.record
                );
            }
            // Forms that are read by meaning keep the data as a tree: writing that again changes nothing.
            false => {
                let once = write(again, definition, variant);
                let twice = document::read(&once.text);
                let (a, b) = (again.tree.as_ref(), twice.handoffs[0].tree.as_ref());
                assert!(a.zip(b).is_some_and(|(a, b)| a.same_data(b)), "{index}\n{}", once.text);
            }
        }
    }
    assert!(mistaken < documents() / 10, "{mistaken} were taken for another dialect");
}

#[test]
fn converting_there_and_back_loses_only_what_was_listed() {
    let strict: Vec<_> =
        variants().into_iter().filter(|(definition, _)| definition.dialect.is_strict()).collect();
    for index in 0..documents() {
        let random = &mut Random::numbered(SEED ^ 1, index);
        let (from, from_variant) = *random.pick(&strict);
        let (to, to_variant) = *random.pick(&strict);
        let handoff = generate::handoff(from, from_variant, random);
        let there = convert(&handoff, to, to_variant);
        let read = document::read(&there.text);
        // A dialect that gets none of its own fields cannot be recognised; then everything must have been listed.
        let Some(middle) = read.handoffs.first() else { continue };
        let back = convert(middle, from, from_variant);
        let read = document::read(&back.text);
        let Some(again) = read.handoffs.first() else { continue };
        if again.dialect != from.dialect || middle.dialect != to.dialect {
            continue;
        }
        for entry in &handoff.record.entries {
            let name = entry.field.name();
            let listed = there.losses.iter().chain(&back.losses).any(|loss| loss.path.starts_with(name));
            let one = |record: &Record<'_>| {
                Record {
                    entries: record
                        .entries
                        .iter()
                        .filter(|other| other.field == entry.field)
                        .cloned()
                        .collect(),
                    ..Record::default()
                }
                .into_owned()
            };
            let kept = same(&one(&handoff.record), &one(&again.record)) || entry.value.is_blank();
            let recased = matches!(entry.field, Field::Stage);
            assert!(
                kept || listed || recased,
                "{index}: {name} of {} was lost in {}\n{}\n{}",
                from.name,
                to.name,
                there.text,
                back.text
            );
        }
        for extension in &handoff.record.extensions {
            let kept = again
                .record
                .extensions
                .iter()
                .any(|other| other.key == extension.key && other.value.same_data(&extension.value));
            assert!(kept, "{index}: {} was lost\n{}", extension.key, there.text);
        }
    }
}

#[test]
fn fixing_twice_is_fixing_once() {
    let project = Project::default();
    let variants = variants();
    let mut fixed_something = 0;
    for index in 0..documents() {
        let (definition, variant) = variants[index % variants.len()];
        let random = &mut Random::numbered(SEED ^ 2, index);
        let text = write(&generate::handoff(definition, variant, random), definition, variant).text;
        let damaged = mutate::mutate(&text, random);
        let once = fix(&damaged, &project);
        let twice = fix(&once.text, &project);
        assert_eq!(once.text, twice.text, "{index}: fixed again: {:?}\n{damaged}", twice.applied);
        fixed_something += usize::from(!once.applied.is_empty());
    }
    assert!(fixed_something > documents() / 100, "only {fixed_something} documents had anything to fix");
}
