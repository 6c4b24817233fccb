//! Packages: stand-alone YAML that hands context and expectations to another agent or to a person.

use super::document::{Fault, lines_to_text, push};
use super::prose::{CONSTRAINTS, CRITERIA, DECISIONS, ISSUES, PURPOSES, QUESTIONS, RATIONALES, Subject};
use baton_testkit::random::Random;

const STEPS: &[&str] = &["intake", "specification", "architecture", "implementation", "review", "release"];

/// Returns the YAML twice: it is the whole file.
pub(super) fn write(random: &mut Random, index: usize, fault: Option<Fault>) -> (String, String) {
    let subject = Subject::draw(random);
    let done = random.between(1, STEPS.len() - 1);
    let gate = random.chance(10);
    let receiver = if gate { "human" } else { STEPS[done] };

    let mut yaml = Vec::new();
    push!(yaml, "handoff:\n  id: \"HO-2025-{index:05}\"\n  timestamp: \"{}\"\n", subject.time(0));
    push!(yaml, "  from:\n    agent: {}\n    step: {done}", STEPS[done - 1]);
    push!(yaml, "  to:\n    agent: {receiver}");
    push!(
        yaml,
        "    reason: \"The {} of the {} is ready for {receiver}\"\n",
        STEPS[done - 1],
        subject.component
    );
    context(&mut yaml, random, &Content { subject: &subject, fault });
    expectations(&mut yaml, random, &Content { subject: &subject, fault });
    if gate {
        push!(yaml, "  gate:\n    type: blocking\n    name: {}-release\n    step: {done}\n", subject.tag);
        validation_request(&mut yaml, random, &subject);
    }
    push!(yaml, "  workflow_state:\n    name: feature-delivery\n    current_step: {}", done + 1);
    push!(yaml, "    completed_steps: [{}]", STEPS[..done].join(", "));
    push!(yaml, "    remaining_steps: [{}]", STEPS[done..].join(", "));
    let yaml = lines_to_text(&yaml);
    (yaml.clone(), yaml)
}

struct Content<'s> {
    subject: &'s Subject,
    fault: Option<Fault>,
}

fn context(yaml: &mut Vec<String>, random: &mut Random, of: &Content) {
    let subject = of.subject;
    push!(yaml, "  context:");
    if !matches!(of.fault, Some(Fault::MissingField)) {
        push!(yaml, "    summary: |");
        for part in [SUMMARIES_OF_WORK, SUMMARIES_OF_PROOF, SUMMARIES_OF_REST] {
            push!(yaml, "      {}", subject.say(random, part));
        }
    }
    push!(yaml, "\n    decisions:");
    for (position, decision) in random.some(DECISIONS, 2).into_iter().enumerate() {
        push!(yaml, "      - id: \"D-{:03}\"", position + 1);
        push!(yaml, "        decision: \"{}\"", subject.say(random, &[decision]));
        push!(yaml, "        rationale: \"{}\"", subject.say(random, RATIONALES));
    }
    artifacts(yaml, random, of);
    push!(yaml, "\n    open_questions:");
    push!(yaml, "      - question: \"{}\"", subject.say(random, QUESTIONS));
    push!(yaml, "        priority: {}", random.pick(&["high", "medium", "low"]));
    push!(yaml, "        context: \"{}\"\n", subject.say(random, ISSUES));
}

fn artifacts(yaml: &mut Vec<String>, random: &mut Random, of: &Content) {
    push!(yaml, "\n    artifacts:");
    for (position, file) in of.subject.files.iter().enumerate() {
        let kind = match of.fault {
            Some(Fault::UnknownValue) if position == 0 => "sculpture",
            Some(_) | None => "code",
        };
        push!(yaml, "      - path: \"{file}\"");
        push!(yaml, "        type: {kind}");
        push!(yaml, "        description: \"{}\"", of.subject.say(random, PURPOSES));
    }
    push!(yaml, "      - path: \"docs/{}.md\"", of.subject.tag);
    push!(yaml, "        type: {}", random.pick(&["doc", "spec"]));
    push!(yaml, "        description: \"Says what the {} does and what it refuses\"", of.subject.component);
}

fn expectations(yaml: &mut Vec<String>, random: &mut Random, of: &Content) {
    push!(yaml, "  expectations:");
    push!(yaml, "    deliverable: \"A reviewed change of {} with its tests\"", of.subject.folder);
    push!(yaml, "    constraints:");
    for constraint in random.some(CONSTRAINTS, 2) {
        push!(yaml, "      - \"{}\"", of.subject.say(random, &[constraint]));
    }
    push!(yaml, "    success_criteria:");
    if matches!(of.fault, Some(Fault::WrongType)) {
        push!(yaml, "      coverage:\n        minimum: 85");
    } else {
        for criterion in random.some(CRITERIA, 3) {
            push!(yaml, "      - \"{}\"", of.subject.say(random, &[criterion]));
        }
    }
    yaml.push(String::new());
}

fn validation_request(yaml: &mut Vec<String>, random: &mut Random, subject: &Subject) {
    push!(yaml, "  validation_request:\n    items:");
    for criterion in random.some(CRITERIA, 2) {
        push!(yaml, "      - \"{}\"", subject.say(random, &[criterion]));
    }
    push!(yaml, "    options:\n      approve: \"Go on with the next step\"");
    push!(yaml, "      reject: \"Send it back with a reason\"");
    push!(yaml, "      question: \"Ask the sender\"\n");
}

const SUMMARIES_OF_WORK: &[&str] = &[
    "The {component} was split into a reader and a writer, and {file} holds the part that both share.",
    "The {component} keeps its limits in {file}, and {other} reads them from there.",
    "Refused requests of the {component} are answered in {file} with the line that was wrong.",
];

const SUMMARIES_OF_PROOF: &[&str] = &[
    "All {tests} tests pass on the branch with a coverage of {coverage} %.",
    "The suite has {tests} tests, all of them pass, and the slowest takes {ms} ms.",
];

const SUMMARIES_OF_REST: &[&str] = &[
    "One question about the time that records are kept is open, and the default is the longer time.",
    "The old format is still read, and {other} says when it was written for the last time.",
    "Nothing outside of the component changed, and no caller has to be edited.",
];
