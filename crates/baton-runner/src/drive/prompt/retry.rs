//! What is new since the last turn: what failed and what to fix, what reviewers said, and how to ask. In the same session it
//! is the whole prompt.

use std::fmt::Write as _;

use baton_engine::context::RESERVED_CHARS_MAX;
use baton_engine::fact::Ending;
use baton_engine::state::Task;

use super::form;
use super::{Brief, last_attempt, plan};
use crate::desk::turn::Received;

/// What is new in a turn.
#[derive(Debug)]
pub(super) struct News {
    has_words_of_reviewers: bool,
    has_feedback: bool,
    /// The last turn asked in plain words, which reach nobody.
    has_asked_nobody: bool,
}

impl News {
    pub(super) fn of(received: &Received) -> Self {
        let task = &received.task;
        let has_asked_nobody = last_attempt(task, received).is_some_and(|last| {
            last.ending == Some(Ending::NoHandoff) && last.why.as_deref().is_some_and(|why| why.contains('?'))
        });
        Self {
            has_words_of_reviewers: !said(task).is_empty(),
            has_feedback: received.news.is_some(),
            has_asked_nobody,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        !self.has_words_of_reviewers && !self.has_feedback
    }
}

pub(super) fn write(text: &mut String, brief: &Brief<'_>, news: &News) {
    let received = brief.received;
    let task = &received.task;
    let is_alone = text.is_empty();
    if !is_alone {
        text.push('\n');
    }
    let _ = match received.retry {
        Some(_) => {
            write!(
                text,
                "Your handoff for task {} wasn't accepted. Fix the problems below in the same files.",
                task.id
            )
        }
        None => write!(text, "Continue with task {}.", task.id),
    };
    text.push_str(if is_alone { " Goal, rules, checks and form are unchanged.\n" } else { "\n" });
    // Every turn carries the guidance that is in force.
    if let Some(guidance) = received.demands.first().filter(|_| is_alone) {
        let _ = writeln!(text, "{guidance}");
    }
    reviewers(text, task);
    if let Some(feedback) = &received.news {
        let _ = writeln!(text, "\n{}", feedback.trim());
    }
    if received.retry.is_some() {
        let _ = writeln!(text, "The same failure on the same files ends the retries early.");
    }
    if news.has_asked_nobody {
        let _ = writeln!(
            text,
            "\nNo one reads a question in plain words. If you can't continue without an answer, end your last message with this \
             block alone:\n{}",
            form::question(&task.id)
        );
    }
    if is_alone {
        plan::taken(text, brief);
    }
    let _ = writeln!(text, "\n{}", form::again(task, received.retry));
}

/// Tells what reviewers said.
pub(super) fn reviewers(text: &mut String, task: &Task) {
    let said = said(task);
    if !said.is_empty() {
        let _ = writeln!(text, "\nYour reviewer says (this comes first):\n{}", said.join("\n"));
    }
}

/// Returns what reviewers said since, each as one line: their words reach the next turn in whatever session.
fn said(task: &Task) -> Vec<String> {
    let answers = task.clarifications.values().filter_map(|asked| {
        let (answer, _) = asked.answer.as_ref()?;
        Some(format!("- to your question \"{}\": {}", in_one_line(&asked.question), in_one_line(answer)))
    });
    let said = task.run.said.iter().map(|said| format!("- {}", in_one_line(&said.line())));
    answers.chain(said).collect()
}

fn in_one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(RESERVED_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
