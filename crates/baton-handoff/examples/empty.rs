//! Does nothing: what starting a program costs, for `cargo xtask bench check`.

fn main() {}
