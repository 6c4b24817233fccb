//! Amounts that people write with a unit: dollars and minutes, which may have a decimal point, and memory.

use std::fmt::Display;
use std::ops::Range;

use toml::Spanned;

use super::Problem;

const MICRO: f64 = 1e6;
const MINUTE_MS: f64 = 60_000.0;
/// More than this is not meant.
const DOLLARS_MAX: f64 = 1e6;
const MIB: u64 = 1024 * 1024;
/// A pebibyte.
const MEBIBYTES_MAX: u64 = 1024 * 1024 * 1024;
/// A year.
const MINUTES_MAX: f64 = 365.0 * 24.0 * 60.0;

/// Reads dollars as millionths of one.
pub(super) fn microdollars(dollars: &Spanned<f64>) -> Result<u64, Problem> {
    Ok((between(dollars, 1.0 / MICRO, DOLLARS_MAX, "dollars")? * MICRO).round() as u64)
}

/// Reads minutes as milliseconds.
pub(super) fn milliseconds(minutes: &Spanned<f64>) -> Result<i64, Problem> {
    Ok((between(minutes, 1.0 / MINUTE_MS, MINUTES_MAX, "minutes")? * MINUTE_MS).round() as i64)
}

/// Reads mebibytes as bytes.
pub(super) fn mebibytes(mebibytes: &Spanned<u64>) -> Result<u64, Problem> {
    let value = *mebibytes.get_ref();
    match (1..=MEBIBYTES_MAX).contains(&value) {
        true => Ok(value * MIB),
        false => Err(no_number(&value, "MiB", &MEBIBYTES_MAX, mebibytes.span())),
    }
}

fn between(amount: &Spanned<f64>, least: f64, most: f64, unit: &str) -> Result<f64, Problem> {
    let value = *amount.get_ref();
    match (least..=most).contains(&value) {
        true => Ok(value),
        false => Err(no_number(&value, unit, &most, amount.span())),
    }
}

fn no_number(value: &dyn Display, unit: &str, most: &dyn Display, span: Range<usize>) -> Problem {
    Problem {
        message: format!("`{value}` is no number of {unit} above 0 and up to {most}"),
        help: Some("leave it out where nothing is to be bounded".to_owned()),
        span,
    }
}
