//! Why something is told: one reason is enough, and without any there is no room.

use super::*;

fn said_in(stage: usize, item: Item) -> Finding {
    let mut finding = finding(stage as u64, item);
    Arc::make_mut(&mut finding.source).stage = StageName::fixed(format!("stage-{stage}"));
    finding
}

/// What is said in the first of so many stages; the others say something else.
fn told_after(stages: usize, item_first: Item) -> Packet {
    let others = (2..=stages).map(|stage| said_in(stage, item(ItemKind::NextStep, &format!("Step {stage}"))));
    pack(&order([said_in(1, item_first)].into_iter().chain(others).collect()))
}

#[test]
fn decisions_and_high_warnings_hold_however_old() {
    assert!(told_after(60, item(ItemKind::Decision, "Charts are monochrome")).text.contains("monochrome"));
    assert!(told_after(60, gotcha("Buoys drift", Severity::High)).text.contains("Buoys drift"));
    for forgotten in [gotcha("Buoys drift", Severity::Medium), item(ItemKind::Pattern, "Buoys drift")] {
        assert!(told_after(2, forgotten.clone()).text.contains("Buoys drift"));
        assert!(!told_after(3, forgotten).text.contains("Buoys drift"));
    }
}

#[test]
fn one_word_of_the_title_is_enough_in_text_path_or_tag() {
    let path = |path: &str| Item { path: Some(path.to_owned()), ..item(ItemKind::File, "made") };
    let tagged = Item { tags: ["tide".to_owned()].into(), ..item(ItemKind::Pattern, "Round up") };
    for (item, words) in [
        (item(ItemKind::Pattern, "Every harbours' level has a datum"), "datum"),
        (path("src/tides/level.rs"), "src/tides/level.rs"),
        (tagged, "Round up"),
    ] {
        let text = told_after(9, item).text;
        assert!(text.contains(words), "{words}\n{text}");
    }
    assert!(!told_after(9, path("src/page/level.rs")).text.contains("level.rs"));
}

#[test]
fn all_words_that_a_file_was_said_in_are_matched() {
    let file = |text: &str| Item { path: Some("src/a.rs".to_owned()), ..item(ItemKind::File, text) };
    let others = (3..9).map(|stage| said_in(stage, item(ItemKind::NextStep, &format!("Step {stage}"))));
    let both = [said_in(1, file("the tide formula")), said_in(2, file("one more function"))];
    let text = pack(&order(both.into_iter().chain(others).collect())).text;
    // What it is for does not concern this turn any more.
    assert!(text.contains("- src/a.rs [turn-2+1]\n"), "{text}");
}

#[test]
fn attempts_of_one_stage_make_nothing_older() {
    let old = said_in(1, gotcha("Buoys drift", Severity::Medium));
    let attempts = (2..8).map(|turn| {
        let mut again = finding(turn, item(ItemKind::Pattern, &format!("Try {turn}")));
        Arc::make_mut(&mut again.source).fate = Fate::Returned;
        again
    });
    let text = pack(&order([old].into_iter().chain(attempts).collect())).text;
    assert!(text.contains("Buoys drift"), "{text}");
}

#[test]
fn what_blocks_comes_first_before_ten_thousand_warnings() {
    let warnings = (0..10_000).map(|number| {
        said_in(3, gotcha(&format!("Print the tides of the harbour {number}"), Severity::High))
    });
    let mut order = order(warnings.collect());
    let question = |text: &str, blocking| Item { blocking, ..item(ItemKind::Question, text) };
    order.journal.open_questions = (0..9)
        .map(|number| said_in(3, question(&format!("Which tide {number}?"), false)))
        .chain([said_in(1, question("May boats be longer?", true))])
        .collect();
    let packet = pack(&order);
    let inside = packet.text.split("<data ").nth(1).unwrap();
    let lines: Vec<&str> = inside.lines().skip(1).take(2).collect();
    assert_eq!(lines, ["[questions]", "- BLOCKING: May boats be longer? [turn-1]"], "{}", packet.text);
}

#[test]
fn steps_live_for_one_stage() {
    let step = Item { severity: Some(Severity::High), ..item(ItemKind::NextStep, "Print the tides first") };
    assert!(told_after(1, step.clone()).text.contains("Print the tides first"));
    assert!(!told_after(2, step).text.contains("Print the tides first"));
}

#[test]
fn numbered_tasks_are_named_by_their_number() {
    let mut findings = Vec::new();
    for (turn, task) in [(1, "WL-01"), (2, "harbour"), (3, "WL-03")] {
        let mut finding = said_in(turn, item(ItemKind::Decision, &format!("Decided in {task}")));
        Arc::make_mut(&mut finding.source).task = TaskId::fixed(task);
        findings.push(finding);
    }
    let packet = pack(&Order { task: TaskId::fixed("WL-04"), ..order(findings) });
    for line in [
        "[n] is WL-n; a line without a tag is from WL-03.\n",
        "- Decided in WL-03\n",
        "- Decided in harbour [harbour]\n",
        "- Decided in WL-01 [01]\n",
    ] {
        assert!(packet.text.contains(line), "{line}\n{}", packet.text);
    }
}
