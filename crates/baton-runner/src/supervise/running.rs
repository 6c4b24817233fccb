//! A program that runs under its keeper, seen from Baton.

use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, TrySendError, channel, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use baton_handoff::secret::Known;

use super::ended::{Ended, How, Line, NotStarted, Output, Reason};
use super::order::{INPUT_PENDING_BYTES_MAX, Stdin};
use super::resting;
use super::wire::{PIECE_BYTES, Reply, Report, Task, Word};
use crate::sandbox::Label;

/// How long a keeper may take to start what it keeps.
const START_MAX: Duration = Duration::from_secs(60);
/// How long after everything should be over a keeper is taken for lost. Long, for machines that have too much to do.
const KEEPER_SILENCE_MAX: Duration = Duration::from_secs(60);
/// How long lines wait for somebody who does not take them, after the deadline and the grace.
const LISTENER_PATIENCE: Duration = Duration::from_secs(5);
/// How long a keeper that has nothing left to do may take to end.
const LEAVE_MAX: Duration = Duration::from_secs(3);
/// How often a silent keeper is looked at.
const GLANCE_EVERY: Duration = Duration::from_millis(500);
/// Looks in a row at which a keeper stands still before it is taken for halted. Whoever traces a process halts it for a moment at
/// every call, and on a busy machine such a moment is long.
const HALTED_GLANCES: u32 = 6;
/// How often something is looked at that cannot be waited for.
const LOOK_EVERY: Duration = Duration::from_millis(2);
/// So often it is looked at without a pause before.
const QUICK_LOOKS: u32 = 1_000;
/// Lines that wait to be taken, and their bytes.
const LINES_WAITING_MAX: usize = 256;
const LINES_WAITING_BYTES_MAX: usize = 8 * 1024 * 1024;

/// A program that was started. Dropped, it is ended.
#[derive(Debug)]
pub struct Running {
    /// The program of the keeper.
    program: PathBuf,
    post: Sender<Post>,
    told: Receiver<Told>,
    lines: Option<Receiver<Line>>,
    /// Nothing once it was left to others.
    keeper: Option<Keeper>,
    carriers: Option<Carriers>,
    /// The keeper may be left to others.
    may_share: bool,
    pending: Arc<AtomicUsize>,
    label: Label,
    begun: Instant,
    /// When a keeper that still says nothing is taken for lost.
    latest: Instant,
}

/// Stops one running program, from anywhere.
#[derive(Clone, Debug)]
pub struct Stopper(Sender<Post>);

impl Stopper {
    /// Asks it to end: first politely, and after its grace for good.
    pub fn stop(&self) {
        if let Ok(frame) = Word::Stop.frame() {
            let _ = self.0.send(Post::Frame(frame));
        }
    }
}

/// What goes to the keeper. Written by a thread of its own, because a keeper that was halted takes nothing.
#[derive(Debug)]
enum Post {
    Frame(Vec<u8>),
    HangUp,
}

/// What the keeper told, besides lines.
#[derive(Debug)]
enum Told {
    Starting(String),
    Started,
    NotStarted(NotStarted),
    Ended(Report, Vec<u8>),
    Lost,
}

#[derive(Debug)]
pub(super) struct Keeper {
    child: Child,
    /// By which those that it kept can be found.
    mark: Option<String>,
    is_over: bool,
}

/// The pipes to and from a keeper.
#[derive(Debug)]
pub(super) struct Ways {
    to_keeper: ChildStdin,
    from_keeper: BufReader<ChildStdout>,
}

/// The threads that use them while something is kept.
#[derive(Debug)]
struct Carriers {
    post: JoinHandle<ChildStdin>,
    listen: JoinHandle<BufReader<ChildStdout>>,
}

impl Running {
    pub(super) fn start(
        program: &Path,
        task: Task,
        stdin: Stdin,
        told: (Label, Known),
    ) -> Result<Self, NotStarted> {
        if let Some(rested) = resting::take(program, &task) {
            let started = Self::under(rested, program, task.clone(), stdin.clone(), told.clone());
            // One that was lost while it rested has started nothing.
            if !started.as_ref().is_err_and(|why| why.reason == Reason::Keeper) {
                return started;
            }
        }
        Self::under(Keeper::start(program)?, program, task, stdin, told)
    }

