//! `[files]`: where the files lie that people read and commit, or that there are none.

use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use serde::Deserialize;
use toml::Spanned;

use super::Problem;

const STATE: &str = ".baton/state/current.json";
const ARCHIVE: &str = ".baton/handoffs";

/// Where the files lie, from the root of the project. Nothing means that they are not written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Files {
    pub state: Option<PathBuf>,
    pub archive: Option<PathBuf>,
}

impl Default for Files {
    fn default() -> Self {
        Self { state: Some(STATE.into()), archive: Some(ARCHIVE.into()) }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Table {
    state: Option<Spanned<toml::Value>>,
    archive: Option<Spanned<toml::Value>>,
}

impl Table {
    pub(super) fn read(self) -> Result<Files, Problem> {
        let usual = Files::default();
        Ok(Files { state: place(self.state, usual.state)?, archive: place(self.archive, usual.archive)? })
    }
}

fn place(said: Option<Spanned<toml::Value>>, usual: Option<PathBuf>) -> Result<Option<PathBuf>, Problem> {
    let Some(said) = said else { return Ok(usual) };
    let span = said.span();
    match said.into_inner() {
        toml::Value::Boolean(false) => Ok(None),
        toml::Value::String(text) => inside(&text, span).map(Some),
        _ => Err(problem("this is no place for a file", span)),
    }
}

fn inside(text: &str, span: Range<usize>) -> Result<PathBuf, Problem> {
    let path = Path::new(text);
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(name) if name != ".git");
    let is_strange = text.contains(['\\', ':', '\0']) || text.ends_with('/');
    match !text.is_empty() && !is_strange && path.components().all(is_plain) {
        true => Ok(path.to_owned()),
        false => Err(problem("this place is not inside the project", span)),
    }
}

fn problem(message: &str, span: Range<usize>) -> Problem {
    Problem {
        message: message.to_owned(),
        help: Some(format!("write a path below the folder of this file, as in \"{STATE}\", or false")),
        span,
    }
}
