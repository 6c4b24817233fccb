//! A running git: what goes in, what comes out, and an end for it when nothing comes any more.

use std::io::{self, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::GitError;

/// How long we wait for a git from which nothing comes. Walking half a million commits takes it some seconds.
const SILENCE_MAX: Duration = Duration::from_secs(120);
/// How much of what git says about its troubles is kept.
const TROUBLE_BYTES_MAX: u64 = 4 * 1024;
const STDOUT_BUFFER_BYTES: usize = 256 * 1024;

pub(super) struct Git {
    child: Arc<Mutex<Child>>,
    pub(super) stdin: Option<Watched<ChildStdin>>,
    pub(super) stdout: BufReader<Watched<ChildStdout>>,
    trouble: Option<JoinHandle<Vec<u8>>>,
    watch: Arc<Watch>,
    /// Dropped at the end, which ends the watchdog.
    _watchdog: Sender<()>,
}

impl Git {
    pub(super) fn start(command: Command) -> Result<Self, GitError> {
        Self::start_patiently(command, SILENCE_MAX)
    }

    pub(super) fn start_patiently(mut command: Command, silence_max: Duration) -> Result<Self, GitError> {
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let failed = |error: io::Error| GitError::failed(format!("git could not be started: {error}"));
        let mut child = piped.spawn().map_err(failed)?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let child = Arc::new(Mutex::new(child));
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(GitError::failed("git was started without its pipes".to_owned()));
        };
        let watch = Arc::new(Watch {
            started: Instant::now(),
            waits_since: AtomicU64::new(0),
            ended: AtomicBool::new(false),
            silence_max,
        });
        let trouble = thread::spawn(move || drain(stderr));
        let watchdog = watch_over(&watch, &child);
        Ok(Self {
            child,
            stdin: Some(Watched { pipe: stdin, watch: Arc::clone(&watch) }),
            stdout: BufReader::with_capacity(
                STDOUT_BUFFER_BYTES,
                Watched { pipe: stdout, watch: Arc::clone(&watch) },
            ),
            trouble: Some(trouble),
            watch,
            _watchdog: watchdog,
        })
    }

    /// Says that nothing more goes in.
    pub(super) fn close_stdin(&mut self) {
        self.stdin = None;
    }

    /// Waits for the end, after everything was read. Answers what git complained of, if it ended badly.
    pub(super) fn finish(mut self) -> Result<Result<(), String>, GitError> {
        self.close_stdin();
        let failed = |error: io::Error| GitError::failed(format!("git could not be waited for: {error}"));
        self.watch.begin();
        let status = loop {
            // A blocking wait would keep the watchdog from the child.
            if let Some(status) = lock(&self.child).try_wait().map_err(failed)? {
                break status;
            }
            thread::sleep(Duration::from_millis(1));
        };
        self.watch.end();
        if self.watch.was_ended() {
            return Err(self.watch.error());
        }
        let trouble = self.trouble.take().and_then(|drain| drain.join().ok()).unwrap_or_default();
        match status.success() {
            true => Ok(Ok(())),
            false => {
                let text = String::from_utf8_lossy(&trouble);
                let line = text.lines().find(|line| line.starts_with("fatal:")).or(text.lines().next());
                Ok(Err(line.map_or_else(|| status.to_string(), str::to_owned)))
            }
        }
    }

    /// Turns a failed read or write into what it means.
    pub(super) fn error(&self, error: &io::Error) -> GitError {
        match self.watch.was_ended() {
            true => self.watch.error(),
            false => GitError::failed(format!("git stopped answering: {error}")),
        }
    }

    pub(super) fn was_ended(&self) -> bool {
        self.watch.was_ended()
    }
}

impl Drop for Git {
    fn drop(&mut self) {
        let mut child = lock(&self.child);
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// Knows since when we wait for the child.
struct Watch {
    started: Instant,
    /// Milliseconds after `started`, plus one; zero while we do not wait.
    waits_since: AtomicU64,
    ended: AtomicBool,
    silence_max: Duration,
}

impl Watch {
    fn now(&self) -> u64 {
        self.started.elapsed().as_millis() as u64 + 1
    }

    fn begin(&self) {
        self.waits_since.store(self.now(), Ordering::Relaxed);
    }

    fn end(&self) {
        self.waits_since.store(0, Ordering::Relaxed);
    }

    fn is_over(&self) -> bool {
        let since = self.waits_since.load(Ordering::Relaxed);
        since != 0 && u128::from(self.now().saturating_sub(since)) > self.silence_max.as_millis()
    }

    fn was_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    fn error(&self) -> GitError {
        let seconds = self.silence_max.as_secs();
        GitError::failed(format!("git said nothing for {seconds} seconds and was ended"))
    }
}

fn watch_over(watch: &Arc<Watch>, child: &Arc<Mutex<Child>>) -> Sender<()> {
    let (sender, receiver) = channel();
    let (watch, child) = (Arc::clone(watch), Arc::clone(child));
    let interval = watch.silence_max / 8;
    thread::spawn(move || {
        while receiver.recv_timeout(interval) == Err(RecvTimeoutError::Timeout) {
            if watch.is_over() {
                watch.ended.store(true, Ordering::Relaxed);
                let _ = lock(&child).kill();
            }
        }
    });
    sender
}

/// A pipe that tells the watchdog when we wait at it.
pub(super) struct Watched<P> {
    pipe: P,
    watch: Arc<Watch>,
}

impl<P: Read> Read for Watched<P> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.watch.begin();
        let read = self.pipe.read(buffer);
        self.watch.end();
        read
    }
}

impl<P: Write> Write for Watched<P> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.watch.begin();
        let written = self.pipe.write(bytes);
        self.watch.end();
        written
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pipe.flush()
    }
}

/// Keeps the first of what comes and reads on to the end, so that git never waits for us.
fn drain(mut stderr: impl Read) -> Vec<u8> {
    let mut kept = Vec::new();
    let _ = stderr.by_ref().take(TROUBLE_BYTES_MAX).read_to_end(&mut kept);
    let _ = io::copy(&mut stderr, &mut io::sink());
    kept
}

/// Nothing that holds this lock can panic halfway, so a poisoned one is as good as another.
fn lock(child: &Mutex<Child>) -> std::sync::MutexGuard<'_, Child> {
    child.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_git_that_says_nothing_is_ended() {
        // Its input stays open, so it never answers.
        let mut command = Command::new("git");
        command.args(["stripspace"]);
        let mut git = Git::start_patiently(command, Duration::from_millis(200)).unwrap();
        let mut text = String::new();
        git.stdout.read_to_string(&mut text).unwrap();
        assert!(git.was_ended());
        assert!(git.finish().unwrap_err().message.contains("was ended"));
    }

    #[test]
    fn a_git_that_waits_for_us_is_left_alone() {
        let mut command = Command::new("git");
        command.args(["stripspace"]);
        let mut git = Git::start_patiently(command, Duration::from_millis(40)).unwrap();
        thread::sleep(Duration::from_millis(200));
        git.stdin.as_mut().unwrap().write_all(b"a  \n").unwrap();
        git.close_stdin();
        let mut text = String::new();
        git.stdout.read_to_string(&mut text).unwrap();
        assert_eq!((text.as_str(), git.finish().unwrap()), ("a\n", Ok(())));
    }
}
