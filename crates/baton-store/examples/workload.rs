//! The work that `cargo xtask bench store` measures: handoffs of eight-stage workflows, each stored before the next.
//!
//! `workload raw|sqlite|baton FOLDER WORKFLOWS THREADS`: stores handoffs and prints how many and in how many seconds.
//! `workload fill FOLDER EVENTS`: makes a log of that many events.
//! `workload status FOLDER`, `workload verify FOLDER`: what a person asks first, and what an auditor asks.
#![expect(clippy::print_stdout, reason = "its output is what it is for")]

use std::error::Error;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use baton_engine::envelope::{Actor, ActorKind, Fresh};
use baton_store::anchor::{Anchorage, Key};
use baton_store::sqlite::{Options, SqliteLog};
use baton_store::{Append, BlobId, Log, limit};
use rusqlite::Connection;

type Done<T> = Result<T, Box<dyn Error + Send + Sync>>;

const STAGES: usize = 8;
const BODY_BYTES: usize = 1_000;
const DOCUMENT_BYTES: usize = 4_096;
/// Events of one stream when a log is filled.
const STREAM_EVENTS: usize = 8;
/// Streams that a person sees at once.
const PAGE: usize = 100;

/// Stores one handoff, and returns when it is safe on the disk.
trait Contestant: Send {
    fn handoff(&mut self, workflow: &str, stage: usize, handoff: &Handoff) -> Done<()>;
}

struct Handoff {
    body: Vec<u8>,
    document: Vec<u8>,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["fill", folder, events] => fill(Path::new(folder), events),
        ["status", folder] => status(Path::new(folder)),
        ["verify", folder] => verify(Path::new(folder)),
        [who, folder, workflows, threads] => contest(who, Path::new(folder), workflows, threads),
        _ => Err("usage: workload raw|sqlite|baton|fill|status|verify FOLDER …".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("failed {error}");
            ExitCode::FAILURE
        }
    }
}

fn contest(who: &str, folder: &Path, workflows: &str, threads: &str) -> Done<()> {
    fs::create_dir_all(folder)?;
    let (workflows, threads): (usize, usize) = (workflows.parse()?, threads.parse()?);
    let mut contestants = contestants(who, folder, threads)?;
    let started = Instant::now();
    thread::scope(|scope| {
        let workers: Vec<_> = contestants
            .iter_mut()
            .enumerate()
            .map(|(worker, contestant)| {
                scope.spawn(move || -> Done<()> {
                    for workflow in (worker..workflows).step_by(threads) {
                        carry(contestant.as_mut(), workflow)?;
                    }
                    Ok(())
                })
            })
            .collect();
        workers.into_iter().try_for_each(|worker| worker.join().map_err(|_| "a thread has panicked")?)
    })?;
    told(workflows * STAGES, started.elapsed())
}

fn told(count: usize, elapsed: Duration) -> Done<()> {
    println!("{count} {}", elapsed.as_secs_f64());
    Ok(())
}

/// Carries one workflow through its stages.
fn carry(contestant: &mut dyn Contestant, workflow: usize) -> Done<()> {
    let name = format!("{}-{workflow}", std::process::id());
    for stage in 0..STAGES {
        contestant.handoff(&name, stage, &handoff(&name, stage))?;
    }
    Ok(())
}

fn handoff(workflow: &str, stage: usize) -> Handoff {
    let line = format!("{workflow} stage {stage}: what was done, what was found, what comes next. ");
    let document: Vec<u8> = line.bytes().cycle().take(DOCUMENT_BYTES).collect();
    let mut body = format!("{{\"document\":\"{}\",\"summary\":\"", BlobId::of(&document)).into_bytes();
    body.extend(line.bytes().cycle().take(BODY_BYTES.saturating_sub(body.len() + 2)));
    body.extend(b"\"}");
    Handoff { body, document }
}

fn contestants(who: &str, folder: &Path, threads: usize) -> Done<Vec<Box<dyn Contestant>>> {
    let copies = |make: &dyn Fn() -> Box<dyn Contestant>| (0..threads).map(|_| make()).collect();
    match who {
        "raw" => {
            let file = File::options().append(true).create(true).open(folder.join("raw"))?;
            let raw = Raw(Arc::new(Mutex::new(file)));
            Ok(copies(&|| Box::new(raw.clone())))
        }
        "sqlite" => {
            let bare = Bare(Arc::new(Mutex::new(bare(&folder.join("bare.db"))?)));
            Ok(copies(&|| Box::new(bare.clone())))
        }
        "baton" => {
            let baton = Baton(open(folder)?);
            Ok(copies(&|| Box::new(baton.clone())))
        }
        _ => Err(format!("`{who}` does not take part").into()),
    }
}

