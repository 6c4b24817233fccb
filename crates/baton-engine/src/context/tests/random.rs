//! Whatever a document says, the packet keeps its promises.

use super::*;
use crate::knowledge;
use baton_handoff::dialect;
use baton_testkit::generate;
use baton_testkit::random::Random;

const SEED: u64 = 5;
const ORDERS: usize = 300;

fn any_order(number: usize) -> Order {
    let mut random = Random::numbered(SEED, number);
    let mut findings = Vec::new();
    for turn in 1..=random.between(1, 6) as u64 {
        let definition = *random.pick(dialect::ALL);
        let variant = random.pick(definition.variants);
        let handoff = generate::handoff(definition, variant, &mut random);
        findings.extend(knowledge::extract(&handoff).into_iter().map(|item| finding(turn, item)));
        for kind in ItemKind::ALL {
            let path = random.chance(50).then(|| generate::text(&mut random));
            let severity = random.chance(50).then(|| *random.pick(Severity::ALL));
            let blocking = random.chance(30);
            let item = Item { path, severity, blocking, ..item(*kind, &generate::text(&mut random)) };
            findings.push(finding(turn, item));
        }
    }
    let mut order = order(findings);
    let of = |kind: ItemKind, findings: &[Finding]| -> Vec<Finding> {
        findings.iter().filter(|finding| finding.item.kind == kind).cloned().collect()
    };
    order.journal.open_questions = of(ItemKind::Question, &order.journal.findings);
    order.journal.active_blockers = of(ItemKind::Blocker, &order.journal.findings);
    order.title = generate::text(&mut random);
    order.drift.changed = vec![generate::text(&mut random)];
    order.role = *random.pick(&[Role::Builder, Role::Verifier, Role::Repair, Role::Specialist]);
    order.budget_tokens = random.between(0, 2_000);
    order
}

#[test]
fn budgets_hold_guidance_is_whole_and_lines_stay_lines() {
    let labels: Vec<String> =
        Kind::ALL.iter().map(|kind| render::label(*kind).trim_end().to_owned()).collect();
    for number in 0..ORDERS {
        let order = any_order(number);
        let packet = pack(&order);
        assert_eq!(pack(&order), packet, "order {number} twice");
        assert!(packet.over_budget || packet.tokens <= packet.budget_tokens, "order {number}");
        for line in &order.guidance {
            assert!(packet.text.contains(&format!("\n- {line}\n")), "order {number}: {line}");
        }
        let mark = packet.text.split("<data ").nth(1).and_then(|rest| rest.split('>').next()).unwrap();
        assert_eq!(packet.text.matches(mark).count(), 2, "order {number}");
        let inside = packet.text.split(&format!("<data {mark}>\n")).nth(1).unwrap();
        let inside = inside.split(&format!("</data {mark}>\n")).next().unwrap();
        let is_line = |line: &str| line.starts_with("- ") || labels.iter().any(|label| label == line);
        assert!(inside.lines().all(is_line), "order {number}: {inside}");
        let byline = fragment::Byline::of(&order);
        let lines: usize = packet.kept.iter().map(|kept| token::count(&kept.line(&byline))).sum();
        assert_eq!(packet.kept.iter().map(|kept| kept.tokens).sum::<usize>(), lines, "order {number}");
    }
}
