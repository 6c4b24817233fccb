//! The one writer: it gathers what callers want, writes it in one transaction, and answers after COMMIT.
//!
//! After a failed write the connection is thrown away and a new one recovers: what the old one believed about the file
//! can no longer be trusted.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::transaction::{self, Outcome, Work};
use super::{Signal, connect, query, spawn};
use crate::error::{Reason, StoreError};
use crate::limit;
use crate::log::{AppendError, Head};
use crate::view::Views;
use crate::view::states::States;

/// Work with the place where its outcome is awaited.
struct Job {
    work: Work,
    answer: SyncSender<Outcome>,
}

#[derive(Debug)]
pub(super) struct Writer {
    pub(super) path: PathBuf,
    pub(super) views: Views,
    /// As of the last commit.
    pub(super) states: States,
    pub(super) connection: Option<Connection>,
    pub(super) signal: Signal,
}

/// A write that failed, and where.
struct Failure {
    error: StoreError,
    step: Step,
}

enum Step {
    /// Nothing was tried yet.
    Begin,
    /// One piece of the work could not be done; the others may be fine.
    Work,
    /// It could be in the file all the same, with this head.
    Commit(Box<Head>),
}

/// The way to the writer: at once when nobody else is there, through the queue when others are.
///
/// A caller who is alone writes with its own thread, which saves two changes of threads for each commit. As soon as there
/// is a queue everybody goes through it, so that nobody overtakes and many share a commit.
#[derive(Debug)]
pub(super) struct Desk {
    writer: Arc<Mutex<Writer>>,
    queued: Arc<AtomicUsize>,
    /// Begun when there is somebody to wait: most processes have but one caller.
    queue: Mutex<Option<Queue>>,
}

/// Where callers wait, and the thread that serves them.
#[derive(Debug)]
struct Queue {
    jobs: SyncSender<Job>,
    thread: JoinHandle<()>,
}

impl Desk {
    pub(super) fn new(writer: Writer) -> Self {
        Desk { writer: Arc::new(Mutex::new(writer)), queued: Arc::default(), queue: Mutex::default() }
    }

    /// Returns what became of the work, or nothing when the writer is gone.
    pub(super) fn submit(&self, work: Work) -> Option<Outcome> {
        if self.queued.load(Ordering::Acquire) == 0
            && let Ok(mut writer) = self.writer.try_lock()
        {
            return writer.write(std::slice::from_ref(&work)).pop();
        }
        let jobs = match self.jobs() {
            Ok(jobs) => jobs,
            Err(error) => return Some(Err(AppendError::Storage(error))),
        };
        let (answer, outcome) = sync_channel(1);
        self.queued.fetch_add(1, Ordering::AcqRel);
        jobs.send(Job { work, answer }).ok()?;
        // Whoever waits here must not keep the queue open.
        drop(jobs);
        outcome.recv().ok()
    }

    fn jobs(&self) -> Result<SyncSender<Job>, StoreError> {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(queue) = &*queue {
            return Ok(queue.jobs.clone());
        }
        let (jobs, inbox) = sync_channel(limit::QUEUE_MAX);
        let (served, waiting) = (self.writer.clone(), self.queued.clone());
        let thread = spawn("baton-log-writer", move || serve(&served, &waiting, &inbox))?;
        *queue = Some(Queue { jobs: jobs.clone(), thread });
        Ok(jobs)
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        let queue = self.queue.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(Queue { jobs, thread }) = queue {
            drop(jobs);
            // A writer that panicked has answered nobody, so nothing was promised.
            let _ = thread.join();
        }
    }
}

/// Work that shares a transaction, and who waits for it.
#[derive(Default)]
struct Group {
    works: Vec<Work>,
    answers: Vec<SyncSender<Outcome>>,
    size: usize,
}

impl Group {
    fn add(&mut self, job: Job) {
        self.size += job.work.size();
        self.answers.push(job.answer);
        self.works.push(job.work);
    }

    fn has_room(&self) -> bool {
        self.works.len() < limit::GROUP_APPENDS_MAX && self.size < limit::GROUP_BYTES_MAX
    }

    /// Takes all that wait.
    fn fill(&mut self, jobs: &Receiver<Job>) {
        while self.has_room() {
            let Ok(job) = jobs.try_recv() else { break };
            self.add(job);
        }
    }

