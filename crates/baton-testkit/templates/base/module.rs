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
    Cents(line.price.0 * line.nights)
}

/// Returns the sum of all lines.
pub fn total(lines: &[Line]) -> Cents {
    lines.iter().map(amount).fold(Cents(0), Cents::plus)
}
