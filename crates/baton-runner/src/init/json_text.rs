//! Adds to JSON as people write it: comments, trailing commas, any indentation and line ends stay as they are.

use std::fmt;

use serde_json::Value;

/// Deepest nesting that is followed.
const DEPTH_MAX: usize = 64;
/// The indentation of a file that shows none.
const INDENT: &str = "  ";

/// Why a text cannot be added to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NotJson {
    pub(super) line: usize,
    pub(super) what: &'static str,
}

impl fmt::Display for NotJson {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "line {}: {}", self.line, self.what)
    }
}

/// A value with its place. Only objects and arrays are looked into.
#[derive(Clone, Debug)]
struct Node {
    start: usize,
    end: usize,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Object(Vec<(String, Node)>),
    Array(Vec<Node>),
    Scalar,
}

/// A text that comes in at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Splice {
    pub(super) at: usize,
    pub(super) text: String,
}

/// What is to be there.
#[derive(Clone, Debug)]
pub(super) enum Wanted {
    /// A value under a key that is not there yet.
    Member(Value),
    /// One more in a list. It is there already when an element holds the mark.
    Element { value: Value, mark: &'static str },
}

/// Returns what has to be put into a text so that it has what is wanted at the path; nothing when it has it.
pub(super) fn add(text: &str, path: &[&str], wanted: &Wanted) -> Result<Vec<Splice>, NotJson> {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let offset = text.len() - body.len();
    let fail = |at: usize, what| NotJson { line: body[..at].matches('\n').count() + 1, what };
    let root = Parser { text: body, at: 0 }.document().map_err(|(at, what)| fail(at, what))?;
    let style = Style::of(body);
    let mut node = &root;
    for (depth, key) in path.iter().enumerate() {
        let Kind::Object(members) = &node.kind else {
            return Err(fail(node.start, "this is no object, so nothing can be added to it"));
        };
        match members.iter().find(|(known, _)| known == key) {
            Some((_, inner)) => node = inner,
            None => {
                let member = format!(
                    "{}: {}",
                    Value::from(*key),
                    style.write(&nested(&path[depth + 1..], wanted), depth + 1)
                );
                return Ok(style.splices(body, node, (depth, member), offset));
            }
        }
    }
    match (wanted, &node.kind) {
        (Wanted::Member(_), _) => Ok(Vec::new()),
        (Wanted::Element { mark, .. }, Kind::Array(items))
            if items.iter().any(|item| body[item.start..item.end].contains(mark)) =>
        {
            Ok(Vec::new())
        }
        (Wanted::Element { value, .. }, Kind::Array(_)) => {
            let element = style.write(value, path.len() + 1);
            Ok(style.splices(body, node, (path.len(), element), offset))
        }
        (Wanted::Element { .. }, _) => {
            Err(fail(node.start, "this is no list, so nothing can be added to it"))
        }
    }
}

/// Returns a text with all splices made.
pub(super) fn apply(text: &str, splices: &[Splice]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for splice in splices {
        out.push_str(&text[done..splice.at]);
        out.push_str(&splice.text);
        done = splice.at;
    }
    out.push_str(&text[done..]);
    out
}

/// Returns the value under the first missing key.
fn nested(path: &[&str], wanted: &Wanted) -> Value {
    let innermost = match wanted {
        Wanted::Member(value) => value.clone(),
        Wanted::Element { value, .. } => Value::Array(vec![value.clone()]),
    };
    path.iter()
        .rev()
        .fold(innermost, |inner, key| Value::Object([((*key).to_owned(), inner)].into_iter().collect()))
}

/// How a text is laid out.
struct Style {
    newline: &'static str,
    indent: String,
}

impl Style {
    fn of(text: &str) -> Self {
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let blank = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
        let first = text.lines().find(|line| blank(line) > 0 && !line.trim().is_empty());
        let indent = first.map_or(INDENT, |line| &line[..blank(line)]).to_owned();
        Self { newline, indent }
    }

    fn write(&self, value: &Value, depth: usize) -> String {
        let pretty = format!("{value:#}");
        let mut lines = pretty.lines().map(|line| {
            let inner = line.trim_start_matches(' ');
            // The writer indents by two.
            format!("{}{inner}", self.indent.repeat((line.len() - inner.len()) / 2))
        });
        let first = lines.next().unwrap_or_default();
        let rest: Vec<String> =
            lines.map(|line| format!("{}{}{line}", self.newline, self.indent.repeat(depth))).collect();
        format!("{first}{}", rest.concat())
    }

