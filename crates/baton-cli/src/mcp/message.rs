//! What goes over the wire: requests, notifications and responses of JSON-RPC 2.0, one at a time.

use serde_json::{Map, Value, json};

pub(crate) const PARSE_ERROR: i64 = -32700;
pub(crate) const INVALID_REQUEST: i64 = -32600;
pub(crate) const METHOD_NOT_FOUND: i64 = -32601;
pub(crate) const INVALID_PARAMS: i64 = -32602;
pub(crate) const INTERNAL_ERROR: i64 = -32603;
/// The server has more to do than it takes on.
pub(crate) const BUSY: i64 = -32000;
/// A header says something else than the body.
pub(crate) const HEADER_MISMATCH: i64 = -32020;
pub(crate) const UNSUPPORTED_VERSION: i64 = -32022;

/// Longest id of a request, in bytes.
const ID_BYTES_MAX: usize = 256;

/// The id of a request: a string or a whole number, given back as it came.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Id {
    Number(i64),
    Text(String),
}

impl Id {
    pub(crate) fn read(value: &Value) -> Option<Self> {
        match value {
            Value::Number(number) => number.as_i64().map(Self::Number),
            Value::String(text) if text.len() <= ID_BYTES_MAX => Some(Self::Text(text.clone())),
            _ => None,
        }
    }

    fn value(&self) -> Value {
        match self {
            Self::Number(number) => json!(number),
            Self::Text(text) => json!(text),
        }
    }
}

/// Somebody wants an answer.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) id: Id,
    pub(crate) method: String,
    pub(crate) params: Map<String, Value>,
}

impl Request {
    /// What the client says around the request.
    pub(crate) fn meta(&self) -> Option<&Map<String, Value>> {
        self.params.get("_meta").and_then(Value::as_object)
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Message {
    Request(Request),
    Notification {
        method: String,
        params: Map<String, Value>,
    },
    /// An answer to something that we asked; an error is an answer without a result.
    Response {
        id: Id,
        result: Option<Value>,
    },
}

/// Why a request has no result.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RpcError {
    pub(crate) code: i64,
    pub(crate) message: String,
    pub(crate) data: Option<Value>,
}

impl RpcError {
    pub(crate) fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }
}

/// Something that is no message, with the id that it is answered under where it has one.
#[derive(Clone, Debug)]
pub(crate) struct Unreadable {
    pub(crate) id: Option<Id>,
    pub(crate) error: RpcError,
}

/// Reads one message.
pub(crate) fn read(bytes: &[u8]) -> Result<Message, Unreadable> {
    let refuse = |id: Option<Id>, code, why: &str| Unreadable { id, error: RpcError::new(code, why) };
    let value: Value = serde_json::from_slice(bytes).map_err(|error| {
        refuse(None, PARSE_ERROR, &format!("this is no JSON: {error}; send one JSON-RPC message"))
    })?;
    let mut fields = match value {
        Value::Object(fields) => fields,
        Value::Array(_) => {
            return Err(refuse(None, INVALID_REQUEST, "batches are not taken; send one message at a time"));
        }
        _ => return Err(refuse(None, INVALID_REQUEST, "a message is a JSON object")),
    };
    let id = fields.get("id").and_then(Id::read);
    if fields.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(refuse(id, INVALID_REQUEST, "`jsonrpc` must be \"2.0\""));
    }
    if fields.contains_key("id") && id.is_none() {
        return Err(refuse(None, INVALID_REQUEST, "`id` must be a whole number or a short string"));
    }
    let Some(method) = fields.remove("method") else {
        return match (id, fields.remove("result"), fields.contains_key("error")) {
            (Some(id), Some(result), false) => Ok(Message::Response { id, result: Some(result) }),
            (Some(id), None, true) => Ok(Message::Response { id, result: None }),
            (id, _, _) => Err(refuse(id, INVALID_REQUEST, "`method` is missing")),
        };
    };
    let Value::String(method) = method else {
        return Err(refuse(id, INVALID_REQUEST, "`method` must be a string"));
    };
    let params = match fields.remove("params") {
        None => Map::new(),
        Some(Value::Object(params)) => params,
        Some(_) => return Err(refuse(id, INVALID_PARAMS, "`params` must be an object")),
    };
    Ok(match id {
        Some(id) => Message::Request(Request { id, method, params }),
        None => Message::Notification { method, params },
    })
}

/// Writes the answer to a request.
pub(crate) fn answer(id: &Id, result: Result<Value, RpcError>) -> Value {
    match result {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id.value(), "result": result }),
        Err(error) => refusal(Some(id), &error),
    }
}

/// Writes an error, also to something without an id.
pub(crate) fn refusal(id: Option<&Id>, error: &RpcError) -> Value {
    let mut body = json!({ "code": error.code, "message": error.message });
    if let Some(data) = &error.data {
        body["data"] = data.clone();
    }
    json!({ "jsonrpc": "2.0", "id": id.map_or(Value::Null, Id::value), "error": body })
}

/// Writes a request of ours.
pub(crate) fn request(id: &str, method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

#[cfg(test)]
mod tests;
