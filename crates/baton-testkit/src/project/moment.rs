//! Times: seconds since 1970 in UTC, written with whatever offset is asked for.

use std::io;

use jiff::Timestamp;
use jiff::tz::Offset;

/// The first day of every project: a Monday.
pub(crate) const BEGIN: Moment = Moment { second: 1_741_000_000 - 1_741_000_000 % DAY + 8 * HOUR };
pub(crate) const MINUTE: i64 = 60;
pub(crate) const HOUR: i64 = 60 * MINUTE;
pub(crate) const DAY: i64 = 24 * HOUR;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moment {
    pub(crate) second: i64,
}

impl Moment {
    pub(crate) fn plus_minutes(self, minutes: i64) -> Moment {
        Moment { second: self.second + minutes * MINUTE }
    }

    pub(crate) fn plus_days(self, days: i64) -> Moment {
        Moment { second: self.second + days * DAY }
    }

    /// Writes the time with an offset such as `+05:30`, `Z`, or without one for `none`.
    pub(crate) fn written(self, zone: &str) -> io::Result<String> {
        let timestamp = Timestamp::from_second(self.second).map_err(io::Error::other)?;
        if zone == "none" {
            return Ok(timestamp.to_string().trim_end_matches('Z').to_owned());
        }
        if zone == "date" {
            return Ok(timestamp.to_string().chars().take(10).collect());
        }
        let minutes = offset_minutes(zone)?;
        if minutes == 0 {
            return Ok(timestamp.to_string());
        }
        let offset = Offset::from_seconds(minutes * 60).map_err(io::Error::other)?;
        Ok(timestamp.display_with_offset(offset).to_string())
    }
}

fn offset_minutes(zone: &str) -> io::Result<i32> {
    if zone == "Z" {
        return Ok(0);
    }
    let wrong = || io::Error::other(format!("{zone} is no offset"));
    let (hours, minutes) = zone.get(1..).and_then(|rest| rest.split_once(':')).ok_or_else(wrong)?;
    let size = hours.parse::<i32>().map_err(io::Error::other)? * 60
        + minutes.parse::<i32>().map_err(io::Error::other)?;
    Ok(if zone.starts_with('-') { -size } else { size })
}
