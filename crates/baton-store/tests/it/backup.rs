//! Backups taken while the store is in use, and brought back.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use baton_store::backup::{backup, restore};
use baton_store::sqlite::{Options, SqliteLog};
use baton_store::{Blobs, Log, Reason};

use crate::support::{Place, event};

const BACKUPS: u64 = 20;

#[test]
fn backups_under_load_hold_everything_before_them() {
    let place = Place::new();
    let mut log = place.open();
    let document = log.put(&[7; 600_000]).unwrap();
    let is_over = Arc::new(AtomicBool::new(false));
    let mut writer = log.clone();
    let over = is_over.clone();
    let writing = thread::spawn(move || {
        let mut version = 0;
        while !over.load(Ordering::Relaxed) {
            writer.append("a", version, &[event("1")]).unwrap();
            version += 1;
        }
    });
    for number in 0..BACKUPS {
        let before = log.head().unwrap();
        let copy = place.folder.path().join(format!("backup-{number}.db"));
        let verified = backup(&log, &copy).unwrap();
        assert!(verified.head.sequence >= before.sequence);
        let back = place.folder.path().join(format!("restored-{number}.db"));
        let restored = restore(&copy, &back, Some(before).filter(|head| head.sequence > 0)).unwrap();
        assert_eq!(restored.head, verified.head);
        let again = SqliteLog::open(&back, Options::default()).unwrap();
        assert_eq!(again.head().unwrap(), verified.head);
        assert_eq!(again.get(&document).unwrap().unwrap().len(), 600_000);
    }
    is_over.store(true, Ordering::Relaxed);
    writing.join().unwrap();
    log.check().unwrap().unwrap();
}

#[test]
fn nothing_is_overwritten() {
    let place = Place::new();
    let log = place.open();
    let copy = place.folder.path().join("copy.db");
    backup(&log, &copy).unwrap();
    assert_eq!(backup(&log, &copy).unwrap_err().reason, Reason::Occupied);
    assert_eq!(restore(&copy, &place.store(), None).unwrap_err().reason, Reason::Occupied);
    let back = place.folder.path().join("back.db");
    fs::write(place.folder.path().join("back.db-wal"), "left over").unwrap();
    assert_eq!(restore(&copy, &back, None).unwrap_err().reason, Reason::Occupied);
}

#[test]
fn a_damaged_backup_is_not_restored() {
    let place = Place::new();
    let mut log = place.open();
    for version in 0..50 {
        log.append("a", version, &[event("1")]).unwrap();
    }
    let copy = place.folder.path().join("copy.db");
    backup(&log, &copy).unwrap();
    let raw = rusqlite::Connection::open(&copy).unwrap();
    raw.execute("UPDATE events SET at = at + 1 WHERE sequence = 20", []).unwrap();
    drop(raw);
    let back = place.folder.path().join("back.db");
    let error = restore(&copy, &back, None).unwrap_err();
    assert_eq!(error.reason, Reason::Corrupt);
    assert!(error.why.contains("event 20"), "{error}");
    assert!(!back.exists());
    let left = fs::read_dir(place.folder.path()).unwrap().count();
    assert_eq!(left, 5, "log.db, its two companions, copy.db and state: nothing half is left");
}

#[test]
fn an_older_backup_is_known_by_the_head_it_must_hold() {
    let place = Place::new();
    let mut log = place.open();
    log.append("a", 0, &[event("1")]).unwrap();
    let copy = place.folder.path().join("copy.db");
    backup(&log, &copy).unwrap();
    log.append("a", 1, &[event("2")]).unwrap();
    let back = place.folder.path().join("back.db");
    let error = restore(&copy, &back, Some(log.head().unwrap())).unwrap_err();
    assert!(error.why.contains("event 2"), "{error}");
}
