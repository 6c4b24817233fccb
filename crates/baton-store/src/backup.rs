//! Copies the store while it is in use, and brings copies back. Nothing is called a backup before it was verified.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::backup::Backup;
use rusqlite::{Connection, OpenFlags};

use crate::chain::Verified;
use crate::durable_file;
use crate::error::{Reason, StoreError};
use crate::log::Head;
use crate::sqlite::{self, SqliteLog};

/// All pages in one step: a reader of the write-ahead log sees one moment, and writers go on meanwhile.
const ALL_PAGES: i32 = -1;

/// Copies a store to a new file, and returns what the copy holds.
pub fn backup(log: &SqliteLog, to: &Path) -> Result<Verified, StoreError> {
    backup_with(log, to, || Ok(()))
}

/// Copies a store to a new file. What belongs to it is copied by `accompany`, after the moment that the copy shows and before
/// the copy has its name: where there is a backup, all of it is there.
pub fn backup_with<E: From<StoreError>>(
    log: &SqliteLog,
    to: &Path,
    accompany: impl FnOnce() -> Result<(), E>,
) -> Result<Verified, E> {
    copy_verified((log.path(), to), None, accompany)
}

/// Copies a backup to a place where nothing is. With a head, the backup must hold that very event.
///
/// If the store had an anchor, the restored log may end before it. Whoever restores must know what is lost and then
/// anchor anew; nothing here does that silently.
pub fn restore(from: &Path, to: &Path, must_hold: Option<Head>) -> Result<Verified, StoreError> {
    restore_with((from, to), must_hold, || Ok(()))
}

/// Copies a backup to a place where nothing is, and what belongs to it before it has its name.
pub fn restore_with<E: From<StoreError>>(
    (from, to): (&Path, &Path),
    must_hold: Option<Head>,
    accompany: impl FnOnce() -> Result<(), E>,
) -> Result<Verified, E> {
    for path in companions(to) {
        if fs::symlink_metadata(&path).is_ok() {
            return Err(StoreError::new(
                Reason::Occupied,
                format!("restore to {}", to.display()),
                format!("{} is there already", path.display()),
                "nothing was changed; move it away, or restore to a new place",
            )
            .into());
        }
    }
    copy_verified((from, to), must_hold, accompany)
}

fn companions(path: &Path) -> [PathBuf; 3] {
    let with = |ending: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    };
    [path.to_owned(), with("-wal"), with("-shm")]
}

fn copy_verified<E: From<StoreError>>(
    (from, to): (&Path, &Path),
    must_hold: Option<Head>,
    accompany: impl FnOnce() -> Result<(), E>,
) -> Result<Verified, E> {
    if fs::symlink_metadata(to).is_ok() {
        let next = "nothing was changed; choose a place that does not exist yet";
        return Err(StoreError::new(
            Reason::Occupied,
            "copy the store",
            format!("{} exists", to.display()),
            next,
        )
        .into());
    }
    let temporary = durable_file::temporary(to);
    let made = copy(from, &temporary)
        .and_then(|()| sqlite::verify_file(&temporary, must_hold))
        .map_err(E::from)
        .and_then(|verified| accompany().map(|()| verified))
        .and_then(|verified| Ok(durable_file::publish(&temporary, to).map(|()| verified)?));
    if made.is_err() {
        for path in companions(&temporary) {
            // It is ours, and it is not a backup; the error says why.
            let _ = fs::remove_file(path);
        }
    }
    made
}

fn copy(from: &Path, to: &Path) -> Result<(), StoreError> {
    let what = format!("copy {} to {}", from.display(), to.display());
    let failed = |error: rusqlite::Error| StoreError::database(&what, &error);
    let source = sqlite::open_for_copy(from)?;
    durable_file::write_new(to, &[]).map_err(|error| StoreError::file("write", to, &error))?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut target = Connection::open_with_flags(to, flags).map_err(failed)?;
    Backup::new(&source, &mut target).and_then(|backup| backup.step(ALL_PAGES)).map_err(failed)?;
    // One file, without companions that could be forgotten when it is carried elsewhere.
    target.pragma_update(None, "journal_mode", "DELETE").map_err(failed)?;
    target.close().map_err(|(_, error)| failed(error))
}
