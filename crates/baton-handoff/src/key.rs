//! The words a dialect uses for the fields of the model, and the form it demands of their values.

use crate::field::Field;

/// Whether a dialect demands a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    Required,
    Recommended,
    Optional,
}

/// A list of words that a project can extend in its configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vocabulary {
    Stages,
    Phases,
    Roles,
    Severities,
}

/// The form of a value as the dialect demands it.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    Text,
    Id,
    /// `@name`.
    Agent,
    /// `@name`, `None` or null.
    AgentOrNone,
    /// An RFC 3339 time with its offset.
    Time,
    Flag,
    /// A whole number from 0 to `max`.
    Count {
        max: i64,
    },
    Integer,
    /// A path relative to the project's root.
    Path,
    /// `N-M` or `all`.
    Lines,
    /// Lowercase words joined by hyphens.
    Tag,
    Choice(&'static [&'static str]),
    Word(Vocabulary),
    /// A list of scalars of one form.
    Each(&'static Form),
    /// A list of mappings.
    Items(&'static [Key]),
    /// One mapping.
    Map(&'static [Key]),
    /// A mapping whose keys are fields of the record around it.
    Group(&'static [Key]),
    /// Anything.
    Tree,
}

/// A key of a dialect.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    pub name: &'static str,
    /// For a [`Form::Group`] the field is that of its first key and stands for none of its own.
    pub field: Field,
    pub need: Need,
    pub form: Form,
    /// One sentence for schemas and hovers.
    pub about: &'static str,
}

pub(crate) const fn required(name: &'static str, field: Field, form: Form, about: &'static str) -> Key {
    Key { name, field, need: Need::Required, form, about }
}

pub(crate) const fn recommended(name: &'static str, field: Field, form: Form, about: &'static str) -> Key {
    Key { name, field, need: Need::Recommended, form, about }
}

pub(crate) const fn optional(name: &'static str, field: Field, form: Form, about: &'static str) -> Key {
    Key { name, field, need: Need::Optional, form, about }
}

impl Key {
    pub(crate) fn is_group(&self) -> bool {
        matches!(self.form, Form::Group(_))
    }

    /// Returns the keys of the records under this key.
    pub fn inner(&self) -> &'static [Key] {
        match self.form {
            Form::Items(keys) | Form::Map(keys) | Form::Group(keys) => keys,
            Form::Text
            | Form::Id
            | Form::Agent
            | Form::AgentOrNone
            | Form::Time
            | Form::Flag
            | Form::Count { .. }
            | Form::Integer
            | Form::Path
            | Form::Lines
            | Form::Tag
            | Form::Choice(_)
            | Form::Word(_)
            | Form::Each(_)
            | Form::Tree => &[],
        }
    }
}

/// Finds the key of a field, also inside groups.
pub(crate) fn key_of(keys: &'static [Key], field: Field) -> Option<&'static Key> {
    keys.iter().find_map(|key| match key.form {
        Form::Group(inner) => key_of(inner, field),
        _ => (key.field == field).then_some(key),
    })
}

/// Brings a key to lowercase words joined by `_`: `QA Status`, `qa-status` and `qaStatus` are one word.
pub(crate) fn normalise(key: &str) -> String {
    let mut out = String::with_capacity(key.len() + 2);
    let mut previous_lower = false;
    for character in key.trim().chars() {
        if character.is_alphanumeric() {
            if character.is_uppercase() && previous_lower && !out.ends_with('_') {
                out.push('_');
            }
            previous_lower = character.is_lowercase() || character.is_ascii_digit();
            out.extend(character.to_lowercase());
        } else {
            previous_lower = false;
            if !out.is_empty() && !out.ends_with('_') {
                out.push('_');
            }
        }
    }
    while out.ends_with('_') {
        out.pop();
    }
    out
}
