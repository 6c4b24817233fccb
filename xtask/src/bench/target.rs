//! A bound on a ratio, and what was seen of it.

use std::fmt;

#[derive(Clone, Copy)]
pub(super) enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

pub(super) struct Target {
    pub(super) bound: Bound,
    pub(super) subject: String,
    /// The ratio by the clock on the wall, or of whatever else the subject names; `None` when it was not measured.
    pub(super) seen: Option<f64>,
    /// The ratio of processor time, where that says something too.
    pub(super) cpu: Option<f64>,
}

impl Target {
    fn verdict(&self, ratio: f64) -> &'static str {
        let met = match self.bound {
            Bound::AtLeast(least) => ratio >= least,
            Bound::AtMost(most) => ratio <= most,
        };
        if met { "met" } else { "missed" }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.bound {
            Bound::AtLeast(least) => write!(out, "≥ {least}× {}: ", self.subject)?,
            Bound::AtMost(most) => write!(out, "≤ {most}× {}: ", self.subject)?,
        }
        match self.seen {
            Some(ratio) => write!(out, "{ratio:.2}× {}", self.verdict(ratio))?,
            None => write!(out, "not measured")?,
        }
        match self.cpu {
            Some(ratio) => write!(out, ", by CPU time {ratio:.2}× {}", self.verdict(ratio)),
            None => Ok(()),
        }
    }
}
