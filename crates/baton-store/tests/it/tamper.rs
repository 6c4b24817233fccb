//! Somebody with access to the file changes it: every change is found, and the first bad event is named.

use std::collections::BTreeMap;
use std::io::Cursor;

use baton_store::chain::{Fault, Finding, Verified};
use baton_store::sqlite::SqliteLog;
use baton_store::{BlobId, Blobs, Log, Reason, export};
use baton_testkit::random::Random;
use rusqlite::Connection;

use crate::support::{Place, event, keyed};

const EVENTS: usize = 40;
const DATABASE_CHANGES: usize = 8_000;
const EXPORT_CHANGES: usize = 2_000;
const BIT_FLIPS: usize = 400;

fn filled(place: &Place) -> SqliteLog {
    let mut log = place.open();
    for number in 0..EVENTS {
        let stream = format!("task-{}", number % 3);
        let fresh = match number % 2 {
            0 => event(&number.to_string()),
            _ => keyed(&number.to_string(), &number.to_string()),
        };
        log.append(&stream, (number / 3) as u64, &[fresh]).unwrap();
    }
    drop(log);
    place.open()
}

/// What must be found: a bad event, or events that nobody vouches for.
#[derive(Debug, PartialEq)]
enum Expected {
    First(u64),
    Unanchored(u64),
}

#[test]
fn every_change_of_the_database_is_found() {
    let place = Place::new();
    let log = filled(&place);
    let raw = Connection::open(place.store()).unwrap();
    raw.execute_batch("PRAGMA synchronous = OFF; CREATE TEMP TABLE saved AS SELECT * FROM events").unwrap();
    let mut counts = BTreeMap::new();
    for number in 0..DATABASE_CHANGES {
        let mut random = Random::numbered(11, number);
        let (name, expected) = change(&raw, &log, &mut random);
        let found = log.verify().unwrap();
        match (&found, &expected) {
            (Err(Finding { sequence, .. }), Expected::First(first)) if sequence == first => {}
            (Ok(Verified { unanchored, .. }), Expected::Unanchored(count)) if unanchored == count => {}
            _ => panic!("change {number}, {name}: expected {expected:?}, found {found:?}"),
        }
        *counts.entry(name).or_insert(0) += 1;
        raw.execute_batch("BEGIN; DELETE FROM events; INSERT INTO events SELECT * FROM saved; COMMIT")
            .unwrap();
    }
    log.verify().unwrap().unwrap();
    println!("{DATABASE_CHANGES} changes of the database, all found: {counts:?}");
    assert!(counts.len() == 7 && counts.values().all(|count| *count > DATABASE_CHANGES / 20));
}

fn change(raw: &Connection, log: &SqliteLog, random: &mut Random) -> (&'static str, Expected) {
    let last = EVENTS as i64;
    let at = random.between(1, EVENTS) as i64;
    let run = |sql: &str| raw.execute_batch(sql).unwrap();
    match random.below(7) {
        0 => {
            let column = *random.pick(&[
                "sequence = sequence + 1000",
                "stream = stream || 'x'",
                "version = version + 1000",
                "at = at + 1",
                "actor_kind = CASE actor_kind WHEN 'host' THEN 'person' ELSE 'host' END",
                "actor_kind = 'god'",
                "actor_name = actor_name || ' '",
                "actor_turn = coalesce(actor_turn, '')  || 'x'",
                "kind = upper(kind)",
                "schema = schema + 1",
                "body = CAST(body || ' ' AS BLOB)",
                "body = x''",
                "key = CASE WHEN key IS NULL THEN '' ELSE NULL END",
                "previous = zeroblob(33)",
                "previous = randomblob(32)",
                "hash = randomblob(32)",
                "hash = x''",
                "kind = CAST(x'ff' AS TEXT)",
            ]);
            run(&format!("UPDATE events SET {column} WHERE sequence = {at}"));
            ("edit", Expected::First(at as u64))
        }
        1 => {
            run(&format!("DELETE FROM events WHERE sequence = {at}"));
            ("deletion", Expected::First(at as u64))
        }
        2 => insertion(raw, log, at),
        3 => {
            let other = (at + random.between(0, EVENTS - 2) as i64) % last + 1;
            let first = at.min(other) as u64;
            run(&format!(
                "BEGIN; UPDATE events SET sequence = -1 WHERE sequence = {at}; \
                 UPDATE events SET sequence = {at} WHERE sequence = {other}; \
                 UPDATE events SET sequence = {other} WHERE sequence = -1; COMMIT"
            ));
            ("swap", Expected::First(first))
        }
        4 => {
            run(&format!("DELETE FROM events WHERE sequence >= {at}"));
            ("tail cut", Expected::First(at as u64))
        }
        5 => {
            rewrite(raw, log, at);
            ("rewritten chain", Expected::First(last as u64))
        }
        _ => forged_tail(raw, log, random.below(2) == 0),
    }
}

