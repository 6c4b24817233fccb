//! `baton keeper`: keep one child after the other. Baton starts it for itself; it is in no help, and waits for no command line to
//! be understood.

use crate::exit;

/// Says whether this process was started as a keeper.
pub(crate) fn is_meant() -> bool {
    let mut words = std::env::args_os().skip(1);
    words.next().is_some_and(|first| first == baton_runner::supervise::KEEPER) && words.next().is_none()
}

/// Speaks a protocol of its own on standard input and output.
pub(crate) fn run() -> exit::Code {
    #[cfg(target_os = "linux")]
    if baton_runner::supervise::keeper::keep().is_ok() {
        return exit::Code::Fine;
    }
    exit::Code::Io
}
