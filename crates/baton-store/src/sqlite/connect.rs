//! Opens the file: every refusal, every setting, and the proof that the settings took.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension};

use super::{place, query, row, schema};
use crate::error::{Reason, StoreError};
use crate::limit;
use crate::record;

/// The first bytes of every SQLite file.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";
/// Pages of memory that a connection may use, in KiB, negative as SQLite wants it.
const CACHE_KIB: i64 = -16_384;
/// Pages of the write-ahead log that are gathered before they are folded into the file. A longer log is not faster: most
/// of the time it grows, and a flush costs more while a file grows than when it is written over.
const WAL_PAGES: i64 = 1_000;
/// A write-ahead log that grew beyond this is cut back, in bytes.
const WAL_BYTES_KEPT: i64 = 16 * 1024 * 1024;
/// What `PRAGMA synchronous` says when it is FULL.
const SYNCHRONOUS_FULL: i64 = 2;
/// Statements kept prepared on each connection.
const STATEMENTS_KEPT: usize = 64;

/// Whether the file system is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Placement {
    /// Refuse network file systems.
    #[default]
    Checked,
    /// The owner knows better.
    Trusted,
}

/// Says whether there is no file, or an empty one.
pub(super) fn is_nothing(path: &Path) -> bool {
    match fs::symlink_metadata(path) {
        Ok(found) => found.is_file() && found.len() == 0,
        Err(error) => {
            let has_folder =
                path.parent().is_none_or(|folder| folder.as_os_str().is_empty() || folder.is_dir());
            error.kind() == std::io::ErrorKind::NotFound && has_folder
        }
    }
}

/// Returns the real path of the database after everything that can be refused without opening it.
pub(super) fn admit(path: &Path, placement: Placement) -> Result<PathBuf, StoreError> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let folder =
        fs::canonicalize(folder).map_err(|error| StoreError::file("open the folder", folder, &error))?;
    let name = path.file_name().ok_or_else(|| {
        StoreError::new(Reason::Missing, "open the store", "the path has no file name", "name a file")
    })?;
    if placement == Placement::Checked {
        place::check(&folder)?;
    }
    let path = folder.join(name);
    match fs::symlink_metadata(&path) {
        Ok(found) => admit_file(&path, &found)?,
        Err(_) => create(&path)?,
    }
    Ok(path)
}

pub(super) fn admit_file(path: &Path, found: &fs::Metadata) -> Result<(), StoreError> {
    let what = || format!("open the store {}", path.display());
    if !found.is_file() {
        let next = "name the file itself, or choose another place";
        return Err(StoreError::new(Reason::ForeignFile, what(), "it is not a plain file", next));
    }
    check_mode(path, found)?;
    let mut start = Vec::new();
    File::open(path)
        .and_then(|file| file.take(MAGIC.len() as u64).read_to_end(&mut start))
        .map_err(|error| StoreError::file("open the store", path, &error))?;
    if !start.is_empty() && start != MAGIC {
        let next = "point Baton at another file, or restore this one from a backup";
        return Err(StoreError::new(Reason::ForeignFile, what(), "it is not a store of Baton", next));
    }
    Ok(())
}

/// A store that others may write to is no record of anything.
#[cfg(unix)]
fn check_mode(path: &Path, found: &fs::Metadata) -> Result<(), StoreError> {
    use std::os::unix::fs::PermissionsExt;
    const WRITABLE_BY_OTHERS: u32 = 0o022;
    if found.permissions().mode() & WRITABLE_BY_OTHERS == 0 {
        return Ok(());
    }
    Err(StoreError::new(
        Reason::LooseMode,
        format!("open the store {}", path.display()),
        "other users may write to it",
        format!("chmod 600 {}", path.display()),
    ))
}

#[cfg(not(unix))]
fn check_mode(_path: &Path, _found: &fs::Metadata) -> Result<(), StoreError> {
    Ok(())
}

/// Creates the file for its owner only; its companions get the same mode from SQLite.
fn create(path: &Path) -> Result<(), StoreError> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        // Another process was faster; its file is as good as ours.
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        opened => opened.map(|_| ()).map_err(|error| StoreError::file("create the store", path, &error)),
    }
}

/// Opens for writing, makes the tables where there are none, and proves the settings.
pub(super) fn writer(path: &Path) -> Result<Connection, StoreError> {
    let what = format!("open the store {}", path.display());
    let failed = |error: rusqlite::Error| StoreError::database(&what, &error);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags).map_err(failed)?;
    connection.busy_handler(Some(wait_for_others)).map_err(failed)?;
    // A file that is not ours is refused before a single byte of it is changed.
    is_new(&connection, &what)?;
    settings(&connection).map_err(failed)?;
    write_ahead(&connection).map_err(failed)?;
    connection.pragma_update(None, "synchronous", "FULL").map_err(failed)?;
    connection.pragma_update(None, "secure_delete", "ON").map_err(failed)?;
    connection.pragma_update(None, "wal_autocheckpoint", WAL_PAGES).map_err(failed)?;
    connection.pragma_update(None, "journal_size_limit", WAL_BYTES_KEPT).map_err(failed)?;
    prove(&connection, &what)?;
    if is_new(&connection, &what)? {
        create_tables(&connection, &what)?;
    }
    Ok(connection)
}

