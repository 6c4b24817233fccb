//! `baton keeper`: keep one child. Baton starts it for itself; it is in no help.

use super::Done;
use crate::exit;

/// Keep one process that Baton started
///
/// Speaks a protocol of its own on standard input and output, and is of no use to people.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {}

pub(crate) fn run() -> Done {
    #[cfg(target_os = "linux")]
    if baton_runner::supervise::keeper::keep().is_ok() {
        return Ok(exit::Code::Fine);
    }
    Ok(exit::Code::Io)
}
