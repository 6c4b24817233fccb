//! Works on a store the way tests need it: started by them, killed by them, watched by its output.
//!
//! `session append STORE STATE LABEL COUNT`: stores events one by one and prints each acknowledgement.
//! `session once STORE STATE LABEL COUNT`: the same, but at the first refusal it says what was refused and dies at once.
//! `session race STORE STATE LABEL COUNT`: fights with others of its kind over COUNT streams and one counter.

use std::error::Error;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use baton_engine::envelope::{Actor, ActorKind, Fresh};
use baton_store::anchor::{Anchorage, Key};
use baton_store::sqlite::{Options, SqliteLog};
use baton_store::{Append, AppendError, BlobId, Log};

/// What to do when an event is refused.
#[derive(Clone, Copy, PartialEq)]
enum Manner {
    Patient,
    Once,
}

/// Streams of a session of appends.
const STREAMS: usize = 5;
/// Times that an event is offered before the session gives up.
const OFFERS_MAX: usize = 3;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["append", store, state, label, count] => append(store, state, label, count, Manner::Patient),
        ["once", store, state, label, count] => append(store, state, label, count, Manner::Once),
        ["race", store, state, label, count] => race(store, state, label, count),
        _ => Err("usage: session append|race STORE STATE LABEL COUNT".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nobody may be there to read it.
            let _ = writeln!(std::io::stdout(), "failed {error}");
            ExitCode::FAILURE
        }
    }
}

fn open(store: &str, state: &str) -> Result<SqliteLog, Box<dyn Error>> {
    let state = Path::new(state);
    let key = Key::load_or_create(&state.join("key"))?;
    let anchorage = Some(Anchorage::new(state.join("anchor.json"), key));
    Ok(SqliteLog::open(Path::new(store), Options { anchorage, ..Options::default() })?)
}

fn append(store: &str, state: &str, label: &str, count: &str, manner: Manner) -> Result<(), Box<dyn Error>> {
    let mut log = open(store, state)?;
    say(&format!("open {}", log.head()?.sequence))?;
    for number in 0..count.parse::<usize>()? {
        let document = format!("document {number} of {label}\n").repeat(40);
        let documents: &[&[u8]] = if number % 3 == 0 { &[document.as_bytes()] } else { &[] };
        let stream = format!("task-{}", number % STREAMS);
        let mut event = fresh(label, &BlobId::of(document.as_bytes()).to_string());
        event.key = Some(format!("{label}-{number}"));
        offer(&mut log, &Append { stream: &stream, expected: 0, events: &[event], documents }, manner)?;
    }
    say("end")
}

/// Offers an event until it is stored: by this offer, or by one before whose answer was never seen.
fn offer(log: &mut SqliteLog, append: &Append<'_>, manner: Manner) -> Result<(), Box<dyn Error>> {
    let mut offers = 0;
    loop {
        let expected = log.read(append.stream, 0).map_or(0, |events| events.len() as u64);
        let stored = match log.append_with(&Append { expected, ..*append }) {
            Ok(recorded) | Err(AppendError::Duplicate { recorded, .. }) => recorded,
            Err(AppendError::Conflict { .. }) => continue,
            Err(AppendError::Storage(error)) if manner == Manner::Once => {
                let key = append.events.first().and_then(|event| event.key.clone()).unwrap_or_default();
                say(&format!("refused {} {key} {:?}", append.stream, error.reason))?;
                // Nothing is tidied up: what is on the disk now is what the next start finds.
                std::process::abort();
            }
            Err(AppendError::Storage(error)) if offers < OFFERS_MAX => {
                say(&format!("error {:?} {error}", error.reason))?;
                offers += 1;
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        for event in stored {
            say(&format!("ack {} {}", event.sequence, BlobId(event.hash)))?;
        }
        return Ok(());
    }
}

fn race(store: &str, state: &str, label: &str, count: &str) -> Result<(), Box<dyn Error>> {
    let mut log = open(store, state)?;
    say("open")?;
    let (mut won, mut lost, mut raised, mut seen) = (0, 0, 0, 0);
    for number in 0..count.parse::<usize>()? {
        match log.append(&format!("task-{number}"), 0, &[fresh(label, "decided")]) {
            Ok(_) => won += 1,
            Err(AppendError::Conflict { .. }) => lost += 1,
            Err(error) => return Err(error.into()),
        }
        // A lost update would be two events that saw the same count.
        loop {
            seen += log.read("counter", seen)?.len() as u64;
            match log.append("counter", seen, &[fresh(label, &(seen + 1).to_string())]) {
                Ok(_) => {
                    seen += 1;
                    break raised += 1;
                }
                Err(AppendError::Conflict { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
    say(&format!("won {won} lost {lost} raised {raised}"))
}

fn fresh(label: &str, note: &str) -> Fresh {
    Fresh {
        at: 1_700_000_000_000,
        actor: Actor { kind: ActorKind::Host, name: label.to_owned(), turn: None },
        kind: "noted".to_owned(),
        schema: 1,
        body: format!("{{\"by\":\"{label}\",\"note\":\"{note}\"}}").into_bytes(),
        key: None,
    }
}

fn say(line: &str) -> Result<(), Box<dyn Error>> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}")?;
    Ok(out.flush()?)
}
