//! Ten stages hand a harbour's tide service on. What the next one needs is there, for a fiftieth of what was said.

use super::*;
use crate::knowledge;

/// What a whole history of this size costs at its ninth handoff, and at all nine together: about 8,000 tokens of tool output
/// and 215 of prose for each stage.
const HISTORY_NINTH: usize = 75_500;
const HISTORY_ALL: usize = 385_000;

/// Name, what it made, a pattern, a trap with its severity and its way out, a decision, what is next.
type Stage =
    (&'static str, &'static str, &'static str, (&'static str, &'static str, &'static str), &'static str);

#[rustfmt::skip]
const STAGES: [Stage; 10] = [
    ("requirements", "docs/tides.md", "Every level names its datum", ("The gauge of the north pier counts feet", "high", "divide by 3.281 on reading"), "Read the gauge"),
    ("model", "src/tide/model.rs", "Times are stored in UTC", ("Two low waters can fall on one day", "medium", "never key a tide by its date"), "Parse the feed"),
    ("parser", "src/feed/parser.rs", "A bad line is kept beside its reason", ("The feed repeats its last line after midnight", "high", "drop a line equal to the one before"), "Store the levels"),
    ("storage", "src/store/levels.rs", "Write a level once and never change it", ("The archive has levels before 1970", "medium", "use signed seconds"), "Compute the tides"),
    ("compute", "src/tide/compute.rs", "Constants stand in one table", ("The harmonic table has a gap in 1987", "high", "take the constants of 1986"), "Serve them"),
    ("service", "src/http/service.rs", "Answers carry the datum", ("Clients cache an empty answer for a day", "medium", "send no-store with an empty answer"), "Limit the rate"),
    ("limits", "src/http/limits.rs", "A limit answers with the time to wait", ("The proxy counts retries twice", "medium", "count by request id"), "Show a page"),
    ("page", "web/tides.html", "The page works without scripts", ("Screen readers skip the arrows", "medium", "write low and high as words"), "Watch the service"),
    ("watch", "src/watch/alarm.rs", "An alarm names its runbook", ("The clock of the gauge jumps in October", "high", "alarm by sequence and not by time"), "Ship it"),
    ("release", "deploy/release.sh", "Ship by tag only", ("The old service holds the port for a minute", "medium", "wait for the port"), "Celebrate"),
];

fn document(index: usize) -> String {
    let (name, file, pattern, (trap, severity, way_out), next) = STAGES[index];
    let before = STAGES[index.saturating_sub(1)].1;
    let prose =
        format!("The {name} stage went well and is described here at some length for whoever comes later. ")
            .repeat(12);
    format!(
        "# Task\n\n{prose}\n\n## Handoff\n\n```yaml\noutcome: completed\nfiles_created:\n  - path: {file}\n    purpose: what the {name} stage made\n    lines: 1-180\n\
         files_modified:\n  - path: {before}\n    lines: 3-9\n    change_type: modify\n    description: calls {file}\n\
         patterns_discovered:\n  - pattern: {pattern}\n    location: {file}\n    applies_to: [{name}]\n  - pattern: Times are stored in UTC\n    location: src/tide/model.rs\n    applies_to: [time]\n\
         gotchas:\n  - issue: {trap}\n    discovered_in: the {name} stage\n    mitigation: {way_out}\n    severity: {severity}\n  - issue: Builds of {name} warn about a brace\n    discovered_in: the log\n    mitigation: none\n    severity: low\n\
         dependencies_for_next:\n  - file: {file}\n    reason: the next stage builds on it\n  - file: docs/tides.md\n    reason: says what is wanted\n\
         open_questions:\n  - question: Is {name} fast enough for the summer?\n    context: nobody measured it\n    recommendation: measure it before release\n    blocking: false\n\
         suggested_next_steps:\n  - step: {next}\n    priority: high\n    depends_on: []\n  - step: Tidy the {name} stage\n    priority: low\n    depends_on: []\n```\n"
    )
}

fn findings(index: usize) -> impl Iterator<Item = Finding> {
    let items = knowledge::read(document(index).as_bytes());
    items.into_iter().map(move |item| {
        let mut source = source("T1", index as u64 + 1);
        source.stage = StageName::fixed(STAGES[index].0);
        Finding { source: source.into(), item }
    })
}

/// Returns what the stage with this index is told.
fn told(index: usize) -> Packet {
    let mut order = order((0..index).flat_map(findings).collect());
    order.title = "A tide service for the harbour".to_owned();
    order.stage = StageName::fixed(STAGES[index].0);
    let questions = order.journal.findings.iter().filter(|finding| finding.item.kind == ItemKind::Question);
    order.journal.open_questions = questions.cloned().collect();
    order.references = vec![Reference {
        task: order.task.clone(),
        document: ArtifactId::fixed(format!("handoff-turn-{index}")),
    }];
    pack(&order)
}

#[test]
fn what_matters_is_there_for_a_fiftieth_of_the_history() {
    let tokens: Vec<usize> = (1..10).map(|index| told(index).tokens).collect();
    println!("tokens of the nine handoffs: {tokens:?}, together {}", tokens.iter().sum::<usize>());
    assert!(tokens[8] * 50 <= HISTORY_NINTH, "{tokens:?}");
    assert!(tokens.iter().sum::<usize>() * 50 <= HISTORY_ALL, "{tokens:?}");
    for index in 1..10 {
        let text = told(index).text;
        let (_, file, pattern, (trap, _, way_out), next) = STAGES[index - 1];
        for fact in [file, pattern, trap, way_out, next, "docs/tides.md", "Times are stored in UTC"] {
            assert!(
                text.contains(fact) || (index == 1 && fact.contains("UTC")),
                "stage {index}: {fact}\n{text}"
            );
        }
        // A grave trap stays known to the end.
        for (_, _, _, (trap, severity, _), _) in &STAGES[..index] {
            assert!(*severity != "high" || text.contains(trap), "stage {index}: {trap}\n{text}");
        }
        assert!(!text.contains("warn about a brace") && !text.contains("at some length"), "{text}");
    }
}

#[test]
fn it_grows_no_faster_than_the_logarithm() {
    let tokens: Vec<usize> = (1..10).map(|index| told(index).tokens).collect();
    let first = tokens[0];
    for (index, tokens) in tokens.iter().enumerate() {
        let doublings = usize::BITS - (index + 1).leading_zeros();
        assert!(*tokens <= first * doublings as usize, "handoff {}: {tokens} after {first}", index + 1);
    }
}

#[test]
fn golden_packets_are_the_same_byte_for_byte() {
    for (index, golden) in [(1, include_str!("../golden/first.md")), (9, include_str!("../golden/ninth.md"))]
    {
        let text = told(index).text;
        assert_eq!(text, golden, "write it anew only when the change is meant:\n{text}");
        assert_eq!(told(index).text, text);
    }
}
