//! How a turn ended, from how its process ended and what the agent left.

use baton_engine::fact::Ending;

use super::{Close, Fault};
use crate::supervise::How;

/// Returns how the turn ended without a handoff; nothing when the agent left a last message in which one may be.
///
/// What the host knows weighs more than what the agent says: a deadline is a deadline, whatever was printed before it.
pub fn ending(how: &How, close: &Close) -> Option<Ending> {
    match (how, &close.fault) {
        (How::TimedOut, _) => Some(Ending::Timeout),
        (How::Stopped, _) => Some(Ending::Stopped),
        (How::NotStarted(_) | How::OverBound(_) | How::KeeperLost, _) => Some(Ending::Crash),
        (How::Code(_) | How::Signal(_), Some(fault)) => Some(match fault {
            Fault::Limit(_) => Ending::Limit,
            Fault::Access(_) | Fault::Setting(_) => Ending::AccessRefused,
            Fault::Network(_) => Ending::Network,
            Fault::Request(_) => Ending::Crash,
        }),
        (How::Signal(_), None) => Some(Ending::Crash),
        (How::Code(0), None) if close.is_finished && close.message.is_some() => None,
        (How::Code(0), None) => Some(Ending::NoHandoff),
        (How::Code(_), None) => Some(Ending::Crash),
    }
}
