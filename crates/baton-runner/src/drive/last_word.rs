//! An agent that said its last word and stays all the same is ended after a while in which it says no more. What it said
//! counts: it was its last word.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use crate::supervise::Stopper;

/// Waits for an agent to go after its last word.
#[derive(Debug, Default)]
pub(super) struct LastWord {
    /// Tells whoever waits that there was another line.
    more: Option<Sender<()>>,
    has_ended_it: Arc<AtomicBool>,
}

impl LastWord {
    /// Hears a line, which may be the last word, with how long it is waited after that.
    pub(super) fn hear(&mut self, last: Option<Duration>, stopper: impl FnOnce() -> Stopper) {
        if let Some(more) = &self.more {
            let _ = more.send(());
        }
        if let (Some(grace), None) = (last, &self.more) {
            let (more, lines) = channel();
            let (stopper, has_ended_it) = (stopper(), Arc::clone(&self.has_ended_it));
            let waits = thread::Builder::new().spawn(move || {
                if is_silent(&lines, grace) {
                    has_ended_it.store(true, Ordering::SeqCst);
                    stopper.stop();
                }
            });
            // Without a thread for it, its deadline ends it.
            self.more = waits.is_ok().then_some(more);
        }
    }

    /// Says whether it had to be ended.
    pub(super) fn has_ended_it(&self) -> bool {
        self.has_ended_it.load(Ordering::SeqCst)
    }
}

/// Says whether nothing is heard for so long. Whoever is gone is not silent.
fn is_silent(lines: &Receiver<()>, grace: Duration) -> bool {
    loop {
        match lines.recv_timeout(grace) {
            Ok(()) => {}
            Err(RecvTimeoutError::Timeout) => return true,
            Err(RecvTimeoutError::Disconnected) => return false,
        }
    }
}
