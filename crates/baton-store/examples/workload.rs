//! The work that `cargo xtask bench store` measures: handoffs of eight-stage workflows, each stored before the next.
//!
//! Each prints how many, in how many seconds, and where the system tells it, with how many seconds of processor time and
//! how many bytes for the disk.
//!
//! `workload raw|sqlite|baton FOLDER WORKFLOWS THREADS`: stores handoffs.
//! `workload fill FOLDER EVENTS`: makes a log of that many events.
//! `workload status FOLDER`, `workload verify FOLDER`: what a person asks first, and what an auditor asks.
#![expect(clippy::print_stdout, reason = "its output is what it is for")]

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use baton_engine::envelope::{Actor, ActorKind, Fresh};
use baton_engine::event::Event;
use baton_engine::fact::{Document, Outcome, Submission};
use baton_engine::word::{ArtifactId, AttemptNumber, TaskId, TreeHash, TurnId};
use baton_engine::workflow::Workflow;
use baton_store::anchor::{Anchorage, Key};
use baton_store::sqlite::{Options, SqliteLog};
use baton_store::view::{View, Views, tasks};
use baton_store::{Append, BlobId, Log, limit};
use rusqlite::Connection;

type Done<T> = Result<T, Box<dyn Error + Send + Sync>>;

const STAGES: usize = 8;
/// Words of the agent in the event of a handoff, so that the event has 1 KB.
const WORDS_BYTES: usize = 640;
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
    // What agents write is there before it is stored, so writing it is not measured.
    let names: Vec<String> =
        (0..workflows).map(|workflow| format!("{}-{workflow}", std::process::id())).collect();
    let stages = |name: &String| (0..STAGES).map(|stage| handoff(name, stage)).collect();
    let handoffs: Vec<Vec<Handoff>> = names.iter().map(stages).collect::<Done<_>>()?;
    let work: Vec<(&String, &Vec<Handoff>)> = names.iter().zip(&handoffs).collect();
    let started = Start::now();
    thread::scope(|scope| {
        let workers: Vec<_> = contestants
            .iter_mut()
            .enumerate()
            .map(|(worker, contestant)| {
                let own = work.iter().skip(worker).step_by(threads);
                scope.spawn(move || -> Done<()> {
                    for (name, handoffs) in own {
                        carry(contestant.as_mut(), name, handoffs)?;
                    }
                    Ok(())
                })
            })
            .collect();
        workers.into_iter().try_for_each(|worker| worker.join().map_err(|_| "a thread has panicked")?)
    })?;
    started.told(workflows * STAGES)
}

/// What this process had cost when a measurement began.
struct Start {
    at: Instant,
    processor: f64,
    written: u64,
}

impl Start {
    fn now() -> Self {
        Start { at: Instant::now(), processor: processor_seconds(), written: bytes_written() }
    }

    fn told(&self, count: usize) -> Done<()> {
        let seconds = self.at.elapsed().as_secs_f64();
        let processor = processor_seconds() - self.processor;
        println!("{count} {seconds} {processor} {}", bytes_written() - self.written);
        Ok(())
    }
}

/// Returns the processor time of this process, in hundredths of a second, or nothing where the system does not tell.
fn processor_seconds() -> f64 {
    const TICKS_A_SECOND: f64 = 100.0;
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The second field is a name, which may hold blanks; the 14th and 15th are counted from behind it.
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11).take(2);
    fields.filter_map(|field| field.parse::<f64>().ok()).sum::<f64>() / TICKS_A_SECOND
}

fn bytes_written() -> u64 {
    let told = fs::read_to_string("/proc/self/io").unwrap_or_default();
    told.lines().find_map(|line| line.strip_prefix("write_bytes: ")?.parse().ok()).unwrap_or(0)
}

/// Carries one workflow through its stages.
fn carry(contestant: &mut dyn Contestant, name: &str, handoffs: &[Handoff]) -> Done<()> {
    handoffs.iter().enumerate().try_for_each(|(stage, handoff)| contestant.handoff(name, stage, handoff))
}

