//! A seeded world around the real engine: agents, people, clocks, a store, and everything that goes wrong with them.
//!
//! The same seed gives the same run to the byte. After every step all rules are checked, those of the engine over its
//! log and those of `oracle` against what the world knows to be true. At the end the faults stop, and every task has
//! to end or to wait for a person.

mod cast;
mod coverage;
mod mutation;
mod node;
mod oracle;
pub mod pair;
mod people;
mod setting;
mod store;
mod world;

use std::collections::BTreeMap;

use baton_engine::command::{Act, Command, Context, Standing};
use baton_engine::envelope::{Actor, PROJECT_STREAM};
use baton_engine::state::{State, Status, StatusKind, Whom};
use baton_engine::word::TaskId;
use baton_engine::{Event, Rejection, evolve};

use crate::random::Random;
use cast::Process;
pub use coverage::Coverage;
pub use mutation::Mutation;
use node::Node;
use setting::Rates;
use store::{AppendError, Checked, Fate, Store};
use world::World;
pub(crate) use world::word;

const SEED: u64 = 4_112_026;
/// Steps in which things go wrong.
const FAULTY_STEPS: usize = 320;
/// Steps after the faults stop, within which every task has to come to rest.
const HEALING_STEPS: usize = 6_000;
/// How often one message is tried again after a lost race.
const DELIVERIES_MAX: usize = 6;

/// What came of one seed.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub steps: usize,
    pub events: usize,
    pub crashes: usize,
    pub violation: Option<Violation>,
    pub coverage: Coverage,
    /// The hash of the last event: two runs of one seed have the same.
    pub head: [u8; 32],
}

/// A rule that did not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    pub rule: String,
    pub how: String,
    pub step: usize,
}

/// Runs one seed.
pub fn run(seed: u64, mutation: Mutation) -> Outcome {
    let mut sim = Sim::new(seed, mutation);
    sim.go();
    sim.outcome()
}

/// Runs one seed and returns its log in words.
pub fn log(seed: u64, mutation: Mutation) -> (Outcome, Vec<String>) {
    let mut sim = Sim::new(seed, mutation);
    sim.go();
    let line = |event: &baton_engine::Recorded| {
        let body = String::from_utf8_lossy(&event.body);
        let actor = &event.actor;
        format!("{} {} {} {} {}", event.sequence, event.stream, event.version, actor.kind.name(), body)
    };
    let lines = sim.store.events().iter().map(line).collect();
    (sim.outcome(), lines)
}

/// Runs one seed in which agents fail and ask, but nothing is lost, late or repeated, and returns every command that was
/// taken, with its stream.
pub fn script(seed: u64) -> Vec<(String, Command)> {
    let mut sim = Sim::new(seed, Mutation::None);
    sim.rates = sim.rates.without_faults();
    sim.go();
    sim.taken
}

/// A command on its way.
#[derive(Clone, Debug)]
struct Mail {
    due: usize,
    stream: String,
    actor: Actor,
    key: Option<String>,
    act: Act,
    deliveries: usize,
}

struct Sim {
    random: Random,
    mutation: Mutation,
    rates: Rates,
    store: Store,
    world: World,
    /// What the log says, folded by the engine as it is.
    truth: BTreeMap<String, State>,
    context: Context,
    nodes: Vec<Node>,
    mail: Vec<Mail>,
    processes: Vec<Process>,
    coverage: Coverage,
    now: i64,
    step: usize,
    crashes: usize,
    healing: bool,
    people_rest: bool,
    chain_checked: Checked,
    violation: Option<Violation>,
    /// Commands that were taken, with their streams.
    taken: Vec<(String, Command)>,
}

impl Sim {
    fn new(seed: u64, mutation: Mutation) -> Self {
        let mut random = Random::numbered(SEED, usize::try_from(seed).unwrap_or(usize::MAX));
        let rates = Rates::draw(&mut random);
        let people_rest = random.chance(30);
        let mut sim = Self {
            random,
            mutation,
            rates,
            store: Store::new(mutation),
            world: World::new(),
            truth: BTreeMap::new(),
            context: Context::default(),
            nodes: vec![Node::default(), Node::default()],
            mail: Vec::new(),
            processes: Vec::new(),
            coverage: Coverage::default(),
            now: 1_700_000_000_000,
            step: 0,
            crashes: 0,
            healing: false,
            people_rest,
            chain_checked: Checked::default(),
            violation: None,
            taken: Vec::new(),
        };
        sim.set_up();
        sim
    }

    fn outcome(self) -> Outcome {
        Outcome {
            steps: self.step,
            events: usize::try_from(self.store.len()).unwrap_or(usize::MAX),
            crashes: self.crashes,
            violation: self.violation,
            coverage: self.coverage,
            head: self.store.head(),
        }
    }

    fn go(&mut self) {
        while self.step < FAULTY_STEPS && self.violation.is_none() {
            self.take_step();
        }
        self.heal();
        let end = self.step + HEALING_STEPS;
        while self.violation.is_none() && !self.is_at_rest() {
            if self.step >= end {
                let restless = self.restless();
                self.violate("every_task_comes_to_rest", restless);
                return;
            }
            self.take_step();
        }
        if self.violation.is_none() {
            self.check_durability();
        }
    }

