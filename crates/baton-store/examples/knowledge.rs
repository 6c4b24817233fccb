//! How long a search takes in a small index and in a large one, in one run.
//!
//! `knowledge FOLDER [SMALL LARGE]`: writes two logs whose handoffs hold that many things to know, makes their indexes,
//! asks both the same questions in turn, each three times of which the best counts, and prints percentiles and ratios.
#![expect(clippy::print_stdout, reason = "its output is what it is for")]

use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

use baton_engine::envelope::{Actor, ActorKind, Fresh};
use baton_engine::event::Event;
use baton_engine::knowledge::{ItemKind, Severity};
use baton_engine::word::TaskId;
use baton_store::knowledge::{Filter, Index, Query};
use baton_store::sqlite::{Options, SqliteLog};
use baton_store::{Append, BlobId, Log};
use serde_json::json;

type Done<T> = Result<T, Box<dyn Error>>;

const ITEMS_PER_HANDOFF: usize = 100;
const WORDS: usize = 3_000;
const QUESTIONS: usize = 4_000;
/// The best of so many counts: other programs on the machine must not hide the difference.
const REPEATS: usize = 3;
const START: i64 = 1_770_000_000_000;

fn main() -> Done<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let folder = arguments.first().ok_or("usage: knowledge FOLDER [SMALL LARGE]")?;
    let number =
        |at: usize, other: usize| arguments.get(at).and_then(|text| text.parse().ok()).unwrap_or(other);
    let sizes = [number(1, 1_000), number(2, 100_000)];
    let mut indexes = Vec::new();
    for size in sizes {
        indexes.push(made(&Path::new(folder).join(size.to_string()), size)?);
    }
    let mut random = Random(7);
    let mut times: Vec<(&str, [Vec<Duration>; 2])> = Vec::new();
    for number in 0..QUESTIONS {
        let (name, query) = question(number, &mut random);
        for (at, index) in indexes.iter().enumerate() {
            let mut took = Duration::MAX;
            for _ in 0..REPEATS {
                let started = Instant::now();
                std::hint::black_box(index.search(&query)?.hits.len());
                took = took.min(started.elapsed());
            }
            let known = times.iter().position(|(known, _)| *known == name);
            let place = known.unwrap_or_else(|| {
                times.push((name, Default::default()));
                times.len() - 1
            });
            times[place].1[at].push(took);
        }
    }
    times.push((
        "all",
        std::array::from_fn(|at| times.iter().flat_map(|(_, both)| both[at].clone()).collect()),
    ));
    println!(
        "{:<22} {:>6} {:>10} {:>10} {:>10} {:>10} {:>7} {:>7}",
        "question", "count", "p50 small", "p50 large", "p99 small", "p99 large", "r50", "r99"
    );
    for (name, both) in &mut times {
        both.iter_mut().for_each(|times| times.sort());
        let at = |times: &[Duration], percent: usize| {
            times[(times.len() * percent / 100).min(times.len() - 1)].as_secs_f64() * 1e3
        };
        let [small, large] = [&both[0], &both[1]];
        let (s50, l50, s99, l99) = (at(small, 50), at(large, 50), at(small, 99), at(large, 99));
        println!(
            "{name:<22} {:>6} {s50:>7.3} ms {l50:>7.3} ms {s99:>7.3} ms {l99:>7.3} ms {:>7.2} {:>7.2}",
            small.len(),
            l50 / s50,
            l99 / s99
        );
    }
    Ok(())
}

/// Makes a log with so many things to know, and its index.
fn made(folder: &Path, size: usize) -> Done<Index> {
    std::fs::create_dir_all(folder)?;
    let mut log = SqliteLog::open(&folder.join("log.sqlite"), Options::default())?;
    let mut random = Random(size as u64);
    if log.head()?.sequence == 0 {
        for handoff in 0..size / ITEMS_PER_HANDOFF {
            hand_over(&mut log, handoff, &mut random)?;
        }
    }
    let started = Instant::now();
    let path = folder.join("knowledge.sqlite");
    let index = Index::open(&path, &log, log.anchor()?.store)?;
    let (nodes, findings) = index.size()?;
    let took = started.elapsed().as_secs_f64();
    drop(index);
    let started = Instant::now();
    let index = Index::open(&path, &log, log.anchor()?.store)?;
    let again = started.elapsed().as_secs_f64() * 1e3;
    let bytes = std::fs::metadata(&path)?.len() / 1024;
    println!(
        "{size}: {nodes} nodes, {findings} findings, made in {took:.2} s, opened again in {again:.2} ms, {bytes} KiB"
    );
    Ok(index)
}

