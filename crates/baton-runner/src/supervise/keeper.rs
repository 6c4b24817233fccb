//! The process that watches over a child: `baton keeper`.
//!
//! It has a session of its own and adopts whatever the child leaves behind, so a daemon is ended too. It does one thing at
//! a time: news come in by a channel, and the main thread alone decides and kills. When Baton dies, the pipe from it ends,
//! and so does everything here.
//!
//! A keeper whose child was behind a fence, ended by itself and left nothing behind rests until there is another child for it:
//! to start a process costs more than to keep one. Whoever could have reached its keeper takes it along.

pub(super) mod cgroup;
mod launch;
mod relay;
mod stream;

use std::collections::BTreeSet;
use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Signal, WaitOptions, WaitStatus, getpid, setsid, wait};

use self::cgroup::Cgroup;
use self::relay::Relay;
use super::descendants::{self, Process, Seen};
use super::ended::{Bound, How};
use super::wire::{Reply, Report, Task};
use crate::sandbox::Fence;

/// How often it is counted what the tree takes of the machine.
const CENSUS_EVERY: Duration = Duration::from_secs(1);
/// What is left of the grace once there is nobody to report to.
const GRACE_ALONE: Duration = Duration::from_millis(500);
/// How long a tree may take to die of a signal that cannot be refused, where the machine is fast enough for
/// `KILL_ROUNDS_MIN` in that time.
const KILL_MAX: Duration = Duration::from_secs(5);
const KILL_ROUNDS_MIN: u32 = 20;
/// Between two rounds of looking for whom to end.
const KILL_ROUND: Duration = Duration::from_millis(10);
/// How long output may fail to come after all are dead, when somebody outside holds the pipe; and how often it is looked in that
/// time at least, for a machine that stood still has not waited.
const DRAIN_MAX: Duration = Duration::from_secs(1);
const DRAIN_ROUNDS_MIN: u32 = 100;

/// Output and errors of a child.
const STREAMS: u8 = 2;

/// What the main thread hears of.
enum News {
    /// A child of ours, born or adopted, is no more.
    Reaped(i32, WaitStatus),
    /// There is no child of any kind.
    NoneLeft,
    /// A stream of the child has come to its end.
    Dry,
    /// The child has taken all its input, or nobody is left who would.
    Fed,
    /// The child and its descendants have printed more than they may.
    Flooded,
    Stop,
    /// The system wants an end.
    Signal,
    /// Baton is gone.
    Alone,
    /// Something to keep. Whoever tells it waits for the way to the input of the child.
    Next(Box<Task>, Sender<Sender<Vec<u8>>>),
}

/// Why a child is not let be any longer.
enum Cause {
    Itself(WaitStatus),
    How(How),
    Alone,
}

/// Keeps one child after the other, each from its start to the end of all it began. Speaks on standard input and output.
pub fn keep() -> io::Result<()> {
    let (tell, news) = channel();
    relay::listen(io::stdin(), tell.clone())?;
    let mut is_settled = false;
    loop {
        match news.recv() {
            Ok(News::Next(task, way)) => {
                if !is_settled {
                    settle_down();
                    heed_signals(tell.clone())?;
                    is_settled = true;
                }
                if !keep_one(&task, &way, (&tell, &news))? {
                    return Ok(());
                }
            }
            // What was meant for a child that has ended comes too late.
            Ok(News::Stop | News::Reaped(..) | News::NoneLeft | News::Dry | News::Fed | News::Flooded) => {}
            Ok(News::Alone | News::Signal) | Err(_) => return Ok(()),
        }
    }
}

