//! The time of the harbour office.

pub fn nights(arrival_day: i64, departure_day: i64) -> i64 {
    (departure_day - arrival_day).max(0)
}
