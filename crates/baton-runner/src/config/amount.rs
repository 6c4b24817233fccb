//! Amounts that people write with a decimal point: dollars and minutes.

use toml::Spanned;

use super::Problem;

const MICRO: f64 = 1e6;
const MINUTE_MS: f64 = 60_000.0;
/// More than this is not meant.
const DOLLARS_MAX: f64 = 1e6;
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

fn between(amount: &Spanned<f64>, least: f64, most: f64, unit: &str) -> Result<f64, Problem> {
    let value = *amount.get_ref();
    match (least..=most).contains(&value) {
        true => Ok(value),
        false => Err(Problem {
            message: format!("`{value}` is no number of {unit} above 0 and up to {most}"),
            help: Some("leave it out where nothing is to be bounded".to_owned()),
            span: amount.span(),
        }),
    }
}