/// Keeps one child. Says whether another one may follow.
fn keep_one(
    task: &Task,
    way: &Sender<Sender<Vec<u8>>>,
    (tell, news): (&Sender<News>, &Receiver<News>),
) -> io::Result<bool> {
    let relay = Relay::new(task, tell)?;
    let mark = super::orphan::mark(Process::of(getpid().as_raw_pid()));
    let (go, gone) = channel();
    reap_when_told(gone, tell.clone())?;
    let cgroup = Cgroup::create(&mark, &task.bounds);
    // Nobody takes lines of a child that has not started, so none comes in between.
    let mut floor = relay.floor();
    // Nobody to tell is news too, and comes by the other pipe.
    let _ = floor.say(&Reply::Starting(mark.clone()));
    let begun = Instant::now();
    let launched = match launch::launch(task, &relay, cgroup.as_ref(), &mark) {
        Ok(launched) => launched,
        Err(why) => return floor.say(&Reply::NotStarted(why)).map(|()| false),
    };
    let _ = floor.say(&Reply::Started);
    drop(floor);
    let _ = way.send(relay.input());
    let _ = go.send(());
    let (agent, ended) = (launched.child, BTreeSet::new());
    let mut keeper = Keeper { task, news, agent, begun, cgroup, status: None, ended, dry: 0, is_fed: false };
    let (how, left) = keeper.run();
    keeper.drain(&relay);
    let is_itself = matches!(how, How::Code(_) | How::Signal(_));
    let rests = is_itself && left == 0 && keeper.has_ears_only() && !matches!(task.fence, Fence::None);
    let output = relay.kept();
    let report = Report {
        how,
        descendants_ended: u32::try_from(keeper.ended.len()).unwrap_or(u32::MAX),
        descendants_left: left,
        left_out_bytes: output.left_out_bytes,
        rests,
    };
    drop((keeper, launched));
    task.fence.tidy();
    relay.say(&Reply::Ended(report, output.bytes))?;
    Ok(rests)
}

/// A session of its own, no terminal, parent to all orphans below, and nothing for others to read.
fn settle_down() {
    // It is the leader of a session already where it was started so.
    let _ = setsid();
    super::adopt();
    super::conceal();
}

struct Keeper<'t> {
    task: &'t Task,
    news: &'t Receiver<News>,
    agent: i32,
    begun: Instant,
    cgroup: Option<Cgroup>,
    status: Option<WaitStatus>,
    /// All that were ended, besides the child itself.
    ended: BTreeSet<Process>,
    dry: u8,
    is_fed: bool,
}

