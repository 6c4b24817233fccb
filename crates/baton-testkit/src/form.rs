//! Fills in the form of a handoff as a prompt shows it, without understanding a word of it.
//!
//! Every blank is filled in by its own example: an empty list by the example in its comment, an empty text by any text, a choice
//! by its first word. What has to be true instead, such as the names of files, are the answers that the caller gives.

use std::collections::BTreeMap;

use serde_json::Value;

/// What to write in place of an example, by key or heading. An empty answer leaves a key out.
pub type Answers = BTreeMap<String, String>;

/// A text for a blank that has no example.
const ANY_TEXT: &str = "The goal is met as it was asked for";

/// Returns the message that hands over what the prompt asks for; nothing where the prompt shows no form.
pub fn fill(prompt: &str, answers: &Answers) -> Option<String> {
    let form = ["\n# Handoff\n", "\n# Report\n"].iter().find_map(|heading| prompt.rsplit_once(heading))?.1;
    let mut message = String::new();
    let mut lines = form.lines();
    while let Some(line) = lines.next() {
        // What comes after is for whoever can't hand over.
        if line.contains("block alone instead") {
            break;
        }
        if line.starts_with("<waypoint-complete>") {
            message.push_str(line);
            message.push('\n');
        }
        let fence = line.len() - line.trim_start_matches('`').len();
        if fence < 3 {
            continue;
        }
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "`".repeat(fence)).collect();
        message.push_str(&match &line[fence..] {
            "markdown" => document(&block, answers),
            "json" => format!("\n```json\n{}\n```\n", json(&block, answers)?),
            _ => format!("\n```yaml\n{}```\n", yaml(&block, answers)),
        });
    }
    (!message.is_empty()).then_some(message)
}

fn document(block: &[&str], answers: &Answers) -> String {
    let front = block.iter().skip(1).position(|line| *line == "---").map_or(0, |at| at + 2);
    let mut text = format!("---\n{}---\n", yaml(&block[1..front.max(1) - 1], answers));
    for line in &block[front..] {
        let heading = line.split("  (").next().unwrap_or_default();
        text.push_str(heading);
        text.push('\n');
        let name = heading.trim_start_matches('#').trim();
        if heading.starts_with("## ") {
            text.push_str(&format!("\n{}\n", answers.get(name).map_or(ANY_TEXT, String::as_str)));
        }
    }
    text
}

fn yaml(block: &[&str], answers: &Answers) -> String {
    block.iter().map(|line| yaml_line(line, answers)).collect()
}

fn yaml_line(line: &str, answers: &Answers) -> String {
    let (code, comment) = line.split_once("  # ").unwrap_or((line, ""));
    let code = code.trim_end();
    let indent = " ".repeat(code.len() - code.trim_start().len());
    let (key, value) = code.split_once(':').unwrap_or((code, ""));
    let known = answers.get(key.trim());
    match (value.trim(), known) {
        (_, Some(known)) if known.is_empty() => String::new(),
        (_, Some(known)) => {
            let lines: Vec<String> = known.lines().map(|line| format!("{indent}{line}\n")).collect();
            match lines.len() {
                1 => format!("{key}: {known}\n"),
                _ => format!("{key}:\n{}", lines.concat()),
            }
        }
        ("[]", None) => match example(comment) {
            Some(item) => format!("{key}:\n{indent}  - {}\n", first_choice(item)),
            None => format!("{code}\n"),
        },
        (_, None) if comment.starts_with("the time now") => format!("{key}: {}\n", now()),
        (_, None) => {
            let filled = first_choice(code).replace("\"\"", &format!("\"{ANY_TEXT}\""));
            format!("{filled}\n")
        }
    }
}

fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Returns the example in a comment: a mapping, or a text in quotes.
fn example(comment: &str) -> Option<&str> {
    let between = |open: char, close: char| Some(&comment[comment.find(open)?..=comment.rfind(close)?]);
    between('{', '}').or_else(|| between('"', '"'))
}

/// Takes the first of the words between bars.
fn first_choice(text: &str) -> String {
    let mut text = text.to_owned();
    while let Some(at) = text.find(" | ") {
        let end = text[at..].find([',', '}', ']']).map_or(text.len(), |end| at + end);
        text.replace_range(at..end, "");
    }
    text
}

fn json(block: &[&str], answers: &Answers) -> Option<String> {
    let mut value: Value = serde_json::from_str(&block.join("\n")).ok()?;
    fill_value("", &mut value, answers);
    Some(format!("{value:#}"))
}

fn fill_value(key: &str, value: &mut Value, answers: &Answers) {
    if let Some(known) = answers.get(key) {
        *value = serde_json::from_str(known).unwrap_or_else(|_| Value::String(known.clone()));
        return;
    }
    match value {
        Value::Object(map) => map.iter_mut().for_each(|(key, value)| fill_value(key, value, answers)),
        Value::Array(items) => items.iter_mut().for_each(|item| fill_value("", item, answers)),
        Value::String(text) if text.is_empty() => *text = ANY_TEXT.to_owned(),
        Value::String(text) => {
            *text = text.split('|').next().unwrap_or_default().to_owned();
            if text == "file:line" {
                text.clone_from(answers.get("file:line").unwrap_or(&ANY_TEXT.to_owned()));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_are_filled_by_their_examples() {
        let prompt = "# Goal\nx\n# Handoff\nEnd with it.\n```yaml\noutcome: completed  # completed | partial\nsummary: \"\"  # why\n\
                      gotchas: []  # traps: {issue: the trap, severity: low | high}\nblockers: []  # {blocker: what}\n```\n";
        let answers = Answers::from([("blockers".to_owned(), String::new())]);
        let filled = fill(prompt, &answers).expect("a form");
        assert_eq!(
            filled,
            format!(
                "\n```yaml\noutcome: completed\nsummary: \"{ANY_TEXT}\"\ngotchas:\n  - {{issue: the trap, severity: low}}\n```\n"
            )
        );
    }
}
