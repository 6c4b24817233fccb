//! Judges many files: in the order of their names, on any number of threads, in memory that does not grow with them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use baton_handoff::diagnostic::{Diagnostic, Severity};
use baton_handoff::dialect::Dialect;
use baton_handoff::document::{self, Document};
use baton_handoff::field::Field;
use baton_handoff::handoff::Refusal;
use baton_handoff::judge::judge;
use baton_handoff::outcome::{self, Outcome};
use baton_handoff::project::Project;
use baton_handoff::rule;
use baton_handoff::secret;

use crate::file;
use crate::walk::{self, Exclude, Found};

/// Files handed to a thread at once: fewer hand-overs for small files.
const BATCH_FILES: usize = 32;
/// Batches under way at once; a slow file can hold back this many, no more.
const BATCHES_MAX: usize = 64;

/// What a handoff says of itself, in short.
#[derive(Clone, Debug)]
pub struct Brief {
    pub dialect: Dialect,
    pub variant: &'static str,
    pub task: Option<String>,
    pub stage: Option<String>,
    pub from: Option<String>,
    pub to: Option<String>,
    pub outcome: Outcome,
    pub because: &'static str,
}

/// What came of one file.
#[derive(Debug)]
pub enum Verdict {
    /// It holds handoffs; `source` is there when something was found in it.
    Judged {
        handoffs: Vec<Brief>,
        diagnostics: Vec<Diagnostic>,
        source: String,
    },
    /// It is no handoff; its findings say why, and count only when the file was named.
    NotAHandoff {
        refusal: Refusal,
        diagnostics: Vec<Diagnostic>,
        source: String,
    },
    Unreadable {
        message: String,
    },
}

#[derive(Debug)]
pub struct FileReport {
    pub path: PathBuf,
    /// Whether the file was named itself, not found in a folder.
    pub named: bool,
    pub verdict: Verdict,
}

/// Judges one document.
pub fn check_text(source: &[u8], project: &Project) -> Verdict {
    match document::decode(source) {
        Err(diagnostic) => Verdict::NotAHandoff {
            refusal: Refusal { reason: diagnostic.message.clone(), near_miss: false },
            diagnostics: vec![*diagnostic],
            source: String::new(),
        },
        Ok(text) => {
            let mut read = document::read(text);
            let mut diagnostics = judge(&mut read, project);
            let source = match diagnostics.is_empty() {
                true => String::new(),
                false => secret::hide(text, &mut diagnostics).into_owned(),
            };
            match read.refusal.take() {
                Some(refusal) => Verdict::NotAHandoff { refusal, diagnostics, source },
                None => {
                    let mut handoffs = briefs(&read);
                    if diagnostics.iter().any(leaves_doubt) {
                        handoffs.iter_mut().for_each(take_back);
                    }
                    Verdict::Judged { handoffs, diagnostics, source }
                }
            }
        }
    }
}

/// Says whether a finding means that the document could not be read for certain: beyond a limit, broken, ambiguous, or of
/// a schema that this build does not know.
fn leaves_doubt(found: &Diagnostic) -> bool {
    found.severity == Severity::Error && (found.code.is_of_reading() || found.code == rule::UNKNOWN_SCHEMA)
}

/// Takes back a conclusion of completion: what was not read for certain settles nothing.
fn take_back(brief: &mut Brief) {
    if brief.outcome == Outcome::Completed {
        brief.outcome = Outcome::Unknown;
        brief.because = "it cannot be read for certain";
    }
}

fn briefs(document: &Document<'_>) -> Vec<Brief> {
    let brief = |handoff: &baton_handoff::handoff::Handoff<'_>| {
        let text = |field| handoff.record.str(field).map(|text| secret::mask(text).into_owned());
        let conclusion = outcome::conclude(&handoff.record);
        Brief {
            dialect: handoff.dialect,
            variant: handoff.variant.name,
            task: text(Field::Task),
            stage: text(Field::Stage),
            from: text(Field::From),
            to: text(Field::To),
            outcome: conclusion.outcome,
            because: conclusion.because,
        }
    };
    document.handoffs.iter().map(brief).collect()
}

