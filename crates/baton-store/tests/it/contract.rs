//! The contract, held against every store.

use std::panic::{self, AssertUnwindSafe};
use std::thread;
use std::time::Duration;

use baton_store::memory::MemoryLog;
use baton_store::sqlite::SqliteLog;
use baton_store::{Append, AppendError, BlobId, Blobs, Log, Reason, Snapshot, Snapshots, chain, limit};

use baton_testkit::store_bug::{BuggyLog, StoreBug};

use crate::support::{Place, event, keyed};

trait Store: Log + Blobs + Snapshots + Clone + Send + 'static {}
impl<T: Log + Blobs + Snapshots + Clone + Send + 'static> Store for T {}

macro_rules! contract {
    ($($name:ident)*) => {
        mod memory {
            use super::*;
            $(#[test] fn $name() { super::$name(MemoryLog::default()); })*
        }
        mod sqlite {
            use super::*;
            $(#[test] fn $name() {
                let place = Place::new();
                let log: SqliteLog = place.open();
                super::$name(log.clone());
                log.check().unwrap().unwrap();
            })*
        }
        /// The same tests, for logs that do not keep the contract.
        const CONTRACT: &[(&str, fn(BuggyLog))] = &[$((stringify!($name), |log| $name(log)),)*];
    };
}

contract! {
    versions_and_sequences_have_no_gap
    the_loser_of_a_race_is_told
    a_command_is_stored_once
    a_key_belongs_to_its_stream
    an_append_is_all_or_nothing
    an_append_of_nothing_compares_versions
    what_is_too_large_is_refused_by_name
    events_come_back_as_they_were
    all_events_come_in_pages
    a_follower_sees_what_comes
    streams_are_listed_in_order
    documents_come_back_byte_for_byte
    documents_go_in_with_their_events
    snapshots_belong_to_events
    threads_never_share_a_version
    the_chain_verifies
}

/// A suite that overlooks a wrong build proves nothing about a right one.
#[test]
fn every_planted_bug_breaks_the_contract() {
    let breaks = |bug: StoreBug| {
        let broken = |(_, test): &&(&str, fn(BuggyLog))| {
            panic::catch_unwind(AssertUnwindSafe(|| test(BuggyLog::new(bug)))).is_err()
        };
        CONTRACT.iter().find(broken).map(|(name, _)| *name)
    };
    assert_eq!(breaks(StoreBug::None), None);
    for bug in StoreBug::ALL {
        let found = breaks(*bug).unwrap_or_else(|| panic!("nothing finds that {}", bug.what()));
        println!("{}: found by {found}", bug.what());
    }
}

fn versions_and_sequences_have_no_gap(mut log: impl Store) {
    let first = log.append("a", 0, &[event("1"), event("2")]).unwrap();
    let second = log.append("b", 0, &[event("3")]).unwrap();
    let third = log.append("a", 2, &[event("4")]).unwrap();
    let places: Vec<(u64, u64)> =
        first.iter().chain(&second).chain(&third).map(|event| (event.sequence, event.version)).collect();
    assert_eq!(places, [(1, 1), (2, 2), (3, 1), (4, 3)]);
    assert_eq!(first[0].previous, [0; 32]);
    assert_eq!(third[0].previous, second[0].hash);
    let head = log.head().unwrap();
    assert_eq!((head.sequence, head.hash), (4, third[0].hash));
}

fn the_loser_of_a_race_is_told(mut log: impl Store) {
    log.append("a", 0, &[event("1")]).unwrap();
    let lost = log.append("a", 0, &[event("2")]).unwrap_err();
    assert_eq!(lost, AppendError::Conflict { actual: 1 });
    let early = log.append("a", 7, &[event("2")]).unwrap_err();
    assert_eq!(early, AppendError::Conflict { actual: 1 });
    assert_eq!(log.head().unwrap().sequence, 1);
}

fn a_command_is_stored_once(mut log: impl Store) {
    let command = [keyed("1", "k"), keyed("2", "k")];
    let stored = log.append("a", 0, &command).unwrap();
    log.append("a", 2, &[event("3")]).unwrap();
    for expected in [0, 2, 3] {
        let again = log.append("a", expected, &command).unwrap_err();
        assert_eq!(again, AppendError::Duplicate { key: "k".to_owned(), recorded: stored.clone() });
    }
    assert_eq!(log.head().unwrap().sequence, 3);
}

