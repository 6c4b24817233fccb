//! What an agent is told: the task, what it will be judged by, what failed before, and how to hand over. Nothing twice.

use std::fmt::Write as _;

use baton_engine::context::RESERVED_CHARS_MAX;
use baton_engine::fact::Ending;
use baton_engine::state::Task;
use baton_engine::workflow::{Role, SettledBy};

use super::prompt_plan;
use crate::desk::turn::Received;

/// Everything that a prompt is made from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Brief<'a> {
    pub(super) received: &'a Received,
    /// The agent remembers the task: only what is new is said.
    pub(super) is_resumed: bool,
}

/// Writes the prompt of a turn.
pub(super) fn brief(brief: &Brief<'_>) -> String {
    if let Some(text) = prompt_plan::step(brief) {
        return text;
    }
    let task = &brief.received.task;
    let mut text = String::new();
    match (brief.received.turn.role, brief.is_resumed, &brief.received.feedback) {
        (Role::Verifier, _, _) => verifier(&mut text, brief, task),
        (Role::Builder | Role::Repair | Role::Specialist, true, Some(feedback)) => {
            let _ = writeln!(text, "{}\n", feedback.trim());
            people(&mut text, task);
            question(&mut text, brief);
            demands(&mut text, &brief.received.demands);
            prompt_plan::taken(&mut text, brief);
            let _ = writeln!(text, "Go on with task {} and hand over again.\n", task.id);
            contract(&mut text, task);
        }
        (Role::Builder | Role::Repair | Role::Specialist, _, feedback) => {
            builder(&mut text, brief, task);
            if let Some(feedback) = feedback {
                let _ = writeln!(text, "{}\n", feedback.trim());
            }
            people(&mut text, task);
            question(&mut text, brief);
            prompt_plan::taken(&mut text, brief);
            contract(&mut text, task);
        }
    }
    text
}

/// What people said since: their words reach whoever goes on, in whatever session, as whole as a packet would hold them.
pub(super) fn people(text: &mut String, task: &Task) {
    let answers = task.clarifications.values().filter_map(|asked| {
        let (answer, _) = asked.answer.as_ref()?;
        Some(format!("- asked \"{}\": {}", in_one_line(&asked.question), in_one_line(answer)))
    });
    let said = task.run.said.iter().map(|said| format!("- {}", in_one_line(&said.line())));
    let lines: Vec<String> = answers.chain(said).collect();
    if !lines.is_empty() {
        let _ = writeln!(text, "People have said, and what they say holds:\n{}\n", lines.join("\n"));
    }
}

