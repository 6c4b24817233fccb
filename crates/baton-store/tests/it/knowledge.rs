//! The index is a cache: it can be lost, it follows the log, and no question harms it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use baton_engine::envelope::{Actor, ActorKind, Fresh, PROJECT_STREAM};
use baton_engine::event::Event;
use baton_engine::knowledge::{Fate, ItemKind, LessonStanding, Severity};
use baton_engine::word::TaskId;
use baton_store::knowledge::{Filter, Index, Query};
use baton_store::sqlite::{Options, SqliteLog};
use baton_store::{Append, BlobId, Log};
use serde_json::{Value, json};
use tempfile::TempDir;

struct World {
    folder: TempDir,
    log: SqliteLog,
}

impl World {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let log = SqliteLog::open(&folder.path().join("log.sqlite"), Options::default()).unwrap();
        Self { folder, log }
    }

    fn path(&self) -> std::path::PathBuf {
        self.folder.path().join("knowledge.sqlite")
    }

    fn index(&self) -> Index {
        Index::open(&self.path(), &self.log, self.log.anchor().unwrap().store).unwrap()
    }

    fn record(&mut self, stream: &str, bodies: &[Value], documents: &[&[u8]]) {
        let expected = self.log.read(stream, 0).unwrap().len() as u64;
        let fresh = |body: &Value| {
            let kind = body["kind"].as_str().unwrap().to_owned();
            let bytes = serde_json::to_vec(body).unwrap();
            assert!(!matches!(Event::read(&kind, 1, &bytes), Event::Unknown { .. }), "{kind}");
            let actor = Actor::new(ActorKind::Person, "ada");
            Fresh { at: 1_000, actor, kind, schema: 1, body: bytes, key: None }
        };
        let events: Vec<Fresh> = bodies.iter().map(fresh).collect();
        self.log.append_with(&Append { stream, expected, events: &events, documents }).unwrap();
    }

    /// A task hands over a document, and the work is accepted without a check of the host.
    fn hand_over(&mut self, task: &str, yaml: &str) {
        let document = format!("## Handoff\n\n```yaml\noutcome: completed\n{yaml}```\n").into_bytes();
        let paper = json!({ "id": "handoff-turn-1", "blob": BlobId::of(&document).to_string() });
        let started = json!({ "kind": "turn_started", "turn": "turn-1", "stage": "build", "role": "builder",
            "agent": "builder", "session": "s", "performer": "program", "attempt": 1, "epoch": 1, "expires_at": 0,
            "reserved_tokens": 0, "request": null });
        let received = json!({ "kind": "handoff_received", "turn": "turn-1", "attempt": 1, "submission": {
            "document": paper, "outcome": "completed", "problems": [], "claims": {}, "block": null,
            "on_failure": null, "tree": "0".repeat(40) } });
        let decided = json!({ "kind": "decision_made", "document": paper, "disposition": "accept",
            "reason": "self_checked", "refs": [], "charge": "nothing", "next": null, "feedback": null,
            "fingerprint": null, "waived": [], "notify": null });
        self.record(task, &[started, received, decided], &[&document]);
    }
}

fn gotcha(issue: &str) -> String {
    format!(
        "gotchas:\n  - issue: {issue}\n    mitigation: wait\n    severity: high\n    discovered_in: src/pay.rs\n"
    )
}

fn ids(index: &Index, words: &str) -> Vec<String> {
    let query = Query { words: words.to_owned(), limit: 50, complete: true, ..Query::default() };
    index.search(&query).unwrap().hits.iter().map(|hit| hit.id.to_string()).collect()
}

