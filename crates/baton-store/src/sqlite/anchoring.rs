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

/// Anchors what the writer wishes. When it goes, it first anchors what is left.
#[derive(Debug)]
pub(super) struct Anchoring {
    wish: Wish,
}

/// Where the writer says which head should be anchored.
#[derive(Debug, Clone)]
pub(super) struct Wish(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    anchorage: Anchorage,
    store: [u8; 16],
    path: PathBuf,
    wanted: Mutex<Wanted>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Wanted {
    head: Option<Head>,
    is_closing: bool,
    trouble: Option<StoreError>,
    /// Begun with the first wish: most processes only read.
    thread: Option<JoinHandle<()>>,
}

impl Wish {
    pub(super) fn anchor(&self, head: Head) {
        let mut wanted = self.lock();
        let was_idle = wanted.head.replace(head).is_none();
        if wanted.thread.is_none() {
            let heard = self.clone();
            match spawn("baton-log-anchor", move || heard.serve()) {
                Ok(thread) => wanted.thread = Some(thread),
                Err(error) => wanted.trouble = Some(error),
            }
        } else if was_idle {
            // A thread that already knows is not woken for every commit.
            self.0.changed.notify_all();
        }
    }

    /// Anchors until there will be no more wishes.
    fn serve(&self) {
        let Shared { anchorage, store, path, .. } = &*self.0;
        let readers = Readers::new(path.clone(), None);
        while self.is_wanted() {
            self.rest();
            let Some(head) = self.lock().head.take() else { continue };
            let anchored = anchorage.advance(&Anchor { store: *store, head }, |sequence| {
                readers.with(|connection| query::hash_at(connection, sequence))
            });
            self.lock().trouble = anchored.err();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Wanted> {
        self.0.wanted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until there is a head to anchor; false when there will be no more.
    fn is_wanted(&self) -> bool {
        let wanted = self.lock();
        let wanted = self.0.changed.wait_while(wanted, |wanted| wanted.head.is_none() && !wanted.is_closing);
        wanted.unwrap_or_else(PoisonError::into_inner).head.is_some()
    }

    /// Lets commits gather, so that a flood of them does not share the disk with a flood of anchors.
    fn rest(&self) {
        let changed = &self.0.changed;
        let rested =
            changed.wait_timeout_while(self.lock(), limit::ANCHOR_PAUSE, |wanted| !wanted.is_closing);
        drop(rested);
    }
}

impl Anchoring {
    pub(super) fn new(anchorage: Anchorage, store: [u8; 16], path: PathBuf) -> Self {
        let (wanted, changed) = (Mutex::default(), Condvar::new());
        Anchoring { wish: Wish(Arc::new(Shared { anchorage, store, path, wanted, changed })) }
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
        let thread = {
            let mut wanted = self.wish.lock();
            wanted.is_closing = true;
            wanted.thread.take()
        };
        self.wish.0.changed.notify_all();
        if let Some(thread) = thread {
            // Without its last anchor the log is still whole; the next start anchors it.
            let _ = thread.join();
        }
    }
}
