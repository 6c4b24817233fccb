//! The head of the log, kept outside the store and signed with a key that the store does not hold.
//!
//! A chain of hashes shows every change but two: a tail that was cut off, and a log that was written anew from its
//! beginning. The anchor shows those. It is written after events are stored, so it never promises what is not there; it
//! may lag behind by what was stored in the last moment before a crash.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

use crate::durable_file;
use crate::error::{Reason, StoreError};
use crate::hex;
use crate::log::Head;

const KEY_BYTES: usize = 32;
/// First in everything that is signed, so that a signature of one thing is none of another.
const ANCHOR_DOMAIN: &[u8] = b"baton anchor 1";
const EXPORT_DOMAIN: &[u8] = b"baton export 1";
const PASS_DOMAIN: &[u8] = b"baton pass 1";

/// The secret that signs anchors and exports. Whoever has it can forge them.
#[derive(Clone)]
pub struct Key([u8; KEY_BYTES]);

/// Which store had which head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Anchor {
    pub store: [u8; 16],
    pub head: Head,
}

/// Where an anchor is kept, and the key it is signed with.
#[derive(Debug, Clone)]
pub struct Anchorage {
    file: PathBuf,
    key: Key,
}

impl Key {
    /// Reads the key, or makes one that only its owner can read.
    pub fn load_or_create(path: &Path) -> Result<Self, StoreError> {
        if !path.exists() {
            Key::create(path)?;
        }
        Key::load(path)
    }

    fn create(path: &Path) -> Result<(), StoreError> {
        let mut bytes = [0; KEY_BYTES];
        getrandom::fill(&mut bytes)
            .map_err(|error| StoreError::file("make the key", path, &io::Error::other(error.to_string())))?;
        let temporary = durable_file::temporary(path);
        durable_file::write_new(&temporary, hex::encode(&bytes).as_bytes())
            .map_err(|error| StoreError::file("write the key", path, &error))?;
        match durable_file::publish(&temporary, path) {
            // Another process was faster; its key is the key.
            Err(error) if error.reason == Reason::Occupied => {
                fs::remove_file(&temporary).map_err(|error| StoreError::file("remove", &temporary, &error))
            }
            published => published,
        }
    }

    fn load(path: &Path) -> Result<Self, StoreError> {
        let failed = |error: io::Error| StoreError::file("read the key", path, &error);
        check_mode(path, &fs::symlink_metadata(path).map_err(failed)?)?;
        let text = fs::read_to_string(path).map_err(failed)?;
        hex::decode_hash(text.trim()).map(Key).ok_or_else(|| {
            StoreError::new(
                Reason::Corrupt,
                format!("read the key {}", path.display()),
                "it is not 64 digits in base 16",
                "put the key back from a backup; without it old anchors cannot be checked",
            )
        })
    }

    fn sign(&self, domain: &[u8], head: &Head, store: &[u8]) -> Option<Hmac<Sha256>> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).ok()?;
        mac.update(domain);
        mac.update(&(store.len() as u64).to_be_bytes());
        mac.update(store);
        mac.update(&head.sequence.to_be_bytes());
        mac.update(&head.hash);
        Some(mac)
    }

    fn signature(&self, domain: &[u8], head: &Head, store: &[u8]) -> String {
        let mac = self.sign(domain, head, store).map(|mac| mac.finalize().into_bytes());
        mac.map(|bytes| hex::encode(&bytes)).unwrap_or_default()
    }

    fn accepts(&self, domain: &[u8], head: &Head, store: &[u8], signature: &str) -> bool {
        let mac = self.sign(domain, head, store).zip(hex::decode(signature));
        mac.is_some_and(|(mac, signature)| mac.verify_slice(&signature).is_ok())
    }

    /// Signs the end of an exported log.
    pub(crate) fn sign_export(&self, head: &Head) -> String {
        self.signature(EXPORT_DOMAIN, head, &[])
    }

    /// Signs what somebody is let in with.
    pub fn sign_pass(&self, words: &str) -> String {
        self.signature(PASS_DOMAIN, &Head::default(), words.as_bytes())
    }

    pub fn accepts_pass(&self, words: &str, signature: &str) -> bool {
        self.accepts(PASS_DOMAIN, &Head::default(), words.as_bytes(), signature)
    }

    pub(crate) fn accepts_export(&self, head: &Head, signature: &str) -> bool {
        self.accepts(EXPORT_DOMAIN, head, &[], signature)
    }
}

impl std::fmt::Debug for Key {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Key(…)")
    }
}

impl Anchorage {
    pub fn new(file: PathBuf, key: Key) -> Self {
        Anchorage { file, key }
    }