/// Opens for reading only.
pub(super) fn reader(path: &Path) -> Result<Connection, StoreError> {
    let what = format!("read the store {}", path.display());
    reading(path, OpenFlags::SQLITE_OPEN_READ_ONLY, &what)?.ok_or_else(|| {
        let next = "point Baton at the file that holds the log";
        StoreError::new(Reason::ForeignFile, what, "it has no log in it", next)
    })
}

/// Opens what is read first, and nothing where no tables are yet. It changes nothing either; but when it goes as the last,
/// it folds what is left of a write-ahead log into the file, which only a connection that may write can do.
pub(super) fn first_reader(path: &Path) -> Result<Option<Connection>, StoreError> {
    reading(path, OpenFlags::SQLITE_OPEN_READ_WRITE, &format!("open the store {}", path.display()))
}

fn reading(path: &Path, access: OpenFlags, what: &str) -> Result<Option<Connection>, StoreError> {
    let failed = |error: rusqlite::Error| StoreError::database(what, &error);
    let flags = access | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags).map_err(failed)?;
    connection.busy_handler(Some(wait_for_others)).map_err(failed)?;
    settings(&connection).map_err(failed)?;
    connection.pragma_update(None, "query_only", "ON").map_err(failed)?;
    Ok((!is_new(&connection, what)?).then_some(connection))
}

/// Turns on the write-ahead log. SQLite does not wait for others here, whatever it was told.
fn write_ahead(connection: &Connection) -> Result<(), rusqlite::Error> {
    let mut attempt = 0;
    loop {
        let turned = connection.pragma_update(None, "journal_mode", "WAL");
        let code = turned.as_ref().err().and_then(rusqlite::Error::sqlite_error_code);
        let is_busy = matches!(code, Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked));
        if !is_busy || !wait_for_others(attempt) {
            return turned;
        }
        attempt += 1;
    }
}

/// Folds the write-ahead log into the file and cuts it to nothing, or says that it could not.
pub(super) fn empty_write_ahead(connection: &Connection) -> Result<(), StoreError> {
    let what = "empty the write-ahead log";
    let busy: i64 = connection
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |found| found.get(0))
        .map_err(|error| query::broken(what, &error))?;
    match busy {
        0 => Ok(()),
        _ => Err(StoreError::new(Reason::Busy, what, "others are reading it", "try again")),
    }
}

fn settings(connection: &Connection) -> Result<(), rusqlite::Error> {
    connection.set_prepared_statement_cache_capacity(STATEMENTS_KEPT);
    // Else the planner looks at bound values, and compiles a kept statement anew each time another value is bound.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_FKEY, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.pragma_update(None, "cell_size_check", "ON")?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.pragma_update(None, "cache_size", CACHE_KIB)
}

/// Looks often instead of ever longer: the other writer's transaction takes milliseconds.
fn wait_for_others(attempt: i32) -> bool {
    let waited = limit::BUSY_LOOK * u32::try_from(attempt).unwrap_or(u32::MAX);
    std::thread::sleep(limit::BUSY_LOOK);
    waited < limit::BUSY_WAIT_MAX
}

/// Reads the settings back: a library built otherwise, or a file system without shared memory, ignores them silently.
fn prove(connection: &Connection, what: &str) -> Result<(), StoreError> {
    let text = |name| connection.pragma_query_value(None, name, |found| found.get::<_, String>(0));
    let number = |name| pragma(connection, name);
    let failed = |error: rusqlite::Error| StoreError::database(what, &error);
    let journal = text("journal_mode").map_err(failed)?;
    let synchronous = number("synchronous").map_err(failed)?;
    let keys = number("foreign_keys").map_err(failed)?;
    let erases = number("secure_delete").map_err(failed)?;
    if journal == "wal" && synchronous == SYNCHRONOUS_FULL && keys == 1 && erases == 1 {
        return Ok(());
    }
    Err(StoreError::new(
        Reason::Failed,
        what,
        format!(
            "the database does not take our settings: journal_mode {journal}, synchronous {synchronous}, \
             foreign_keys {keys}, secure_delete {erases}"
        ),
        "nothing can be promised here; choose a folder on a local disk and use an unmodified build",
    ))
}

fn pragma(connection: &Connection, name: &str) -> Result<i64, rusqlite::Error> {
    connection.pragma_query_value(None, name, |found| found.get(0))
}

