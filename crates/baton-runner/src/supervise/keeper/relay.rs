//! The threads of a keeper that carry bytes: from Baton to the child, and from the child to Baton.

use std::fs::File;
use std::io::{self, BufWriter, PipeReader, PipeWriter, Read, Stdin, Write, pipe};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;

use super::News;
use super::stream::{Kept, Splitter};
use crate::supervise::ended::{Output, Stream};
use crate::supervise::order::{Lines, OutputLimits};
use crate::supervise::wire::{Reply, Task, Word, write_line};

const READ_BYTES: usize = 64 * 1024;

pub(super) struct Relay {
    shared: Arc<Shared>,
    /// The ends of the pipes that the child gets; taken when it starts.
    ends: Mutex<Option<Ends>>,
    input: Sender<Vec<u8>>,
}

/// What the child has for standard input, output and error.
pub(super) struct Ends {
    pub(super) stdin: PipeReader,
    pub(super) stdout: PipeWriter,
    pub(super) stderr: PipeWriter,
}

struct Shared {
    wire: Mutex<BufWriter<File>>,
    kept: Mutex<Kept>,
    /// Counts what was read, so that silence can be told from slowness.
    progress: AtomicU64,
    printed_bytes: AtomicU64,
    limits: OutputLimits,
    lines: Lines,
}

impl Relay {
    pub(super) fn new(task: &Task, tell: &Sender<News>) -> io::Result<Self> {
        let wire = File::from(io::stdout().as_fd().try_clone_to_owned()?);
        let shared = Arc::new(Shared {
            wire: Mutex::new(BufWriter::new(wire)),
            kept: Mutex::new(Kept::new(task.limits.kept_bytes_max)),
            progress: AtomicU64::new(0),
            printed_bytes: AtomicU64::new(0),
            limits: task.limits,
            lines: task.lines,
        });
        let (stdin, to_child) = pipe()?;
        let (out, stdout) = pipe()?;
        let (err, stderr) = pipe()?;
        for (from, stream) in [(out, Stream::Out), (err, Stream::Err)] {
            let (shared, tell) = (Arc::clone(&shared), tell.clone());
            thread::Builder::new().spawn(move || {
                shared.carry(from, stream, &tell);
                let _ = tell.send(News::Dry);
            })?;
        }
        let (input, pieces) = channel();
        let (feeder, tell) = (Arc::clone(&shared), tell.clone());
        thread::Builder::new().spawn(move || {
            feeder.feed(to_child, &pieces);
            let _ = tell.send(News::Fed);
        })?;
        Ok(Self { shared, ends: Mutex::new(Some(Ends { stdin, stdout, stderr })), input })
    }

    pub(super) fn take_ends(&self) -> Option<Ends> {
        self.ends.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    pub(super) fn say(&self, reply: &Reply) -> io::Result<()> {
        self.shared.floor().say(reply)
    }

    /// Takes the floor: nothing else is told until it is given back.
    pub(super) fn floor(&self) -> Floor<'_> {
        self.shared.floor()
    }

    /// Returns the way to the input of the child; an empty piece is its end.
    pub(super) fn input(&self) -> Sender<Vec<u8>> {
        self.input.clone()
    }

    pub(super) fn progress(&self) -> u64 {
        self.shared.progress.load(Ordering::Relaxed)
    }

    /// Says whether something is on its way to Baton just now.
    pub(super) fn is_telling(&self) -> bool {
        matches!(self.shared.wire.try_lock(), Err(TryLockError::WouldBlock))
    }

    pub(super) fn kept(&self) -> Output {
        let mut kept = self.shared.kept.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *kept, Kept::new(0)).output()
    }
}

/// Hears what Baton says, for as long as the keeper lives.
pub(super) fn listen(mut words: Stdin, tell: Sender<News>) -> io::Result<()> {
    let listen = move || {
        let mut input: Option<Sender<Vec<u8>>> = None;
        loop {
            match Word::read(&mut words) {
                Ok(Some(Word::Task(task))) => {
                    let (give, given) = channel();
                    let _ = tell.send(News::Next(task, give));
                    // What follows is for this child, and there is nobody to take it before it has started.
                    input = given.recv().ok();
                }
                Ok(Some(Word::Input(piece))) => {
                    if let Some(input) = &input {
                        let _ = input.send(piece);
                    }
                }
                Ok(Some(Word::CloseInput)) => {
                    if let Some(input) = input.take() {
                        let _ = input.send(Vec::new());
                    }
                }
                Ok(Some(Word::Stop)) => {
                    let _ = tell.send(News::Stop);
                }
                Ok(None) | Err(_) => {
                    let _ = tell.send(News::Alone);
                    return;
                }
            }
        }
    };
    thread::Builder::new().spawn(listen).map(drop)
}

/// The right to tell something.
pub(super) struct Floor<'r>(MutexGuard<'r, BufWriter<File>>);

impl Floor<'_> {
    pub(super) fn say(&mut self, reply: &Reply) -> io::Result<()> {
        reply.write(&mut *self.0)?;
        self.0.flush()
    }
}

impl Shared {
    fn floor(&self) -> Floor<'_> {
        Floor(self.wire.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn carry(&self, mut from: PipeReader, stream: Stream, news: &Sender<News>) {
        let mut buffer = vec![0; READ_BYTES];
        let mut splitter = Splitter::new(self.limits.line_bytes_max);
        loop {
            let count = match from.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => break,
            };
            self.progress.fetch_add(1, Ordering::Relaxed);
            if self.is_over_with(count as u64) {
                let _ = news.send(News::Flooded);
            }
            self.kept.lock().unwrap_or_else(PoisonError::into_inner).take(&buffer[..count]);
            if self.lines == Lines::Relayed {
                self.tell(stream, |tell| splitter.take(&buffer[..count], tell));
            }
        }
        if self.lines == Lines::Relayed {
            self.tell(stream, |tell| splitter.close(tell));
        }
    }

    /// Counts what was printed, and says whether this was the piece by which it became too much.
    fn is_over_with(&self, count: u64) -> bool {
        let before = self.printed_bytes.fetch_add(count, Ordering::Relaxed);
        self.limits
            .printed_bytes_max
            .is_some_and(|most| before <= most && before.saturating_add(count) > most)
    }

    /// Tells the lines that `split` finds. Where nobody hears them, that is news of the other pipe.
    fn tell(&self, stream: Stream, mut split: impl FnMut(&mut dyn FnMut(&[u8], bool))) {
        let Floor(mut wire) = self.floor();
        split(&mut |line, is_cut| {
            let _ = write_line(&mut *wire, stream, line, is_cut);
        });
        let _ = wire.flush();
    }

    /// Feeds the child piece by piece; an empty piece is the end. It may never read, so nothing else waits for this.
    fn feed(&self, mut to_child: PipeWriter, pieces: &Receiver<Vec<u8>>) {
        while let Ok(piece) = pieces.recv() {
            if piece.is_empty() {
                return;
            }
            // A child that does not want its input has not failed.
            let _ = to_child.write_all(&piece);
            let _ = self.floor().say(&Reply::Taken(u32::try_from(piece.len()).unwrap_or(u32::MAX)));
        }
    }
}