impl Keeper<'_> {
    /// Returns how it ended, and how many could not be ended.
    fn run(&mut self) -> (How, u32) {
        let cause = self.until_cause();
        let grace = match &cause {
            Cause::Itself(_) => Duration::ZERO,
            Cause::How(How::OverBound(_)) => Duration::ZERO,
            Cause::How(_) => self.task.grace,
            Cause::Alone => self.task.grace.min(GRACE_ALONE),
        };
        if !grace.is_zero() {
            self.ask_to_end(grace);
        }
        let left = self.end_all();
        let has_run_out = self.cgroup.as_ref().is_some_and(Cgroup::has_run_out);
        let how = match cause {
            Cause::Itself(status) => by_itself(how(status), has_run_out),
            Cause::How(how) => how,
            Cause::Alone => How::Stopped,
        };
        (how, left)
    }

    fn until_cause(&mut self) -> Cause {
        let deadline = self.begun + self.task.deadline;
        let mut census = self.begun + CENSUS_EVERY;
        loop {
            let now = Instant::now();
            if now >= deadline {
                return Cause::How(How::TimedOut);
            }
            if now >= census {
                census = now + CENSUS_EVERY;
                if let Some(bound) = self.exceeded() {
                    return Cause::How(How::OverBound(bound));
                }
            }
            match self.news.recv_timeout(deadline.min(census) - now) {
                Ok(News::Reaped(id, status)) if id == self.agent => {
                    self.status = Some(status);
                    return Cause::Itself(status);
                }
                Ok(News::Reaped(..)) | Err(RecvTimeoutError::Timeout) => {}
                Ok(News::Dry) => self.dry += 1,
                Ok(News::Fed) => self.is_fed = true,
                Ok(News::Flooded) => return Cause::How(How::OverBound(Bound::Output)),
                Ok(News::Stop | News::Signal) => return Cause::How(How::Stopped),
                // No child and no status of it cannot be, nor a second one; then there is nothing to keep.
                Ok(News::Alone | News::NoneLeft | News::Next(..)) | Err(RecvTimeoutError::Disconnected) => {
                    return Cause::Alone;
                }
            }
        }
    }

    fn exceeded(&self) -> Option<Bound> {
        let tree = self.descendants();
        if tree.len() > self.task.bounds.processes_max {
            Some(Bound::Processes)
        } else if self.task.bounds.memory_bytes_max.is_some_and(|most| descendants::take_more(&tree, most)) {
            Some(Bound::Memory)
        } else {
            None
        }
    }

    fn descendants(&self) -> Vec<Seen> {
        descendants::below(&[getpid().as_raw_pid()], &descendants::all())
    }

    /// Asks all to end, and waits for the child to do so.
    fn ask_to_end(&mut self, grace: Duration) {
        let walls = self.walls();
        for seen in self.descendants().iter().filter(|seen| !walls.contains(&seen.process.id)) {
            seen.process.signal(Signal::TERM);
            // Who has been halted would never hear of it.
            seen.process.signal(Signal::CONT);
        }
        let until = Instant::now() + grace;
        while self.status.is_none() {
            let now = Instant::now();
            if now >= until {
                return;
            }
            match self.news.recv_timeout(until - now) {
                Ok(News::Reaped(id, status)) if id == self.agent => self.status = Some(status),
                Ok(News::Dry) => self.dry += 1,
                Ok(News::Fed) => self.is_fed = true,
                Ok(
                    News::Reaped(..)
                    | News::Flooded
                    | News::Stop
                    | News::Signal
                    | News::Alone
                    | News::Next(..),
                )
                | Err(RecvTimeoutError::Timeout) => {}
                Ok(News::NoneLeft) | Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    /// Bubblewrap's own two processes: they would die of a request and take the child with them, without its grace.
    fn walls(&self) -> BTreeSet<i32> {
        match self.task.fence {
            Fence::Bubblewrap { .. } => {
                let table = descendants::all();
                let inner = table.iter().filter(|seen| seen.parent == self.agent);
                inner.map(|seen| seen.process.id).chain([self.agent]).collect()
            }
            Fence::None | Fence::Landlock { .. } => BTreeSet::new(),
        }
    }

    /// Ends all that is left, round by round, until the kernel says that there is no child any more. Returns how many are
    /// left after all.
    fn end_all(&mut self) -> u32 {
        let until = Instant::now() + KILL_MAX;
        let mut rounds = 0;
        loop {
            if self.none_left() {
                return 0;
            }
            rounds += 1;
            let tree = self.descendants();
            let alive = || tree.iter().filter(|seen| !seen.is_over);
            self.ended.extend(alive().map(|seen| seen.process).filter(|process| process.id != self.agent));
            if let Some(cgroup) = &self.cgroup {
                cgroup.kill();
            }
            alive().for_each(|seen| {
                seen.process.signal(Signal::KILL);
            });
            if rounds >= KILL_ROUNDS_MIN && Instant::now() >= until {
                return u32::try_from(alive().count()).unwrap_or(u32::MAX);
            }
        }
    }

    /// Hears the news for one round.
    fn none_left(&mut self) -> bool {
        let until = Instant::now() + KILL_ROUND;
        loop {
            match self.news.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(News::NoneLeft) | Err(RecvTimeoutError::Disconnected) => return true,
                Ok(News::Dry) => self.dry += 1,
                Ok(News::Fed) => self.is_fed = true,
                Ok(
                    News::Reaped(..)
                    | News::Flooded
                    | News::Stop
                    | News::Signal
                    | News::Alone
                    | News::Next(..),
                ) => {}
                Err(RecvTimeoutError::Timeout) => return false,
            }
        }
    }

    /// Waits for both streams to run dry: as long as something comes, or somebody is slow to take it. Also for the input, where its
    /// end is on its way: a quick child may end before it.
    fn drain(&mut self, relay: &Relay) {
        let mut quiet_since = Instant::now();
        let (mut progress, mut rounds) = (relay.progress(), 0);
        while self.is_awaiting() && (quiet_since.elapsed() < DRAIN_MAX || rounds < DRAIN_ROUNDS_MIN) {
            rounds += 1;
            match self.news.recv_timeout(KILL_ROUND) {
                Ok(News::Dry) => self.dry += 1,
                Ok(News::Fed) => self.is_fed = true,
                Ok(News::Alone | News::Signal) | Err(RecvTimeoutError::Disconnected) => return,
                Ok(News::Reaped(..) | News::NoneLeft | News::Flooded | News::Stop | News::Next(..))
                | Err(RecvTimeoutError::Timeout) => {}
            }
            let now = relay.progress();
            if now != progress || relay.is_telling() {
                (progress, rounds) = (now, 0);
                quiet_since = Instant::now();
            }
        }
    }
}

impl Keeper<'_> {
    fn is_awaiting(&self) -> bool {
        self.dry < STREAMS || self.task.is_input_whole && !self.is_fed
    }

    /// Says whether nothing of the child is left here: no stream that somebody holds, no input on its way.
    fn has_ears_only(&mut self) -> bool {
        while let Ok(news) = self.news.try_recv() {
            match news {
                News::Fed => self.is_fed = true,
                News::Dry => self.dry += 1,
                News::Flooded | News::Stop | News::Reaped(..) | News::NoneLeft => {}
                News::Signal | News::Alone | News::Next(..) => return false,
            }
        }
        self.dry == STREAMS && self.is_fed
    }
}