fn a_key_belongs_to_its_stream(mut log: impl Store) {
    log.append("a", 0, &[keyed("1", "k")]).unwrap();
    log.append("b", 0, &[keyed("1", "k")]).unwrap();
    assert_eq!(log.head().unwrap().sequence, 2);
}

fn an_append_is_all_or_nothing(mut log: impl Store) {
    let mut huge = event("huge");
    huge.body = vec![b' '; limit::BODY_BYTES_MAX + 1];
    let document: &[u8] = b"document";
    let append = Append { stream: "a", expected: 0, events: &[event("1"), huge], documents: &[document] };
    let refused = log.append_with(&append).unwrap_err();
    assert!(matches!(refused, AppendError::Storage(error) if error.reason == Reason::TooLarge));
    let conflict = Append { stream: "a", expected: 4, events: &[event("1")], documents: &[document] };
    log.append_with(&conflict).unwrap_err();
    assert_eq!(log.head().unwrap().sequence, 0);
    assert!(!log.has(&BlobId::of(document)).unwrap());
    assert!(log.streams("", 10).unwrap().is_empty());
}

fn an_append_of_nothing_compares_versions(mut log: impl Store) {
    assert_eq!(log.append("a", 0, &[]).unwrap(), []);
    assert_eq!(log.append("a", 1, &[]).unwrap_err(), AppendError::Conflict { actual: 0 });
}

fn what_is_too_large_is_refused_by_name(mut log: impl Store) {
    let reason = |refused: Result<_, AppendError>| match refused.unwrap_err() {
        AppendError::Storage(error) => error.reason,
        other => panic!("{other}"),
    };
    let long = "x".repeat(limit::STREAM_BYTES_MAX);
    log.append(&long, 0, &[event("1")]).unwrap();
    assert_eq!(reason(log.append(&format!("{long}x"), 0, &[event("1")])), Reason::TooLarge);
    assert_eq!(reason(log.append("", 0, &[event("1")])), Reason::Missing);
    let many = vec![event("1"); limit::EVENTS_PER_APPEND_MAX + 1];
    assert_eq!(reason(log.append("a", 0, &many)), Reason::TooLarge);
    log.append("a", 0, &many[1..]).unwrap();
    let key = keyed("1", &"k".repeat(limit::NAME_BYTES_MAX + 1));
    assert_eq!(reason(log.append("b", 0, &[key])), Reason::TooLarge);
}

fn events_come_back_as_they_were(mut log: impl Store) {
    let mut odd = keyed("odd", "key \u{0}\u{2028}\u{1f600}");
    odd.body = vec![0, 255, 10, 13];
    odd.at = i64::MIN;
    odd.schema = u32::MAX;
    odd.actor.turn = Some(String::new());
    odd.actor.name = "名前".to_owned();
    let stored = log.append("@project", 0, &[odd.clone(), event("plain")]).unwrap();
    assert_eq!(stored[0].body, odd.body);
    assert_eq!(log.read("@project", 0).unwrap(), stored);
    assert_eq!(log.read("@project", 1).unwrap(), stored[1..]);
    assert_eq!(log.read("@project", 2).unwrap(), []);
    assert_eq!(log.read("nothing", 0).unwrap(), []);
}

fn all_events_come_in_pages(mut log: impl Store) {
    let mut stored = Vec::new();
    for number in 0..25 {
        stored.extend(log.append(&format!("s{number}"), 0, &[event("1"), event("2")]).unwrap());
    }
    let mut seen = Vec::new();
    loop {
        let after = seen.last().map_or(0, |event: &baton_engine::envelope::Recorded| event.sequence);
        let page = log.read_all(after, 7).unwrap();
        if page.is_empty() {
            break;
        }
        seen.extend(page);
    }
    assert_eq!(seen, stored);
}

fn a_follower_sees_what_comes(mut log: impl Store) {
    assert_eq!(log.follow(0, 10, Duration::ZERO).unwrap(), []);
    let watcher = log.clone();
    let watching = thread::spawn(move || {
        let mut seen = Vec::new();
        while seen.len() < 20 {
            let after = seen.len() as u64;
            seen.extend(watcher.follow(after, 3, Duration::from_secs(30)).unwrap());
        }
        seen
    });
    let mut stored = Vec::new();
    for number in 0..20 {
        stored.extend(log.append("a", number, &[event("1")]).unwrap());
    }
    assert_eq!(watching.join().unwrap(), stored, "every event, in order, once");
}