#[test]
fn two_tasks_corroborate_and_one_that_depends_on_the_other_does_not() {
    let mut world = World::new();
    world.hand_over("A", &gotcha("The rate limit of the payment API is 100/min for each key"));
    let id = ids(&world.index(), "rate limit").remove(0);
    let standing = |world: &World| {
        let index = world.index();
        let id = index.ids(&id, 1).unwrap().remove(0);
        index.lesson(&id).unwrap().unwrap().standing
    };
    assert_eq!(standing(&world), LessonStanding::Inert);
    world.record(PROJECT_STREAM, &[json!({ "kind": "dependency_declared", "task": "B", "on": "A" })], &[]);
    world.hand_over("B", &gotcha("the rate limits of payment API is 100/min, for each keys."));
    assert_eq!(standing(&world), LessonStanding::Inert, "B has read what A wrote");
    world.hand_over("C", &gotcha("The rate limit of the payment API is 1000/min for each key"));
    assert_eq!(standing(&world), LessonStanding::Inert, "C says something else");
    world.hand_over("D", &gotcha("Rate limit of payment API is 100/min for each key"));
    assert_eq!(standing(&world), LessonStanding::Corroborated);
    let index = world.index();
    let lesson = index.lesson(&index.ids(&id, 1).unwrap()[0]).unwrap().unwrap();
    assert_eq!(lesson.sources.len(), 3);
    assert!(lesson.sources.iter().all(|source| source.fate == Fate::Accepted));
    assert_eq!(index.close_to(&lesson).unwrap().len(), 1, "the other limit is close, and another");
}

#[test]
fn what_speaks_for_a_lesson_is_known_when_it_changes() {
    const FILE: &str = "src/pay.rs";
    let mut world = World::new();
    let offered = |world: &World| {
        let paths = BTreeSet::from([FILE.to_owned()]);
        let ask = |index: &Index| index.touching((&paths, &BTreeSet::new()), "", 50).unwrap();
        let offered = ask(&world.index());
        let copy = world.folder.path().join("anew.sqlite");
        let anew = Index::open(&copy, &world.log, world.log.anchor().unwrap().store).unwrap();
        assert_eq!(ask(&anew), offered, "one that is made in one go knows the same");
        drop(anew);
        fs::remove_file(copy).unwrap();
        offered
    };
    let said = |number: usize| gotcha(&format!("Door number {number} shuts without a sound"));
    world.hand_over("A", &said(1));
    assert!(offered(&world).is_empty(), "only one task says so");
    world.hand_over("B", &said(2));
    world.hand_over("C", &said(1));
    let first = offered(&world);
    assert_eq!(first.len(), 1);
    // Work that came to nothing backs nothing.
    world.record("C", &[json!({ "kind": "task_ended", "end": "failed" })], &[]);
    assert!(offered(&world).is_empty());
    world.hand_over("D", &said(2));
    let second = offered(&world);
    assert_ne!(first, second);
    let decree = json!({ "kind": "lesson_approved", "lesson": first[0], "text": "It shuts.", "detail": null, "words": "" });
    world.record(PROJECT_STREAM, &[decree], &[]);
    assert_eq!(offered(&world).len(), 2);
    world.record("D", &[json!({ "kind": "task_ended", "end": "failed" })], &[]);
    assert_eq!(offered(&world), first);
}

#[test]
fn what_asks_for_less_checking_waits_for_a_person() {
    let mut world = World::new();
    for task in ["A", "B", "C"] {
        world.hand_over(task, &gotcha("Disable the flaky tests before a release"));
    }
    let index = world.index();
    let id = index.ids("gotcha-", 1).unwrap().remove(0);
    let lesson = index.lesson(&id).unwrap().unwrap();
    assert_eq!(lesson.standing, LessonStanding::Inert, "{}", lesson.because);
    let approved =
        json!({ "kind": "lesson_approved", "lesson": id, "text": lesson.text, "detail": null, "words": "" });
    world.record(PROJECT_STREAM, &[approved], &[]);
    let lesson = world.index().lesson(&id).unwrap().unwrap();
    assert_eq!((lesson.standing, lesson.detail), (LessonStanding::Approved, None));
    world.record(PROJECT_STREAM, &[json!({ "kind": "lesson_retired", "lesson": id, "words": "no" })], &[]);
    assert_eq!(world.index().lesson(&id).unwrap().unwrap().standing, LessonStanding::Retired);
}