/// The kernel may be faster than the census. Whoever lost a part of what it began to that and ended well all the same has got
/// over it.
fn by_itself(how: How, has_run_out: bool) -> How {
    match how {
        How::Code(0) => how,
        _ if has_run_out => How::OverBound(Bound::Memory),
        _ => how,
    }
}

fn how(status: WaitStatus) -> How {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => How::Code(code),
        (None, Some(signal)) => How::Signal(signal),
        (None, None) => How::KeeperLost,
    }
}

/// Takes note of all children that end, born here or adopted, until there are none. The thread is there before the child,
/// which may be the last one that this user can start.
fn reap_when_told(told: Receiver<()>, tell: Sender<News>) -> io::Result<()> {
    let reap = move || {
        if told.recv().is_err() {
            return;
        }
        loop {
            match wait(WaitOptions::empty()) {
                Ok(Some((id, status))) => {
                    let _ = tell.send(News::Reaped(id.as_raw_pid(), status));
                }
                Ok(None) | Err(rustix::io::Errno::INTR) => {}
                Err(_) => {
                    let _ = tell.send(News::NoneLeft);
                    return;
                }
            }
        }
    };
    thread::Builder::new().spawn(reap).map(drop)
}

/// Being asked to end by the system is being asked to stop.
fn heed_signals(tell: Sender<News>) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    let heed = move || {
        for _ in signals.forever() {
            let _ = tell.send(News::Signal);
        }
    };
    thread::Builder::new().spawn(heed).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_ends_well_is_not_over_its_bound_though_something_of_it_was() {
        assert_eq!(by_itself(How::Code(0), true), How::Code(0));
        assert_eq!(by_itself(How::Code(1), true), How::OverBound(Bound::Memory));
        assert_eq!(by_itself(How::Signal(9), true), How::OverBound(Bound::Memory));
        assert_eq!(by_itself(How::Signal(9), false), How::Signal(9));
    }
}