    /// Returns the anchor, or none when nothing was anchored here yet. A forged one is an error.
    pub fn read(&self) -> Result<Option<Anchor>, StoreError> {
        let text = match fs::read_to_string(&self.file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            read => read.map_err(|error| StoreError::file("read the anchor", &self.file, &error))?,
        };
        let anchor = self.parse(&text);
        anchor.map(Some).ok_or_else(|| {
            StoreError::new(
                Reason::Tampered,
                format!("read the anchor {}", self.file.display()),
                "its signature does not hold: it was changed, or signed with another key",
                "find out who changed it; then verify the log and anchor it anew",
            )
        })
    }

    fn parse(&self, text: &str) -> Option<Anchor> {
        let value: Value = serde_json::from_str(text).ok()?;
        let field = |name| value.get(name)?.as_str();
        let store: [u8; 16] = hex::decode(field("store")?)?.try_into().ok()?;
        let hash = hex::decode_hash(field("hash")?)?;
        let head = Head { sequence: value.get("sequence")?.as_u64()?, hash };
        let is_signed = self.key.accepts(ANCHOR_DOMAIN, &head, &store, field("signature")?);
        is_signed.then_some(Anchor { store, head })
    }

    /// Moves the anchor forward to `next`, after `hash_at` has shown that the log still has what was anchored before.
    pub fn advance(
        &self,
        next: &Anchor,
        hash_at: impl FnOnce(u64) -> Result<Option<[u8; 32]>, StoreError>,
    ) -> Result<(), StoreError> {
        let _lock = self.lock()?;
        if let Some(current) = self.read()? {
            if current.store == next.store && current.head.sequence >= next.head.sequence {
                return Ok(());
            }
            check(&current, &next.store, hash_at)?;
        }
        self.write(next)
    }

    /// Puts the anchor where the owner of the log says that the truth is, for example after a restore. It is the one way
    /// back from a found tampering, and only a person should go it.
    pub fn anchor_anew(&self, anchor: &Anchor) -> Result<(), StoreError> {
        let _lock = self.lock()?;
        self.write(anchor)
    }

    fn write(&self, anchor: &Anchor) -> Result<(), StoreError> {
        let text = json!({
            "store": hex::encode(&anchor.store),
            "sequence": anchor.head.sequence,
            "hash": hex::encode(&anchor.head.hash),
            "signature": self.key.signature(ANCHOR_DOMAIN, &anchor.head, &anchor.store),
        });
        let text = format!("{text}\n");
        // The lock is held, so one name for the temporary file is enough, and a crash leaves at most one behind.
        durable_file::replace_through(&self.beside("new"), &self.file, text.as_bytes())
    }

    /// Held by one process at a time; the system lets go of it when the process ends.
    fn lock(&self) -> Result<File, StoreError> {
        let path = self.beside("lock");
        let failed = |error: io::Error| StoreError::file("lock the anchor", &path, &error);
        let file = File::options().write(true).create(true).truncate(false).open(&path).map_err(failed)?;
        file.lock().map_err(failed)?;
        Ok(file)
    }

    fn beside(&self, ending: &str) -> PathBuf {
        let name = self.file.file_name().unwrap_or_default().to_string_lossy();
        self.file.with_file_name(format!("{name}.{ending}"))
    }
}

/// Refuses a log that is not the anchored one, or not all of it.
pub(crate) fn check(
    anchor: &Anchor,
    store: &[u8; 16],
    hash_at: impl FnOnce(u64) -> Result<Option<[u8; 32]>, StoreError>,
) -> Result<(), StoreError> {
    if anchor.store != *store {
        return Err(tampered("another store was anchored here: the file was replaced or removed"));
    }
    if anchor.head.sequence == 0 {
        return Ok(());
    }
    let sequence = anchor.head.sequence;
    match hash_at(sequence)? {
        Some(hash) if hash == anchor.head.hash => Ok(()),
        Some(_) => Err(tampered(&format!("event {sequence} is not the one that was anchored"))),
        None => Err(tampered(&format!("event {sequence} was anchored and is missing: the tail was cut"))),
    }
}

fn tampered(why: &str) -> StoreError {
    StoreError::new(
        Reason::Tampered,
        "trust the log",
        why,
        "stop writing, keep the files as they are, verify the log to find the last good event, and restore a backup",
    )
}

#[cfg(unix)]
fn check_mode(path: &Path, found: &fs::Metadata) -> Result<(), StoreError> {
    use std::os::unix::fs::PermissionsExt;
    const OPEN_TO_OTHERS: u32 = 0o077;
    if found.is_file() && found.permissions().mode() & OPEN_TO_OTHERS == 0 {
        return Ok(());
    }
    Err(StoreError::new(
        Reason::LooseMode,
        format!("read the key {}", path.display()),
        "it is not a plain file that only its owner can read",
        format!("if nobody else has seen the key: chmod 600 {}; else make a new one", path.display()),
    ))
}

#[cfg(not(unix))]
fn check_mode(_path: &Path, _found: &fs::Metadata) -> Result<(), StoreError> {
    Ok(())
}
