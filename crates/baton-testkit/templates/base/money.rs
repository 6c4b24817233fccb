//! Amounts in cents.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cents(pub i64);

impl Cents {
    pub fn plus(self, other: Cents) -> Cents {
        Cents(self.0 + other.0)
    }
}