/// Judges all files at `paths` and hands each report to `take`, in order.
pub fn check_files(
    paths: &[PathBuf],
    exclude: &Exclude,
    threads: usize,
    project: &Project,
    take: &mut dyn FnMut(FileReport),
) {
    each(paths, exclude, threads, &|found, buffer| check_found(found, project, buffer), take);
}

/// What is done with one file; the buffer is lent for its bytes.
type Work<'w, T> = dyn Fn(Found, &mut Vec<u8>) -> T + Sync + 'w;

/// Does the same work on all files at `paths` and hands the results to `take`, in the order of the paths.
pub(crate) fn each<T: Send>(
    paths: &[PathBuf],
    exclude: &Exclude,
    threads: usize,
    work: &Work<'_, T>,
    take: &mut dyn FnMut(T),
) {
    if threads <= 1 {
        let mut buffer = Vec::new();
        walk::files(paths, exclude).for_each(|found| take(work(found, &mut buffer)));
        return;
    }
    let (jobs, job_queue) = sync_channel::<Batch<Found>>(BATCHES_MAX);
    let (results, result_queue) = sync_channel::<Batch<T>>(BATCHES_MAX);
    let (permits, permit_queue) = sync_channel::<()>(BATCHES_MAX);
    let job_queue = Mutex::new(job_queue);
    thread::scope(|scope| {
        for _ in 0..BATCHES_MAX {
            let _ = permits.try_send(());
        }
        for _ in 0..threads {
            let (job_queue, results) = (&job_queue, results.clone());
            scope.spawn(move || labour(job_queue, &results, work));
        }
        drop(results);
        scope.spawn(move || produce(paths, exclude, &jobs, &permit_queue));
        consume(&result_queue, &permits, take);
    });
}

struct Batch<T> {
    number: usize,
    items: Vec<T>,
}

fn produce(paths: &[PathBuf], exclude: &Exclude, jobs: &SyncSender<Batch<Found>>, permits: &Receiver<()>) {
    let mut files = walk::files(paths, exclude);
    for number in 0.. {
        let items: Vec<_> = files.by_ref().take(BATCH_FILES).collect();
        // A send fails only when the other side is gone, and then there is nobody left to work for.
        if items.is_empty() || permits.recv().is_err() || jobs.send(Batch { number, items }).is_err() {
            return;
        }
    }
}

fn labour<T>(jobs: &Mutex<Receiver<Batch<Found>>>, results: &SyncSender<Batch<T>>, work: &Work<'_, T>) {
    let mut buffer = Vec::new();
    loop {
        let Ok(Ok(batch)) = jobs.lock().map(|queue| queue.recv()) else { return };
        let items = batch.items.into_iter().map(|found| work(found, &mut buffer)).collect();
        if results.send(Batch { number: batch.number, items }).is_err() {
            return;
        }
    }
}

fn consume<T>(results: &Receiver<Batch<T>>, permits: &SyncSender<()>, take: &mut dyn FnMut(T)) {
    let mut waiting = BTreeMap::new();
    let mut next = 0;
    for batch in results {
        waiting.insert(batch.number, batch.items);
        while let Some(items) = waiting.remove(&next) {
            items.into_iter().for_each(&mut *take);
            next += 1;
            let _ = permits.try_send(());
        }
    }
}

fn check_found(found: Found, project: &Project, buffer: &mut Vec<u8>) -> FileReport {
    match found {
        Found::Problem { path, message } => {
            FileReport { path, named: true, verdict: Verdict::Unreadable { message } }
        }
        Found::File { path, named } => {
            let verdict = match file::read_bounded(&path, buffer) {
                Ok(()) => check_text(buffer, project),
                Err(error) => Verdict::Unreadable { message: error.to_string() },
            };
            FileReport { path, named, verdict }
        }
    }
}