/// Makes room after an event and puts a copy of it there, without a right hash.
fn insertion(raw: &Connection, log: &SqliteLog, at: i64) -> (&'static str, Expected) {
    let row = log.read_all(at as u64 - 1, 1).unwrap().remove(0);
    let sql = format!(
        "BEGIN; UPDATE events SET sequence = -sequence WHERE sequence > {at}; \
         UPDATE events SET sequence = 1 - sequence WHERE sequence < 0; \
         INSERT INTO events SELECT {at} + 1, 'forged', 1, at, actor_kind, actor_name, actor_turn, kind, schema, body, \
         NULL, hash, hash FROM events WHERE sequence = {at}; COMMIT"
    );
    raw.execute_batch(&sql).unwrap();
    ("insertion", Expected::First(row.sequence + 1))
}

/// Changes an event and gives it and all later ones hashes that fit.
fn rewrite(raw: &Connection, log: &SqliteLog, at: i64) {
    let mut previous = None;
    raw.execute_batch("BEGIN").unwrap();
    for mut event in log.read_all(at as u64 - 1, EVENTS).unwrap() {
        event.previous = previous.unwrap_or(event.previous);
        event.body.push(b' ');
        event.hash = event.expected_hash();
        previous = Some(event.hash);
        raw.execute(
            "UPDATE events SET body = ?2, previous = ?3, hash = ?4 WHERE sequence = ?1",
            (event.sequence as i64, &event.body, &event.previous[..], &event.hash[..]),
        )
        .unwrap();
    }
    raw.execute_batch("COMMIT").unwrap();
}

/// Puts an event behind the last one, with or without a right hash.
fn forged_tail(raw: &Connection, log: &SqliteLog, is_right: bool) -> (&'static str, Expected) {
    let mut forged = log.read_all(EVENTS as u64 - 1, 1).unwrap().remove(0);
    forged.previous = forged.hash;
    forged.sequence += 1;
    forged.version = 1;
    forged.stream = "forged".to_owned();
    forged.key = None;
    if is_right {
        forged.hash = forged.expected_hash();
    }
    raw.execute(
        "INSERT INTO events SELECT ?1, ?2, 1, at, actor_kind, actor_name, actor_turn, kind, schema, body, NULL, ?3, ?4 \
         FROM events WHERE sequence = ?1 - 1",
        (forged.sequence as i64, &forged.stream, &forged.previous[..], &forged.hash[..]),
    )
    .unwrap();
    match is_right {
        true => ("forged tail", Expected::Unanchored(1)),
        false => ("forged tail", Expected::First(forged.sequence)),
    }
}

#[test]
fn every_change_of_an_export_is_found() {
    let place = Place::new();
    let log = filled(&place);
    let key = place.key();
    let mut bytes = Vec::new();
    export::export(&log, Some(&key), &mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), EVENTS + 1);
    let verify = |text: &[u8]| export::verify(&mut Cursor::new(text), Some(&key)).unwrap();
    verify(text.as_bytes()).unwrap();
    let mut counts = BTreeMap::new();
    for number in 0..EXPORT_CHANGES {
        let mut random = Random::numbered(13, number);
        let (name, first, changed) = change_lines(&lines, &mut random);
        let found = verify(&changed).unwrap_err();
        assert_eq!(found.sequence, first as u64, "change {number}, {name}: {found}");
        *counts.entry(name).or_insert(0) += 1;
    }
    println!("{EXPORT_CHANGES} changes of the exported log, all found: {counts:?}");
    assert!(counts.len() == 5 && counts.values().all(|count| *count > EXPORT_CHANGES / 20));
}