    fn take_step(&mut self) {
        self.step += 1;
        match self.random.below(100) {
            0..=44 => self.node_works(),
            45..=69 => self.deliver(),
            70..=86 => self.process_moves(),
            87..=93 => self.person_acts(),
            94..=96 => self.time_passes(),
            _ => self.something_breaks(),
        }
    }

    fn heal(&mut self) {
        self.healing = true;
        self.rates = Rates::none();
        for node in &mut self.nodes {
            node.skew_ms = 0;
        }
        // A pause that is still on its way would be a person's wish that nobody takes back.
        self.mail.retain(|mail| !matches!(mail.act, Act::Pause { .. }));
        if self.context.project.paused.is_some() {
            let words = self.words();
            self.send_now(PROJECT_STREAM, people::person(&words), Act::Resume {});
        }
    }

    fn time_passes(&mut self) {
        let minutes = self.random.between(1, if self.healing { 90 } else { 8 });
        self.now += minutes as i64 * 60_000;
    }

    fn something_breaks(&mut self) {
        match self.random.below(5) {
            0 if self.random.chance(self.rates.crash) => {
                self.fault("crash");
                let index = self.random.below(self.nodes.len());
                self.crash(index);
            }
            1 if self.random.chance(self.rates.power_cut) => {
                self.fault("power_cut");
                let lost = self.store.cut_power();
                self.check_durability();
                for index in 0..self.nodes.len() {
                    self.crash(index);
                }
                if lost > 0 {
                    self.replay();
                }
            }
            2 if self.random.chance(self.rates.clock_jump) => {
                self.fault("clock_jump");
                let day = 24 * 60 * 60_000;
                let jump = self.random.between(0, 2 * 24) as i64 * 60 * 60_000 - day;
                let index = self.random.below(self.nodes.len());
                self.nodes[index].skew_ms = jump;
            }
            3 if self.random.chance(self.rates.tree_change) => self.tree_changes(),
            4 if self.random.chance(self.rates.bad_agent) => self.stranger_forges(),
            _ => {}
        }
    }

    fn crash(&mut self, index: usize) {
        self.crashes += 1;
        self.nodes[index].views.clear();
    }

    /// Something that hits everything: whatever state a task is in, it happens in that state.
    fn fault(&mut self, name: &'static str) {
        self.coverage.reach("fault", name);
        for task in self.truth.values().filter_map(|state| state.task.as_ref()) {
            self.coverage.pair(name, task.status().kind());
        }
    }

    /// Something that hits one task, or the project.
    fn fault_at(&mut self, stream: &str, name: &'static str) {
        self.coverage.reach("fault", name);
        self.state_of(stream).into_iter().for_each(|state| self.coverage.pair(name, state));
    }

    fn state_of(&self, stream: &str) -> Option<StatusKind> {
        let task = self.truth.get(stream)?.task.as_ref()?;
        Some(task.status().kind())
    }

    fn violate(&mut self, rule: &str, how: impl Into<String>) {
        if self.violation.is_none() {
            self.violation = Some(Violation { rule: rule.to_owned(), how: how.into(), step: self.step });
        }
    }

    /// Rebuilds what the log says, after a power cut took its end away.
    fn replay(&mut self) {
        let streams: Vec<String> = self.truth.keys().cloned().collect();
        self.truth.clear();
        self.context = Context::default();
        for stream in streams {
            let entries = self.store.entries(&stream).to_vec();
            for entry in &entries {
                let state = self.truth.remove(&stream).unwrap_or_default();
                self.truth.insert(stream.clone(), evolve(state, entry));
            }
            self.refresh_context(&stream);
        }
        self.chain_checked = Checked::default();
    }

    fn refresh_context(&mut self, stream: &str) {
        let Some(state) = self.truth.get(stream) else { return };
        if stream == PROJECT_STREAM {
            self.context.project = state.project.clone();
        } else if let Some(task) = &state.task {
            let result = task.run.submission.as_ref().map(|submission| submission.document.clone());
            let standing = Standing { end: task.end, spent_tokens: task.budget.spent_tokens, result };
            self.context.standings.insert(task.id.clone(), standing);
        }
    }

    fn task_ids(&self) -> Vec<TaskId> {
        self.truth.values().filter_map(|state| state.task.as_ref()).map(|task| task.id.clone()).collect()
    }

    fn task(&self, id: &TaskId) -> Option<&baton_engine::Task> {
        self.truth.get(id.as_str()).and_then(|state| state.task.as_ref())
    }

    /// Says whether nothing is left that anybody but a person could do.
    fn is_at_rest(&self) -> bool {
        self.task_ids().iter().all(|id| self.rests(id, 0))
    }