fn in_one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(RESERVED_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// Teaches whoever asked in plain words how a question reaches a person.
fn question(text: &mut String, brief: &Brief<'_>) {
    let task = &brief.received.task;
    let mut before = task.history.iter().rev().filter(|attempt| attempt.turn != brief.received.turn.id);
    let has_asked = before.next().is_some_and(|last| {
        last.ending == Some(Ending::NoHandoff) && last.why.as_deref().is_some_and(|why| why.contains('?'))
    });
    if has_asked {
        let _ = writeln!(
            text,
            "Nobody reads a question in plain words. If you cannot go on without an answer, end your last message with this \
             block and nothing else; a person answers it, and you go on then:\n\n```json\n\
             {{\"artifact_type\":\"clarification-request\",\"waypoint_id\":\"{}\",\"blocking_question\":\"what you ask\",\
             \"requested_options\":[\"one answer\",\"another answer\"]}}\n```\n",
            task.id
        );
    }
}

fn builder(text: &mut String, brief: &Brief<'_>, task: &Task) {
    let stage = task.stage();
    let name = stage.map_or("", |stage| stage.name.as_str());
    let _ = writeln!(text, "{}\n", brief.received.context.trim_end());
    let _ = writeln!(
        text,
        "You are @{} ({}) on task {}, stage {name}. Work in the current folder, and follow the repository's own guidance. \
         Nobody can answer you while you work.\n",
        brief.received.turn.agent,
        brief.received.turn.role.name(),
        task.id
    );
    if !brief.received.targets.is_empty() {
        let targets: Vec<String> =
            brief.received.targets.iter().map(|target| format!("- `{target}`")).collect();
        let _ = writeln!(text, "Change nothing outside of these; a person is asked about every other file:");
        let _ = writeln!(text, "{}\n", targets.join("\n"));
    }
    let host = brief.received.checks.iter().map(|(checkpoint, run)| match run {
        Some(run) => format!("- {checkpoint}: `{run}`"),
        None => format!("- {checkpoint}"),
    });
    let host: Vec<String> = host.collect();
    if !host.is_empty() {
        let _ = writeln!(text, "When you are done, these are run by the host, and only they count:");
        let _ = writeln!(text, "{}\n", host.join("\n"));
    }
}

/// What holds in every turn, also for whoever remembers the task.
fn demands(text: &mut String, demands: &[String]) {
    if !demands.is_empty() {
        let _ = writeln!(text, "Guidance:\n- {}\n", demands.join("\n- "));
    }
}

/// How whoever hands over in what they say last is told to.
pub const IN_LAST_MESSAGE: &str = "End your last message with one block of this form";
/// How whoever hands over with a tool is told to.
pub const WITH_TOOL: &str = "Hand over one block of this form";

/// Returns how work on a task is handed over in a role, after words that say where.
pub fn handoff_form(task: &Task, role: Role, opening: &str) -> String {
    let mut text = String::new();
    match role {
        Role::Verifier => report_form(&mut text, task, opening),
        Role::Builder | Role::Repair | Role::Specialist => form(&mut text, task, opening),
    }
    text
}

/// The form in which work is handed over.
pub(super) fn contract(text: &mut String, task: &Task) {
    form(text, task, IN_LAST_MESSAGE);
}

fn form(text: &mut String, task: &Task, opening: &str) {
    let stage = task.stage();
    let _ = writeln!(text, "{opening}:\n");
    let _ = writeln!(text, "```yaml\noutcome: completed  # or partial, failed, blocked\nsummary: one line");
    let own: Vec<_> = stage
        .into_iter()
        .flat_map(|stage| &stage.checkpoints)
        .filter(|checkpoint| checkpoint.settled_by == SettledBy::Agent)
        .collect();
    if !own.is_empty() {
        let _ = writeln!(text, "checkpoints:  # pass or fail, as it is");
        for checkpoint in own {
            let _ = writeln!(text, "  - {{name: {}, status: fail}}", checkpoint.name);
        }
    }
    let _ = writeln!(
        text,
        "gotchas: []  # - {{issue: a trap for whoever comes next, severity: low, medium or high}}\n\
         blockers: []  # only when blocked: - {{blocker: what a person must settle}}\n```"
    );
}

fn verifier(text: &mut String, brief: &Brief<'_>, task: &Task) {
    let _ = writeln!(text, "# Verify task {}\n", task.id);
    let _ = writeln!(
        text,
        "You are @{}, an independent verifier. The current folder is a copy of the work. Read it; change nothing: a \
         single changed file voids your report. Judge every criterion by what you see.\n",
        brief.received.turn.agent
    );
    // Guidance, criteria, the checks and the changed files; nothing of what the builder says.
    let _ = writeln!(text, "{}\n", brief.received.context.trim_end());
    if let Some(receipt) = &task.run.receipt {
        let _ = writeln!(
            text,
            "What the host ran on exactly these files is receipt `{}`.\n",
            receipt.document.id
        );
    }
    if let Some(feedback) = &brief.received.feedback {
        let _ = writeln!(text, "{feedback}\n");
    }
    report_form(text, task, IN_LAST_MESSAGE);
}

fn report_form(text: &mut String, task: &Task, opening: &str) {
    let receipt = task.run.receipt.as_ref();
    let id = receipt.map_or("RECEIPT", |receipt| receipt.document.id.as_str());
    let verdicts: Vec<String> = task
        .criteria_in_force()
        .iter()
        .map(|criterion| {
            format!(r#"{{"criterion":"{criterion}","verdict":"pass|fail|inconclusive","evidence":["{id}"]}}"#)
        })
        .collect();
    let _ = writeln!(
        text,
        "{opening}. A pass needs the receipt as its evidence; what you could \
         not establish is inconclusive.\n\n```json\n{{\"artifact_type\":\"verification-report\",\"waypoint_id\":\"{}\",\
         \"criterion_verdicts\":[{}],\"unresolved_doubts\":[]}}\n```",
        task.id,
        verdicts.join(",")
    );
}
