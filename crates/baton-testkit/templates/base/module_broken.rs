//! {{title}}.

use crate::money::Cents;

/// One line of {{title}}.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub berth: usize,
    pub nights: i64,
    pub price: Cents,
}

/// Returns what a line costs.
pub fn amount(line: &Line) -> Cents {
    Cents(line.price.0 + line.nights)
}
