//! Headers that repeat the body, for whoever stands in between. What they say must be what the body says.

use super::super::message::{HEADER_MISMATCH, Request, RpcError};
use super::super::revision;
use super::VERSION_HEADER;
use super::head::Head;
use serde_json::Value;

/// How a value begins and ends that cannot stand in a header as it is.
const ENCODED: (&str, &str) = ("=?base64?", "?=");

/// Holds the headers of a request of the stateless world against its body.
pub(super) fn check(head: &Head, request: &Request) -> Result<(), RpcError> {
    same(head, VERSION_HEADER, revision::STATELESS)?;
    same(head, "mcp-method", &request.method)?;
    let named = match request.method.as_str() {
        "tools/call" | "prompts/get" => request.params.get("name"),
        "resources/read" => request.params.get("uri"),
        _ => return Ok(()),
    };
    same(head, "mcp-name", named.and_then(Value::as_str).unwrap_or_default())
}

fn same(head: &Head, name: &str, body: &str) -> Result<(), RpcError> {
    let mismatch = |why: &str| RpcError::new(HEADER_MISMATCH, format!("header mismatch: {name} {why}"));
    let Some(value) = head.one(name) else { return Err(mismatch("is missing, or there twice")) };
    let value = match value.strip_prefix(ENCODED.0).and_then(|value| value.strip_suffix(ENCODED.1)) {
        Some(encoded) => decode(encoded).ok_or_else(|| mismatch("is no base64"))?,
        None => value.to_owned(),
    };
    match value == body {
        true => Ok(()),
        false => Err(mismatch("says something else than the body")),
    }
}

/// Reads base64 with padding.
fn decode(text: &str) -> Option<String> {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let plain = text.trim_end_matches('=');
    if !text.len().is_multiple_of(4) || text.len() - plain.len() > 2 {
        return None;
    }
    let (mut bytes, mut held, mut bits) = (Vec::new(), 0u32, 0u32);
    for byte in plain.bytes() {
        held = (held << 6) | u32::from(digit(byte)?);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits) as u8);
            held &= (1 << bits) - 1;
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests;
