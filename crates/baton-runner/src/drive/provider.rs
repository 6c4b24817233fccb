//! What a run knows of the providers behind its agents: whom to leave alone for a while, and who lets nobody in.

use std::collections::BTreeMap;
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
/// By how many hundredths a rest is longer or shorter, so that many who were sent away do not come back at once.
const SPREAD_PERCENT: u32 = 25;

/// The providers of a run, by the driver or the agent that uses them.
#[derive(Debug, Default)]
pub(super) struct Providers {
    /// Drivers whose provider is left alone until then, whatever the task.
    resting: BTreeMap<&'static str, Instant>,
    /// Agents, by their tables in `baton.toml`, whose provider lets nobody in.
    refused: BTreeMap<String, Refused>,
}

/// The first task whose turn a provider refused, and with what words.
#[derive(Debug)]
struct Refused {
    task: TaskId,
    why: String,
}

impl Providers {
    pub(super) fn is_resting(&self, hand: &Hand) -> bool {
        self.resting.contains_key(hand.agent.driver.name)
    }

    pub(super) fn has_resting(&self) -> bool {
        !self.resting.is_empty()
    }
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
        let until = Instant::now() + pause;
        let rest = self.providers.resting.entry(hand.agent.driver.name).or_insert(until);
        *rest = until.max(*rest);
        let words = format!("tries again in {:.1} s", pause.as_secs_f64());
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
            let refused = Refused { task: id.clone(), why: why.to_owned() };
            self.providers.refused.entry(hand.agent.name.clone()).or_insert(refused);
        }
    }

    /// Says what keeps a task from a turn of an agent that was refused in this run. Where the task that was told so goes on, a
    /// person has seen to it.
    pub(super) fn refused(&mut self, id: &TaskId, table: &str) -> Option<Stuck> {
        let refused = self.providers.refused.get(table)?;
        if refused.task == *id {
            self.providers.refused.remove(table);
            return None;
        }
        let Refused { task, why } = refused;
        let what = format!("its agent was refused with {task}, so no turn is begun: {why}");
        Some(Stuck::new(what, format!("see to it as `baton why {task}` says, then `baton run`")))
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

    #[test]
    fn rests_grow_to_a_bound_and_differ_from_task_to_task() {
        let task = |number: u32| TaskId::new(format!("T{number}")).expect("a name");
        for (faults, seconds) in [(1, 1), (2, 4), (3, 16), (4, 60), (5, 60), (u32::MAX, 60)] {
            let around = Duration::from_secs(seconds);
            let all: Vec<Duration> = (1..=8).map(|number| pause(&task(number), faults)).collect();
            assert!(all.iter().all(|pause| *pause >= around * 3 / 4 && *pause <= around * 5 / 4), "{all:?}");
            assert!(all.iter().any(|pause| *pause != all[0]), "{all:?}");
            assert_eq!(pause(&task(3), faults), all[2], "known beforehand");
        }
    }
}
