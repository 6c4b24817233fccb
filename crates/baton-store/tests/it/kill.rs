//! Kills a process at random moments, again and again: what it acknowledged is there.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use baton_store::{BlobId, Log};
use baton_testkit::random::Random;

use crate::support::{Place, is_long};

const KILLS: usize = 100;
const KILLS_LONG: usize = 1_000;
/// More than any session lives to store.
const EVENTS_PER_SESSION: usize = 1_000_000;

#[test]
fn a_killed_process_loses_nothing_it_acknowledged() {
    let kills = if is_long() { KILLS_LONG } else { KILLS };
    let mut random = Random::numbered(7, 0);
    let place = Place::new();
    let mut acknowledged = BTreeMap::new();
    for number in 0..kills {
        let mut child = place
            .session("append", &format!("life{number}"), EVENTS_PER_SESSION)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let out = child.stdout.take().unwrap();
        let (sender, heard) = mpsc::channel();
        let listening = thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        // Some die while they open the store, others in the middle of their work.
        thread::sleep(Duration::from_micros(random.below(60_000) as u64));
        child.kill().unwrap();
        child.wait().unwrap();
        listening.join().unwrap();
        note(heard.iter(), &mut acknowledged);
    }
    let log = place.open();
    check(&log, &acknowledged);
    println!(
        "{kills} kills, {} acknowledged, {} stored, 0 lost",
        acknowledged.len(),
        log.head().unwrap().sequence
    );
    assert!(acknowledged.len() > kills, "a test in which nothing is stored shows nothing");
}

/// Keeps what a session acknowledged. A line without its end was never heard by anybody.
pub(crate) fn note(lines: impl Iterator<Item = String>, acknowledged: &mut BTreeMap<u64, String>) {
    for line in lines {
        if let ["ack", sequence, hash] = line.split(' ').collect::<Vec<_>>()[..]
            && hash.len() == 64
        {
            acknowledged.insert(sequence.parse().unwrap(), hash.to_owned());
        }
    }
}

/// Every acknowledged event is there, and the whole log holds together.
pub(crate) fn check(log: &baton_store::sqlite::SqliteLog, acknowledged: &BTreeMap<u64, String>) {
    let verified = log.check().unwrap().unwrap();
    for (sequence, hash) in acknowledged {
        let event = log.read_all(sequence - 1, 1).unwrap().pop();
        let event = event.unwrap_or_else(|| panic!("acknowledged event {sequence} of {verified:?} is lost"));
        assert_eq!(BlobId(event.hash).to_string(), *hash, "event {sequence} is another one");
    }
}