#[test]
fn filters_narrow_and_names_of_code_are_found_by_their_parts() {
    let mut world = World::new();
    world.hand_over("A.1", &gotcha("Use exponential_backoff for getUser"));
    world.hand_over("B", "patterns_discovered:\n  - pattern: Back off early\n    applies_to: [rate-limit]\n");
    let index = world.index();
    for words in ["backoff", "exponential_backoff", "user", "getuser", "expon", "pay.rs", "src/pay"] {
        assert_eq!(ids(&index, words).len(), 1, "{words}");
    }
    let count =
        |filter: Filter| index.search(&Query { filter, limit: 50, ..Query::default() }).unwrap().hits.len();
    let none = Filter::default;
    assert_eq!(count(none()), 2);
    assert_eq!(count(Filter { tag: Some("rate-limit".to_owned()), ..none() }), 1);
    assert_eq!(count(Filter { tag: Some("rate".to_owned()), ..none() }), 0);
    assert_eq!(count(Filter { file: Some("src/".to_owned()), ..none() }), 1);
    assert_eq!(count(Filter { file: Some("sr".to_owned()), ..none() }), 0);
    assert_eq!(count(Filter { severity: Some(Severity::Medium), ..none() }), 1);
    assert_eq!(count(Filter { kind: Some(ItemKind::Pattern), ..none() }), 1);
    assert_eq!(count(Filter { task: TaskId::new("A.1").ok(), ..none() }), 1);
    assert_eq!(count(Filter { task: TaskId::new("A_1").ok(), ..none() }), 0);
    assert_eq!(count(Filter { since: Some(1_001), ..none() }), 0);
    assert_eq!(index.files(Some("ay.r"), 10).unwrap().len(), 0, "a gotcha's place is not a touch");
}

#[test]
fn no_question_is_an_error() {
    let mut world = World::new();
    world.hand_over("A", &gotcha("The limit is 100"));
    let index = world.index();
    let long = "limit ".repeat(200_000);
    let hostile = [
        "\" OR 1=1 --",
        "NEAR(",
        "NEAR(limit x, 5)",
        "*",
        "limit*",
        "^limit",
        "text : limit",
        "{text} : x",
        "- -",
        "AND OR NOT",
        "limit AND",
        "(",
        "limit\0",
        "\0",
        "'; DROP TABLE node; --",
        "\u{202e}",
        "é\u{301}",
        "%",
        "\"\"\"",
        &long,
        "",
    ];
    for words in hostile {
        for filter in [
            Filter::default(),
            Filter { tag: Some(words.to_owned()), file: Some(words.to_owned()), ..Filter::default() },
        ] {
            let query = Query { words: words.to_owned(), filter, limit: 5, complete: true };
            let shown: String = words.chars().take(20).collect();
            assert!(index.search(&query).is_ok(), "{shown:?}: {:?}", index.search(&query));
        }
        assert!(index.files(Some(words), 5).is_ok(), "{words:?}");
    }
    assert_eq!(ids(&index, "limit").len(), 1, "nothing was dropped");
    assert_eq!(ids(&index, &long).len(), 1);
}

#[test]
fn a_lost_damaged_or_foreign_index_is_made_anew_and_is_the_same() {
    let mut world = World::new();
    for number in 0..30 {
        world.hand_over(&format!("T{number}"), &gotcha(&format!("Limit number {number} is low")));
        // Caught up at other places than a new one would be.
        if number % 7 == 0 {
            drop(world.index());
        }
    }
    let whole = ids(&world.index(), "limit");
    assert_eq!(whole.len(), 30);
    let damages: [fn(&Path); 3] = [
        |path| fs::remove_file(path).unwrap(),
        |path| fs::write(path, b"this is no database, and long enough to be read as one").unwrap(),
        |path| {
            let other = rusqlite::Connection::open(path).unwrap();
            other.execute_batch("PRAGMA user_version = 99").unwrap();
        },
    ];
    for damage in damages {
        damage(&world.path());
        assert_eq!(ids(&world.index(), "limit"), whole);
    }
    let other = World::new();
    fs::copy(world.path(), other.path()).unwrap();
    assert!(ids(&other.index(), "limit").is_empty(), "another log knows nothing of it");
}

#[test]
fn secrets_do_not_reach_the_index() {
    let mut world = World::new();
    let key = format!("AKIA{}", "Q7ZX3MNB5KLP9WRT");
    world.hand_over("A", &gotcha(&format!("The key {key} is old")));
    let index = world.index();
    assert!(ids(&index, &key).is_empty());
    let found = index.search(&Query { words: "old".to_owned(), limit: 5, ..Query::default() }).unwrap();
    assert!(!found.hits[0].text.contains("Q7ZX3"), "{}", found.hits[0].text);
    drop(index);
    let bytes = fs::read(world.path()).unwrap();
    assert!(!bytes.windows(key.len()).any(|window| window.eq_ignore_ascii_case(key.as_bytes())));
}
