//! JSON Schemas of the dialects, made from the same key tables that reading and judging use.

use serde_json::{Map, Value, json};

use crate::dialect::{Definition, Variant};
use crate::key::{Form, Key, Need};
use crate::project::Project;

/// Returns the JSON Schema (draft 2020-12) of one variant of a dialect, with the words of a project.
pub fn schema(definition: &Definition, variant: &Variant, project: &Project) -> Value {
    let record = object(variant.keys, project);
    let mut schema = match variant.wrapper {
        Some(wrapper) => {
            json!({ "type": "object", "properties": { wrapper: record }, "required": [wrapper] })
        }
        None => record,
    };
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    schema["title"] = json!(format!("Baton {} handoff", variant.name));
    schema["description"] =
        json!(if definition.variants.len() > 1 { variant.about } else { definition.about });
    schema
}

fn object(keys: &[Key], project: &Project) -> Value {
    let mut properties = Map::new();
    for key in keys {
        let mut property = form(key.form, project);
        if !key.about.is_empty() {
            property["description"] = json!(key.about);
        }
        if key.need != Need::Required {
            allow_null(&mut property);
        }
        properties.insert(key.name.to_owned(), property);
    }
    let required: Vec<_> = keys.iter().filter(|key| key.need == Need::Required).map(|key| key.name).collect();
    json!({ "type": "object", "properties": properties, "required": required })
}

fn allow_null(property: &mut Value) {
    if let Some(kind) = property.get("type").cloned() {
        property["type"] = json!([kind, "null"]);
    }
    if let Some(Value::Array(words)) = property.get_mut("enum") {
        words.push(Value::Null);
    }
}

fn form(form: Form, project: &Project) -> Value {
    match form {
        Form::Text => json!({ "type": "string" }),
        Form::Id => json!({ "type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$" }),
        Form::Agent => json!({ "type": "string", "pattern": "^@." }),
        Form::AgentOrNone => json!({ "type": "string", "pattern": "^(@.+|None)$" }),
        Form::Time => json!({ "type": "string", "format": "date-time" }),
        Form::Flag => json!({ "type": "boolean" }),
        Form::Count { max: i64::MAX } => json!({ "type": "integer", "minimum": 0 }),
        Form::Count { max } => json!({ "type": "integer", "minimum": 0, "maximum": max }),
        Form::Integer => json!({ "type": "integer" }),
        Form::Path => {
            json!({ "type": "string", "pattern": "^[^/~\\\\]", "maxLength": crate::limit::PATH_BYTES_MAX })
        }
        Form::Lines => json!({ "type": "string", "pattern": "^([1-9][0-9]*-[1-9][0-9]*|all)$" }),
        Form::Tag => json!({ "type": "string", "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$" }),
        Form::Choice(words) => json!({ "type": "string", "enum": words }),
        Form::Word(vocabulary) => json!({ "type": "string", "enum": project.words(vocabulary) }),
        Form::Each(inner) => json!({ "type": "array", "items": self::form(*inner, project) }),
        Form::Items(keys) => json!({ "type": "array", "items": object(keys, project) }),
        Form::Map(keys) | Form::Group(keys) => object(keys, project),
        Form::Tree => json!({}),
    }
}
