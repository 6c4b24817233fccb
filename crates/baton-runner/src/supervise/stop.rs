//! Being asked to stop, by a person at the keyboard or by the system.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How often we were asked to stop. Once: finish what can be finished. More often: leave at once.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicUsize>);

/// A request to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// How often that was done, this time included.
    pub times: usize,
    /// It is what a terminal sends for Ctrl-C.
    pub is_interruption: bool,
}

impl Stop {
    /// Listens to interruption, termination and the end of the terminal from now on; they no longer end the process. A
    /// third request does: whoever asks three times means it. Each is answered at once, before anything comes of it.
    #[cfg(unix)]
    pub fn listen(answer: impl Fn(Asked) + Send + 'static) -> std::io::Result<Self> {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
        let stop = Self::default();
        let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP])?;
        let asked = stop.clone();
        std::thread::Builder::new().spawn(move || {
            for signal in signals.forever() {
                let times = asked.ask();
                answer(Asked { times, is_interruption: signal == SIGINT });
                if times > REQUESTS_HEARD_MAX {
                    let _ = signal_hook::low_level::emulate_default_handler(signal);
                }
            }
        })?;
        Ok(stop)
    }

    /// Asks to stop, as a signal does. Returns how often that was done.
    pub fn ask(&self) -> usize {
        self.0.fetch_add(1, Ordering::SeqCst) + 1
    }

    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::SeqCst) > 0
    }

    /// Says whether somebody asked again, and does not want to wait.
    pub fn is_urgent(&self) -> bool {
        self.0.load(Ordering::SeqCst) > 1
    }
}

#[cfg(unix)]
const REQUESTS_HEARD_MAX: usize = 2;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_copies_hear_of_it() {
        let stop = Stop::default();
        let copy = stop.clone();
        assert!(!copy.is_asked());
        assert_eq!(stop.ask(), 1);
        assert!(copy.is_asked() && !copy.is_urgent());
        stop.ask();
        assert!(copy.is_urgent());
    }
}
