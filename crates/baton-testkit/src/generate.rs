//! Random handoffs of every dialect, made from the same key tables that Baton reads by.

use std::borrow::Cow;

use baton_handoff::dialect::{Definition, Origin, Variant};
use baton_handoff::field::{Field, Shape};
use baton_handoff::handoff::Handoff;
use baton_handoff::key::{Form, Key, Need};
use baton_handoff::record::{Extension, Record, Text, Value};
use baton_handoff::span::Span;
use baton_handoff::tree::{Kind, Node, Pair, Style};

use crate::random::Random;

/// Pieces of text that break careless readers and writers.
#[rustfmt::skip]
const PIECES: &[&str] = &[
    "plain words", "a: b", " #7", "@agent", "`code`", "\"quoted\"", "it's", "[x]", "{y}", "- item", "key:",
    "|", ">", "%", "&a", "*b", "!tag", "\\d", "\\", "\n", "\t", "\r\n", "ümlaut", "漢字", "🙂", "\u{2028}",
    "\u{1}", "---", "...", "```", "0x3", "1e5", "null", "yes", "~", "<b>", "&amp;", "a,b", "  ", "'''",
    "\"\"\"",
];

/// Returns a random handoff whose every required key is there.
pub fn handoff(
    definition: &'static Definition,
    variant: &'static Variant,
    random: &mut Random,
) -> Handoff<'static> {
    let mut record = record(variant.keys, Some(variant.name), random);
    for number in 0..random.below(3) {
        record.extensions.push(Extension {
            key: Cow::Owned(format!("x_own_{number}")),
            key_span: Span::default(),
            value: tree(random, 2),
        });
    }
    Handoff {
        dialect: definition.dialect,
        variant,
        origin: Origin::Whole,
        span: Span::default(),
        record,
        tree: None,
    }
}

/// Returns text that holds something, and may hold anything.
pub fn text(random: &mut Random) -> String {
    let mut out = String::from(*random.pick(&["word", "the", "Build", "x1", "done so", "7 of 9"]));
    for _ in 0..random.below(4) {
        out.push_str(random.pick::<&str>(&["", " ", " "]));
        out.push_str(random.pick::<&str>(PIECES));
    }
    out
}

fn record(keys: &'static [Key], name: Option<&str>, random: &mut Random) -> Record<'static> {
    let mut record = Record::default();
    fill(&mut record, keys, name, random);
    record
}

fn fill(record: &mut Record<'static>, keys: &'static [Key], name: Option<&str>, random: &mut Random) {
    for (at, key) in keys.iter().enumerate() {
        if let Form::Group(inner) = key.form {
            fill(record, inner, None, random);
            continue;
        }
        if key.need != Need::Required && at > 0 && random.chance(40) {
            continue;
        }
        let value = match (key.field, name) {
            // An artifact is of the sort it names.
            (Field::Sort, Some(name)) => Value::Text(quoted(name.to_owned())),
            _ => value(key, random),
        };
        record.push(key.field, Span::default(), value);
    }
}

fn value(key: &'static Key, random: &mut Random) -> Value<'static> {
    match key.field.shape() {
        Shape::Text => Value::Text(scalar(key.form, random)),
        Shape::Texts => Value::Texts((0..random.below(4)).map(|_| quoted(text(random))).collect()),
        Shape::Tree => Value::Tree(tree(random, 3)),
        Shape::Record => Value::Record(record(key.inner(), None, random)),
        Shape::Records(_) => {
            Value::Records((0..random.below(4)).map(|_| record(key.inner(), None, random)).collect())
        }
    }
}

fn scalar(form: Form, random: &mut Random) -> Text<'static> {
    let plain = |text: String| Text::stated(text, Style::Plain, Span::default());
    match form {
        Form::Flag => plain(random.pick(&["true", "false"]).to_string()),
        Form::Count { .. } | Form::Integer => plain(random.below(4).to_string()),
        Form::Choice(words) => plain((*random.pick(words)).to_owned()),
        _ => quoted(text(random)),
    }
}

fn quoted(text: String) -> Text<'static> {
    Text::stated(text, Style::Quoted, Span::default())
}

/// Returns a random tree of the given depth.
pub fn tree(random: &mut Random, depth: usize) -> Node<'static> {
    let kind = match if depth == 0 { 0 } else { random.below(3) } {
        0 => Kind::Scalar { text: Cow::Owned(text(random)), style: Style::Quoted },
        1 => Kind::List((0..random.below(4)).map(|_| tree(random, depth - 1)).collect()),
        _ => Kind::Map(
            (0..random.below(4))
                .map(|number| Pair {
                    key: Cow::Owned(format!("k{number} {}", text(random).replace(['\n', '\r'], " "))),
                    key_span: Span::default(),
                    value: tree(random, depth - 1),
                })
                .collect(),
        ),
    };
    Node { span: Span::default(), kind }
}

/// Returns prose without fences, for the body of a document.
pub fn prose(random: &mut Random) -> String {
    let mut out = String::from("\n# A report\n");
    for _ in 0..random.below(5) {
        out.push_str(random.pick::<&str>(&[
            "\nSome words.\n",
            "- an item\n",
            "\n---\n",
            "key: value\n",
            "\n> quoted\n",
            "ünï\n",
        ]));
    }
    out
}

/// Returns a random block of YAML as people write it: mostly plain, with something odd now and then.
pub fn yaml(random: &mut Random) -> String {
    let mut out = String::new();
    yaml_map(&mut out, 0, random);
    out
}

#[rustfmt::skip]
const PLAIN_VALUES: &[&str] = &[
    "complete", "12", "\"quoted text\"", "'single'", "[a, b-c, \"d e\"]", "[]", "{}", "null", "2026-01-16T10:00:00Z",
    "some words here", "a/b.rs", "80% # comment", "x: y", "@agent", "\"a \\\"b\\\"\"", "ünï", "- dash", "~", "a#b", "1-20", "",
];

fn yaml_map(out: &mut String, indent: usize, random: &mut Random) {
    for number in 0..random.between(1, 4) {
        let pad = " ".repeat(indent);
        match random.below(if indent < 6 { 6 } else { 4 }) {
            3 if random.chance(30) => {
                out.push_str(&format!("{pad}text{number}: |\n{pad}  one line\n"));
                out.push_str(random.pick::<&str>(&["", "\n", "   odd\n", " \n"]));
                out.push_str(&format!("{pad}  another: line # {number}\n"));
            }
            4 => {
                out.push_str(&format!("{pad}map{number}:\n"));
                yaml_map(out, indent + 2, random);
            }
            5 => {
                out.push_str(&format!("{pad}list{number}:\n"));
                let dash = if random.chance(70) { indent + 2 } else { indent };
                for _ in 0..random.between(1, 3) {
                    let pad = " ".repeat(dash);
                    match random.chance(40) {
                        true => {
                            out.push_str(&format!("{pad}- first: {}\n", random.pick(PLAIN_VALUES)));
                            out.push_str(&format!("{pad}  second: {}\n", random.pick(PLAIN_VALUES)));
                        }
                        false => out.push_str(&format!("{pad}- {}\n", random.pick(PLAIN_VALUES))),
                    }
                }
            }
            _ => out.push_str(&format!("{pad}key_{number}: {}\n", random.pick(PLAIN_VALUES))),
        }
        if random.chance(10) {
            out.push_str(random.pick::<&str>(&["\n", "# comment\n", "   \n", "  # indented\n"]));
        }
    }
}
