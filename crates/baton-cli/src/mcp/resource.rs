//! What a client can read: how tasks stand, their documents, the project's guidance and skills.

use baton_runner::desk::context::quoted;
use baton_runner::desk::{Desk, Id, tell};
use serde_json::{Map, Value, json};

use super::message::{INVALID_PARAMS, Request, RpcError};
use super::revision::{Client, Era};
use super::server::Server;
use crate::command::desk::failure;
use crate::failure::Failure;

/// How the addresses of all resources begin.
const SCHEME: &str = "baton://";
/// Most tasks that are listed.
const TASKS_MAX: usize = 200;
/// Most characters of one resource.
const CHARS_MAX: usize = 400_000;
/// What revisions that begin with `initialize` say when a resource is not there.
const NOT_FOUND: i64 = -32002;

pub(crate) fn templates() -> Value {
    let one = |address: &str, name: &str, about: &str| json!({ "uriTemplate": format!("{SCHEME}{address}"), "name": name, "description": about, "mimeType": "text/plain" });
    json!({ "resourceTemplates": [
        one("tasks/{task}", "task", "How a task stands, and its documents"),
        one("tasks/{task}/{document}", "document", "A handoff or another document of a task"),
        one("skills/{skill}", "skill", "A skill of the project"),
    ] })
}

pub(crate) fn list(
    server: &Server,
    client: &Client,
    meta: Option<&Map<String, Value>>,
) -> Result<Value, RpcError> {
    let desk = desk(server, client, meta)?;
    let one = |address: String, name: &str, about: &str| json!({ "uri": format!("{SCHEME}{address}"), "name": name, "description": about, "mimeType": "text/plain" });
    let mut resources = vec![
        one("tasks".to_owned(), "tasks", "How all tasks stand"),
        one("guidance".to_owned(), "guidance", "The project's guidance for agents"),
    ];
    let board = desk.board().map_err(|error| internal(&failure(error)))?;
    for line in board.iter().filter(|line| !line.has_ended).take(TASKS_MAX) {
        resources.push(one(format!("tasks/{}", line.task), &line.task, &line.status));
    }
    for skill in desk.skills() {
        resources.push(one(format!("skills/{}", skill.name), &skill.name, &skill.description));
    }
    Ok(json!({ "resources": resources }))
}

pub(crate) fn read(server: &Server, client: &Client, request: &Request) -> Result<Value, RpcError> {
    let Some(uri) = request.params.get("uri").and_then(Value::as_str) else {
        return Err(RpcError::new(INVALID_PARAMS, "`uri` is missing; `resources/list` shows what there is"));
    };
    let desk = desk(server, client, request.meta())?;
    let text = uri.strip_prefix(SCHEME).map(|address| text(&desk, address)).transpose();
    match text.map_err(|failure| internal(&failure))?.flatten() {
        Some(text) => Ok(json!({ "contents": [{ "uri": uri, "mimeType": "text/plain", "text": text }] })),
        None => {
            let code = match client.era {
                Era::Session => NOT_FOUND,
                Era::Stateless => INVALID_PARAMS,
            };
            let error =
                RpcError::new(code, "there is no such resource; `resources/list` shows what there is");
            Err(RpcError { data: Some(json!({ "uri": uri })), ..error })
        }
    }
}

/// Returns what lies at an address, or nothing.
fn text(desk: &Desk, address: &str) -> Result<Option<String>, Failure> {
    let parts: Vec<&str> = address.split('/').collect();
    match parts.as_slice() {
        ["tasks"] => {
            let board = desk.board().map_err(failure)?;
            let lines: Vec<String> =
                board.iter().map(|line| format!("{} {}: {}", line.task, line.status, line.title)).collect();
            Ok(Some(quoted(&lines.join("\n"), CHARS_MAX)))
        }
        ["guidance"] => desk.guidance_text().map(Some).map_err(failure),
        ["skills", name] => Ok(desk.skill_text(name)),
        ["tasks", task] => task_text(desk, task),
        ["tasks", task, document] => document_text(desk, task, document),
        _ => Ok(None),
    }
}

fn task_text(desk: &Desk, task: &str) -> Result<Option<String>, Failure> {
    let Some(task) = Id::new(task).ok().and_then(|id| desk.task(&id).ok()) else { return Ok(None) };
    let mut lines = vec![format!("{}: {}", task.id, task.title), tell::status(&task)];
    lines.extend(
        task.artifacts
            .iter()
            .map(|(name, artifact)| format!("{} {SCHEME}tasks/{}/{name}", artifact.kind.name(), task.id)),
    );
    Ok(Some(quoted(&lines.join("\n"), CHARS_MAX)))
}

fn document_text(desk: &Desk, task: &str, document: &str) -> Result<Option<String>, Failure> {
    let Some(task) = Id::new(task).ok().and_then(|id| desk.task(&id).ok()) else { return Ok(None) };
    let Some((_, artifact)) = task.artifacts.iter().find(|(name, _)| name.as_str() == document) else {
        return Ok(None);
    };
    let bytes = desk.document(&artifact.blob).map_err(failure)?;
    Ok(bytes.map(|bytes| quoted(&String::from_utf8_lossy(&bytes), CHARS_MAX)))
}

fn desk(server: &Server, client: &Client, meta: Option<&Map<String, Value>>) -> Result<Desk, RpcError> {
    let session = server.session(client, meta)?;
    let desk = server.service().and_then(|service| server.who.desk(&service));
    desk.map(|desk| desk.for_guest(session)).map_err(|failure| internal(&failure))
}

fn internal(failure: &Failure) -> RpcError {
    RpcError::new(super::message::INTERNAL_ERROR, failure.words())
}
