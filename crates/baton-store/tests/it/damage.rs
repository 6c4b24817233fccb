//! One bit of the file is wrong, in a page of every kind, or the write-ahead log is damaged or gone: it is found, or
//! everything reads as it was stored. Nothing else is ever believed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use baton_store::chain::Finding;
use baton_store::sqlite::SqliteLog;
use baton_store::{BlobId, Blobs, Log, Reason, StoreError};
use baton_testkit::random::Random;
use rusqlite::Connection;

use crate::support::{Place, event, is_long};

/// Events with a body of a kilobyte, so that the trees have inner pages.
const EVENTS: u64 = 300;
const BODY_BYTES: usize = 1_000;
/// A document of this size spills into pages of its own.
const DOCUMENT_BYTES: usize = 30_000;
/// Bits that are flipped in each kind of page.
const FLIPS: usize = 24;
const FLIPS_LONG: usize = 600;

/// What a page of the file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    Header,
    Interior,
    Leaf,
    Overflow,
    Freelist,
}

/// All that a log says, for comparison.
#[derive(Debug, PartialEq)]
struct Content {
    events: Vec<baton_engine::envelope::Recorded>,
    documents: Vec<Option<Vec<u8>>>,
}

fn document(number: u8) -> Vec<u8> {
    (0..DOCUMENT_BYTES).map(|at| number.wrapping_add((at % 251) as u8)).collect()
}

fn append(log: &mut SqliteLog, versions: std::ops::Range<u64>) {
    for version in versions {
        log.append("task", version, &[event(&"x".repeat(BODY_BYTES))]).unwrap();
    }
}

/// A log with pages of every kind.
fn filled() -> (Place, Vec<BlobId>) {
    let place = Place::new();
    let mut log = place.open();
    append(&mut log, 0..EVENTS);
    let documents = (0..4).map(|number| log.put(&document(number)).unwrap()).collect();
    drop(log);
    let raw = Connection::open(place.store()).unwrap();
    raw.execute_batch(
        "CREATE TABLE spare (bytes BLOB); INSERT INTO spare VALUES (zeroblob(90000)); DROP TABLE spare",
    )
    .unwrap();
    drop(raw);
    (place, documents)
}

/// Tells the pages of a file apart, as its format says.
fn classes(bytes: &[u8]) -> BTreeMap<Class, Vec<usize>> {
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let size = match usize::from(u16::from_be_bytes([bytes[16], bytes[17]])) {
        1 => 65_536,
        size => size,
    };
    let mut free = BTreeSet::new();
    let mut trunk = number(32);
    while trunk != 0 && free.insert(trunk) {
        let at = (trunk - 1) * size;
        free.extend((0..number(at + 4)).map(|leaf| number(at + 8 + 4 * leaf)));
        trunk = number(at);
    }
    let mut classes: BTreeMap<Class, Vec<usize>> = BTreeMap::new();
    for page in 1..=bytes.len() / size {
        let class = match bytes[(page - 1) * size] {
            _ if page == 1 => Class::Header,
            _ if free.contains(&page) => Class::Freelist,
            2 | 5 => Class::Interior,
            10 | 13 => Class::Leaf,
            _ => Class::Overflow,
        };
        classes.entry(class).or_default().push((page - 1) * size);
    }
    classes
}

/// Why a log is not believed.
#[derive(Debug)]
enum Doubt {
    Store(StoreError),
    Chain(Finding),
}

