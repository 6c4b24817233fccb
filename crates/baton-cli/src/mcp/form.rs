//! What a person is asked through the agent's client, and what comes back. An agent has no way in here: it writes the
//! arguments of tools, and a form is answered by the client.

use baton_runner::desk::question::GateQuestion;
use baton_runner::desk::{GateChoice, Id};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::output::printable;

/// Longest text of others in a form, in characters.
const TEXT_CHARS_MAX: usize = 2_000;
/// Longest answer that is taken, in characters.
const ANSWER_CHARS_MAX: usize = 4_000;
/// The choices at a gate, as a form shows them.
const CHOICES: &[GateChoice] = &[GateChoice::Approve, GateChoice::Reject, GateChoice::Question];

/// What a form is about.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Subject {
    Clarification {
        task: String,
        id: String,
    },
    /// A gate, and the version that the form showed.
    Gate {
        task: String,
        gate: String,
        version: String,
    },
}

/// A question to a person.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    pub(crate) subject: Subject,
    message: String,
    properties: Value,
    required: &'static str,
}

/// What a person said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    Answer(String),
    Choice(GateChoice, String),
}

impl Form {
    pub(crate) fn of_clarification(task: &Id, id: &str, question: &str, options: &[String]) -> Self {
        let offered: Vec<String> = options.iter().map(|option| format!("- {}", shown(option))).collect();
        let mut message = format!("An agent asks about {task}: {}", shown(question));
        if !offered.is_empty() {
            message.push_str(&format!("\nIt can think of:\n{}", offered.join("\n")));
        }
        Self {
            subject: Subject::Clarification { task: task.to_string(), id: id.to_owned() },
            message,
            properties: json!({ "answer": { "type": "string", "title": "Your answer" } }),
            required: "answer",
        }
    }

    pub(crate) fn of_gate(question: &GateQuestion) -> Self {
        let GateQuestion { task, gate, items, .. } = question;
        let items: Vec<String> = items.iter().map(|item| format!("\n- {}", shown(item))).collect();
        let version: String = question.version().chars().take(12).collect();
        let names: Vec<&str> = CHOICES.iter().map(|choice| choice.name()).collect();
        Self {
            subject: Subject::Gate {
                task: task.to_string(),
                gate: gate.to_string(),
                version: question.version(),
            },
            message: format!(
                "The gate `{gate}` of {task} waits for your word on the files as they are now ({version}).{}",
                items.concat()
            ),
            properties: json!({
                "choice": { "type": "string", "title": "Your choice", "enum": names },
                "words": { "type": "string", "title": "What is wrong, or what the question is" },
            }),
            required: "choice",
        }
    }

    /// Returns the parameters of `elicitation/create`.
    pub(crate) fn parameters(&self) -> Value {
        json!({
            "mode": "form",
            "message": self.message,
            "requestedSchema": { "type": "object", "properties": self.properties, "required": [self.required] },
        })
    }
}

impl Subject {
    /// Says how a person answers who was not asked in a form, or did not answer there.
    pub(crate) fn left_open(&self) -> String {
        match self {
            Self::Clarification { task, id } => {
                format!("no person answered; it stays in the inbox, for `baton answer {task} {id} TEXT`")
            }
            Self::Gate { task, gate, .. } => {
                format!(
                    "no person answered; it stays in the inbox, for `baton gate approve {task} {gate}`, or reject, or question"
                )
            }
        }
    }

    /// Reads what came back in a form. Whatever is not clearly a person's word is none.
    pub(crate) fn word(&self, result: &Value) -> Option<Word> {
        if result.get("action")?.as_str()? != "accept" {
            return None;
        }
        let field =
            |name: &str| result.get("content").and_then(|content| content.get(name)).and_then(Value::as_str);
        let text = |name: &str| {
            field(name).map(|text| text.trim().chars().take(ANSWER_CHARS_MAX).collect::<String>())
        };
        match self {
            Self::Clarification { .. } => text("answer").filter(|text| !text.is_empty()).map(Word::Answer),
            Self::Gate { .. } => {
                let name = field("choice")?;
                let choice = CHOICES.iter().copied().find(|choice| choice.name() == name)?;
                Some(Word::Choice(choice, text("words").unwrap_or_default()))
            }
        }
    }
}

fn shown(text: &str) -> String {
    printable(&text.chars().take(TEXT_CHARS_MAX).collect::<String>())
}
