//! The tools: one file each, with its words, its parameters and one function. Their words are paid for by every agent in
//! every session, so they are short; what a tool answers says what comes next.

mod argument;
mod ask;
mod check;
mod context;
mod delegate;
mod receive;
mod search;
mod shown;
mod status;
mod submit;

use baton_runner::Service;
use baton_runner::desk::{Desk, Id, Session};
use serde_json::{Map, Value, json};

use crate::command::desk::{failure, task_id};
use crate::failure::Failure;

use super::form::Form;
use super::server::Server;
use argument::Arguments;

pub(crate) use check::judged;

/// Something an agent can have done.
#[derive(Debug)]
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    about: &'static str,
    parameters: &'static [Parameter],
    changes: Changes,
    run: fn(&Call<'_>) -> Result<Outcome, Failure>,
}

/// Whether a tool only looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Changes {
    Nothing,
    Record,
}

/// Something that a tool is told.
#[derive(Clone, Copy, Debug)]
struct Parameter {
    name: &'static str,
    /// Empty where the name says all.
    about: &'static str,
    form: Taken,
    is_needed: bool,
}

/// What a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Taken {
    Text,
    Texts,
}

/// A call, with everything that a tool needs.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    pub(crate) server: &'a Server,
    pub(crate) service: &'a Service,
    pub(crate) session: Session,
    arguments: Arguments<'a>,
}

/// What came of a call.
#[derive(Debug)]
pub(crate) enum Outcome {
    Told(String),
    /// It is told, and a person could say more at once.
    Asks {
        form: Box<Form>,
        told: String,
    },
}

/// All tools, in the order in which an agent needs them.
pub(crate) const ALL: &[&Tool] = &[
    &receive::TOOL,
    &context::TOOL,
    &search::TOOL,
    &ask::TOOL,
    &check::TOOL,
    &submit::TOOL,
    &delegate::DELEGATE,
    &delegate::RETURN,
    &status::TOOL,
];

const fn needed(name: &'static str, about: &'static str) -> Parameter {
    Parameter { name, about, form: Taken::Text, is_needed: true }
}

const fn optional(name: &'static str, about: &'static str) -> Parameter {
    Parameter { name, about, form: Taken::Text, is_needed: false }
}

impl Tool {
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        ALL.iter().copied().find(|tool| tool.name == name)
    }

    /// Returns the tool as it is listed.
    pub(crate) fn listed(&self) -> Value {
        let mut properties = Map::new();
        for parameter in self.parameters {
            let mut schema = match parameter.form {
                Taken::Text => json!({ "type": "string" }),
                Taken::Texts => json!({ "type": "array", "items": { "type": "string" } }),
            };
            if !parameter.about.is_empty() {
                schema["description"] = json!(parameter.about);
            }
            properties.insert(parameter.name.to_owned(), schema);
        }
        let required: Vec<&str> = self
            .parameters
            .iter()
            .filter(|parameter| parameter.is_needed)
            .map(|parameter| parameter.name)
            .collect();
        let mut schema = json!({ "type": "object", "properties": properties });
        if !required.is_empty() {
            schema["required"] = json!(required);
        }
        let mut listed = json!({ "name": self.name, "description": self.about, "inputSchema": schema });
        if self.changes == Changes::Nothing {
            listed["annotations"] = json!({ "readOnlyHint": true });
        }
        listed
    }

    pub(crate) fn run(
        &self,
        (server, service): (&Server, &Service),
        session: Session,
        arguments: &Map<String, Value>,
    ) -> Result<Outcome, Failure> {
        let arguments = Arguments::read(self, arguments)?;
        (self.run)(&Call { server, service, session, arguments })
    }
}

impl Call<'_> {
    /// Opens the desk for the agent that calls.
    fn desk(&self) -> Result<Desk, Failure> {
        Ok(self.server.who.desk(self.service)?.for_guest(self.session.clone()))
    }

    fn task(&self) -> Result<Id, Failure> {
        id(self.arguments.text("task"))
    }

    /// Returns the task that is named, or the one whose turn the caller has or could take.
    fn task_or_next(&self, desk: &Desk) -> Result<Id, Failure> {
        match self.arguments.optional("task") {
            Some(task) => id(task),
            None => receive::next(desk, &self.session)?.ok_or_else(|| {
                Failure::usage("nothing is due for you now", "`status` shows how all tasks stand")
            }),
        }
    }
}

fn id(text: &str) -> Result<Id, Failure> {
    task_id(text).map_err(|error| Failure::usage(&error, "`status` shows the ids of all tasks"))
}

/// Returns a word of a closed set, or says which there are.
fn one_of<T: Copy>(text: &str, all: &[T], name: impl Fn(T) -> &'static str) -> Result<T, Failure> {
    all.iter().copied().find(|known| name(*known) == text).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|known| name(*known)).collect();
        Failure::usage(
            &format!("there is no `{}`", crate::output::printable(text)),
            &format!("use one of {}", names.join(", ")),
        )
    })
}
