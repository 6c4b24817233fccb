//! Stage documents: markdown whose frontmatter says how far a stage came.

use super::document::{Fault, lines_to_text, push};
use super::prose::{FAILURES, REQUIREMENTS, Subject, TITLES};
use baton_testkit::random::Random;

struct Stage {
    name: &'static str,
    heading: &'static str,
    checkpoints: [&'static str; 4],
}

const STAGES: &[Stage] = &[
    Stage {
        name: "requirements",
        heading: "Requirements",
        checkpoints: [
            "requirements_identified",
            "impact_analyzed",
            "acceptance_criteria_defined",
            "no_open_blockers",
        ],
    },
    Stage {
        name: "architecture",
        heading: "Architecture",
        checkpoints: ["requirements_addressed", "design_complete", "tasks_defined", "tests_planned"],
    },
    Stage {
        name: "implementation",
        heading: "Implementation",
        checkpoints: ["tests_written", "code_complete", "tests_passing", "no_lint_errors"],
    },
    Stage {
        name: "qa",
        heading: "QA",
        checkpoints: ["criteria_verified", "tests_passing", "no_critical_bugs", "docs_updated"],
    },
];

/// How the stage ended. Everything but `Complete` leaves its last checkpoint failing.
#[derive(Clone, Copy, PartialEq)]
enum Ending {
    Complete,
    InProgress,
    Failed,
    Blocked,
}

/// Returns the YAML and the whole file.
pub(super) fn write(random: &mut Random, index: usize, fault: Option<Fault>) -> (String, String) {
    let subject = Subject::draw(random);
    let stage = random.pick(STAGES);
    let ending = match random.below(100) {
        0..82 => Ending::Complete,
        82..90 => Ending::InProgress,
        90..95 => Ending::Failed,
        _ => Ending::Blocked,
    };
    let title = subject.say(random, TITLES);

    let mut yaml = Vec::new();
    push!(yaml, "id: F{index:05}");
    push!(yaml, "stage: {}", stage.name);
    push!(yaml, "title: {title}");
    status(&mut yaml, random, &Status { subject: &subject, ending, fault });
    checkpoints(&mut yaml, random, &Checkpoints { subject: &subject, stage, ending });
    retries(&mut yaml, random, &Status { subject: &subject, ending, fault });
    let yaml = lines_to_text(&yaml);

    let body = body(random, &subject, &format!("# {}: {title}", stage.heading));
    let text = format!("---\n{yaml}---\n\n{body}");
    (yaml, text)
}

struct Status<'s> {
    subject: &'s Subject,
    ending: Ending,
    fault: Option<Fault>,
}

fn status(yaml: &mut Vec<String>, random: &mut Random, of: &Status) {
    let minutes = random.between(20, 240);
    push!(yaml, "started_at: {}", of.subject.time(0));
    match of.ending {
        Ending::Complete => push!(yaml, "completed_at: {}", of.subject.time(minutes)),
        Ending::InProgress | Ending::Failed | Ending::Blocked => push!(yaml, "completed_at: null"),
    }
    let word = match of.ending {
        Ending::Complete => "complete",
        Ending::InProgress => "in_progress",
        Ending::Failed => "failed",
        Ending::Blocked => "blocked",
    };
    match of.fault {
        Some(Fault::MissingField) => {}
        Some(Fault::UnknownValue) => push!(yaml, "status: almost"),
        Some(Fault::WrongType) | None => push!(yaml, "status: {word}"),
    }
    push!(yaml, "handoff_ready: {}", of.ending == Ending::Complete);
}

struct Checkpoints<'s> {
    subject: &'s Subject,
    stage: &'s Stage,
    ending: Ending,
}

fn checkpoints(yaml: &mut Vec<String>, random: &mut Random, of: &Checkpoints) {
    push!(yaml, "checkpoints:");
    for (position, name) in of.stage.checkpoints.iter().enumerate() {
        let passes = of.ending == Ending::Complete || position < of.stage.checkpoints.len() - 1;
        push!(yaml, "  - name: {name}");
        push!(yaml, "    status: {}", if passes { "pass" } else { "fail" });
        if !passes {
            push!(yaml, "    message: {}", of.subject.say(random, FAILURES));
        } else if random.chance(70) {
            push!(yaml, "    message: {}", of.subject.say(random, PASS_MESSAGES));
        }
    }
}

fn retries(yaml: &mut Vec<String>, random: &mut Random, of: &Status) {
    let retry_count = match of.ending {
        Ending::Complete => random.below(8).saturating_sub(5),
        Ending::InProgress => random.between(1, 2),
        Ending::Failed => 3,
        Ending::Blocked => random.between(0, 3),
    };
    match of.fault {
        Some(Fault::WrongType) => push!(yaml, "retry_count: several"),
        Some(Fault::MissingField | Fault::UnknownValue) | None => push!(yaml, "retry_count: {retry_count}"),
    }
    if retry_count > 0 {
        push!(yaml, "last_failure: {}", of.subject.say(random, FAILURES));
    }
    if of.ending == Ending::Blocked {
        let reason = random.pick(&["needs_human_input", "external_dependency", "scope_change"]);
        push!(yaml, "block_reason: {reason}");
        push!(yaml, "block_details: {}", of.subject.say(random, FAILURES));
    }
}

fn body(random: &mut Random, subject: &Subject, heading: &str) -> String {
    let mut lines = vec![heading.to_owned(), String::new(), "## Executive summary".to_owned(), String::new()];
    push!(lines, "{}\n", subject.paragraph(random, 6));
    push!(lines, "## What is asked for\n\n| nr | requirement | where |\n|---|---|---|");
    for (position, requirement) in random.some(REQUIREMENTS, 5).into_iter().enumerate() {
        let requirement = subject.say(random, &[requirement]);
        push!(lines, "| R{} | {requirement} | `{}` |", position + 1, subject.file(random));
    }
    for file in subject.files.iter().take(3) {
        push!(lines, "\n## The part in `{file}`\n\n{}\n", subject.paragraph(random, 6));
        for _ in 0..random.between(2, 4) {
            push!(lines, "- {}", subject.paragraph(random, 1));
        }
    }
    push!(lines, "\n## How it was measured\n\n```text\nsuite of {}: one run on the branch", subject.folder);
    for file in &subject.files {
        push!(lines, "  {file} {} ms", random.between(1, 400));
    }
    push!(lines, "```\n\n{}", subject.paragraph(random, 4));
    lines_to_text(&lines)
}

const PASS_MESSAGES: &[&str] = &[
    "Read together with the {few} people who use the {component} every day",
    "Compared with the list of the task and found equal",
    "The linter and the compiler print nothing for {folder}",
    "Covered by {tests} tests in {folder}",
];