fn handoff(workflow: &str, stage: usize) -> Done<Handoff> {
    let line = format!("{workflow} stage {stage}: what was done, what was found, what comes next. ");
    let mut text = line.repeat(DOCUMENT_BYTES / line.len() + 1);
    text.truncate(DOCUMENT_BYTES);
    let turn = TurnId::new(format!("turn-{stage}"))?;
    let submission = Submission {
        files: None,
        findings: Vec::new(),
        document: Document { id: ArtifactId::new(format!("handoff-{turn}"))?, blob: blob(text.as_bytes())? },
        outcome: Outcome::Completed,
        problems: vec![text.chars().take(WORDS_BYTES).collect()],
        claims: BTreeMap::new(),
        block: None,
        question: None,
        gate: None,
        on_failure: None,
        tree: TreeHash::new("0".repeat(40))?,
    };
    let received = Event::HandoffReceived { turn, attempt: AttemptNumber::FIRST, submission };
    Ok(Handoff { body: received.body(), document: text.into_bytes() })
}

fn blob(bytes: &[u8]) -> Done<baton_engine::word::BlobId> {
    Ok(baton_engine::word::BlobId::new(BlobId::of(bytes).to_string())?)
}

/// The first event of a workflow.
fn added(name: &str) -> Done<Fresh> {
    let document = Document { id: ArtifactId::new("order")?, blob: blob(b"an order")? };
    let workflow = Workflow::built_in("stages").ok_or("no such workflow")?;
    let budget_tokens = workflow.budget_tokens;
    let event = Event::TaskAdded {
        task: TaskId::new(name)?,
        title: "a task".to_owned(),
        document,
        workflow,
        criteria: BTreeSet::new(),
        depends_on: BTreeSet::new(),
        lineage: Vec::new(),
        budget_tokens,
    };
    Ok(fresh(event.kind(), event.body()))
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
        let received = fresh("handoff_received", handoff.body.clone());
        let mut events = vec![Fresh { key: Some(format!("stage-{stage}")), ..received }];
        if stage == 0 {
            events.insert(0, added(workflow)?);
        }
        // The first handoff brings the task along.
        let expected = if stage == 0 { 0 } else { stage as u64 + 1 };
        let append = Append { stream: workflow, expected, events: &events, documents: &[&handoff.document] };
        self.0.append_with(&append)?;
        Ok(())
    }
}

fn fresh(kind: &str, body: Vec<u8>) -> Fresh {
    Fresh {
        at: 1_700_000_000_000,
        actor: Actor { kind: ActorKind::Agent, name: "@builder".to_owned(), turn: Some("T-1".to_owned()) },
        kind: kind.to_owned(),
        schema: 1,
        body,
        key: None,
    }
}

fn open(folder: &Path) -> Done<SqliteLog> {
    let key = Key::load_or_create(&folder.join("key"))?;
    let anchorage = Some(Anchorage::new(folder.join("anchor.json"), key));
    let views = Views::with([Arc::new(tasks::Tasks) as Arc<dyn View>]);
    Ok(SqliteLog::open(&folder.join("log.db"), Options { views, anchorage, ..Options::default() })?)
}

fn fill(folder: &Path, events: &str) -> Done<()> {
    fs::create_dir_all(folder)?;
    let log = open(folder)?;
    let streams = events.parse::<usize>()? / STREAM_EVENTS;
    let started = Start::now();
    // Many callers share commits, so that a million events take a minute and not an hour.
    let callers = limit::GROUP_APPENDS_MAX / 2;
    thread::scope(|scope| {
        let workers: Vec<_> = (0..callers)
            .map(|worker| {
                let mut log = log.clone();
                scope.spawn(move || -> Done<()> {
                    for stream in (worker..streams).step_by(callers) {
                        let name = format!("filled-{stream}");
                        let mut events = vec![added(&name)?];
                        for stage in 1..STREAM_EVENTS {
                            events.push(fresh("handoff_received", handoff(&name, stage)?.body));
                        }
                        log.append(&name, 0, &events)?;
                    }
                    Ok(())
                })
            })
            .collect();
        workers.into_iter().try_for_each(|worker| worker.join().map_err(|_| "a thread has panicked")?)
    })?;
    started.told(streams * STREAM_EVENTS)
}

fn status(folder: &Path) -> Done<()> {
    let started = Start::now();
    let log = open(folder)?;
    let head = log.head()?;
    let streams = log.streams("", PAGE)?;
    log.rows(tasks::NAME, "", PAGE)?;
    let last = streams.last().map(|head| head.stream.clone()).unwrap_or_default();
    log.read(&last, 0)?;
    started.told(usize::try_from(head.sequence)?)
}

fn verify(folder: &Path) -> Done<()> {
    let log = open(folder)?;
    let started = Start::now();
    let verified = log.verify()??;
    started.told(usize::try_from(verified.head.sequence)?)
}