fn streams_are_listed_in_order(mut log: impl Store) {
    for stream in ["b", "a", "c"] {
        log.append(stream, 0, &[event("1")]).unwrap();
    }
    log.append("b", 1, &[event("2")]).unwrap();
    let heads = log.streams("", 10).unwrap();
    let heads: Vec<(&str, u64)> = heads.iter().map(|head| (head.stream.as_str(), head.version)).collect();
    assert_eq!(heads, [("a", 1), ("b", 2), ("c", 1)]);
    assert_eq!(log.streams("a", 1).unwrap()[0].stream, "b");
}

fn documents_come_back_byte_for_byte(mut log: impl Store) {
    let chunk = limit::BLOB_CHUNK_BYTES;
    for size in [0, 1, 4_096, chunk - 1, chunk, chunk + 1, 3 * chunk + 17] {
        let bytes: Vec<u8> = (0..size).map(|place| (place * 31 % 251) as u8).collect();
        let id = log.put(&bytes).unwrap();
        assert_eq!(id, log.put(&bytes).unwrap(), "the same bytes are the same document");
        assert_eq!(BlobId::parse(&id.to_string()), Some(id));
        assert!(log.has(&id).unwrap());
        assert!(log.get(&id).unwrap().is_some_and(|found| found == bytes), "{size} bytes");
    }
    assert_eq!(log.get(&BlobId::of(b"never stored")).unwrap(), None);
    assert_eq!(log.put(&vec![0; limit::BLOB_BYTES_MAX + 1]).unwrap_err().reason, Reason::TooLarge);
}

fn documents_go_in_with_their_events(mut log: impl Store) {
    let documents: &[&[u8]] = &[b"one", b"two", b"one"];
    log.append_with(&Append { stream: "a", expected: 0, events: &[event("1")], documents }).unwrap();
    for document in documents {
        assert_eq!(log.get(&BlobId::of(document)).unwrap().as_deref(), Some(*document));
    }
}

fn snapshots_belong_to_events(mut log: impl Store) {
    let snapshot = |version, state: &[u8]| Snapshot {
        stream: "a".to_owned(),
        version,
        schema: 3,
        state: state.to_vec(),
    };
    assert_eq!(log.save_snapshot(&snapshot(1, b"early")).unwrap_err().reason, Reason::Missing);
    log.append("a", 0, &[event("1"), event("2")]).unwrap();
    assert_eq!(log.snapshot("a").unwrap(), None);
    log.save_snapshot(&snapshot(1, b"one")).unwrap();
    log.save_snapshot(&snapshot(2, b"two")).unwrap();
    assert_eq!(log.snapshot("a").unwrap(), Some(snapshot(2, b"two")));
    assert_eq!(log.save_snapshot(&snapshot(3, b"three")).unwrap_err().reason, Reason::Missing);
    assert_eq!(log.save_snapshot(&snapshot(0, b"zero")).unwrap_err().reason, Reason::Missing);
}

fn threads_never_share_a_version(mut log: impl Store) {
    const THREADS: usize = 8;
    const EACH: u64 = 50;
    let workers: Vec<_> = (0..THREADS)
        .map(|worker| {
            let mut log = log.clone();
            thread::spawn(move || {
                for number in 0..EACH {
                    let key = format!("{worker}-{number}");
                    loop {
                        let version = log.read("shared", 0).unwrap().len() as u64;
                        match log.append("shared", version, &[keyed(&key, &key)]) {
                            Ok(_) => break,
                            Err(AppendError::Conflict { .. }) => {}
                            Err(error) => panic!("{error}"),
                        }
                    }
                    log.append(&key, 0, &[event("own")]).unwrap();
                }
            })
        })
        .collect();
    workers.into_iter().for_each(|worker| worker.join().unwrap());
    log.rebuild().unwrap();
    let shared = log.read("shared", 0).unwrap();
    assert_eq!(shared.len() as u64, THREADS as u64 * EACH);
    assert_eq!(log.head().unwrap().sequence, 2 * THREADS as u64 * EACH);
}

fn the_chain_verifies(mut log: impl Store) {
    for number in 0..10 {
        log.append("a", number, &[event("1")]).unwrap();
    }
    let verified = chain::verify(&log, Some(log.head().unwrap())).unwrap().unwrap();
    assert_eq!((verified.anchored, verified.unanchored), (10, 0));
    let verified = chain::verify(&log, None).unwrap().unwrap();
    assert_eq!((verified.anchored, verified.unanchored), (0, 10));
}