/// The floor of all floors: bytes at the end of a file, flushed.
#[derive(Clone)]
struct Raw(Arc<Mutex<File>>);

impl Contestant for Raw {
    fn handoff(&mut self, _workflow: &str, _stage: usize, handoff: &Handoff) -> Done<()> {
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(&[handoff.body.as_slice(), &handoff.document].concat())?;
        Ok(file.sync_data()?)
    }
}

/// The same bytes in two tables of the same SQLite with the same durability, and nothing else.
#[derive(Clone)]
struct Bare(Arc<Mutex<Connection>>);

fn bare(path: &Path) -> Done<Connection> {
    let connection = Connection::open(path)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.execute_batch(
        "CREATE TABLE IF NOT EXISTS events (sequence INTEGER PRIMARY KEY, body BLOB); \
         CREATE TABLE IF NOT EXISTS documents (number INTEGER PRIMARY KEY, bytes BLOB);",
    )?;
    Ok(connection)
}

impl Contestant for Bare {
    fn handoff(&mut self, _workflow: &str, _stage: usize, handoff: &Handoff) -> Done<()> {
        let connection = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        connection.execute_batch("BEGIN IMMEDIATE")?;
        connection.prepare_cached("INSERT INTO events (body) VALUES (?1)")?.execute([&handoff.body])?;
        connection
            .prepare_cached("INSERT INTO documents (bytes) VALUES (?1)")?
            .execute([&handoff.document])?;
        Ok(connection.execute_batch("COMMIT")?)
    }
}

/// Baton's store with everything that belongs to it: chain, keys, views, anchor.
#[derive(Clone)]
struct Baton(SqliteLog);

impl Contestant for Baton {
    fn handoff(&mut self, workflow: &str, stage: usize, handoff: &Handoff) -> Done<()> {
        let event = Fresh { key: Some(format!("stage-{stage}")), ..fresh(handoff.body.clone()) };
        let documents: &[&[u8]] = &[&handoff.document];
        let append = Append {
            stream: workflow,
            expected: stage as u64,
            events: std::slice::from_ref(&event),
            documents,
        };
        self.0.append_with(&append)?;
        Ok(())
    }
}

fn fresh(body: Vec<u8>) -> Fresh {
    Fresh {
        at: 1_700_000_000_000,
        actor: Actor { kind: ActorKind::Agent, name: "@builder".to_owned(), turn: Some("T-1".to_owned()) },
        kind: "handoff_received".to_owned(),
        schema: 1,
        body,
        key: None,
    }
}

fn open(folder: &Path) -> Done<SqliteLog> {
    let key = Key::load_or_create(&folder.join("key"))?;
    let anchorage = Some(Anchorage::new(folder.join("anchor.json"), key));
    Ok(SqliteLog::open(&folder.join("log.db"), Options { anchorage, ..Options::default() })?)
}

fn fill(folder: &Path, events: &str) -> Done<()> {
    fs::create_dir_all(folder)?;
    let log = open(folder)?;
    let streams = events.parse::<usize>()? / STREAM_EVENTS;
    let started = Instant::now();
    // Many callers share commits, so that a million events take a minute and not an hour.
    let callers = limit::GROUP_APPENDS_MAX / 2;
    thread::scope(|scope| {
        let workers: Vec<_> = (0..callers)
            .map(|worker| {
                let mut log = log.clone();
                scope.spawn(move || -> Done<()> {
                    for stream in (worker..streams).step_by(callers) {
                        let name = format!("filled-{stream}");
                        let event = |stage| fresh(handoff(&name, stage).body);
                        let events: Vec<Fresh> = (0..STREAM_EVENTS).map(event).collect();
                        log.append(&name, 0, &events)?;
                    }
                    Ok(())
                })
            })
            .collect();
        workers.into_iter().try_for_each(|worker| worker.join().map_err(|_| "a thread has panicked")?)
    })?;
    told(streams * STREAM_EVENTS, started.elapsed())
}

fn status(folder: &Path) -> Done<()> {
    let started = Instant::now();
    let log = open(folder)?;
    let head = log.head()?;
    let streams = log.streams("", PAGE)?;
    log.rows("kinds", "", PAGE)?;
    let last = streams.last().map(|head| head.stream.clone()).unwrap_or_default();
    log.read(&last, 0)?;
    let elapsed = started.elapsed();
    told(usize::try_from(head.sequence)?, elapsed)
}

fn verify(folder: &Path) -> Done<()> {
    let log = open(folder)?;
    let started = Instant::now();
    let verified = log.verify()??;
    told(usize::try_from(verified.head.sequence)?, started.elapsed())
}