impl From<StoreError> for Doubt {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl Doubt {
    /// It is the chain or the anchor that speaks, and not a file that cannot be read.
    fn is_of_tampering(&self) -> bool {
        match self {
            Self::Store(error) => error.reason == Reason::Tampered,
            Self::Chain(finding) => finding.sequence > 0,
        }
    }
}

/// Reads everything, with every check that there is.
fn content(place: &Place, documents: &[BlobId]) -> Result<Content, Doubt> {
    let log = SqliteLog::open(&place.store(), place.options())?;
    log.check()?.map_err(Doubt::Chain)?;
    log.check_documents()?;
    Ok(Content {
        events: log.read_all(0, usize::MAX)?,
        documents: documents.iter().map(|id| log.get(id)).collect::<Result<_, _>>()?,
    })
}

#[test]
fn f6_a_flipped_bit_in_any_kind_of_page_is_found_or_changes_nothing() {
    let (place, documents) = filled();
    let whole = fs::read(place.store()).unwrap();
    let expected = content(&place, &documents).unwrap();
    assert_eq!(expected.events.len() as u64, EVENTS);
    let pages = classes(&whole);
    assert_eq!(pages.len(), 5, "a page of every kind: {:?}", pages.keys());
    let flips = if is_long() { FLIPS_LONG } else { FLIPS };
    let mut counts = BTreeMap::new();
    for (class, starts) in &pages {
        let size = if starts.len() > 1 { starts[1] - starts[0] } else { 4096 };
        let (mut found, mut harmless) = (0, 0);
        for flip in 0..flips {
            let mut random = Random::numbered(*class as u64 + 31, flip);
            // The head of a page says what is in it; there a bit weighs most.
            let within = if flip % 2 == 0 { random.below(16) } else { random.below(size.min(4096)) };
            let at = random.pick(starts) + within;
            let mut damaged = whole.clone();
            damaged[at] ^= 1 << random.below(8);
            fs::write(place.store(), &damaged).unwrap();
            match content(&place, &documents) {
                Err(_) => found += 1,
                Ok(read) => {
                    assert_eq!(read, expected, "{class:?}, byte {at}");
                    harmless += 1;
                }
            }
            remove_companions(&place.store());
        }
        counts.insert(class, (found, harmless));
        assert!(found > 0 || *class == Class::Freelist, "{class:?}: nothing was found");
    }
    println!("bits flipped, found and harmless: {counts:?}");
    fs::write(place.store(), &whole).unwrap();
    assert_eq!(content(&place, &documents).unwrap(), expected);
}

fn remove_companions(store: &Path) {
    for ending in ["-wal", "-shm"] {
        let _ = fs::remove_file(format!("{}{ending}", store.display()));
    }
}

/// A copy of a store as it lies on the disk while somebody has it open, with the anchor of what it held.
fn copied_while_open() -> (Place, Vec<u8>, Vec<u8>) {
    let place = Place::new();
    let mut log = place.open();
    append(&mut log, 0..20);
    drop(log);
    // What was stored since is in the write-ahead log alone.
    let mut log = place.open();
    append(&mut log, 20..30);
    let file = fs::read(place.store()).unwrap();
    let ahead = fs::read(format!("{}-wal", place.store().display())).unwrap();
    drop(log);
    (place, file, ahead)
}

#[test]
fn f6_a_damaged_or_missing_write_ahead_log_is_found() {
    let (place, file, ahead) = copied_while_open();
    let lay = |ahead: Option<&[u8]>| {
        remove_companions(&place.store());
        fs::write(place.store(), &file).unwrap();
        if let Some(bytes) = ahead {
            fs::write(format!("{}-wal", place.store().display()), bytes).unwrap();
        }
    };
    lay(Some(&ahead));
    let whole = content(&place, &[]).unwrap();
    assert_eq!(whole.events.len(), 30);
    lay(None);
    let Err(Doubt::Store(refused)) = content(&place, &[]) else { panic!("it is refused at the door") };
    assert_eq!(refused.reason, Reason::Tampered, "{refused}");
    assert!(refused.to_string().contains("event 30 was anchored and is missing"), "{refused}");
    assert!(refused.to_string().contains("restore a backup"), "{refused}");
    let flips = if is_long() { FLIPS_LONG } else { FLIPS };
    for flip in 0..flips {
        let mut random = Random::numbered(37, flip);
        let at = if flip == 0 { 12 } else { random.below(ahead.len()) };
        let mut damaged = ahead.clone();
        damaged[at] ^= 1 << random.below(8);
        lay(Some(&damaged));
        match content(&place, &[]) {
            Err(doubt) => assert!(doubt.is_of_tampering(), "byte {at}: {doubt:?}"),
            // The last bytes may belong to an older round of the write-ahead log, which nobody reads.
            Ok(read) => assert_eq!(read, whole, "byte {at}"),
        }
    }
    for cut in [0, 20, 32, 40, ahead.len() / 2, ahead.len() - 1] {
        lay(Some(&ahead[..cut]));
        let doubt = content(&place, &[]).unwrap_err();
        assert!(doubt.is_of_tampering(), "cut at {cut}: {doubt:?}");
    }
    println!("{flips} flips and 6 cuts of a write-ahead log: none was believed");
}
