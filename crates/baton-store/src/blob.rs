//! Documents and outputs are addressed by the SHA-256 of their content, and checked against it when read.

use std::fmt;

use sha2::{Digest, Sha256};

use crate::error::StoreError;
use crate::hex;

/// The SHA-256 of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct BlobId(pub [u8; 32]);

impl BlobId {
    /// Returns the id that these bytes have.
    pub fn of(bytes: &[u8]) -> Self {
        BlobId(Sha256::digest(bytes).into())
    }

    /// Reads an id as `Display` writes it.
    pub fn parse(text: &str) -> Option<Self> {
        hex::decode_hash(text).map(BlobId)
    }
}

impl fmt::Display for BlobId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&hex::encode(&self.0))
    }
}

/// Refuses bytes that are not the ones that were stored under this id.
pub(crate) fn checked(id: &BlobId, bytes: Vec<u8>) -> Result<Vec<u8>, StoreError> {
    if BlobId::of(&bytes) == *id {
        return Ok(bytes);
    }
    Err(StoreError::corrupt(format!("read the document {id}"), "its bytes are not the ones that were stored"))
}
