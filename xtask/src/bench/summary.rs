//! Summaries: an agent's markdown report with a fenced `handoff:` block.

use super::document::{Fault, lines_to_text, push};
use super::prose::{FAILURES, Subject};
use baton_testkit::random::Random;

const PHASES: &[&str] =
    &["Research", "Planning", "Infrastructure", "Implementation", "Testing", "Integration", "QA", "Complete"];

const AGENTS: &[&str] = &[
    "@research-agent",
    "@planning-agent",
    "@infrastructure-agent",
    "@implementation-agent",
    "@unit-testing-agent",
    "@integration-agent",
    "@qa-agent",
    "@project-manager-agent",
];

struct Report {
    subject: Subject,
    phase: &'static str,
    from: &'static str,
    to: &'static str,
    status: &'static str,
    tests_failed: usize,
    retry_count: usize,
}

impl Report {
    fn draw(random: &mut Random) -> Self {
        let subject = Subject::draw(random);
        let position = random.below(PHASES.len());
        let last = position == PHASES.len() - 1;
        let status = match random.below(100) {
            _ if last => "complete",
            0..80 => "complete",
            80..88 => "in_progress",
            88..92 => "failed",
            92..96 => "blocked",
            _ => "retry",
        };
        let troubled = matches!(status, "failed" | "retry");
        Self {
            tests_failed: if troubled { random.between(1, 4) } else { 0 },
            retry_count: if troubled { random.between(1, 2) } else { 0 },
            subject,
            phase: PHASES[position],
            from: AGENTS[position],
            to: if last { "None" } else { AGENTS[position + 1] },
            status,
        }
    }
}

/// Returns the YAML and the whole file.
pub(super) fn write(random: &mut Random, fault: Option<Fault>) -> (String, String) {
    let report = Report::draw(random);
    let mut yaml = Vec::new();
    push!(yaml, "handoff:");
    route(&mut yaml, &report, fault);
    metrics(&mut yaml, random, &report);
    dependencies(&mut yaml, random);
    if report.status != "complete" || random.chance(60) {
        on_failure(&mut yaml, random, &report.subject);
    }
    push!(yaml, "  timestamp: \"{}\"", report.subject.time(0));
    push!(yaml, "  context:");
    push!(yaml, "    component: {}", report.subject.component);
    push!(yaml, "    folder: {}", report.subject.folder);
    push!(yaml, "    complexity_level: {}", random.between(1, 5));
    push!(yaml, "    research_cached: {}", random.chance(50));
    let yaml = lines_to_text(&yaml);
    let text = format!("{}\n```yaml\n{yaml}```\n", body(random, &report));
    (yaml, text)
}

fn route(yaml: &mut Vec<String>, report: &Report, fault: Option<Fault>) {
    match fault {
        Some(Fault::UnknownValue) => push!(yaml, "  phase: \"Wandering\""),
        Some(Fault::MissingField | Fault::WrongType) | None => push!(yaml, "  phase: \"{}\"", report.phase),
    }
    push!(yaml, "  from: \"{}\"", report.from);
    push!(yaml, "  to: \"{}\"", report.to);
    match fault {
        Some(Fault::MissingField) => {}
        Some(Fault::UnknownValue | Fault::WrongType) | None => push!(yaml, "  status: \"{}\"", report.status),
    }
    match fault {
        Some(Fault::WrongType) => push!(yaml, "  retry_count: several"),
        Some(Fault::MissingField | Fault::UnknownValue) | None => {
            push!(yaml, "  retry_count: {}", report.retry_count);
        }
    }
}

fn metrics(yaml: &mut Vec<String>, random: &mut Random, report: &Report) {
    let subject = &report.subject;
    push!(yaml, "  metrics:");
    push!(yaml, "    tests_total: {}", subject.tests);
    push!(yaml, "    tests_passed: {}", subject.tests - report.tests_failed);
    push!(yaml, "    tests_failed: {}", report.tests_failed);
    push!(yaml, "    coverage: \"{}%\"", subject.coverage);
    push!(yaml, "    execution_time: \"{}s\"", random.between(4, 240));
    push!(yaml, "    files_modified: {}", subject.files.len());
    push!(yaml, "    lines_of_code: {}", random.between(40, 900));
    push!(yaml, "    complexity_score: {}", random.between(1, 9));
}

fn dependencies(yaml: &mut Vec<String>, random: &mut Random) {
    let first = random.between(1, 80);
    match random.below(3) {
        0 => push!(yaml, "  dependencies: []"),
        1 => push!(yaml, "  dependencies: [\"task-{first}\"]"),
        _ => {
            push!(yaml, "  dependencies: [\"task-{first}\", \"task-{}.{}\"]", first + 1, random.between(1, 4))
        }
    }
}

fn on_failure(yaml: &mut Vec<String>, random: &mut Random, subject: &Subject) {
    push!(yaml, "  on_failure:");
    push!(yaml, "    retry: 2");
    push!(yaml, "    route_to: \"@repair-agent\"");
    push!(yaml, "    notify: \"@project-manager-agent\"");
    push!(yaml, "    escalate_after: 3");
    push!(yaml, "    context: \"{}\"", subject.say(random, FAILURES));
}

fn body(random: &mut Random, report: &Report) -> String {
    let subject = &report.subject;
    let (mark, end) = if report.tests_failed == 0 { ("✅", "REPORT") } else { ("❌", "STOPPED") };
    let passed = subject.tests - report.tests_failed;
    let mut lines = Vec::new();
    push!(lines, "## {} {end}\n", report.phase.to_uppercase());
    push!(lines, "{mark} Tests passed: {passed}/{}", subject.tests);
    push!(lines, "✅ Coverage: {}%", subject.coverage);
    push!(lines, "✅ Files modified: {}\n", subject.files.len());
    push!(lines, "**Next Agent:** {}\n", report.to);
    push!(lines, "### What was done\n\n{}\n", subject.paragraph(random, 7));
    for file in &subject.files {
        push!(lines, "- `{file}`: {}", subject.paragraph(random, 1));
    }
    push!(lines, "\n### What was learned\n\n{}\n", subject.paragraph(random, 6));
    push!(lines, "{}\n", subject.paragraph(random, 6));
    push!(lines, "### Numbers\n\n| file | lines | ms |\n|---|---|---|");
    for file in &subject.files {
        push!(lines, "| `{file}` | {} | {} |", random.between(20, 400), random.between(1, 90));
    }
    push!(lines, "\n### How to read the code\n\n{}\n", subject.paragraph(random, 7));
    push!(lines, "### Handoff");
    lines_to_text(&lines)
}