    fn under(
        (keeper, ways): (Keeper, Ways),
        program: &Path,
        task: Task,
        stdin: Stdin,
        (label, secrets): (Label, Known),
    ) -> Result<Self, NotStarted> {
        let begun = Instant::now();
        let latest = begun + task.deadline + task.grace + KEEPER_SILENCE_MAX;
        let patience = begun + task.deadline + task.grace + LISTENER_PATIENCE;
        let room = (LINES_WAITING_BYTES_MAX / task.limits.line_bytes_max).clamp(1, LINES_WAITING_MAX);
        let may_share = resting::may_share(&task) && matches!(stdin, Stdin::Whole(_));
        let Ways { to_keeper, from_keeper } = ways;
        let (post, letters) = channel();
        let (tell, told) = channel();
        let (give, lines) = sync_channel(room);
        let pending = Arc::new(AtomicUsize::new(0));
        let listener = Listener { tell, lines: Some(give), pending: Arc::clone(&pending), patience, secrets };
        let failed = |error| NotStarted::new(Reason::Keeper, format!("no thread can be started: {error}"));
        let carriers = Carriers {
            post: thread::Builder::new().spawn(move || post_all(to_keeper, &letters)).map_err(failed)?,
            listen: thread::Builder::new().spawn(move || listener.listen(from_keeper)).map_err(failed)?,
        };
        let mut running = Self {
            program: program.to_owned(),
            post,
            told,
            lines: Some(lines),
            keeper: Some(keeper),
            carriers: Some(carriers),
            may_share,
            pending,
            label,
            begun,
            latest,
        };
        running.send(&Word::Task(Box::new(task)))?;
        running.begin(stdin)?;
        Ok(running)
    }

    fn begin(&mut self, stdin: Stdin) -> Result<(), NotStarted> {
        let (bytes, is_whole) = match stdin {
            Stdin::Whole(bytes) => (bytes, true),
            Stdin::Open(bytes) => (bytes, false),
        };
        self.write(&bytes)?;
        if is_whole {
            self.close_input();
        }
        let until = Instant::now() + START_MAX;
        let mut is_starting = false;
        loop {
            match self.hear(until) {
                Told::Starting(mark) => {
                    is_starting = true;
                    self.keeper.iter_mut().for_each(|keeper| keeper.mark = Some(mark.clone()));
                }
                Told::Started => return Ok(()),
                Told::NotStarted(why) => return Err(why),
                // Whether the child runs is unknown then, so it is taken for one that does.
                Told::Ended(..) | Told::Lost if is_starting => return Ok(()),
                Told::Ended(..) | Told::Lost => {
                    let told = "the keeper was lost before it started anything";
                    return Err(NotStarted::new(Reason::Keeper, told));
                }
            }
        }
    }

    /// Returns the lines of the child as they come; they end when all is over. Once: the second time there is nothing.
    ///
    /// Whoever takes this must read it or drop it. A child waits for slow readers, up to its deadline.
    pub fn lines(&mut self) -> Option<Receiver<Line>> {
        self.lines.take()
    }

    /// Waits for the next line of the child. There is none when all is over, when its keeper was lost, and once [`Self::lines`]
    /// was taken.
    pub fn next_line(&self) -> Option<Line> {
        self.next_of(self.lines.as_ref()?, self.latest)
    }

    /// Gives more input to the child.
    pub fn write(&self, bytes: &[u8]) -> Result<(), NotStarted> {
        let waiting = self.pending.fetch_add(bytes.len(), Ordering::Relaxed) + bytes.len();
        if waiting > INPUT_PENDING_BYTES_MAX {
            self.pending.fetch_sub(bytes.len(), Ordering::Relaxed);
            let told = format!("more than {INPUT_PENDING_BYTES_MAX} bytes of input wait to be read");
            return Err(NotStarted::new(Reason::TooLong, told));
        }
        bytes.chunks(PIECE_BYTES).try_for_each(|piece| self.send(&Word::Input(piece.to_vec())))
    }

    /// Tells the child that no more input comes.
    pub fn close_input(&self) {
        let _ = self.send(&Word::CloseInput);
    }

    /// Asks the child to end.
    pub fn stop(&self) {
        self.stopper().stop();
    }

