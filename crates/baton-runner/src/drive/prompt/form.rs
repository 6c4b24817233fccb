//! The form of a handoff, as data of the stage: each is a short, complete example with one sentence per field. Prompts, MCP,
//! the command line and hooks all show the same text.

mod build_artifact;
mod package;
mod report;
mod stage_document;
mod summary;
mod task_file;

use baton_engine::state::{Task, Turn};
use baton_engine::word::TaskId;
use baton_engine::workflow::{Checkpoint, Form, Review, Role, SettledBy, Stage};

use crate::desk::tell;

pub use task_file::FORM as TASK_FILE;

/// Where a handoff goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandIn {
    LastMessage,
    Tool,
    File,
}

/// At the end of a turn of a program, and of a session with hooks.
pub const IN_LAST_MESSAGE: HandIn = HandIn::LastMessage;
/// With the tool `submit`.
pub const WITH_TOOL: HandIn = HandIn::Tool;
/// In a file that a command names.
pub const IN_FILE: HandIn = HandIn::File;

impl HandIn {
    /// Says where something goes, as the beginning of a sentence: `one YAML block`.
    fn of(self, what: &str) -> String {
        match self {
            Self::LastMessage => format!("End your last message with {what}"),
            Self::Tool => format!("Hand over {what}"),
            Self::File => format!("FILE has {what}"),
        }
    }
}

/// What a form is filled in with beforehand.
#[derive(Clone, Copy, Debug)]
struct Ask<'a> {
    task: &'a Task,
    role: Role,
    hand_in: HandIn,
}

impl<'a> Ask<'a> {
    fn stage(&self) -> Option<&'a Stage> {
        self.task.stage()
    }

    fn turn(&self) -> Option<&'a Turn> {
        self.task.turn.as_ref()
    }

    /// Returns the id of a document of this turn.
    fn id(&self, kind: &str) -> String {
        let turn =
            self.turn().map_or_else(|| self.task.next_turn_id().to_string(), |turn| turn.id.to_string());
        format!("{kind}-{turn}")
    }

    /// Returns when the turn began: the earliest moment that a time in its handoff can name.
    fn began(&self) -> String {
        tell::time(self.turn().map_or(0, |turn| turn.started_at))
    }

    /// Returns how often the stage was tried again.
    fn retries(&self) -> u32 {
        self.task.attempt().0.saturating_sub(1)
    }

    /// Returns who goes on: the next stage, whoever verifies this one, or whoever ordered the task.
    fn next(&self) -> Option<String> {
        let next = self.task.workflow.stage(self.task.stage_index + 1);
        let verifier = self.stage().and_then(|stage| match &stage.review {
            Review::Independent(verifier) => Some(verifier.to_string()),
            Review::None => None,
        });
        let above = self.task.lineage.last().map(|above| above.agent.to_string());
        next.map(|next| next.agent.to_string()).or(verifier).or(above)
    }

    /// Returns the checkpoints that only the agent can speak for, but for those that the form itself claims.
    fn asserted(&self, by_form: &'a str) -> impl Iterator<Item = &'a Checkpoint> {
        let all = self.stage().into_iter().flat_map(|stage| &stage.checkpoints);
        all.filter(move |own| own.settled_by == SettledBy::Agent && own.name.as_str() != by_form)
    }

    /// Returns the lines for those checkpoints in a form of YAML, indented by so many spaces.
    fn checkpoint_lines(&self, by_form: &'a str, indent: usize) -> String {
        let own: Vec<String> = self
            .asserted(by_form)
            .map(|own| {
                let name = own.name.as_str();
                format!(
                    "{:indent$}  - {{name: {name}, status: pass | fail, message: \"\"}}{}\n",
                    "",
                    comment(name)
                )
            })
            .collect();
        if own.is_empty() {
            String::new()
        } else {
            format!("{:indent$}checkpoints:  # pass or fail, as it is\n{}", "", own.concat())
        }
    }
}

/// What the checkpoints of the built-in workflows mean that no rule of Baton settles.
const MEANINGS: &[(&str, &str)] = &[
    ("impact_analyzed", "every file and interface that the work touches is named"),
    ("design_complete", "nothing of the design is left open"),
    ("code_complete", "nothing is left to write"),
    ("tests_passing", "Baton runs the tests"),
    ("no_lint_errors", "Baton runs the linter"),
];

/// Says what a checkpoint means, as a comment: by which rule Baton settles it, where there is one.
fn comment(checkpoint: &str) -> String {
    let meaning = MEANINGS.iter().find(|(name, _)| *name == checkpoint).map(|(_, meaning)| *meaning);
    let rule = crate::desk::workflows::rule_of(checkpoint).map(|(rule, _)| rule).or(meaning);
    rule.map(|rule| format!("  # {rule}")).unwrap_or_default()
}

/// Returns how work on a task is handed over in a role.
pub fn handoff_form(task: &Task, role: Role, hand_in: HandIn) -> String {
    let ask = Ask { task, role, hand_in };
    match (role, form_of(task)) {
        (Role::Verifier, _) => report::text(&ask),
        (_, Form::Taskfile) => task_file::text(&ask),
        (_, Form::Frontmatter) => stage_document::text(&ask),
        (_, Form::Summary) => summary::text(&ask),
        (_, Form::BuildArtifact) => build_artifact::text(&ask),
        (_, Form::Package) => package::text(&ask),
    }
}

fn form_of(task: &Task) -> Form {
    task.stage().map(|stage| stage.form).unwrap_or_default()
}

/// Reminds of the form in a session that knows it. After a failed attempt it also asks what was wrong.
pub(super) fn again(task: &Task, retry: Option<u32>) -> String {
    let form = form_of(task);
    let retries = retry.unwrap_or_default();
    let block = match form {
        Form::Taskfile => "End your last message with one YAML block as before",
        Form::Frontmatter => "Make your last message the whole stage document again",
        Form::Summary => "End your last message with one `handoff:` block as before",
        Form::BuildArtifact => "End your last message with one JSON block and the marker as before",
        Form::Package => "End your last message with one package as before",
    };
    let failed = match form {
        _ if retry.is_none() => String::new(),
        Form::Taskfile => ", plus `last_failure: \"\"` (what was wrong, one sentence)".to_owned(),
        Form::Frontmatter => {
            format!(", with `retry_count: {retries}` and `last_failure` (what was wrong, one sentence)")
        }
        Form::Summary => format!(", with `retry_count: {retries}`"),
        Form::BuildArtifact | Form::Package => String::new(),
    };
    format!("{block}, true for all work on {}{failed}.", task.id)
}

/// Returns the block with which an agent asks instead of handing anything over.
pub(super) fn question(id: &TaskId) -> String {
    format!(
        "```json\n{{\"artifact_type\": \"clarification-request\", \"waypoint_id\": \"{id}\", \"blocking_question\": \"what you \
         ask\", \"requested_options\": [\"one answer\", \"another answer\"]}}\n```"
    )
}
