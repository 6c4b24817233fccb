//! Rows of tables as events, and numbers that both sides can hold.

use baton_engine::envelope::{Actor, Recorded};
use rusqlite::Row;

use crate::error::StoreError;
use crate::log::Unreadable;
use crate::record;

/// Reads the columns of `EVENT_COLUMNS`.
pub(super) fn event(row: &Row<'_>) -> Result<Recorded, Unreadable> {
    let sequence = row.get::<_, i64>(0).unwrap_or(0);
    let sequence = u64::try_from(sequence).unwrap_or(0);
    fields(row, sequence).map_err(|error| Unreadable { sequence, why: error.to_string() })
}

fn fields(row: &Row<'_>, sequence: u64) -> Result<Recorded, rusqlite::Error> {
    let kind: String = row.get(4)?;
    let kind = record::actor_kind(&kind)
        .ok_or_else(|| rusqlite::Error::InvalidColumnName(format!("actor_kind `{kind}`")))?;
    Ok(Recorded {
        sequence,
        stream: row.get(1)?,
        version: unsigned(row, 2)?,
        at: row.get(3)?,
        actor: Actor { kind, name: row.get(5)?, turn: row.get(6)? },
        kind: row.get(7)?,
        schema: row.get(8)?,
        body: row.get(9)?,
        key: row.get(10)?,
        previous: row.get(11)?,
        hash: row.get(12)?,
    })
}

pub(super) fn unsigned(row: &Row<'_>, column: usize) -> Result<u64, rusqlite::Error> {
    let value: i64 = row.get(column)?;
    u64::try_from(value).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, value))
}

/// The database counts in signed numbers; a log of 2^63 events is not met.
pub(super) fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

pub(super) fn unreadable(error: &Unreadable) -> StoreError {
    StoreError::corrupt(format!("read event {} of the log", error.sequence), error.why.clone())
}

pub(super) fn size(value: u64) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}
