//! What is refused, and that the refusal says what to do next.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use baton_store::anchor::{Anchorage, Key};
use baton_store::sqlite::{Options, SqliteLog};
use baton_store::{Log, Reason, StoreError};
use rusqlite::Connection;

use crate::support::{Place, event};

fn refused(place: &Place) -> StoreError {
    let error = SqliteLog::open(&place.store(), place.options()).unwrap_err();
    assert!(!error.what.is_empty() && !error.why.is_empty() && !error.next.is_empty(), "{error}");
    error
}

fn filled(count: u64) -> Place {
    let place = Place::new();
    let mut log = place.open();
    for version in 0..count {
        log.append("a", version, &[event("1")]).unwrap();
    }
    place
}

#[test]
fn a_newer_store_is_left_alone() {
    let place = filled(3);
    Connection::open(place.store()).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let before = fs::read(place.store()).unwrap();
    let error = refused(&place);
    assert_eq!(error.reason, Reason::NewerSchema);
    assert!(error.why.contains("schema 99") && error.next.contains("install the newer Baton"));
    assert_eq!(fs::read(place.store()).unwrap(), before);
}

#[test]
fn a_file_of_somebody_else_is_left_alone() {
    let place = Place::new();
    fs::write(place.store(), "dear diary").unwrap();
    fs::set_permissions(place.store(), fs::Permissions::from_mode(0o666)).unwrap();
    assert_eq!(refused(&place).reason, Reason::LooseMode);
    fs::set_permissions(place.store(), fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(refused(&place).reason, Reason::ForeignFile);
    assert_eq!(fs::read(place.store()).unwrap(), b"dear diary");

    let place = Place::new();
    Connection::open(place.store()).unwrap().execute_batch("CREATE TABLE theirs (x)").unwrap();
    fs::set_permissions(place.store(), fs::Permissions::from_mode(0o600)).unwrap();
    let before = fs::read(place.store()).unwrap();
    assert_eq!(refused(&place).reason, Reason::ForeignFile);
    assert_eq!(fs::read(place.store()).unwrap(), before);
}

#[test]
fn a_link_or_folder_is_no_store() {
    let place = filled(1);
    let link = place.folder.path().join("link.db");
    std::os::unix::fs::symlink(place.store(), &link).unwrap();
    let error = SqliteLog::open(&link, place.options()).unwrap_err();
    assert_eq!(error.reason, Reason::ForeignFile);
    let error = SqliteLog::open(&place.state(), place.options()).unwrap_err();
    assert_eq!(error.reason, Reason::ForeignFile);
    let error = SqliteLog::open(&place.folder.path().join("no/such/log.db"), place.options()).unwrap_err();
    assert_eq!(error.reason, Reason::Missing);
}

#[test]
fn a_damaged_file_is_not_written_to() {
    let place = filled(200);
    let mut bytes = fs::read(place.store()).unwrap();
    let tail = bytes.len() - 8_192;
    bytes[tail..].fill(0xa5);
    fs::write(place.store(), &bytes).unwrap();
    let found = SqliteLog::open(&place.store(), place.options()).and_then(|log| log.check());
    assert!(matches!(found, Err(error) if error.reason == Reason::Corrupt));
}

#[test]
fn a_truncated_file_is_found() {
    let place = filled(200);
    let bytes = fs::read(place.store()).unwrap();
    fs::write(place.store(), &bytes[..bytes.len() / 2]).unwrap();
    let found = SqliteLog::open(&place.store(), place.options()).and_then(|log| log.check());
    assert!(matches!(found, Err(error) if matches!(error.reason, Reason::Corrupt | Reason::Tampered)));
    fs::write(place.store(), []).unwrap();
    assert_eq!(refused(&place).reason, Reason::Tampered, "an emptied file is not a new one");
}

#[test]
fn what_is_not_the_anchored_log_is_refused() {
    let place = filled(10);
    let old = fs::read(place.store()).unwrap();
    place.open().append("a", 10, &[event("later")]).unwrap();

    fs::write(place.store(), &old).unwrap();
    let error = refused(&place);
    assert_eq!(error.reason, Reason::Tampered, "an older copy");
    assert!(error.why.contains("event 11") && error.why.contains("missing"), "{error}");

    fs::remove_file(place.store()).unwrap();
    assert_eq!(refused(&place).reason, Reason::Tampered, "a removed store");

    let other = filled(20);
    fs::copy(other.store(), place.store()).unwrap();
    assert_eq!(refused(&place).reason, Reason::Tampered, "another store");
}

#[test]
fn only_a_person_anchors_anew() {
    let place = filled(10);
    Connection::open(place.store()).unwrap().execute("DELETE FROM events WHERE sequence > 5", []).unwrap();
    assert_eq!(refused(&place).reason, Reason::Tampered);
    let log = SqliteLog::open(&place.store(), Options::default()).unwrap();
    place.anchorage().anchor_anew(&log.anchor().unwrap()).unwrap();
    drop(log);
    let mut log = place.open();
    log.append("a", 5, &[event("on")]).unwrap();
    drop(log);
    assert_eq!(place.open().verify().unwrap().unwrap().anchored, 6);
}

#[test]
fn a_tail_that_is_cut_while_the_store_is_open_is_not_anchored_over() {
    let place = filled(10);
    let mut log = place.open();
    Connection::open(place.store()).unwrap().execute("DELETE FROM events WHERE sequence > 5", []).unwrap();
    for version in 5..15 {
        log.append("a", version, &[event("on")]).unwrap();
    }
    drop(log);
    assert_eq!(refused(&place).reason, Reason::Tampered);
}

#[test]
fn a_forged_anchor_is_found() {
    let place = filled(3);
    let file = place.state().join("anchor.json");
    let text = fs::read_to_string(&file).unwrap();
    for forged in [text.replace("\"sequence\":3", "\"sequence\":2"), String::new(), "{}".to_owned()] {
        fs::write(&file, forged).unwrap();
        assert_eq!(refused(&place).reason, Reason::Tampered);
    }
    fs::write(&file, text).unwrap();
    place.open();
    let stranger = Key::load_or_create(&place.state().join("other key")).unwrap();
    assert_eq!(Anchorage::new(file, stranger).read().unwrap_err().reason, Reason::Tampered);
}

#[test]
fn a_key_that_others_can_read_is_refused() {
    let place = filled(1);
    let path = place.state().join("key");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(place.store()).unwrap().permissions().mode() & 0o777, 0o600);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    let error = Key::load_or_create(&path).unwrap_err();
    assert_eq!(error.reason, Reason::LooseMode);
    assert!(error.next.contains("chmod 600"));
}

#[test]
fn a_store_that_somebody_holds_can_be_read_and_is_written_later() {
    let place = filled(1);
    let holder = Connection::open(place.store()).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut log = place.open();
    assert_eq!(log.read("a", 0).unwrap().len(), 1);
    let waiting = std::thread::spawn(move || log.append("a", 1, &[event("2")]).map(|stored| stored.len()));
    holder.execute_batch("ROLLBACK").unwrap();
    assert_eq!(waiting.join().unwrap(), Ok(1));
}
