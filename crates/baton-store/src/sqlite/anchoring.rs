//! Anchors the head behind the writer's back: nobody waits for it, and many commits share one anchor.

use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use super::readers::Readers;
use super::{query, spawn};
use crate::anchor::{Anchor, Anchorage};
use crate::error::StoreError;
use crate::limit;
use crate::log::Head;

/// The thread that anchors. When it goes, it first anchors what is left.
#[derive(Debug)]
pub(super) struct Anchoring {
    wish: Wish,
    thread: Option<JoinHandle<()>>,
}

/// Where the writer says which head should be anchored.
#[derive(Debug, Clone, Default)]
pub(super) struct Wish(Arc<(Mutex<Wanted>, Condvar)>);

#[derive(Debug, Default)]
struct Wanted {
    head: Option<Head>,
    is_closing: bool,
    trouble: Option<StoreError>,
}

impl Wish {
    pub(super) fn anchor(&self, head: Head) {
        // A thread that already knows is not woken for every commit.
        if self.lock().head.replace(head).is_none() {
            self.0.1.notify_all();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Wanted> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until there is a head to anchor; false when there will be no more.
    fn is_wanted(&self) -> bool {
        let wanted = self.lock();
        let wanted = self.0.1.wait_while(wanted, |wanted| wanted.head.is_none() && !wanted.is_closing);
        wanted.unwrap_or_else(PoisonError::into_inner).head.is_some()
    }

    /// Lets commits gather, so that a flood of them does not share the disk with a flood of anchors.
    fn rest(&self) {
        let rested =
            self.0.1.wait_timeout_while(self.lock(), limit::ANCHOR_PAUSE, |wanted| !wanted.is_closing);
        drop(rested);
    }
}

impl Anchoring {
    pub(super) fn start(anchorage: Anchorage, store: [u8; 16], path: PathBuf) -> Result<Self, StoreError> {
        let wish = Wish::default();
        let heard = wish.clone();
        let thread = spawn("baton-log-anchor", move || {
            let readers = Readers::new(path);
            while heard.is_wanted() {
                heard.rest();
                let Some(head) = heard.lock().head.take() else { continue };
                let anchored = anchorage.advance(&Anchor { store, head }, |sequence| {
                    readers.with(|connection| query::hash_at(connection, sequence))
                });
                heard.lock().trouble = anchored.err();
            }
        })?;
        Ok(Anchoring { wish, thread: Some(thread) })
    }

    pub(super) fn wish(&self) -> Wish {
        self.wish.clone()
    }

    pub(super) fn trouble(&self) -> Option<StoreError> {
        self.wish.lock().trouble.clone()
    }
}

impl Drop for Anchoring {
    fn drop(&mut self) {
        self.wish.lock().is_closing = true;
        self.wish.0.1.notify_all();
        if let Some(thread) = self.thread.take() {
            // Without its last anchor the log is still whole; the next start anchors it.
            let _ = thread.join();
        }
    }
}
