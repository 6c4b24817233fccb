use super::{Reading, Refusal, Standing, read};
use crate::field::Field;
use crate::markdown;
use crate::record::{Confidence, Record, Text, Value};

fn check(source: &str) -> Reading<'_> {
    let reading = read(source, &markdown::scan(source, markdown::frontmatter(source)));
    for text in all_texts(&reading.record) {
        assert!(source.get(text.span.range()).is_some(), "{text:?} is out of place");
    }
    reading
}

fn all_texts<'r, 's>(record: &'r Record<'s>) -> Vec<&'r Text<'s>> {
    record
        .entries
        .iter()
        .flat_map(|entry| match &entry.value {
            Value::Text(text) => vec![text],
            Value::Texts(texts) => texts.iter().collect(),
            Value::Records(records) => records.iter().flat_map(all_texts).collect(),
            Value::Record(record) => all_texts(record),
            Value::Tree(_) => Vec::new(),
        })
        .collect()
}

/// Returns the first scalar of each item of a field.
fn items<'r>(reading: &'r Reading<'_>, field: Field) -> Vec<&'r str> {
    match reading.record.entry(field).map(|entry| &entry.value) {
        Some(Value::Text(text)) => vec![text.as_str()],
        Some(Value::Texts(texts)) => texts.iter().map(Text::as_str).collect(),
        Some(Value::Records(records)) => {
            records.iter().filter_map(|record| all_texts(record).first().map(|text| text.as_str())).collect()
        }
        Some(Value::Record(_) | Value::Tree(_)) | None => Vec::new(),
    }
}

#[track_caller]
fn refused(source: &str, refusal: Refusal) {
    assert_eq!(check(source).standing, Standing::Refused(refusal), "{source}");
}

#[test]
fn headings_lists_and_keys() {
    let reading = check(
        "# Handoff: planner → builder\n\n**Status:** in progress\n**Branch:** `feat/search`\n\n## What was done\n- Added the index\n  with a cache\n\n## Next steps\n1. **Wire** the CLI\n2. Consider one of:\n   - ship it\n   - drop it\n\n## Blockers\nNone\n\n## Gotchas for later\n- The cache is global\n",
    );
    assert_eq!(reading.standing, Standing::Handoff);
    assert_eq!(items(&reading, Field::From), ["planner"]);
    assert_eq!(items(&reading, Field::To), ["builder"]);
    assert_eq!(items(&reading, Field::Status), ["in progress"]);
    assert_eq!(items(&reading, Field::Branch), ["feat/search"]);
    assert_eq!(items(&reading, Field::Done), ["Added the index with a cache"]);
    assert_eq!(items(&reading, Field::NextSteps), ["Wire the CLI", "ship it", "drop it"]);
    assert_eq!(items(&reading, Field::Blockers), [""; 0]);
    assert_eq!(items(&reading, Field::Gotchas), ["The cache is global"]);
    assert_eq!(reading.record.text(Field::Status).map(|text| text.confidence), Some(Confidence::Stated));
}

#[test]
fn other_label_forms() {
    let brackets = check("# 交接\n\n【状态】进行中\n【已完成】\n- 登录\n【下一步】\n- 支付\n");
    assert_eq!(brackets.standing, Standing::Handoff);
    assert_eq!(items(&brackets, Field::Status), ["进行中"]);
    assert_eq!(items(&brackets, Field::NextSteps), ["支付"]);

    let tags = check(
        "<completed_work>\nPlans:\n- lexer\n</completed_work>\n<remaining_work>\n- parser\n</remaining_work>\n<blockers>\n- none\n</blockers>\n",
    );
    assert_eq!(tags.standing, Standing::Handoff);
    assert_eq!(items(&tags, Field::Done), ["lexer"]);
    assert_eq!(items(&tags, Field::NextSteps), ["parser"]);

    let lines = check(
        "Handoff notes\n\nStatus: COMPLETED\n\nCompleted work:\n- port\n\nNächste Schritte：\n- Tests\n",
    );
    assert_eq!(lines.standing, Standing::Handoff);
    assert_eq!(items(&lines, Field::Done), ["port"]);
    assert_eq!(items(&lines, Field::NextSteps), ["Tests"]);

    let numbered = check(
        "# Handoff: T-1\n\n## 1. Metadata\n1. Task ID: `T-1`\n2. Owner Agent: Backend\n\n## 2. Files and Artifacts\n1. Files changed:\n1. `web/` (scaffolded)\n2. `web/a.json`\n",
    );
    assert_eq!(items(&numbered, Field::Task), ["T-1"]);
    assert_eq!(items(&numbered, Field::From), ["Backend"]);
    assert_eq!(items(&numbered, Field::FilesModified), ["web/a.json"]);
    assert_eq!(items(&numbered, Field::FilesCreated), ["web/"]);
}

