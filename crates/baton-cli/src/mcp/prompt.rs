//! Templates: an empty, correct handoff of every dialect, and of every artifact, to fill in.

use baton_handoff::dialect;
use baton_handoff::template::{is_task_id, template};
use serde_json::{Map, Value, json};

use super::message::{INVALID_PARAMS, RpcError};

/// The task in a template when none is named.
const TASK: &str = "TASK-1";

pub(crate) fn list() -> Value {
    let all = dialect::ALL
        .iter()
        .flat_map(|definition| definition.variants.iter().map(move |variant| (definition, variant)));
    let prompts: Vec<Value> = all
        .map(|(definition, variant)| {
            let about = if definition.variants.len() == 1 { definition.about } else { variant.about };
            json!({
                "name": variant.name,
                "description": format!("Write this: {about}"),
                "arguments": [{ "name": "task", "description": "The id of the task" }],
            })
        })
        .collect();
    json!({ "prompts": prompts })
}

pub(crate) fn get(params: &Map<String, Value>) -> Result<Value, RpcError> {
    let invalid = |why: &str| RpcError::new(INVALID_PARAMS, why);
    let name = params.get("name").and_then(Value::as_str).unwrap_or_default();
    let variants = dialect::ALL.iter().flat_map(|definition| definition.variants);
    let Some(variant) = variants.into_iter().find(|variant| variant.name == name) else {
        return Err(invalid("there is no such prompt; `prompts/list` shows what there is"));
    };
    let task = match params.get("arguments").and_then(|arguments| arguments.get("task")) {
        None => TASK,
        Some(task) => task
            .as_str()
            .filter(|task| is_task_id(task))
            .ok_or_else(|| invalid("`task` must be letters, digits, `.`, `_` and `-`, at most 64"))?,
    };
    let now = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    let text = format!(
        "Fill in this document with what is true of the work on {task}. Keep the form; leave out nothing that is required; claim \
         only what you have seen. `check` judges it, `submit` hands it over.\n\n{}",
        template(variant.name, task, &now)
    );
    Ok(json!({
        "description": format!("{name} for {task}"),
        "messages": [{ "role": "user", "content": { "type": "text", "text": text } }],
    }))
}