    /// Puts one more into an object or a list, behind everything that is there, comments too.
    fn splices(&self, body: &str, node: &Node, (depth, new): (usize, String), offset: usize) -> Vec<Splice> {
        let inner = format!("{}{}{new}", self.newline, self.indent.repeat(depth + 1));
        let close = node.end - 1;
        let before = body[..close].trim_end().len();
        let last = match &node.kind {
            Kind::Object(members) => members.last().map(|(_, node)| node.end),
            Kind::Array(items) => items.last().map(|node| node.end),
            Kind::Scalar => None,
        };
        let is_single_line = !body[node.start..node.end].contains('\n');
        let tail = match is_single_line || before == node.start + 1 && !body[before..close].contains('\n') {
            true => format!("{}{}", self.newline, self.indent.repeat(depth)),
            false => String::new(),
        };
        let new = Splice { at: offset + before, text: format!("{inner}{tail}") };
        match last {
            Some(end) if !has_comma(body, end, close) => match end == before {
                true => vec![Splice { text: format!(",{}", new.text), ..new }],
                false => vec![Splice { at: offset + end, text: ",".to_owned() }, new],
            },
            Some(_) | None => vec![new],
        }
    }
}

/// Says whether a comma stands between a value and the end of its list; those in comments do not count.
fn has_comma(body: &str, from: usize, to: usize) -> bool {
    let mut parser = Parser { text: &body[..to], at: from };
    parser.blank().is_ok() && body.as_bytes().get(parser.at) == Some(&b',') && parser.at < to
}

type Wrong = (usize, &'static str);

struct Parser<'t> {
    text: &'t str,
    at: usize,
}

impl Parser<'_> {
    fn document(&mut self) -> Result<Node, Wrong> {
        self.blank()?;
        let node = self.value(0)?;
        self.blank()?;
        match self.at == self.text.len() {
            true => Ok(node),
            false => Err((self.at, "something stands behind the end")),
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Passes over blanks and comments.
    fn blank(&mut self) -> Result<(), Wrong> {
        loop {
            let rest = &self.text[self.at..];
            let skipped = rest.len() - rest.trim_start().len();
            self.at += skipped;
            let rest = &self.text[self.at..];
            if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                let end = rest.find("*/").ok_or((self.at, "a comment is not closed"))?;
                self.at += end + 2;
            } else {
                return Ok(());
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Node, Wrong> {
        let start = self.at;
        if depth > DEPTH_MAX {
            return Err((start, "it is nested too deeply"));
        }
        let kind = match self.peek() {
            Some(b'{') => self.object(depth)?,
            Some(b'[') => self.array(depth)?,
            Some(b'"') => {
                self.string()?;
                Kind::Scalar
            }
            Some(_) => {
                let rest = &self.text[self.at..];
                let end = rest.find(|one: char| !(one.is_ascii_alphanumeric() || "+-.".contains(one)));
                let word = &rest[..end.unwrap_or(rest.len())];
                if serde_json::from_str::<Value>(word).is_err() {
                    return Err((start, "this is no JSON value"));
                }
                self.at += word.len();
                Kind::Scalar
            }
            None => return Err((start, "a value is missing")),
        };
        Ok(Node { start, end: self.at, kind })
    }

    fn object(&mut self, depth: usize) -> Result<Kind, Wrong> {
        let mut members: Vec<(String, Node)> = Vec::new();
        self.at += 1;
        loop {
            self.blank()?;
            match self.peek() {
                Some(b'}') => break,
                Some(b'"') => {}
                _ => return Err((self.at, "a key is missing")),
            }
            let key_at = self.at;
            let key = self.string()?;
            if members.iter().any(|(known, _)| *known == key) {
                return Err((key_at, "a key is there twice"));
            }
            self.blank()?;
            if self.peek() != Some(b':') {
                return Err((self.at, "a colon is missing"));
            }
            self.at += 1;
            self.blank()?;
            members.push((key, self.value(depth + 1)?));
            if !self.comma(b'}')? {
                break;
            }
        }
        self.at += 1;
        Ok(Kind::Object(members))
    }

    fn array(&mut self, depth: usize) -> Result<Kind, Wrong> {
        let mut items = Vec::new();
        self.at += 1;
        loop {
            self.blank()?;
            if self.peek() == Some(b']') {
                break;
            }
            items.push(self.value(depth + 1)?);
            if !self.comma(b']')? {
                break;
            }
        }
        self.at += 1;
        Ok(Kind::Array(items))
    }

    /// Passes over a comma; says no at the end.
    fn comma(&mut self, close: u8) -> Result<bool, Wrong> {
        self.blank()?;
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                Ok(true)
            }
            Some(byte) if byte == close => Ok(false),
            _ => Err((self.at, "a comma or an end is missing")),
        }
    }

    fn string(&mut self) -> Result<String, Wrong> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        self.at += 1;
        while let Some(byte) = bytes.get(self.at) {
            match byte {
                b'\\' => self.at += 2,
                b'"' => {
                    self.at += 1;
                    let written = self.text.get(start..self.at).unwrap_or_default();
                    return serde_json::from_str(written).map_err(|_| (start, "this is no JSON string"));
                }
                _ => self.at += 1,
            }
        }
        Err((start, "a string is not closed"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(text: &str, path: &[&str], wanted: &Wanted) -> String {
        let splices = add(text, path, wanted).unwrap_or_else(|wrong| panic!("{wrong} in {text}"));
        let out = apply(text, &splices);
        assert!(add(&out, path, wanted).expect("still JSON").is_empty(), "twice is once: {out}");
        // Every character of before is there, in its order.
        let mut grown = out.chars();
        assert!(
            text.chars().all(|one| grown.any(|other| other == one)),
            "something of {text} is lost in {out}"
        );
        out
    }

    #[test]
    fn what_is_there_stays_as_it_is() {
        let hook = Wanted::Element { value: json!({ "command": "baton hook claude" }), mark: "baton hook" };
        let texts = [
            "{}",
            "{\n}\n",
            "{ \"a\": 1 }",
            "// top\n{\n\t\"a\": 1, // one\n\t\"hooks\": {\n\t\t\"Stop\": [\n\t\t\t{ \"command\": \"x\" } // theirs\n\t\t]\n\t}\n}\n",
            "{\r\n    \"hooks\": {\r\n        \"Stop\": [],\r\n    },\r\n}\r\n",
            "\u{feff}{\n  \"b\": [1, 2], /* , */\n  \"hooks\": {} // none\n}",
            "{\"hooks\":{\"Stop\":[{\"command\":\"y\"}]}}",
        ];
        for text in texts {
            let out = check(text, &["hooks", "Stop"], &hook);
            assert!(out.contains("baton hook claude"), "{out}");
            assert_eq!(out.contains("\r\n"), text.contains("\r\n"), "{out:?}");
            assert!(!out.replace("\r\n", "").contains('\r'), "{out:?}");
            let bare = out.strip_prefix('\u{feff}').unwrap_or(&out);
            if !bare.contains('/') && !bare.contains(",\r") {
                serde_json::from_str::<Value>(bare).unwrap_or_else(|error| panic!("{error} in {out}"));
            }
        }
    }

    #[test]
    fn the_layout_is_that_of_the_file() {
        let member = Wanted::Member(json!({ "command": "baton" }));
        let out = check("{\n\t\"a\": {}\n}\n", &["mcpServers", "baton"], &member);
        assert_eq!(
            out,
            "{\n\t\"a\": {},\n\t\"mcpServers\": {\n\t\t\"baton\": {\n\t\t\t\"command\": \"baton\"\n\t\t}\n\t}\n}\n"
        );
    }

    #[test]
    fn what_is_no_json_is_left_alone() {
        let member = Wanted::Member(json!(1));
        for text in
            ["", "{", "{\"a\":}", "[1", "{\"a\": 1} x", "{'a': 1}", "{\"a\": 1, \"a\": 2}", "{\"k\": 3}"]
        {
            assert!(add(text, &["k", "l"], &member).is_err(), "{text}");
        }
        let deep = "[".repeat(100_000);
        assert!(add(&deep, &["k"], &member).is_err());
    }
}
