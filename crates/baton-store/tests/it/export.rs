//! The log as text, and back.

use std::io::Cursor;

use baton_store::memory::MemoryLog;
use baton_store::{Log, Reason, export};

use crate::support::{Place, event, keyed};

fn sample() -> MemoryLog {
    let mut log = MemoryLog::default();
    log.append("a", 0, &[keyed("1", "k"), keyed("2", "k"), event("3")]).unwrap();
    let mut odd = event("4");
    odd.body = vec![0xff, 0, 7];
    odd.actor.turn = Some("T-1".to_owned());
    log.append("b\u{1f600}", 0, &[odd]).unwrap();
    log.append("a", 3, &[event("5")]).unwrap();
    log
}

#[test]
fn an_exported_log_is_the_same_log_elsewhere() {
    let log = sample();
    let place = Place::new();
    let mut text = Vec::new();
    let head = export::export(&log, None, &mut text).unwrap();
    let mut other = place.open();
    let imported = export::import(&mut Cursor::new(&text), None, &mut other).unwrap().unwrap();
    assert_eq!((imported.head, other.head().unwrap()), (head, head));
    assert_eq!(other.read_all(0, 100).unwrap(), log.read_all(0, 100).unwrap());
    let mut again = Vec::new();
    export::export(&other, None, &mut again).unwrap();
    assert_eq!(again, text);
    let error = export::import(&mut Cursor::new(&text), None, &mut other).unwrap_err();
    assert_eq!(error.reason, Reason::Occupied);
}

#[test]
fn nothing_of_a_bad_export_is_stored() {
    let mut text = Vec::new();
    export::export(&sample(), None, &mut text).unwrap();
    let text = String::from_utf8(text).unwrap().replace(
        "\"at\":1700000000000,\"body\":\"{\\\"note\\\":\\\"5",
        "\"at\":1700000000001,\"body\":\"{\\\"note\\\":\\\"5",
    );
    let mut other = MemoryLog::default();
    let finding = export::import(&mut Cursor::new(text.as_bytes()), None, &mut other).unwrap().unwrap_err();
    assert_eq!(finding.sequence, 5, "{finding}");
    assert_eq!(other.head().unwrap().sequence, 0);
}

#[test]
fn an_unsigned_end_is_not_taken_for_a_signed_one() {
    let place = Place::new();
    let mut text = Vec::new();
    export::export(&sample(), None, &mut text).unwrap();
    export::verify(&mut Cursor::new(&text), None).unwrap().unwrap();
    let finding = export::verify(&mut Cursor::new(&text), Some(&place.key())).unwrap().unwrap_err();
    assert!(finding.to_string().contains("not signed"), "{finding}");
}
