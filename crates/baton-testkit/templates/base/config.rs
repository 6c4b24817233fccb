//! Settings of the harbour office.

pub const BERTHS: usize = 48;
