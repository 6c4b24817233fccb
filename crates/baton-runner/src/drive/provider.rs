//! What a run knows of the providers behind its agents: whom to leave alone for a while, and who lets nobody in.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use baton_engine::state::{Task, Turn};
use baton_engine::word::TaskId;

use super::Drive;
use super::crew::Hand;
use super::progress::{Progress, What};
use crate::desk::stuck::Stuck;

/// How long a provider is left alone after its first fault; each further one takes as many times longer.
const BACKOFF_FIRST: Duration = Duration::from_secs(1);
const BACKOFF_FACTOR: u32 = 4;
const BACKOFF_MAX: Duration = Duration::from_secs(60);
/// By how many hundredths a rest is longer or shorter, so that other runs that were sent away at the same time do not come back
/// at once. Within a run a provider has one rest, for all tasks.
const SPREAD_PERCENT: u32 = 25;

/// The driver, and where it does not say whose models it uses the program, which knows.
type Provider = (&'static str, Option<PathBuf>);

/// The providers of a run, by the driver or the agent that uses them.
#[derive(Debug, Default)]
pub(super) struct Providers {
    /// Whom to leave alone until then, whatever the task.
    resting: BTreeMap<Provider, Instant>,
    /// Agents, by their tables in `baton.toml`, whose provider lets nobody in.
    refused: BTreeMap<String, Refused>,
}

/// The tasks whose turns a provider refused, and with what words it refused the first.
#[derive(Debug)]
struct Refused {
    tasks: BTreeSet<TaskId>,
    why: String,
}

impl Providers {
    pub(super) fn is_resting(&self, hand: &Hand) -> bool {
        self.resting.contains_key(&provider(hand))
    }

    pub(super) fn has_resting(&self) -> bool {
        !self.resting.is_empty()
    }

    /// Leaves a provider alone for as long, or longer where it is already. Returns for how long that is from now.
    fn rest(&mut self, hand: &Hand, pause: Duration) -> Duration {
        let now = Instant::now();
        let until = self.resting.entry(provider(hand)).or_insert(now);
        *until = (now + pause).max(*until);
        until.saturating_duration_since(now)
    }

    fn note_refused(&mut self, id: &TaskId, table: &str, why: &str) {
        let refused = || Refused { tasks: BTreeSet::new(), why: why.to_owned() };
        self.refused.entry(table.to_owned()).or_insert_with(refused).tasks.insert(id.clone());
    }

    /// Says what keeps a task from a turn. Where one of the tasks that were told so goes on, a person has seen to it.
    fn refused(&mut self, id: &TaskId, table: &str) -> Option<Stuck> {
        let refused = self.refused.get(table)?;
        let task = refused.tasks.first().filter(|_| !refused.tasks.contains(id));
        let Some(task) = task else {
            self.refused.remove(table);
            return None;
        };
        let what = format!("its agent was refused with {task}, so no turn is begun: {}", refused.why);
        Some(Stuck::new(what, format!("see to it as `baton why {task}` says, then `baton run`")))
    }
}

fn provider(hand: &Hand) -> Provider {
    let driver = hand.agent.driver;
    (driver.name, hand.program.clone().filter(|_| driver.vendor.is_none()))
}

impl Drive<'_> {
    /// Leaves a provider alone for a while, longer each time, for all tasks that would use it.
    pub(super) fn rest(&mut self, task: &Task) {
        if self.request.is_once || self.request.stop.is_asked() {
            // It has had its one turn, or somebody stops the run: nothing is waited for.
            return;
        }
        let Some(hand) = task.history.last().and_then(|last| self.request.crew.hand(&last.agent)) else {
            return;
        };
        // The fault at hand is recorded with the decision that came just now.
        let pause = pause(&task.id, task.run.provider_faults.saturating_add(1));
        let left = self.providers.rest(hand, pause);
        let words = format!("tries again in {:.1} s", left.as_secs_f64());
        self.say(Progress::new(&task.id, What::Waits, words));
    }

    /// Lets tasks go on whose provider was left alone for long enough, or who need not wait for it any more.
    pub(super) fn has_rested(&mut self) -> bool {
        let is_late = self.left_of_run() == Some(Duration::ZERO);
        let resting = &mut self.providers.resting;
        let before = resting.len();
        resting.retain(|_, until| Instant::now() < *until && !is_late);
        resting.len() < before
    }

    /// Notes that the provider of an agent lets nobody in: it would not let in the next task either.
    pub(super) fn note_refused(&mut self, id: &TaskId, turn: &Turn, why: &str) {
        if let Some(hand) = self.request.crew.hand(&turn.agent) {
            self.providers.note_refused(id, &hand.agent.name, why);
        }
    }

    /// Says what keeps a task from a turn of an agent that was refused in this run.
    pub(super) fn refused(&mut self, id: &TaskId, table: &str) -> Option<Stuck> {
        self.providers.refused(id, table)
    }
}