/// Tells an empty file from one of ours, and refuses all others.
fn is_new(connection: &Connection, what: &str) -> Result<bool, StoreError> {
    let failed = |error: rusqlite::Error| StoreError::database(what, &error);
    // Both numbers come with the tables and stay, so most files need no closer look.
    let number = |name| pragma(connection, name).map_err(failed);
    if number("application_id")? == schema::APPLICATION_ID
        && number("user_version")? == schema::SCHEMA_VERSION
    {
        return Ok(false);
    }
    // One statement sees one moment: another process may be making the tables just now.
    let sql = "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema) \
               FROM pragma_application_id, pragma_user_version";
    let columns = |found: &rusqlite::Row<'_>| Ok((found.get(0)?, found.get(1)?, found.get(2)?));
    let found: (i64, i64, i64) = connection.query_row(sql, [], columns).map_err(failed)?;
    match found {
        (0, 0, 0) => Ok(true),
        (schema::APPLICATION_ID, version, _) if version > schema::SCHEMA_VERSION => Err(StoreError::new(
            Reason::NewerSchema,
            what,
            format!("a newer Baton wrote it (schema {version}, this one knows {})", schema::SCHEMA_VERSION),
            "nothing was changed; install the newer Baton, or restore a backup of before the upgrade",
        )),
        (schema::APPLICATION_ID, schema::SCHEMA_VERSION, _) => Ok(false),
        _ => Err(StoreError::new(
            Reason::ForeignFile,
            what,
            "it is a database of another program",
            "nothing was changed; point Baton at another file",
        )),
    }
}

fn create_tables(connection: &Connection, what: &str) -> Result<(), StoreError> {
    let failed = |error: rusqlite::Error| StoreError::database(what, &error);
    let mut id = [0; 16];
    getrandom::fill(&mut id).map_err(|error| {
        StoreError::new(Reason::Failed, what, format!("no random numbers: {error}"), "try again")
    })?;
    connection.execute_batch("BEGIN IMMEDIATE").map_err(failed)?;
    // Another process may have made them between our look and our lock.
    let made = match is_new(connection, what) {
        Ok(true) => tables(connection, &id).map_err(failed),
        Ok(false) => Ok(()),
        Err(error) => Err(error),
    };
    let end = if made.is_ok() { "COMMIT" } else { "ROLLBACK" };
    let ended = connection.execute_batch(end).map_err(failed);
    made.and(ended)
}

fn tables(connection: &Connection, id: &[u8; 16]) -> Result<(), rusqlite::Error> {
    connection.execute_batch(schema::CREATE)?;
    connection.execute("INSERT INTO store (id) VALUES (?1)", [&id[..]])?;
    connection.pragma_update(None, "application_id", schema::APPLICATION_ID)?;
    connection.pragma_update(None, "user_version", schema::SCHEMA_VERSION)
}

/// Asks several questions of one moment.
pub(super) fn at_one_moment<T>(
    connection: &Connection,
    ask: impl FnOnce() -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let failed = |error| query::broken("read at one moment", &error);
    connection.execute_batch("BEGIN").map_err(failed)?;
    let answer = ask()?;
    connection.execute_batch("COMMIT").map_err(failed)?;
    Ok(answer)
}

/// Returns the name that the store was born with.
pub(super) fn store_id(connection: &Connection) -> Result<[u8; 16], StoreError> {
    let found = connection.query_row("SELECT id FROM store", [], |found| found.get(0)).optional();
    found.map_err(|error| query::broken("read the id of the store", &error))?.ok_or_else(|| {
        StoreError::corrupt("read the id of the store", "the file does not say which store it is")
    })
}

/// Checks the last events, which a crash or a torn file would hurt first.
pub(super) fn check_tail(connection: &Connection) -> Result<(), StoreError> {
    let head = query::head(connection)?;
    let after = head.sequence.saturating_sub(limit::TAIL_CHECKED);
    let events = query::of_all(connection, after, row::size(limit::TAIL_CHECKED))?;
    record::checked_all(after, events).map(|_| ())
}

/// Asks the database itself whether its file is whole. It reads all of it, but compares no index with its table.
pub(super) fn quick_check(connection: &Connection) -> Result<(), StoreError> {
    ask(connection, "PRAGMA quick_check(1)")
}

/// Like `quick_check`, with the indexes.
pub(super) fn full_check(connection: &Connection) -> Result<(), StoreError> {
    ask(connection, "PRAGMA integrity_check(1)")
}

fn ask(connection: &Connection, sql: &str) -> Result<(), StoreError> {
    let what = "check the file of the store";
    let answer: String =
        connection.query_row(sql, [], |found| found.get(0)).map_err(|error| query::broken(what, &error))?;
    if answer == "ok" { Ok(()) } else { Err(StoreError::corrupt(what, answer)) }
}
