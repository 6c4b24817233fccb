//! The forms of values in the words of a help text.

use super::show::{all_of, one_of};
use crate::key::{Form, Key};
use crate::project::Project;

/// Returns what a form takes, as in "a path such as `src/lib.rs`".
pub(super) fn expected(form: Form, project: &Project) -> String {
    let plain = match form {
        Form::Text => "a text",
        Form::Id => "an id such as `F-12`",
        Form::Agent => "an agent such as `@builder`",
        Form::AgentOrNone => "an agent such as `@builder`, or `None`",
        Form::Time => "a time such as `2026-03-01T09:30:00Z`",
        Form::Flag => "`true` or `false`",
        Form::Count { max: i64::MAX } => "a whole number from 0",
        Form::Count { max } => return format!("a whole number from 0 to {max}"),
        Form::Integer => "a whole number",
        Form::Path => "a path from the project's root such as `src/lib.rs`",
        Form::Lines => "`N-M` or `all`",
        Form::Tag => "a tag such as `error-handling`",
        Form::Choice(words) => return one_of(words),
        Form::Word(vocabulary) => return one_of(&project.words(vocabulary)),
        Form::Each(_) => "a list",
        Form::Items(keys) => return format!("a list of mappings with {}", names(keys)),
        Form::Map(keys) | Form::Group(keys) => return format!("a mapping with {}", names(keys)),
        Form::Tree => "a value",
    };
    plain.to_owned()
}

fn names(keys: &[Key]) -> String {
    all_of(&keys.iter().map(|key| key.name).collect::<Vec<_>>())
}