fn hand_over(log: &mut SqliteLog, number: usize, random: &mut Random) -> Done<()> {
    let mut text = String::from("outcome: completed\ngotchas:\n");
    for _ in 0..ITEMS_PER_HANDOFF / 2 {
        let severity = ["high", "medium", "low"][random.below(3)];
        text.push_str(&format!(
            "  - issue: {}\n    mitigation: {}\n    severity: {severity}\n",
            sentence(random, 12),
            sentence(random, 8)
        ));
    }
    text.push_str("patterns_discovered:\n");
    for _ in 0..ITEMS_PER_HANDOFF - ITEMS_PER_HANDOFF / 2 {
        text.push_str(&format!(
            "  - pattern: {}\n    location: src/m{}/f{}.rs\n    applies_to: [t{}, t{}]\n",
            sentence(random, 12),
            random.below(50),
            random.below(200),
            random.below(40),
            random.below(400)
        ));
    }
    let document = format!("## Handoff\n\n```yaml\n{text}```\n").into_bytes();
    let task = format!("T{number}");
    let blob = BlobId::of(&document).to_string();
    let paper = json!({ "id": "handoff-turn-1", "blob": blob });
    let started = json!({ "kind": "turn_started", "turn": "turn-1", "stage": "build", "role": "builder", "agent": "builder",
        "session": "s", "performer": "program", "attempt": 1, "epoch": 1, "expires_at": 0, "reserved_tokens": 0, "request": null });
    let received = json!({ "kind": "handoff_received", "turn": "turn-1", "attempt": 1, "submission": { "document": paper,
        "outcome": "completed", "problems": [], "claims": {}, "block": null, "on_failure": null, "tree": "0".repeat(40) } });
    let at = START + number as i64 * 60_000;
    let mut events = Vec::new();
    for (kind, body) in [("turn_started", started), ("handoff_received", received)] {
        let body = serde_json::to_vec(&body)?;
        if matches!(Event::read(kind, 1, &body), Event::Unknown { .. }) {
            return Err(format!("{kind} is not what the engine reads").into());
        }
        let actor = Actor::new(ActorKind::Host, "bench");
        events.push(Fresh { at, actor, kind: kind.to_owned(), schema: 1, body, key: None });
    }
    log.append_with(&Append { stream: &task, expected: 0, events: &events, documents: &[&document] })?;
    Ok(())
}

fn question(number: usize, random: &mut Random) -> (&'static str, Query) {
    let query = |words: String, filter: Filter| Query { words, filter, limit: 20, complete: true };
    let none = Filter::default();
    match number % 8 {
        0 => ("commonest word", query(word(random.below(5)), none)),
        1 => ("one word", query(word(random.skewed()), none)),
        2 => ("two words", query(format!("{} {}", word(random.skewed()), word(random.skewed())), none)),
        3 => ("three words", query(sentence(random, 3), none)),
        4 => ("beginning of a word", query(word(random.skewed()).chars().take(3).collect(), none)),
        5 => (
            "word and tag",
            query(word(random.skewed()), Filter { tag: Some(format!("t{}", random.below(40))), ..none }),
        ),
        6 => {
            let filter = Filter { severity: Some(Severity::High), kind: Some(ItemKind::Gotcha), ..none };
            ("word and severity", query(word(random.skewed()), filter))
        }
        _ => {
            let filter = Filter { task: TaskId::new(format!("T{}", random.below(10))).ok(), ..none };
            ("word and task", query(word(random.skewed()), filter))
        }
    }
}

fn sentence(random: &mut Random, words: usize) -> String {
    (0..words).map(|_| word(random.skewed())).collect::<Vec<_>>().join(" ")
}

/// Words of two to four syllables; the first are the commonest.
fn word(number: usize) -> String {
    const SYLLABLES: &[&str] =
        &["ba", "co", "de", "fi", "gu", "ha", "jo", "ke", "li", "mu", "na", "po", "ra", "so", "ti", "vu"];
    let mut left = number + SYLLABLES.len();
    let mut text = String::new();
    while left > 0 {
        text.push_str(SYLLABLES[left % SYLLABLES.len()]);
        left /= SYLLABLES.len();
    }
    text
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    /// Low numbers are much more likely: the commonest word stands in about every third text.
    fn skewed(&mut self) -> usize {
        let share = self.below(1_000_000) as f64 / 1e6;
        ((WORDS as f64).powf(share) as usize).saturating_sub(1).min(WORDS - 1)
    }
}