#[test]
fn files_by_what_is_said_of_them() {
    let reading = check(
        "# Handoff\n\n## Files changed\n\n| File | Change |\n|---|---|\n| `src/a.rs` | Created (from `old/a.rs`) |\n| `src/b.rs` | Removed the loop |\n| `src/c.rs` | Deleted |\n| `src/d.rs` | Verified ✓ |\n| `src/e.rs` | Stubbed |\n\n## Files to create\n- `src/f.rs`\n\n## Key files\n- `/Users/somebody/g.rs`\n",
    );
    assert_eq!(items(&reading, Field::FilesCreated), ["src/a.rs"]);
    assert_eq!(items(&reading, Field::FilesModified), ["src/b.rs", "src/e.rs"]);
    assert_eq!(items(&reading, Field::FilesDeleted), ["src/c.rs"]);
    assert_eq!(items(&reading, Field::FilesMentioned), ["src/d.rs", "/Users/somebody/g.rs"]);
    assert_eq!(items(&reading, Field::FileTargets), ["src/f.rs"]);
}

#[test]
fn boxes_and_unfinished_work() {
    let reading = check(
        "# Next session\n\nIn this session the import was finished.\n\n## Tasks\n- [x] import\n- [ ] export\n\n## Unfinished\n- ❌ Upload does not work\n- Docs\n",
    );
    assert_eq!(reading.standing, Standing::Handoff);
    assert_eq!(items(&reading, Field::Done), ["import"]);
    assert_eq!(items(&reading, Field::NextSteps), ["export", "Docs"]);
    assert_eq!(items(&reading, Field::Blockers), ["❌ Upload does not work"]);
}

#[test]
fn a_status_in_a_part_is_not_the_status() {
    let reading = check(
        "# Developer report\n\n## What was done\n- a\n\n## Build status\n**Status:** PASS\n\n## Next steps\n- b\n",
    );
    assert_eq!(items(&reading, Field::Status), [""; 0]);
}

#[test]
fn the_newest_entry_speaks() {
    let entry = |number: u32, day: u32| {
        format!(
            "## Session {number} - 2026-01-0{day}\n### Completed\n- c{number}\n### Next steps\n- n{number}\n\n"
        )
    };
    for source in [
        format!("# Progress\n\n{}{}", entry(1, 1), entry(2, 2)),
        format!("# Progress\n\n{}{}", entry(2, 2), entry(1, 1)),
    ] {
        let reading = check(&source);
        assert_eq!(items(&reading, Field::Done), ["c2"]);
        assert_eq!(items(&reading, Field::NextSteps), ["n2"]);
    }
}

#[test]
fn trigger_words_are_guesses() {
    let reading = check("# Handoff\n\nWatch out for the flaky socket test. Next we should port the CLI.\n");
    assert_eq!(reading.standing, Standing::Handoff);
    assert_eq!(items(&reading, Field::Gotchas), ["Watch out for the flaky socket test"]);
    assert_eq!(items(&reading, Field::NextSteps), ["Next we should port the CLI"]);
    assert!(
        reading
            .record
            .records(Field::Gotchas)
            .iter()
            .flat_map(all_texts)
            .all(|text| text.confidence == Confidence::Low)
    );
}

#[test]
fn what_is_not_a_handoff() {
    refused(
        "# Handoff: [From] → [To]\n\n**Date:** YYYY-MM-DD\n\n## Done\n- [list]\n\n## Next\n- [list]\n",
        Refusal::Template,
    );
    refused("# Handoff\n\nDate:\nFrom:\nTo:\nStatus:\n\n## Done\n-\n", Refusal::Template);
    refused("# Agent Handoff Protocol\n\n## Required fields\n- from\n- status\n", Refusal::Specification);
    refused(
        "# Create handoff\n\nYou are tasked with writing a handoff.\n\n## Process\n- Write next steps\n",
        Refusal::Instructions,
    );
    refused(
        "# Nursing Shift Handoff\n\n## Patient\nBed 4\n\n## Status\nStable\n\n## Next steps\n- Physician review\n",
        Refusal::OtherMeaning,
    );
    refused("# Handoff\n", Refusal::Empty);
    refused("# Handoff\n\n## Status\nidle\n\n## Next steps\nNone\n", Refusal::Empty);
    refused(
        "# Lumen\n\n## Installation\nRun it.\n\n## Known issues\n- Slow\n\n## License\nMIT\n",
        Refusal::Nothing,
    );
    refused(
        "---\ntype: bug\nstatus: completed\n---\n\n## Summary of Changes\n- Fixed `a.ts`\n\n- [x] test\n",
        Refusal::Nothing,
    );
}

#[test]
fn hostile_text_is_read_in_time_and_in_bounds() {
    let many = [
        "Always use next then should watch out\n".repeat(20_000),
        format!("# Handoff\n{}", "- ".repeat(100_000)),
        format!("# Handoff\n## Next steps\n{}", "- do x\n".repeat(20_000)),
        "# Handoff\n## Files changed\n| `a".repeat(10_000),
        "【状态】完成\u{301}\u{2028}：\n".repeat(10_000),
        format!("Status: {}", "1/".repeat(100_000)),
        "## Session 1\n<blockers>\n**Done:**\n".repeat(5_000),
    ];
    for source in many {
        let reading = check(&source);
        assert!(all_texts(&reading.record).len() <= 2 * crate::limit::FACTS_MAX);
    }
}