    pub fn stopper(&self) -> Stopper {
        Stopper(self.post.clone())
    }

    /// The number of the keeper, for whoever wants to look at it from outside.
    pub fn keeper_id(&self) -> u32 {
        self.keeper.as_ref().map_or(0, |keeper| keeper.child.id())
    }

    /// Waits until the child and all it began are over.
    pub fn wait(mut self) -> Ended {
        self.lines = None;
        let (how, output, ended, left) = match self.hear(self.latest) {
            Told::Ended(report, bytes) => {
                self.let_go(report.rests);
                let output = Output { bytes, left_out_bytes: report.left_out_bytes };
                (report.how, output, report.descendants_ended, report.descendants_left)
            }
            Told::Starting(_) | Told::Started | Told::NotStarted(_) | Told::Lost => {
                let (ended, left) = self.keeper.take().map_or((0, 0), |mut keeper| keeper.end());
                (How::KeeperLost, Output::default(), ended, left)
            }
        };
        Ended {
            how,
            output,
            duration: self.begun.elapsed(),
            descendants_ended: ended,
            descendants_left: left,
            confinement: self.label.clone(),
        }
    }

    /// Lets a keeper rest that has nobody left to keep, where it can and another may need it; otherwise it ends.
    fn let_go(&mut self, rests: bool) {
        let _ = self.post.send(Post::HangUp);
        let Some(mut keeper) = self.keeper.take() else { return };
        let carriers = self.carriers.take().filter(|_| rests && self.may_share);
        // Both have come to their end: the one hung up, and the other has heard of the end.
        let ways = carriers.and_then(|carriers| {
            let (to_keeper, from_keeper) = (carriers.post.join().ok()?, carriers.listen.join().ok()?);
            Some(Ways { to_keeper, from_keeper })
        });
        if let Some(ways) = ways {
            match resting::put(&self.program, keeper, ways) {
                Ok(()) => return,
                Err((back, ways)) => {
                    drop(ways);
                    keeper = back;
                }
            }
        }
        keeper.leave();
    }

    /// Waits for what the keeper tells next.
    fn hear(&self, latest: Instant) -> Told {
        self.next_of(&self.told, latest).unwrap_or(Told::Lost)
    }

    /// Waits for what comes next by way of the keeper; nothing when no more comes, and when the keeper is late or stands still. A
    /// keeper has no terminal and is halted by nobody but who means harm.
    fn next_of<T>(&self, coming: &Receiver<T>, latest: Instant) -> Option<T> {
        let mut halted = 0;
        loop {
            match coming.recv_timeout(GLANCE_EVERY) {
                Ok(come) => return Some(come),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => {
                    let is_halted = self.keeper.as_ref().is_some_and(Keeper::is_halted);
                    halted = if is_halted { halted + 1 } else { 0 };
                    if Instant::now() >= latest || halted >= HALTED_GLANCES {
                        return None;
                    }
                }
            }
        }
    }

    fn send(&self, word: &Word) -> Result<(), NotStarted> {
        let frame = word.frame().map_err(|error| {
            let is_long = error.kind() == std::io::ErrorKind::ArgumentListTooLong;
            NotStarted::new(if is_long { Reason::TooLong } else { Reason::Keeper }, error.to_string())
        })?;
        // A keeper that takes nothing more is heard of by its silence.
        let _ = self.post.send(Post::Frame(frame));
        Ok(())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.post.send(Post::HangUp);
        // Whoever has ended holds its pipe for as long as somebody may ask for it.
        self.carriers = None;
        if let Some(mut keeper) = self.keeper.take().filter(|keeper| !keeper.is_over) {
            keeper.leave();
        }
    }
}

fn post_all(mut to_keeper: ChildStdin, letters: &Receiver<Post>) -> ChildStdin {
    while let Ok(Post::Frame(frame)) = letters.recv() {
        if to_keeper.write_all(&frame).is_err() {
            break;
        }
    }
    to_keeper
}

struct Listener {
    tell: Sender<Told>,
    /// Nothing once nobody listens.
    lines: Option<SyncSender<Line>>,
    pending: Arc<AtomicUsize>,
    patience: Instant,
    /// Nothing that is printed leaves here with one of them in it.
    secrets: Known,
}

