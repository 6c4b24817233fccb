//! Views follow the events in the same transaction and can be folded anew.

use std::sync::Arc;

use baton_engine::envelope::Recorded;
use baton_store::memory::MemoryLog;
use baton_store::sqlite::{Options, SqliteLog};
use baton_store::view::{Rows, View, Views};
use baton_store::{AppendError, Log, Reason, Row, StoreError};

use crate::support::{Place, event};

/// Streams whose last note is open; a note that says `close` takes the row away.
struct Open {
    version: u32,
}

impl View for Open {
    fn name(&self) -> &'static str {
        "open"
    }

    fn version(&self) -> u32 {
        self.version
    }

    fn apply(&self, event: &Recorded, rows: &mut dyn Rows) -> Result<(), StoreError> {
        let body = String::from_utf8_lossy(&event.body).into_owned();
        if body.contains("poison") {
            return Err(StoreError {
                reason: Reason::Failed,
                what: "fold".to_owned(),
                why: "poison".to_owned(),
                next: "none".to_owned(),
            });
        }
        let count = rows.get(&event.stream)?.map_or(0, |value| value.len());
        match body.contains("close") {
            true => rows.remove(&event.stream),
            false => rows.put(&event.stream, vec![b'0' + self.version as u8; count + 1]),
        }
        Ok(())
    }
}

fn views(version: u32) -> Views {
    Views::with([Arc::new(Open { version }) as Arc<dyn View>])
}

fn open(place: &Place, version: u32) -> SqliteLog {
    SqliteLog::open(&place.store(), Options { views: views(version), ..Options::default() }).unwrap()
}

fn all_rows(log: &dyn Log) -> Vec<Row> {
    log.rows("open", "", 1_000).unwrap()
}

fn fill(log: &mut dyn Log) {
    for number in 0..60 {
        let note = if number % 7 == 6 { "close" } else { "note" };
        let stream = format!("s{}", number % 5);
        log.append(&stream, number / 5, &[event(note)]).unwrap();
    }
}

#[test]
fn all_stores_fold_the_same_rows_and_fold_them_again() {
    let place = Place::new();
    let mut sqlite = open(&place, 1);
    let mut memory = MemoryLog::with_views(views(1));
    fill(&mut sqlite);
    fill(&mut memory);
    let rows = all_rows(&sqlite);
    assert_eq!(rows, all_rows(&memory));
    let lengths: Vec<usize> = rows.iter().map(|row| row.value.len()).collect();
    assert_eq!(lengths, [3, 6, 2, 5], "notes since the last close");
    sqlite.rebuild().unwrap();
    memory.rebuild().unwrap();
    assert_eq!(all_rows(&sqlite), rows, "the same bytes");
    assert_eq!(all_rows(&memory), rows, "the same bytes");
}

#[test]
fn damaged_rows_are_rebuilt() {
    let place = Place::new();
    let mut log = open(&place, 1);
    fill(&mut log);
    let rows = all_rows(&log);
    let raw = rusqlite::Connection::open(place.store()).unwrap();
    raw.execute_batch("UPDATE view_rows SET value = x'00'; DELETE FROM view_rows WHERE key = 's1'").unwrap();
    assert_ne!(all_rows(&log), rows);
    log.rebuild().unwrap();
    assert_eq!(all_rows(&log), rows);
}

#[test]
fn a_view_is_folded_anew_when_its_version_changes() {
    let place = Place::new();
    fill(&mut open(&place, 1));
    let newer = open(&place, 2);
    let row = newer.rows("open", "", 1).unwrap().remove(0);
    assert!(row.value.iter().all(|byte| *byte == b'2'));
}

#[test]
fn a_view_catches_up_with_what_an_older_program_stored() {
    let place = Place::new();
    let mut both = open(&place, 1);
    both.append("a", 0, &[event("1")]).unwrap();
    // This one does not know the view.
    let mut older = SqliteLog::open(&place.store(), Options::default()).unwrap();
    older.append("a", 1, &[event("2")]).unwrap();
    both.append("a", 2, &[event("3")]).unwrap();
    assert_eq!(both.row("open", "a").unwrap().unwrap().len(), 3);
}

#[test]
fn an_event_that_a_view_refuses_is_not_stored() {
    let place = Place::new();
    for log in [&mut open(&place, 1) as &mut dyn Log, &mut MemoryLog::with_views(views(1))] {
        log.append("a", 0, &[event("1")]).unwrap();
        let refused = log.append("a", 1, &[event("2"), event("poison")]).unwrap_err();
        assert!(matches!(refused, AppendError::Storage(_)));
        assert_eq!(log.head().unwrap().sequence, 1);
        assert_eq!(log.row("open", "a").unwrap().unwrap().len(), 1, "nothing half");
        log.append("a", 1, &[event("2")]).unwrap();
        assert_eq!(log.row("open", "a").unwrap().unwrap().len(), 2);
    }
}
