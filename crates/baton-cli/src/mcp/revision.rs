//! The revisions of the protocol, and which of the two worlds a request belongs to.

use serde_json::{Map, Value, json};

use super::message::{INVALID_PARAMS, Request, RpcError, UNSUPPORTED_VERSION};

/// The revision in which every request says all that is to be known of the client.
pub(crate) const STATELESS: &str = "2026-07-28";
/// The revisions that begin with `initialize`, the newest first.
pub(crate) const SESSION: &[&str] = &["2025-11-25", "2025-06-18", "2025-03-26"];

const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const CLIENT_KEY: &str = "io.modelcontextprotocol/clientInfo";
const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";
/// Where a result says who gave it.
const SERVER_KEY: &str = "io.modelcontextprotocol/serverInfo";

/// Which world a client lives in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Era {
    /// It said hello, and is remembered.
    Session,
    /// Every request stands for itself.
    Stateless,
}

/// What a client says of itself. None of it is proof of anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Client {
    pub(crate) era: Era,
    pub(crate) name: String,
    /// It can show a form to a person.
    pub(crate) has_forms: bool,
}

impl Client {
    /// A client that has not said who it is.
    pub(crate) fn unknown() -> Self {
        Self { era: Era::Session, name: String::new(), has_forms: false }
    }

    fn new(era: Era, info: Option<&Value>, capabilities: Option<&Value>) -> Self {
        let name = info.and_then(|info| info.get("name")).and_then(Value::as_str).unwrap_or_default();
        Self { era, name: name.to_owned(), has_forms: capabilities.is_some_and(has_forms) }
    }

    /// Reads what `initialize` says.
    pub(crate) fn of_hello(params: &Map<String, Value>) -> Self {
        Self::new(Era::Session, params.get("clientInfo"), params.get("capabilities"))
    }

    /// Reads what a request of the stateless world says, if it is one.
    pub(crate) fn of_request(request: &Request) -> Result<Option<Self>, RpcError> {
        let Some((meta, version)) = request.meta().and_then(|meta| Some((meta, meta.get(VERSION_KEY)?)))
        else {
            return match request.method == "server/discover" {
                true => Err(missing(VERSION_KEY)),
                false => Ok(None),
            };
        };
        if version.as_str() != Some(STATELESS) {
            return Err(unsupported(version));
        }
        match meta.get(CAPABILITIES_KEY) {
            Some(capabilities) if capabilities.is_object() => {
                Ok(Some(Self::new(Era::Stateless, meta.get(CLIENT_KEY), Some(capabilities))))
            }
            Some(_) | None => Err(missing(CAPABILITIES_KEY)),
        }
    }
}

/// An empty word on elicitation means forms, as it did before there were other modes.
fn has_forms(capabilities: &Value) -> bool {
    let modes = capabilities.get("elicitation").and_then(Value::as_object);
    modes.is_some_and(|modes| modes.is_empty() || modes.contains_key("form"))
}

fn missing(key: &str) -> RpcError {
    RpcError::new(INVALID_PARAMS, format!("`_meta` lacks `{key}`, which every request of {STATELESS} has"))
}

/// Says which revisions there are to somebody who wants another.
pub(crate) fn unsupported(requested: &Value) -> RpcError {
    let supported: Vec<&str> = std::iter::once(STATELESS).chain(SESSION.iter().copied()).collect();
    RpcError {
        code: UNSUPPORTED_VERSION,
        message: format!(
            "this revision of the protocol is not spoken here; use one of {}",
            supported.join(", ")
        ),
        data: Some(json!({ "supported": supported, "requested": requested })),
    }
}

/// Returns the revision to go on with after `initialize`: the one that was wanted, or the newest that begins so.
pub(crate) fn agreed(wanted: Option<&str>) -> &'static str {
    let newest = SESSION.first().copied().unwrap_or_default();
    SESSION.iter().copied().find(|known| Some(*known) == wanted).unwrap_or(newest)
}

pub(crate) fn server_info() -> Value {
    json!({ "name": "baton", "version": env!("CARGO_PKG_VERSION") })
}

/// Adds what every result of the stateless world has.
pub(crate) fn complete(mut result: Value) -> Value {
    if result.get("resultType").is_none() {
        result["resultType"] = json!("complete");
    }
    result["_meta"] = json!({ SERVER_KEY: server_info() });
    result
}
