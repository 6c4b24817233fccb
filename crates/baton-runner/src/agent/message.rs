//! Reading of lines of JSON that an agent prints, where any line may be noise.

use serde_json::Value;

use super::{Heard, MESSAGE_BYTES_MAX, Sign, doing};

/// No session costs this much; whoever says so is not believed.
const DOLLARS_MAX: f64 = 1e9;

/// Reads a line that is an object; anything else is noise.
pub(super) fn object(line: &[u8]) -> Option<Value> {
    let line = line.trim_ascii();
    if !line.starts_with(b"{") {
        return None;
    }
    serde_json::from_slice(line).ok()
}

pub(super) fn text<'v>(value: &'v Value, pointer: &str) -> Option<&'v str> {
    value.pointer(pointer).and_then(Value::as_str)
}

pub(super) fn number(value: &Value, pointer: &str) -> u64 {
    value.pointer(pointer).and_then(Value::as_u64).unwrap_or(0)
}

/// Returns dollars in millionths. What is no amount of money is none.
pub(super) fn microdollars(dollars: &Value) -> Option<u64> {
    let dollars = dollars.as_f64().filter(|dollars| (0.0..DOLLARS_MAX).contains(dollars))?;
    Some((dollars * 1e6).round() as u64)
}

pub(super) fn says(text: &str) -> Heard {
    Heard::sign(Sign::Says(doing(text)))
}

/// Says what a tool is used for: its name, and the path, command or other word that tells most.
pub(super) fn does(tool: &str, input: &Value) -> Heard {
    const TELLING: &[&str] =
        &["file_path", "filePath", "path", "command", "pattern", "query", "url", "description"];
    let about = TELLING.iter().find_map(|key| input.get(key).and_then(Value::as_str)).unwrap_or_default();
    Heard::sign(Sign::Does(doing(&format!("{tool} {about}"))))
}

/// Adds to a message, of which the end is kept when it grows too long. It is cut to half of that, so that a flood of lines
/// does not move all of it for every line.
pub(super) fn add(message: &mut String, more: &str) {
    message.push_str(more);
    if message.len() > MESSAGE_BYTES_MAX {
        let mut start = message.len() - MESSAGE_BYTES_MAX / 2;
        while !message.is_char_boundary(start) {
            start += 1;
        }
        message.drain(..start);
    }
}
