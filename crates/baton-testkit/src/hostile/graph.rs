//! Tasks that wait for each other, and failures that go round in a circle.

use super::{Case, summary};

pub(super) fn add(cases: &mut Vec<Case>) {
    dependencies(cases);
    routes(cases);
}

fn task(id: &str, dependencies: &str) -> String {
    summary("@tester", &format!("  task: {id}\n  dependencies: [{dependencies}]\n"))
}

/// Returns tasks of which each waits for the next and the last for the first.
fn ring(count: usize) -> Vec<String> {
    (0..count).map(|at| task(&format!("task-{at}"), &format!("task-{}", (at + 1) % count))).collect()
}

fn dependencies(cases: &mut Vec<Case>) {
    let pair = [task("task-a", "task-b"), task("task-b", "task-a")].join("---\n");
    let case = Case::refused("A16", "a cycle of two", pair, &["BT309"]);
    cases.push(case.says(&["task-a → task-b → task-a"]).at_lines(&[7]));
    let all = ring(60).join("---\n");
    cases
        .push(Case::refused("A16", "a cycle of 60", all, &["BT309"]).says(&["task-0 → task-1", "60 in all"]));
    let fenced: String = ring(3).iter().map(|text| format!("```yaml\n{text}```\n\n")).collect();
    let fenced = format!("# Handoffs\n\nThree tasks are handed over.\n\n{fenced}");
    cases.push(Case::refused("A16", "a cycle over fences", fenced, &["BT309"]));
    let itself = task("task-a", "task-a");
    cases.push(Case::read("A16", "a task that waits for itself", itself).codes(&["BT305"]).says(&["itself"]));
    let many: Vec<_> = (0..50_000).map(|at| format!("t{at}")).collect();
    let text = task("task-a", &many.join(", "));
    cases.push(Case::refused("A16", "50,000 dependencies", text, &["BT005"]).says(&["2000"]));
    let text = task("task-a", &many[..1_900].join(", "));
    cases.push(Case::read("A16", "1,900 dependencies", text));
    let dense: Vec<_> = (0..60)
        .map(|at| {
            let others: Vec<_> =
                (0..60).filter(|other| *other != at).map(|other| format!("task-{other}")).collect();
            task(&format!("task-{at}"), &others.join(", "))
        })
        .collect();
    cases.push(Case::refused("A16", "everybody waits for everybody", dense.join("---\n"), &["BT309"]));
    cases.push(Case::read("A16", "a task nobody knows", task("task-a", "task-99")));
}

fn policy(from: &str, policy: &str) -> String {
    summary(from, &format!("  on_failure:\n    {policy}\n"))
}

fn routes(cases: &mut Vec<Case>) {
    let itself = policy("@tester", "route_to: \"@tester\"");
    let case = Case::refused("A17", "a route to itself", itself, &["BT303"]);
    cases.push(case.says(&["`@tester` routes failures to itself"]).at_lines(&[7, 3]));
    let case = policy("@tester", "route_to: \"@Tester\"");
    cases.push(Case::refused("A17", "a route to itself in another case", case, &["BT303"]));
    let pair = [policy("@a", "route_to: \"@b\""), policy("@b", "route_to: \"@a\"")].join("---\n");
    cases.push(Case::refused("A17", "ping-pong", pair, &["BT308"]).says(&["@a → @b → @a"]));
    let three = [("@a", "@b"), ("@b", "@c"), ("@c", "@a")];
    let three: Vec<_> = three.iter().map(|(from, to)| policy(from, &format!("route_to: \"{to}\""))).collect();
    cases.push(Case::refused("A17", "a round of three", three.join("---\n"), &["BT308"]).says(&["@b → @c"]));
    let zero = policy("@tester", "escalate_after: 0");
    cases.push(Case::refused("A17", "escalate after 0", zero, &["BT302"]).says(&["counts as 1"]));
    let below = policy("@tester", "escalate_after: -5");
    cases.push(Case::refused("A17", "escalate after -5", below, &["BT302"]).says(&["counts as 1"]));
    let often = policy("@tester", "retry: 1000000000");
    cases.push(Case::refused("A17", "retry 1000000000 times", often, &["BT302"]).says(&["counts as 3"]));
    let often = policy("@tester", "retry: 10^9");
    cases.push(Case::refused("A17", "retry 10^9 times", often, &["BT115"]));
    let often = policy("@tester", "retry: 99999999999999999999");
    cases.push(Case::refused("A17", "retry more often than can be counted", often, &["BT116"]));
}
