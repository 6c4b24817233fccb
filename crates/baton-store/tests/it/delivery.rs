//! Commands that come again, up to five times and at any later moment, while tasks overtake each other: the end is the same as
//! if each had come once. Within a task nobody speaks before what they speak of: a command is first sent by somebody who has
//! read what was stored before it.

use std::collections::{BTreeMap, BTreeSet};

use baton_engine::command::{Act, Command, Context, Standing};
use baton_engine::envelope::PROJECT_STREAM;
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