    fn rests(&self, id: &TaskId, depth: usize) -> bool {
        let Some(task) = self.task(id) else { return false };
        if task.end.is_some() || depth > 8 {
            return true;
        }
        let status = task.status();
        if status.waits_for_person() {
            // People who act have to bring it to an end as well, except where a task is blocked for good.
            return self.people_rest || matches!(status, Status::Blocked { .. });
        }
        match status {
            Status::Pending { on } => {
                on.iter().any(|on| self.task(on).is_some_and(|task| task.end.is_none()))
                    && on.iter().all(|on| self.rests(on, depth + 1))
            }
            Status::Waiting { on: Whom::Agent(_), .. } => task.open_delegation().is_some_and(|(_, open)| {
                self.task(&open.child).is_some_and(|child| child.end.is_none())
                    && self.rests(&open.child, depth + 1)
            }),
            _ => false,
        }
    }

    fn restless(&self) -> String {
        let ids = self.task_ids();
        let restless = ids.iter().filter(|id| !self.rests(id, 0)).filter_map(|id| self.task(id));
        let words: Vec<String> = restless.map(|task| format!("{}: {:?}", task.id, task.status())).collect();
        words.join("; ")
    }

    /// Brings a command to the log through a node: decide, append, and do it again after a lost race.
    fn submit(
        &mut self,
        index: usize,
        stream: &str,
        (actor, key, act): (Actor, Option<String>, Act),
    ) -> Submitted {
        self.refresh_view(index, stream);
        let command = Command { at: self.now + self.nodes[index].skew_ms, actor, key, act };
        let decided = {
            let empty = State::default();
            let view = self.nodes[index].views.get(stream).unwrap_or(&empty);
            self.mutation.decide(view, &command, &self.context).map(|events| (view.version, events))
        };
        match decided {
            Ok((version, events)) if !events.is_empty() => {
                let done = self.append(stream, version, (&command, &events));
                if done == Submitted::Kept {
                    self.taken.push((stream.to_owned(), command));
                }
                done
            }
            Ok(_) => Submitted::Refused,
            Err(rejection) => {
                self.coverage.reach("refusal", rejection.refusal.name());
                let version = self.nodes[index].views.get(stream).map_or(0, |view| view.version);
                let ended = self
                    .truth
                    .get(stream)
                    .and_then(|state| state.task.as_ref())
                    .is_none_or(|task| task.end.is_some());
                if rejection.is_recorded(&command.actor) && !ended && self.random.chance(50) {
                    let refused = self.refused(index, stream, (&command, &rejection));
                    let unkeyed = Command { key: None, ..command };
                    let _recorded = self.append(stream, version, (&unkeyed, &[refused]));
                }
                Submitted::Refused
            }
        }
    }

    /// Returns the event of a refusal: the first of its sort, or how often it came again.
    fn refused(&mut self, index: usize, stream: &str, (command, why): (&Command, &Rejection)) -> Event {
        let (name, refusal) = (command.act.kind().name(), why.refusal.name());
        let empty = State::default();
        let view = self.nodes[index].views.get(stream).unwrap_or(&empty);
        let first = view.refusal(&command.actor, name, (refusal, &why.details));
        match (first, self.mutation) {
            (Some(first), _) => first,
            (None, Mutation::RefusalRecordedAgain) => Event::refused(name, refusal, &why.details),
            (None, _) => Event::CommandRefused {
                command: name.to_owned(),
                refusal: refusal.to_owned(),
                details: why.details.clone(),
                repeats: Some(self.random.between(1, 9) as u64),
            },
        }
    }

    fn append(&mut self, stream: &str, version: u64, (command, events): (&Command, &[Event])) -> Submitted {
        let fate = self.rates.fate(&mut self.random);
        let before = self.store.entries(stream).len();
        let state = self.state_of(stream);
        let done = self.store.append(stream, version, (&Event::seal(events, command), fate));
        self.learn(stream, before);
        let fault = match (done, fate) {
            (Ok(()), _) => return Submitted::Kept,
            (Err(AppendError::Duplicate), _) => return Submitted::Refused,
            (Err(AppendError::Conflict), _) => "lost_race",
            (Err(AppendError::Storage), _) => "storage_error",
            (Err(AppendError::Unknown), Fate::KeptInDoubt) => "unknown_kept",
            (Err(AppendError::Unknown), _) => "unknown_lost",
        };
        self.coverage.reach("fault", fault);
        state.into_iter().for_each(|state| self.coverage.pair(fault, state));
        Submitted::Raced
    }

    /// Folds what was just written and holds it against every rule.
    fn learn(&mut self, stream: &str, before: usize) {
        let fresh = self.store.entries(stream)[before..].to_vec();
        if fresh.is_empty() {
            return;
        }
        for entry in &fresh {
            let state = self.truth.remove(stream).unwrap_or_default();
            self.coverage.reach("event", entry.event.kind());
            self.check_entry(stream, entry, &state);
            self.truth.insert(stream.to_owned(), evolve(state, entry));
        }
        self.refresh_context(stream);
        self.check_stream(stream);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Submitted {
    Kept,
    Raced,
    Refused,
}
