//! What a tool was told, held against what it takes.

use std::path::{Component, Path};

use baton_handoff::limit::DOCUMENT_BYTES_MAX;
use baton_runner::file;
use serde_json::{Map, Value};

use super::{Taken, Tool};
use crate::failure::Failure;
use crate::output::printable;

/// Most texts in a list.
const TEXTS_MAX: usize = 32;

#[derive(Debug)]
pub(super) struct Arguments<'a>(&'a Map<String, Value>);

impl<'a> Arguments<'a> {
    pub(super) fn read(tool: &Tool, given: &'a Map<String, Value>) -> Result<Self, Failure> {
        let names: Vec<&str> = tool.parameters.iter().map(|parameter| parameter.name).collect();
        let hint = format!("`{}` takes {}", tool.name, names.join(", "));
        for (name, value) in given {
            let Some(parameter) = tool.parameters.iter().find(|known| known.name == name) else {
                return Err(Failure::usage(&format!("there is no argument `{}`", printable(name)), &hint));
            };
            let fits = match parameter.form {
                Taken::Text => value.is_string() || value.is_null(),
                Taken::Texts => value
                    .as_array()
                    .is_some_and(|texts| texts.len() <= TEXTS_MAX && texts.iter().all(Value::is_string)),
            };
            if !fits {
                let form = match parameter.form {
                    Taken::Text => "a text".to_owned(),
                    Taken::Texts => format!("a list of at most {TEXTS_MAX} texts"),
                };
                return Err(Failure::usage(&format!("`{name}` must be {form}"), &hint));
            }
        }
        let arguments = Self(given);
        for parameter in tool.parameters.iter().filter(|parameter| parameter.is_needed) {
            if arguments.optional(parameter.name).is_none() {
                return Err(Failure::usage(&format!("`{}` is missing", parameter.name), &hint));
            }
        }
        Ok(arguments)
    }

    /// Returns an argument that is there if anything is.
    pub(super) fn text(&self, name: &str) -> &str {
        self.optional(name).unwrap_or_default()
    }

    pub(super) fn optional(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty())
    }

    pub(super) fn texts(&self, name: &str) -> Vec<String> {
        let given = self.0.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        given.iter().filter_map(Value::as_str).map(str::to_owned).collect()
    }

    /// Returns the document that is meant: its text, or a file of the project.
    pub(super) fn document(&self, root: &Path) -> Result<Option<Vec<u8>>, Failure> {
        match (self.optional("document"), self.optional("file")) {
            (Some(text), None) if text.len() <= DOCUMENT_BYTES_MAX => Ok(Some(text.as_bytes().to_vec())),
            (Some(_), None) => Err(Failure::usage(
                &format!("the document has more than {DOCUMENT_BYTES_MAX} bytes"),
                "hand over a shorter one; put details into files and name them",
            )),
            (None, Some(file)) => read_file(root, file).map(Some),
            (Some(_), Some(_)) => {
                Err(Failure::usage("both `document` and `file` are given", "give one of them"))
            }
            (None, None) => Ok(None),
        }
    }
}

/// Reads a file of the project: nothing outside of it, however it is written, and through no link.
fn read_file(root: &Path, file: &str) -> Result<Vec<u8>, Failure> {
    let refused = |why: &str| {
        Failure::usage(
            &format!("`{}` {why}", printable(file)),
            "name a file of the project, from its root, or send the text as `document`",
        )
    };
    let mut path = root.to_owned();
    for component in Path::new(file).components() {
        match component {
            Component::Normal(name) => path.push(name),
            Component::CurDir => continue,
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                return Err(refused("leads out of the project"));
            }
        }
        match std::fs::symlink_metadata(&path) {
            Ok(found) if found.file_type().is_symlink() => return Err(refused("is a link")),
            Ok(_) => {}
            Err(error) => return Err(refused(&format!("cannot be read: {error}"))),
        }
    }
    let mut bytes = Vec::new();
    let read = file::open_plain(&path).and_then(|file| file::read_to_limit(file, &mut bytes));
    read.map_err(|error| refused(&format!("cannot be read: {error}")))?;
    Ok(bytes)
}