impl Listener {
    fn listen(mut self, mut from_keeper: BufReader<ChildStdout>) -> BufReader<ChildStdout> {
        let told = loop {
            match Reply::read(&mut from_keeper) {
                Ok(Some(Reply::Starting(mark))) => {
                    let _ = self.tell.send(Told::Starting(mark));
                }
                Ok(Some(Reply::Started)) => {
                    let _ = self.tell.send(Told::Started);
                }
                Ok(Some(Reply::NotStarted(why))) => break Told::NotStarted(why),
                Ok(Some(Reply::Line(line))) => {
                    let bytes = self.without_secrets(line.bytes);
                    self.pass(Line { bytes, ..line });
                }
                Ok(Some(Reply::Taken(count))) => {
                    self.pending.fetch_sub(count as usize, Ordering::Relaxed);
                }
                Ok(Some(Reply::Ended(report, output))) => {
                    break Told::Ended(report, self.without_secrets(output));
                }
                Ok(None) | Err(_) => break Told::Lost,
            }
        };
        let _ = self.tell.send(told);
        from_keeper
    }

    fn without_secrets(&self, bytes: Vec<u8>) -> Vec<u8> {
        self.secrets.masked(&bytes).unwrap_or(bytes)
    }

    fn pass(&mut self, mut line: Line) {
        let mut looks = 0_u32;
        loop {
            let Some(lines) = &self.lines else { return };
            match lines.try_send(line) {
                Ok(()) => return,
                Err(TrySendError::Full(back)) if Instant::now() < self.patience => line = back,
                Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => {
                    self.lines = None;
                    return;
                }
            }
            // Where lines may be long only a few may wait, and whoever takes them is mostly quick.
            looks = looks.saturating_add(1);
            match looks < QUICK_LOOKS {
                true => thread::yield_now(),
                false => thread::sleep(LOOK_EVERY),
            }
        }
    }
}

impl Keeper {
    fn start(program: &Path) -> Result<(Self, Ways), NotStarted> {
        #[cfg(not(target_os = "linux"))]
        return Err(NotStarted::new(
            Reason::Keeper,
            "programs can be kept only on Linux, so none is started",
        ));
        #[cfg(target_os = "linux")]
        {
            super::adopt();
            super::conceal();
            let mut command = Command::new(program);
            command.arg(super::KEEPER).env_clear().current_dir("/");
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
            let child = super::orphan::register(|| command.spawn());
            let failed =
                |error| NotStarted::new(Reason::Keeper, format!("no keeper can be started: {error}"));
            let mut child = child.map_err(failed)?;
            let ways = child.stdin.take().zip(child.stdout.take());
            let keeper = Self { child, mark: None, is_over: false };
            let (to_keeper, from_keeper) =
                ways.ok_or_else(|| NotStarted::new(Reason::Keeper, "the keeper has no pipes"))?;
            let from_keeper = BufReader::with_capacity(PIECE_BYTES, from_keeper);
            Ok((keeper, Ways { to_keeper, from_keeper }))
        }
    }

    fn is_halted(&self) -> bool {
        #[cfg(target_os = "linux")]
        return super::descendants::is_halted(self.child.id());
        #[cfg(not(target_os = "linux"))]
        return false;
    }

    /// Says whether it has not ended yet.
    pub(super) fn is_there(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Waits a little for its end; it has no reason to stay. One that was ended by somebody else has ended nobody.
    pub(super) fn leave(&mut self) {
        let until = Instant::now() + LEAVE_MAX;
        while Instant::now() < until {
            match self.child.try_wait() {
                Ok(Some(status)) if status.success() => return self.sign_off(),
                Ok(Some(_)) => break,
                Ok(None) | Err(_) => thread::sleep(LOOK_EVERY),
            }
        }
        self.end();
    }

    /// Ends a keeper that was lost, and all that it kept. Returns how many were ended, and how many could not be.
    pub(super) fn end(&mut self) -> (u32, u32) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        #[cfg(target_os = "linux")]
        let counts = super::orphan::end_kept_by(self.child.id(), self.mark.as_deref());
        #[cfg(not(target_os = "linux"))]
        let counts = (0, 0);
        self.sign_off();
        counts
    }

    fn sign_off(&mut self) {
        self.is_over = true;
        #[cfg(target_os = "linux")]
        super::orphan::strike(self.child.id());
    }
}
