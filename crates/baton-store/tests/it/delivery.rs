//! Commands that come again, up to five times and at any later moment, while tasks overtake each other: the end is the same as
//! if each had come once. Within a task nobody speaks before what they speak of: a command is first sent by somebody who has
//! read what was stored before it.

use std::collections::{BTreeMap, BTreeSet};

use baton_engine::command::{Act, Command, Context, Standing};
use baton_engine::envelope::{Fresh, PROJECT_STREAM};
use baton_engine::event::{Entry, Event};
use baton_engine::{State, Task, decide, evolve};
use baton_store::memory::MemoryLog;
use baton_store::{AppendError, Log};
use baton_testkit::random::Random;
use baton_testkit::sim;

use crate::support::is_long;

/// Scripts that are tried, each in so many orders.
const SCRIPTS: u64 = 30;
const ORDERS: usize = 10;
/// Most commands that are on their way at once.
const ON_THE_WAY: usize = 12;
/// How often one command is delivered in one round, at most.
const COPIES_MAX: usize = 5;

/// Everything that a command can ask about.
#[derive(Default)]
struct Desk {
    log: MemoryLog,
    states: BTreeMap<String, State>,
    context: Context,
    stored: usize,
    repeated: usize,
}

impl Desk {
    /// Decides and stores, or finds that it was stored before. Says whether it is stored now.
    fn deliver(&mut self, stream: &str, command: &Command) -> bool {
        let empty = State::default();
        let state = self.states.get(stream).unwrap_or(&empty);
        // Whoever sends again does not know that it was stored, so nothing is asked before the engine is.
        let events = match decide(state, command, &self.context) {
            Ok(events) if !events.is_empty() => events,
            Ok(_) | Err(_) => return self.knows(stream, command),
        };
        let version = state.version;
        match self.log.append(stream, version, &Event::seal(&events, command)) {
            Ok(recorded) => {
                for event in &recorded {
                    let state = self.states.remove(stream).unwrap_or_default();
                    self.states.insert(stream.to_owned(), evolve(state, &Entry::read(event)));
                }
                self.learn(stream);
                self.stored += 1;
                true
            }
            Err(AppendError::Duplicate { .. }) => {
                self.repeated += 1;
                true
            }
            Err(error) => panic!("{error}"),
        }
    }

    fn knows(&self, stream: &str, command: &Command) -> bool {
        self.log.read(stream, 0).unwrap().iter().any(|event| event.key == command.key)
    }

    fn learn(&mut self, stream: &str) {
        let state = &self.states[stream];
        if stream == PROJECT_STREAM {
            self.context.project = state.project.clone();
        } else if let Some(task) = &state.task {
            let result = task.run.submission.as_ref().map(|submission| submission.document.clone());
            let standing = Standing { end: task.end, spent_tokens: task.budget.spent_tokens, result };
            self.context.standings.insert(task.id.clone(), standing);
        }
    }

    fn tasks(&self) -> Vec<Task> {
        self.states.values().filter_map(|state| state.task.clone()).map(timeless).collect()
    }
}

/// Times depend on the order: a command to start a turn does not say which. Nothing else may.
fn timeless(mut task: Task) -> Task {
    task.changed_at = 0;
    for attempt in &mut task.history {
        attempt.started_at = 0;
        attempt.ended_at = attempt.ended_at.map(|_| 0);
    }
    task
}

fn keyed(script: Vec<(String, Command)>) -> Vec<(String, Command)> {
    let key = |(number, (stream, command)): (usize, (String, Command))| {
        (stream, Command { key: Some(format!("c{number}")), ..command })
    };
    // A renewal that is overtaken by the end of its turn is worth nothing, and is never asked for again.
    let lasting = script.into_iter().filter(|(_, command)| !matches!(command.act, Act::Renew { .. }));
    lasting.enumerate().map(key).collect()
}

#[test]
fn repeated_and_reordered_commands_lead_to_the_same_end() {
    let (scripts, orders) = if is_long() { (SCRIPTS * 10, ORDERS * 10) } else { (SCRIPTS, ORDERS) };
    let (mut deliveries, mut repeated, mut commands) = (0, 0, 0);
    for seed in 0..scripts {
        let script = keyed(sim::script(seed));
        let mut clean = Desk::default();
        for (stream, command) in &script {
            assert!(clean.deliver(stream, command), "seed {seed}: {command:?}");
        }
        commands += script.len();
        for order in 0..orders {
            let mut random = Random::numbered(23 + seed, order);
            let (desk, count) = shuffled(&script, &mut random);
            assert_eq!(desk.stored, script.len(), "seed {seed}, order {order}");
            assert_eq!(desk.tasks(), clean.tasks(), "seed {seed}, order {order}");
            deliveries += count;
            repeated += desk.repeated;
        }
    }
    println!(
        "{commands} commands of {scripts} scripts in {orders} orders each: {deliveries} deliveries, {repeated} known by \
         their key, always the same end"
    );
    assert!(deliveries > 3 * commands * orders / 2 && repeated > 0);
}