    /// Waits for those who were here a moment ago: whoever was just answered often comes right back, and two halves of a
    /// crowd that take turns pay for twice as many commits as they need. It ends when all of them are here, and costs half
    /// a commit at most.
    fn gather(&mut self, jobs: &Receiver<Job>, crowd: usize, commit: Duration) {
        let deadline = Instant::now() + (commit / 2).min(limit::GATHER_MAX);
        while self.works.len() < crowd && self.has_room() {
            let left = deadline.saturating_duration_since(Instant::now());
            let Ok(job) = jobs.recv_timeout(left) else { break };
            self.add(job);
        }
    }
}

/// Writes what is in the queue, as much of it at once as is allowed, until the last caller is gone.
fn serve(writer: &Mutex<Writer>, queued: &AtomicUsize, jobs: &Receiver<Job>) {
    let (mut crowd, mut commit) = (0, Duration::ZERO);
    while let Ok(first) = jobs.recv() {
        // Whoever writes now gives others the time to join the group.
        let mut writer = writer.lock().unwrap_or_else(PoisonError::into_inner);
        let mut group = Group::default();
        group.add(first);
        group.fill(jobs);
        group.gather(jobs, crowd, commit);
        let begun = Instant::now();
        let outcomes = writer.write(&group.works);
        commit = begun.elapsed();
        drop(writer);
        // Those who are answered now, and those who came meanwhile.
        crowd = queued.fetch_sub(group.works.len(), Ordering::AcqRel);
        for (answer, outcome) in group.answers.into_iter().zip(outcomes) {
            // A caller who has gone away does not need its answer.
            let _ = answer.send(outcome);
        }
    }
}

impl Writer {
    fn write(&mut self, works: &[Work]) -> Vec<Outcome> {
        match self.attempt(works) {
            Ok((head, outcomes)) => {
                self.signal.grown(head);
                outcomes
            }
            // One bad piece of work must not take the others with it.
            Err(Failure { step: Step::Work, .. }) if works.len() > 1 => {
                works.iter().flat_map(|work| self.write(std::slice::from_ref(work))).collect()
            }
            Err(failure) => {
                let error = self.settle(failure);
                works.iter().map(|_| Err(AppendError::Storage(error.clone()))).collect()
            }
        }
    }

    fn attempt(&mut self, works: &[Work]) -> Result<(Head, Vec<Outcome>), Failure> {
        let begun = |error| Failure { error, step: Step::Begin };
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => connect::writer(&self.path).map_err(begun)?,
        };
        execute(&connection, "BEGIN IMMEDIATE")
            .map_err(|error| begun(StoreError::database("begin to store", &error)))?;
        // After a failure they hold what was never stored, and are gone with it.
        let mut states = std::mem::take(&mut self.states);
        match transaction::perform(&connection, (&self.views, &mut states), works) {
            Ok((head, outcomes)) => {
                execute(&connection, "COMMIT").map_err(|error| Failure {
                    error: StoreError::database("store", &error),
                    step: Step::Commit(Box::new(head)),
                })?;
                self.connection = Some(connection);
                self.states = states;
                Ok((head, outcomes))
            }
            Err(error) => {
                // Without it the connection is closed, which undoes the transaction as well.
                if execute(&connection, "ROLLBACK").is_ok() && is_harmless(error.reason) {
                    self.connection = Some(connection);
                }
                Err(Failure { error, step: Step::Work })
            }
        }
    }

    /// Says what is true after a failure: when COMMIT failed, only a fresh look at the file can tell.
    fn settle(&mut self, failure: Failure) -> StoreError {
        let Step::Commit(head) = failure.step else { return failure.error };
        let seen = connect::writer(&self.path).and_then(|connection| {
            let found = query::hash_at(&connection, head.sequence)?;
            // What was written but not committed lies in the write-ahead log, where the recovery after a crash would
            // take it for a commit. Only an empty write-ahead log makes the answer final.
            connect::empty_write_ahead(&connection)?;
            self.connection = Some(connection);
            Ok(found == Some(head.hash))
        });
        match seen {
            Ok(false) => failure.error,
            Ok(true) | Err(_) => StoreError::new(
                Reason::Unsettled,
                failure.error.what,
                format!("the disk failed at the last step: {}", failure.error.why),
                "it may or may not be stored; read again, or send the same command again with the same key",
            ),
        }
    }
}

fn execute(connection: &Connection, sql: &str) -> Result<usize, rusqlite::Error> {
    connection.prepare_cached(sql)?.execute([])
}

/// Reasons after which the connection is as good as before.
fn is_harmless(reason: Reason) -> bool {
    matches!(reason, Reason::Busy | Reason::TooLarge | Reason::Missing | Reason::Full)
}
