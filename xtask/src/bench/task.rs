//! Task files: markdown with a log of the work and a fenced block under `## Handoff`.

use super::document::{Fault, lines_to_text, push};
use super::prose::{
    CHANGES, CRITERIA, FAILURES, ISSUES, MITIGATIONS, PATTERNS, PURPOSES, QUESTIONS, REASONS,
    RECOMMENDATIONS, STEPS, Subject, TITLES,
};
use baton_testkit::random::Random;

/// A list of the handoff block is written from these.
struct Work<'s> {
    subject: &'s Subject,
    index: usize,
    fault: Option<Fault>,
}

/// Returns the YAML and the whole file.
pub(super) fn write(random: &mut Random, index: usize, fault: Option<Fault>) -> (String, String) {
    let subject = Subject::draw(random);
    let outcome = match random.below(100) {
        0..76 => "completed",
        76..86 => "partial",
        86..93 => "failed",
        _ => "blocked",
    };
    let work = Work { subject: &subject, index, fault };
    let mut yaml = Vec::new();
    match fault {
        Some(Fault::MissingField) => {}
        Some(Fault::UnknownValue | Fault::WrongType) | None => push!(yaml, "outcome: {outcome}\n"),
    }
    files(&mut yaml, random, &work);
    lessons(&mut yaml, random, &work);
    questions(&mut yaml, random, &work);
    next_steps(&mut yaml, random, &work);
    if outcome != "completed" {
        blockers(&mut yaml, random, &work);
    }
    let yaml = lines_to_text(&yaml);
    let body = body(random, &work, outcome);
    let text = format!("{body}\n## Handoff\n\n```yaml\n{yaml}```\n");
    (yaml, text)
}

fn files(yaml: &mut Vec<String>, random: &mut Random, work: &Work) {
    let (created, modified) = work.subject.files.split_at(1);
    push!(yaml, "files_created:");
    for file in created {
        push!(yaml, "  - path: {file}");
        push!(yaml, "    purpose: {}", work.subject.say(random, PURPOSES));
        match random.chance(50) {
            true => push!(yaml, "    lines: all"),
            false => push!(yaml, "    lines: 1-{}", random.between(20, 300)),
        }
    }
    push!(yaml, "\nfiles_modified:");
    for file in modified {
        let first = random.between(1, 200);
        push!(yaml, "  - path: {file}");
        push!(yaml, "    lines: {first}-{}", first + random.between(3, 60));
        push!(yaml, "    change_type: {}", random.pick(&["add", "modify", "refactor"]));
        push!(yaml, "    description: {}", work.subject.say(random, CHANGES));
    }
}

fn lessons(yaml: &mut Vec<String>, random: &mut Random, work: &Work) {
    let subject = work.subject;
    push!(yaml, "\npatterns_discovered:");
    for number in 1..=random.between(1, 2) {
        push!(yaml, "  - id: pattern-{:05}-{number}", work.index);
        push!(yaml, "    pattern: {}", subject.say(random, PATTERNS));
        push!(yaml, "    location: {}", subject.file(random));
        push!(yaml, "    applies_to: [{}, error-text]", subject.tag);
    }
    push!(yaml, "\ngotchas:");
    let severity = match work.fault {
        Some(Fault::UnknownValue) => "enormous",
        Some(Fault::MissingField | Fault::WrongType) | None => *random.pick(&["high", "medium", "low"]),
    };
    push!(yaml, "  - id: gotcha-{:05}", work.index);
    push!(yaml, "    issue: {}", subject.say(random, ISSUES));
    push!(yaml, "    discovered_in: {}", subject.file(random));
    push!(yaml, "    mitigation: {}", subject.say(random, MITIGATIONS));
    push!(yaml, "    severity: {severity}");
    push!(yaml, "\ndependencies_for_next:");
    for file in subject.files.iter().take(2) {
        push!(yaml, "  - file: {file}");
        push!(yaml, "    reason: {}", subject.say(random, REASONS));
    }
}

fn questions(yaml: &mut Vec<String>, random: &mut Random, work: &Work) {
    push!(yaml, "\nopen_questions:");
    push!(yaml, "  - question: {}", work.subject.say(random, QUESTIONS));
    push!(yaml, "    context: {}", work.subject.say(random, ISSUES));
    push!(yaml, "    recommendation: {}", work.subject.say(random, RECOMMENDATIONS));
    match work.fault {
        Some(Fault::WrongType) => push!(yaml, "    blocking: [sometimes]"),
        Some(Fault::MissingField | Fault::UnknownValue) | None => push!(yaml, "    blocking: false"),
    }
}

fn next_steps(yaml: &mut Vec<String>, random: &mut Random, work: &Work) {
    push!(yaml, "\nsuggested_next_steps:");
    let wanted = random.between(1, 3);
    for step in random.some(STEPS, wanted) {
        push!(yaml, "  - step: {}", work.subject.say(random, &[step]));
        push!(yaml, "    priority: {}", random.pick(&["high", "medium", "low"]));
        match random.chance(50) {
            true => push!(yaml, "    depends_on: [{}]", work.subject.file(random)),
            false => push!(yaml, "    depends_on: []"),
        }
    }
}

fn blockers(yaml: &mut Vec<String>, random: &mut Random, work: &Work) {
    push!(yaml, "\nblockers:");
    push!(yaml, "  - blocker: {}", work.subject.say(random, FAILURES));
    push!(yaml, "    impact: The {} cannot be released", work.subject.component);
    push!(yaml, "    suggested_resolution: {}", work.subject.say(random, MITIGATIONS));
    push!(yaml, "    blocking_tasks: [task-{:05}, task-{:05}]", work.index + 1, work.index + 2);
}

fn body(random: &mut Random, work: &Work, outcome: &str) -> String {
    let (subject, index) = (work.subject, work.index);
    let mut lines = Vec::new();
    push!(lines, "# Task task-{index:05}: {}\n", subject.say(random, TITLES));
    push!(lines, "## Metadata\n\n- Component: {}\n- Folder: `{}`", subject.component, subject.folder);
    push!(lines, "- Started: {}\n", subject.time(0));
    push!(lines, "## Objective\n\n{}\n", subject.paragraph(random, 4));
    push!(lines, "## Acceptance Criteria\n");
    let mark = if outcome == "completed" { "x" } else { " " };
    for criterion in random.some(CRITERIA, 3) {
        push!(lines, "- [{mark}] {}", subject.say(random, &[criterion]));
    }
    push!(lines, "\n## Context Provided\n\n{}\n\n---\n", subject.paragraph(random, 3));
    push!(lines, "## Execution Log\n");
    for step in 0..4 {
        push!(lines, "### {}\n\n{}\n", subject.time(10 + step * 25), subject.paragraph(random, 4));
    }
    push!(lines, "---");
    lines_to_text(&lines)
}