/// Returns how long a provider is left alone after so many faults of a task: the same for the same task, another one for others.
fn pause(task: &TaskId, faults: u32) -> Duration {
    let whole = BACKOFF_FIRST.saturating_mul(BACKOFF_FACTOR.saturating_pow(faults - 1)).min(BACKOFF_MAX);
    let seed =
        task.as_str().bytes().fold(faults, |seed, byte| seed.wrapping_mul(31).wrapping_add(u32::from(byte)));
    whole * (100 - SPREAD_PERCENT + seed % (2 * SPREAD_PERCENT + 1)) / 100
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::Driver;
    use crate::config::Agent;

    fn task(number: u32) -> TaskId {
        TaskId::new(format!("T{number}")).expect("a name")
    }

    fn hand(driver: &str, program: &str) -> Hand {
        let agent = Agent::of(Driver::named(driver).expect("a driver"));
        Hand { agent, program: Some(PathBuf::from(program)) }
    }

    #[test]
    fn agents_of_one_vendor_rest_together_and_those_of_others_go_on() {
        let mut providers = Providers::default();
        let minute = Duration::from_secs(60);
        providers.rest(&hand("claude", "/bin/claude"), minute);
        providers.rest(&hand("acp", "/bin/codex-acp"), minute);
        assert!(providers.is_resting(&hand("claude", "/opt/claude")));
        assert!(providers.is_resting(&hand("acp", "/bin/codex-acp")));
        assert!(!providers.is_resting(&hand("acp", "/bin/claude-agent-acp")));
        assert!(!providers.is_resting(&hand("codex", "/bin/codex")));
    }

    #[test]
    fn what_is_told_of_a_rest_is_what_is_left_of_it() {
        let (mut providers, agent) = (Providers::default(), hand("claude", "/bin/claude"));
        assert_eq!(providers.rest(&agent, Duration::from_secs(1)), Duration::from_secs(1));
        assert_eq!(providers.rest(&agent, Duration::from_secs(60)), Duration::from_secs(60));
        let left = providers.rest(&agent, Duration::from_secs(1));
        assert!(left > Duration::from_secs(30) && left <= Duration::from_secs(60), "{left:?}");
    }

    #[test]
    fn whichever_task_goes_on_that_was_refused_lets_the_others_go_on() {
        for resolved in [1, 2] {
            let mut providers = Providers::default();
            [1, 2].iter().for_each(|&number| providers.note_refused(&task(number), "builder", "no key"));
            let stuck = providers.refused(&task(3), "builder").expect("it is stuck");
            assert!(stuck.what.contains("refused with T1") && stuck.what.contains("no key"), "{stuck:?}");
            assert!(providers.refused(&task(3), "verifier").is_none());
            assert!(providers.refused(&task(resolved), "builder").is_none());
            assert!(providers.refused(&task(3), "builder").is_none());
        }
    }

    #[test]
    fn rests_grow_to_a_bound_and_differ_from_task_to_task() {
        for (faults, seconds) in [(1, 1), (2, 4), (3, 16), (4, 60), (5, 60), (u32::MAX, 60)] {
            let around = Duration::from_secs(seconds);
            let all: Vec<Duration> = (1..=8).map(|number| pause(&task(number), faults)).collect();
            assert!(all.iter().all(|pause| *pause >= around * 3 / 4 && *pause <= around * 5 / 4), "{all:?}");
            assert!(all.iter().any(|pause| *pause != all[0]), "{all:?}");
            assert_eq!(pause(&task(3), faults), all[2], "known beforehand");
        }
    }
}