/// What was decided goes to the log in any order at all, and any number of times: what comes before its turn is refused, what
/// comes again is known, and the log is the same.
#[test]
fn g3_appends_in_any_order_make_the_same_log() {
    let (scripts, orders) = if is_long() { (SCRIPTS * 5, ORDERS * 10) } else { (SCRIPTS, ORDERS / 2) };
    let (mut early, mut repeated, mut stored) = (0, 0, 0);
    for seed in 0..scripts {
        let mut clean = Desk::default();
        for (stream, command) in &keyed(sim::script(seed)) {
            clean.deliver(stream, command);
        }
        let appends = appends(&clean.log);
        for order in 0..orders {
            let mut random = Random::numbered(41 + seed, order);
            let mut log = MemoryLog::default();
            let mut open: BTreeSet<usize> = (0..appends.len()).collect();
            while !open.is_empty() {
                let number = match random.below(4) {
                    // Any of them, also one that was taken before.
                    0 => random.below(appends.len()),
                    // One that is nearly due, so that it comes to an end.
                    _ => *open.iter().nth(random.below(ON_THE_WAY.min(open.len()))).unwrap(),
                };
                let (stream, expected, events) = &appends[number];
                match log.append(stream, *expected, events) {
                    Ok(_) => stored += usize::from(open.remove(&number)),
                    Err(AppendError::Conflict { actual }) => {
                        assert!(actual < *expected || !open.contains(&number), "seed {seed}, order {order}");
                        early += 1;
                    }
                    Err(AppendError::Duplicate { .. }) => repeated += 1,
                    Err(error) => panic!("{error}"),
                }
            }
            assert_eq!(states(&log), states(&clean.log), "seed {seed}, order {order}");
        }
    }
    println!(
        "{stored} appends in any order: {early} came early, {repeated} came again, always the same streams"
    );
    assert!(early > stored && repeated > 0);
}

/// Returns every append that made a log: the stream, the version before it, and its events.
fn appends(log: &MemoryLog) -> Vec<(String, u64, Vec<Fresh>)> {
    let mut appends: Vec<(String, u64, Vec<Fresh>)> = Vec::new();
    for event in log.read_all(0, usize::MAX).unwrap() {
        let fresh = Fresh {
            at: event.at,
            actor: event.actor.clone(),
            kind: event.kind.clone(),
            schema: event.schema,
            body: event.body.clone(),
            key: event.key.clone(),
        };
        // Only the first event of a command carries its key.
        match appends.last_mut().filter(|_| event.key.is_none()) {
            Some((_, _, events)) => events.push(fresh),
            None => appends.push((event.stream.clone(), event.version - 1, vec![fresh])),
        }
    }
    appends
}

fn states(log: &MemoryLog) -> Vec<State> {
    let streams = log.streams("", usize::MAX).unwrap();
    let fold = |stream: &str| {
        let entries = log.read(stream, 0).unwrap();
        entries.iter().map(Entry::read).fold(State::default(), |state, entry| evolve(state, &entry))
    };
    streams.iter().map(|head| fold(&head.stream)).collect()
}

/// Delivers everything that is on its way, each 0 to 5 times, until all of it has arrived.
fn shuffled(script: &[(String, Command)], random: &mut Random) -> (Desk, usize) {
    let mut desk = Desk::default();
    let mut open: BTreeSet<usize> = (0..script.len()).collect();
    let mut deliveries = 0;
    let rounds_max = script.len() * 40;
    for _ in 0..rounds_max {
        let Some(first) = open.first().copied() else { break };
        // What was delivered before may come again at any time.
        let old = (0..4).map(|_| random.below(first + 1));
        let mut round: Vec<usize> = open.iter().copied().take(ON_THE_WAY).chain(old).collect();
        round = round.iter().flat_map(|number| vec![*number; random.below(COPIES_MAX + 1)]).collect();
        while !round.is_empty() {
            let number = round.swap_remove(random.below(round.len()));
            let (stream, command) = &script[number];
            // A delegated task is added by somebody who has read the delegation, which is in another stream.
            let reads_all = matches!(command.act, Act::AddTask { .. });
            let is_before = |earlier: &usize| *earlier < number;
            let is_early = (open.iter().copied().take_while(is_before))
                .any(|earlier| reads_all || script[earlier].0 == *stream);
            if is_early {
                continue;
            }
            deliveries += 1;
            if desk.deliver(stream, command) {
                open.remove(&number);
            }
        }
    }
    assert!(
        open.is_empty(),
        "never taken: {:?}",
        open.iter().map(|number| &script[*number].1.act).collect::<Vec<_>>()
    );
    (desk, deliveries)
}