fn change_lines(lines: &[&str], random: &mut Random) -> (&'static str, usize, Vec<u8>) {
    let mut changed: Vec<Vec<u8>> = lines.iter().map(|line| line.as_bytes().to_vec()).collect();
    let at = random.below(lines.len());
    let (name, first) = match random.below(5) {
        0 => {
            let place = random.below(changed[at].len());
            let before = changed[at][place];
            changed[at][place] = loop {
                let letter = random.between(0x21, 0x7e) as u8;
                if letter != before {
                    break letter;
                }
            };
            ("edit", at + 1)
        }
        1 => {
            changed.remove(at);
            ("deletion", at + 1)
        }
        2 => {
            let at = at.min(EVENTS - 1);
            changed.insert(at + 1, changed[at].clone());
            ("insertion", at + 2)
        }
        3 => {
            let other = (at + random.between(1, lines.len() - 1)) % lines.len();
            changed.swap(at, other);
            ("swap", at.min(other) + 1)
        }
        _ => {
            changed.truncate(at);
            ("tail cut", at + 1)
        }
    };
    let mut bytes = changed.join(&b"\n"[..]);
    bytes.push(b'\n');
    (name, first, if changed.is_empty() { Vec::new() } else { bytes })
}

#[test]
fn flipped_bits_are_never_read_as_events() {
    let place = Place::new();
    let events = filled(&place).read_all(0, EVENTS).unwrap();
    let bytes = std::fs::read(place.store()).unwrap();
    let (mut found, mut harmless) = (0, 0);
    for number in 0..BIT_FLIPS {
        let mut random = Random::numbered(17, number);
        let mut flipped = bytes.clone();
        flipped[random.below(bytes.len())] ^= 1 << random.below(8);
        std::fs::write(place.store(), &flipped).unwrap();
        let read = SqliteLog::open(&place.store(), place.options()).and_then(|log| {
            let checked = log.check()?;
            Ok((checked, log.read_all(0, EVENTS)?))
        });
        match read {
            // The bit was in an index, a view, or where nothing is.
            Ok((Ok(_), read)) if read == events => harmless += 1,
            Ok((Ok(_), read)) => panic!("flip {number}: read {} events that were never stored", read.len()),
            Ok((Err(_), _)) | Err(_) => found += 1,
        }
        for ending in ["-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{ending}", place.store().display()));
        }
    }
    println!("{BIT_FLIPS} flipped bits: {found} found, {harmless} outside of events, 0 read as events");
    assert!(found > BIT_FLIPS / 10);
}

#[test]
fn changed_documents_are_found() {
    let place = Place::new();
    let mut log = place.open();
    let ids: Vec<BlobId> =
        [10, 4_096, 700_000].iter().map(|size| log.put(&vec![b'x'; *size]).unwrap()).collect();
    assert_eq!(log.check_documents().unwrap(), 3);
    let raw = Connection::open(place.store()).unwrap();
    let spoiled = [
        "UPDATE blobs SET bytes = x'00' WHERE number = 1",
        "UPDATE blob_chunks SET bytes = zeroblob(10) WHERE number = 3 AND place = 1",
        "DELETE FROM blob_chunks WHERE number = 3 AND place = 2",
    ];
    for sql in spoiled {
        raw.execute_batch(sql).unwrap();
        assert_eq!(log.check_documents().unwrap_err().reason, Reason::Corrupt);
    }
    assert_eq!(log.get(&ids[0]).unwrap_err().reason, Reason::Corrupt);
    assert_eq!(log.get(&ids[1]).unwrap().unwrap().len(), 4_096);
    assert_eq!(log.get(&ids[2]).unwrap_err().reason, Reason::Corrupt);
}

#[test]
fn a_cut_tail_is_named_with_what_is_missing() {
    let place = Place::new();
    let log = filled(&place);
    let raw = Connection::open(place.store()).unwrap();
    raw.execute("DELETE FROM events WHERE sequence > 30", []).unwrap();
    let finding = log.verify().unwrap().unwrap_err();
    assert_eq!(finding, Finding { sequence: 31, fault: Fault::Cut });
    assert_eq!(finding.to_string(), "event 31 and all after it are missing: the tail was cut");
}
